//! Versions of Debian packages, from the file that dpkg keeps them in.

use slipway_host::Host;

use crate::text;

const STATUS: &str = "/var/lib/dpkg/status";

/// The upstream version of the first of these packages that is installed: `1:1.7.20-ubuntu22.04u1` is `1.7.20`.
pub(crate) fn upstream_version(host: &dyn Host, packages: &[&str]) -> Option<String> {
    let status = text(host, STATUS).ok()?;
    packages.iter().find_map(|package| installed(&status, package))
}

fn installed(status: &str, package: &str) -> Option<String> {
    let paragraph = status.split("\n\n").find(|paragraph| field(paragraph, "Package") == Some(package))?;
    field(paragraph, "Status").filter(|status| status.ends_with(" installed"))?;
    let version = field(paragraph, "Version")?;
    let version = version.split_once(':').map_or(version, |(_epoch, version)| version);
    let upstream = version.rsplit_once('-').map_or(version, |(upstream, _revision)| upstream);
    Some(upstream.to_owned())
}

fn field<'a>(paragraph: &'a str, name: &str) -> Option<&'a str> {
    paragraph.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':').map(str::trim))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_installed_counts() {
        let status = "Package: containerd\nStatus: deinstall ok config-files\nVersion: 1.6.0-1\n\n\
                      Package: moby-containerd\nStatus: install ok installed\nVersion: 1:1.7.20-ubuntu22.04u1\nDescription: x\n Version: 9\n\n\
                      Package: plain\nStatus: install ok installed\nVersion: 2.0.0\n";
        assert_eq!(installed(status, "containerd"), None);
        assert_eq!(installed(status, "moby-containerd").as_deref(), Some("1.7.20"));
        assert_eq!(installed(status, "plain").as_deref(), Some("2.0.0"));
        assert_eq!(installed(status, "moby"), None);
    }
}
