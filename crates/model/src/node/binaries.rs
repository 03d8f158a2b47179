use std::fmt;
use std::path::PathBuf;

use crate::{Secret, Sourced};

/// Which programs the node runs, and where they come from.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Binaries {
    /// An archive of kubelet and kubectl that is used whatever the image holds.
    pub kubernetes_override: Sourced<Option<Download>>,
    /// An archive of kubelet and kubectl for an image that does not hold them.
    pub kubernetes: Sourced<Option<Download>>,
    /// An archive of the credential provider for Azure's registries.
    pub credential_provider: Sourced<Option<Download>>,
    /// What a machine gets that no image has prepared.
    pub supplies: Sourced<Vec<Supply>>,
}

/// A program, or several that come together, for a machine that no image has prepared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Supply {
    /// What it is.
    pub component: Component,
    /// Its version.
    pub version: String,
    /// Where it is.
    pub download: Download,
    /// Where the machine may hold the same file already.
    pub held: PathBuf,
    /// Which members of the archive go where; a program that is no archive is its own only member, named `""`.
    pub members: Vec<(String, PathBuf)>,
}

/// A component of a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Deserialize, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Component {
    /// The node's agent.
    Kubelet,
    /// The command for people.
    Kubectl,
    /// The tool with which others set up clusters; some scripts look for it.
    Kubeadm,
    /// The container runtime.
    Containerd,
    /// What starts a container.
    Runc,
    /// The reference network plugins.
    CniPlugins,
}

impl Component {
    /// All of them.
    pub const ALL: [Self; 6] =
        [Self::Kubelet, Self::Kubectl, Self::Kubeadm, Self::Containerd, Self::Runc, Self::CniPlugins];

    /// Its name, for programs and people.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Kubelet => "kubelet",
            Self::Kubectl => "kubectl",
            Self::Kubeadm => "kubeadm",
            Self::Containerd => "containerd",
            Self::Runc => "runc",
            Self::CniPlugins => "cni-plugins",
        }
    }

    /// Whether it is released with Kubernetes and has its version.
    pub const fn is_kubernetes(self) -> bool {
        matches!(self, Self::Kubelet | Self::Kubectl | Self::Kubeadm)
    }
}

impl fmt::Display for Component {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Something to fetch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Download {
    /// Where it is; may hold a signature that grants access.
    pub url: Secret<String>,
    /// The SHA-256 of what comes, in hexadecimal digits, if it is known.
    pub sha256: Option<String>,
}

/// An address whose checksum is none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("what follows #sha256= has to be 64 hexadecimal digits")]
pub struct ChecksumError;

impl Download {
    /// Reads an address. Its fragment, which no server sees, may give the checksum: `https://…/x.tar.gz#sha256=HEX`.
    pub fn parse(address: &str) -> Result<Self, ChecksumError> {
        let Some((url, digits)) = address.split_once("#sha256=") else {
            return Ok(Self { url: address.into(), sha256: None });
        };
        if digits.len() != 64 || !digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return Err(ChecksumError);
        }
        Ok(Self { url: url.into(), sha256: Some(digits.to_ascii_lowercase()) })
    }

    /// The last part of the address's path: the name under which images keep the same file.
    pub fn file_name(&self) -> Option<&str> {
        let url = self.url.expose();
        let path = url.split(['?', '#']).next().unwrap_or_default();
        let name = path.split_once("://").map_or(path, |(_, rest)| rest).rsplit_once('/')?.1;
        (!name.is_empty() && name != "." && name != "..").then_some(name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_may_carry_its_checksum() {
        let digest = "AB".repeat(32);
        let download = Download::parse(&format!("https://h/a/x.tgz?sig=1#sha256={digest}")).unwrap();
        assert_eq!(download.url.expose(), "https://h/a/x.tgz?sig=1");
        assert_eq!(download.sha256, Some("ab".repeat(32)));
        assert_eq!(download.file_name(), Some("x.tgz"));
        assert_eq!(Download::parse("https://h/x#sha256=12"), Err(ChecksumError));
        assert_eq!(Download::parse("https://h/x").unwrap().sha256, None);
    }

    #[test]
    fn a_file_name_leads_nowhere_else() {
        for (url, name) in [
            ("https://h", None),
            ("https://h/", None),
            ("https://h/a/..", None),
            ("https://h/a?b=/c", Some("a")),
        ] {
            assert_eq!(Download::parse(url).unwrap().file_name(), name, "{url}");
        }
    }
}
