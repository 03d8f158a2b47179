//! The credential that a node's kubeconfig names.

use std::path::Path;

use slipway_host::Host;
use slipway_kubernetes::Credential;
use slipway_model::Secret;

/// The client certificate of a kubeconfig; `None` while there is none to be read.
pub fn find(host: &dyn Host, kubeconfig: &Path) -> Option<Credential> {
    let text = String::from_utf8(host.read(kubeconfig).ok()?).ok()?;
    let read = |key| String::from_utf8(host.read(Path::new(value(&text, key)?)).ok()?).ok();
    let chain_pem = read("client-certificate")?;
    let key_pem = Secret::new(read("client-key")?);
    Some(Credential::Certificate { chain_pem: certificates(&chain_pem), key_pem })
}

/// The value of a key that stands on a line of its own, as in kubelet's YAML and in our JSON.
fn value<'a>(text: &'a str, key: &str) -> Option<&'a str> {
    text.lines().find_map(|line| {
        let line = line.trim().trim_start_matches("- ").trim_end_matches(',');
        let (name, value) = line.split_once(':')?;
        (name.trim_matches('"') == key).then(|| value.trim().trim_matches(['"', '\'']))
    })
}

/// The certificates of a PEM text that may hold a key as well.
fn certificates(pem: &str) -> String {
    let mut out = String::new();
    let mut inside = false;
    for line in pem.lines() {
        inside |= line.starts_with("-----BEGIN CERTIFICATE");
        if inside {
            out.push_str(line);
            out.push('\n');
        }
        inside &= !line.starts_with("-----END");
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_paths_are_found_in_yaml_and_in_json() {
        for text in [
            "users:\n- name: a\n  user:\n    client-certificate: /c.pem\n    client-key: '/k.pem'\n",
            "{\n  \"user\": {\n    \"client-certificate\": \"/c.pem\",\n    \"client-key\": \"/k.pem\"\n  }\n}\n",
        ] {
            assert_eq!(value(text, "client-certificate"), Some("/c.pem"));
            assert_eq!(value(text, "client-key"), Some("/k.pem"));
        }
        let pem = "-----BEGIN CERTIFICATE-----\nA\n-----END CERTIFICATE-----\n-----BEGIN PRIVATE KEY-----\nB\n-----END PRIVATE KEY-----\n";
        assert_eq!(certificates(pem), "-----BEGIN CERTIFICATE-----\nA\n-----END CERTIFICATE-----\n");
    }
}
