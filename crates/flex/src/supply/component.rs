//! The components that a node is made of: what each is called, where it is published, what is in it and where that goes.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use slipway_model::node::Component;

use super::version::Version;

/// A processor architecture, by Go's name for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Architecture {
    /// `x86_64`.
    Amd64,
    /// `aarch64`.
    Arm64,
}

/// A word that names no architecture that nodes have.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0} is no architecture that nodes have; it is amd64 or arm64")]
pub struct UnknownArchitecture(String);

/// The container runtime, where we put it.
pub const RUNTIME: &str = "/usr/local/bin/containerd";

/// What is published of a component, and where its parts go on a machine.
struct Facts {
    /// `{v}` is the version, `{a}` the architecture.
    published: &'static str,
    /// Where its makers publish checksums.
    checksums: &'static str,
    /// Members of the archive, or nothing for a program that is published as it is.
    members: &'static [&'static str],
    /// The directory of the members, or the program's path. `{v}` is the version: such a program is chosen by a link.
    place: &'static str,
    /// Whether there is no node without it.
    needed: bool,
}

/// Those that every release since 1.0 has.
const PLUGINS: [&str; 16] = [
    "bandwidth",
    "bridge",
    "dhcp",
    "firewall",
    "host-device",
    "host-local",
    "ipvlan",
    "loopback",
    "macvlan",
    "portmap",
    "ptp",
    "sbr",
    "static",
    "tuning",
    "vlan",
    "vrf",
];

const fn facts(component: Component) -> Facts {
    match component {
        Component::Kubelet => Facts {
            published: "https://dl.k8s.io/v{v}/bin/linux/{a}/kubelet",
            checksums: "https://dl.k8s.io/v{v}/bin/linux/{a}/kubelet.sha256",
            members: &[],
            place: "/opt/bin/kubelet-{v}",
            needed: true,
        },
        Component::Kubectl => Facts {
            published: "https://dl.k8s.io/v{v}/bin/linux/{a}/kubectl",
            checksums: "https://dl.k8s.io/v{v}/bin/linux/{a}/kubectl.sha256",
            members: &[],
            place: "/opt/bin/kubectl-{v}",
            needed: true,
        },
        Component::Kubeadm => Facts {
            published: "https://dl.k8s.io/v{v}/bin/linux/{a}/kubeadm",
            checksums: "https://dl.k8s.io/v{v}/bin/linux/{a}/kubeadm.sha256",
            members: &[],
            place: "/opt/bin/kubeadm",
            needed: false,
        },
        Component::Containerd => Facts {
            published: "https://github.com/containerd/containerd/releases/download/v{v}/containerd-{v}-linux-{a}.tar.gz",
            checksums: "https://github.com/containerd/containerd/releases/download/v{v}/containerd-{v}-linux-{a}.tar.gz.sha256sum",
            members: &["bin/containerd", "bin/containerd-shim-runc-v2", "bin/ctr"],
            place: "/usr/local/bin",
            needed: true,
        },
        Component::Runc => Facts {
            published: "https://github.com/opencontainers/runc/releases/download/v{v}/runc.{a}",
            checksums: "https://github.com/opencontainers/runc/releases/download/v{v}/runc.sha256sum",
            members: &[],
            // Where containerd's configuration names it.
            place: "/usr/bin/runc",
            needed: true,
        },
        Component::CniPlugins => Facts {
            published: "https://github.com/containernetworking/plugins/releases/download/v{v}/cni-plugins-linux-{a}-v{v}.tgz",
            checksums: "https://github.com/containernetworking/plugins/releases/download/v{v}/cni-plugins-linux-{a}-v{v}.tgz.sha256",
            members: &PLUGINS,
            place: "/opt/cni/bin",
            needed: true,
        },
    }
}

/// Whether there is no node without it.
pub const fn is_needed(component: Component) -> bool {
    facts(component).needed
}

/// Where its makers publish a release.
pub fn published(component: Component, version: &Version, architecture: Architecture) -> String {
    filled(facts(component).published, version, architecture)
}

/// Where its makers publish the checksum of a release, among others or alone.
pub fn checksums(component: Component, version: &Version, architecture: Architecture) -> String {
    filled(facts(component).checksums, version, architecture)
}

fn filled(address: &str, version: &Version, architecture: Architecture) -> String {
    address.replace("{v}", version.as_str()).replace("{a}", architecture.name())
}

/// Which members of a release go where; a program that is no archive is its own only member, named `""`.
pub fn members(component: Component, version: &Version) -> Vec<(String, PathBuf)> {
    let Facts { members, place, .. } = facts(component);
    if members.is_empty() {
        return vec![(String::new(), place.replace("{v}", version.as_str()).into())];
    }
    let below = |member: &str| PathBuf::from(place).join(member.rsplit('/').next().unwrap_or(member));
    members.iter().map(|member| ((*member).to_owned(), below(member))).collect()
}

impl Architecture {
    /// Go's name for it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Amd64 => "amd64",
            Self::Arm64 => "arm64",
        }
    }

    /// The architecture that this program was built for, which is the machine's.
    pub const fn own() -> Self {
        if cfg!(target_arch = "aarch64") { Self::Arm64 } else { Self::Amd64 }
    }
}

impl FromStr for Architecture {
    type Err = UnknownArchitecture;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "amd64" | "x86_64" => Ok(Self::Amd64),
            "arm64" | "aarch64" => Ok(Self::Arm64),
            _ => Err(UnknownArchitecture(text.to_owned())),
        }
    }
}

impl fmt::Display for Architecture {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_release_is_known_by_its_address_and_its_members() {
        let version: Version = "2.1.8".parse().unwrap();
        assert_eq!(
            published(Component::Containerd, &version, Architecture::Arm64),
            "https://github.com/containerd/containerd/releases/download/v2.1.8/containerd-2.1.8-linux-arm64.tar.gz"
        );
        let containerd = members(Component::Containerd, &version);
        assert_eq!(containerd[0], ("bin/containerd".to_owned(), RUNTIME.into()));
        let kubelet = members(Component::Kubelet, &"1.34.3".parse().unwrap());
        assert_eq!(kubelet, [(String::new(), "/opt/bin/kubelet-1.34.3".into())]);
    }
}
