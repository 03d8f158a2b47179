//! Families of images, and which one a node class gets.

use slipway_model::KubernetesVersion;

use super::Wanted;
use super::gallery::{AZURE_LINUX, Gallery, UBUNTU};

/// A family of node images.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Family {
    /// Ubuntu 20.04, for FIPS only.
    Ubuntu2004,
    /// Ubuntu 22.04.
    Ubuntu2204,
    /// Ubuntu 24.04.
    Ubuntu2404,
    /// Azure Linux 2.
    AzureLinux2,
    /// Azure Linux 3.
    AzureLinux3,
}

impl Family {
    /// The family that fits what a node class asks for.
    ///
    /// A version that cannot be read counts as an old one, a candidate as older than its release.
    pub fn of(wanted: &Wanted<'_>) -> Self {
        let version = KubernetesVersion::parse(wanted.kubernetes_version);
        let is_at_least = |minor| version.is_some_and(|version| version.is_at_least(1, minor));
        match (wanted.image_family, wanted.is_fips, wanted.is_trusted_launch) {
            (Some("Ubuntu2204"), ..) => Self::Ubuntu2204,
            (Some("Ubuntu2404"), ..) => Self::Ubuntu2404,
            (Some("AzureLinux"), ..) if is_at_least(32) => Self::AzureLinux3,
            (Some("AzureLinux"), ..) => Self::AzureLinux2,
            (_, true, false) => Self::Ubuntu2004,
            (_, _, true) => Self::Ubuntu2204,
            _ if is_at_least(34) => Self::Ubuntu2404,
            _ => Self::Ubuntu2204,
        }
    }

    /// The name that nodes are labelled with. Ubuntu 20.04 goes by the bare name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Ubuntu2004 => "Ubuntu",
            Self::Ubuntu2204 => "Ubuntu2204",
            Self::Ubuntu2404 => "Ubuntu2404",
            Self::AzureLinux2 => "AzureLinux2",
            Self::AzureLinux3 => "AzureLinux3",
        }
    }

    /// Where the family's images are.
    pub fn gallery(self) -> &'static Gallery {
        match self {
            Self::Ubuntu2004 | Self::Ubuntu2204 | Self::Ubuntu2404 => &UBUNTU,
            Self::AzureLinux2 | Self::AzureLinux3 => &AZURE_LINUX,
        }
    }
}

/// The operating system that a family of a node class stands for; an unknown one stands for itself.
pub fn os_sku(image_family: Option<&str>) -> &str {
    match image_family {
        None | Some("" | "Ubuntu" | "Ubuntu2204" | "Ubuntu2404") => "Ubuntu",
        Some(family) => family,
    }
}
