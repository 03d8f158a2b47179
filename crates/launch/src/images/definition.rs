//! The image definitions of AKS.

use super::family::Family;
use super::family::Family::{AzureLinux2, AzureLinux3, Ubuntu2004, Ubuntu2204, Ubuntu2404};
use crate::sizes::Architecture::{self, Amd64, Arm64};
use crate::sizes::Generation::{self, One, Two};

/// What sets an image apart from others of its family.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Variant {
    /// Nothing.
    Plain,
    /// Boots in a VM with trusted launch.
    TrustedLaunch,
    /// Only validated cryptography.
    Fips,
    /// Both.
    FipsTrustedLaunch,
}

use Variant::{Fips, FipsTrustedLaunch, Plain, TrustedLaunch};

/// An image of which galleries hold versions.
#[derive(Debug, PartialEq, Eq)]
pub struct Definition {
    /// Its name in the gallery.
    pub name: &'static str,
    /// The name that node provisioning knows it by.
    pub distro: &'static str,
    /// Its family.
    pub family: Family,
    /// What sets it apart in the family.
    pub variant: Variant,
    /// The architecture that it runs on.
    pub architecture: Architecture,
    /// The generation of VMs that it boots in.
    pub generation: Generation,
}

const fn row(
    family: Family,
    variant: Variant,
    architecture: Architecture,
    generation: Generation,
    name: &'static str,
    distro: &'static str,
) -> Definition {
    Definition { name, distro, family, variant, architecture, generation }
}

/// All definitions; within a family and variant the preferred one comes first.
pub static DEFINITIONS: [Definition; 24] = [
    row(Ubuntu2004, Fips, Amd64, Two, "2004gen2fipscontainerd", "aks-ubuntu-fips-containerd-20.04-gen2"),
    row(Ubuntu2004, Fips, Amd64, One, "2004fipscontainerd", "aks-ubuntu-fips-containerd-20.04"),
    row(Ubuntu2204, Plain, Amd64, Two, "2204gen2containerd", "aks-ubuntu-containerd-22.04-gen2"),
    row(Ubuntu2204, Plain, Amd64, One, "2204containerd", "aks-ubuntu-containerd-22.04"),
    row(Ubuntu2204, Plain, Arm64, Two, "2204gen2arm64containerd", "aks-ubuntu-arm64-containerd-22.04-gen2"),
    row(Ubuntu2204, TrustedLaunch, Amd64, Two, "2204gen2TLcontainerd", "aks-ubuntu-containerd-22.04-tl-gen2"),
    row(
        Ubuntu2204,
        FipsTrustedLaunch,
        Amd64,
        Two,
        "2204gen2fipsTLcontainerd",
        "aks-ubuntu-fips-containerd-22.04-tl-gen2",
    ),
    row(Ubuntu2404, Plain, Amd64, Two, "2404gen2containerd", "aks-ubuntu-containerd-24.04-gen2"),
    row(Ubuntu2404, Plain, Amd64, One, "2404containerd", "aks-ubuntu-containerd-24.04"),
    row(Ubuntu2404, Plain, Arm64, Two, "2404gen2arm64containerd", "aks-ubuntu-arm64-containerd-24.04-gen2"),
    row(Ubuntu2404, TrustedLaunch, Amd64, Two, "2404gen2TLcontainerd", "aks-ubuntu-containerd-24.04-tl-gen2"),
    row(AzureLinux2, Plain, Amd64, Two, "V2gen2", "aks-azurelinux-v2-gen2"),
    row(AzureLinux2, Plain, Amd64, One, "V2", "aks-azurelinux-v2"),
    row(AzureLinux2, Plain, Arm64, Two, "V2gen2arm64", "aks-azurelinux-v2-arm64-gen2"),
    row(AzureLinux2, TrustedLaunch, Amd64, Two, "V2gen2TL", "aks-azurelinux-v2-gen2-tl"),
    row(AzureLinux2, Fips, Amd64, Two, "V2gen2fips", "aks-azurelinux-v2-gen2-fips"),
    row(AzureLinux2, Fips, Amd64, One, "V2fips", "aks-azurelinux-v2-fips"),
    row(AzureLinux3, Plain, Amd64, Two, "V3gen2", "aks-azurelinux-v3-gen2"),
    row(AzureLinux3, Plain, Amd64, One, "V3", "aks-azurelinux-v3"),
    row(AzureLinux3, Plain, Arm64, Two, "V3gen2arm64", "aks-azurelinux-v3-arm64-gen2"),
    row(AzureLinux3, TrustedLaunch, Amd64, Two, "V3gen2TL", "aks-azurelinux-v3-gen2-tl"),
    row(AzureLinux3, Fips, Amd64, Two, "V3gen2fips", "aks-azurelinux-v3-gen2-fips"),
    row(AzureLinux3, Fips, Amd64, One, "V3fips", "aks-azurelinux-v3-fips"),
    row(AzureLinux3, Fips, Arm64, Two, "V3gen2arm64fips", "aks-azurelinux-v3-arm64-gen2-fips"),
];

/// The definition of this name.
pub fn definition(name: &str) -> Option<&'static Definition> {
    DEFINITIONS.iter().find(|definition| definition.name == name)
}

impl Variant {
    /// Whether the image has only validated cryptography.
    pub fn is_fips(self) -> bool {
        matches!(self, Fips | FipsTrustedLaunch)
    }

    /// Whether the image boots with trusted launch.
    pub fn is_trusted_launch(self) -> bool {
        matches!(self, TrustedLaunch | FipsTrustedLaunch)
    }
}
