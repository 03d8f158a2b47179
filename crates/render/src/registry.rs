//! Where containerd fetches the images of a registry from: the files below `certs.d`.

use crate::toml::Toml;

/// The Microsoft registry.
pub const MICROSOFT_REGISTRY: &str = "mcr.microsoft.com";
/// The name under which images of the Microsoft registry are still known in China.
pub const CHINA_LEGACY_REGISTRY: &str = "mcr.azk8s.cn";
/// The Microsoft registry in China.
const CHINA_REGISTRY: &str = "mcr.azure.cn";

/// The hosts file of a registry whose images are all in another one: `host` or `host/repository/prefix`.
pub fn mirrored_registry(mirror: &str) -> String {
    let (host, prefix) = mirror.trim_end_matches('/').split_once('/').unwrap_or((mirror, ""));
    let separator = if prefix.is_empty() { "" } else { "/" };
    let server = format!("https://{}/v2{separator}{prefix}", host.trim_end_matches('/'));
    let mut text = Toml::new();
    text.table(&["host", &server]).texts("capabilities", &["pull", "resolve"]).flag("override_path", true);
    text.finish()
}

/// The hosts file that leads from the legacy name in China to the registry there.
pub fn china_legacy_registry() -> String {
    let server = format!("https://{CHINA_REGISTRY}");
    let mut text = Toml::new();
    text.table(&["host", &server]).texts("capabilities", &["pull", "resolve"]);
    text.table(&["host", &server, "header"]).texts("X-Forwarded-For", &[CHINA_LEGACY_REGISTRY]);
    text.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mirror_is_asked_below_its_own_prefix() {
        for (mirror, server) in [
            ("r.azurecr.io", "https://r.azurecr.io/v2"),
            ("r.azurecr.io/", "https://r.azurecr.io/v2"),
            ("r.azurecr.io/a/b/", "https://r.azurecr.io/v2/a/b"),
        ] {
            let table: toml::Table = mirrored_registry(mirror).parse().unwrap();
            let host = &table["host"][server];
            assert_eq!(host["override_path"].as_bool(), Some(true), "{mirror}");
            assert_eq!(host["capabilities"].as_array().unwrap().len(), 2);
        }
    }

    #[test]
    fn the_legacy_name_is_told_to_the_registry_in_china() {
        let table: toml::Table = china_legacy_registry().parse().unwrap();
        let header = &table["host"]["https://mcr.azure.cn"]["header"]["X-Forwarded-For"];
        assert_eq!(header[0].as_str(), Some("mcr.azk8s.cn"));
    }
}
