use super::Download;
use crate::{Secret, Sourced};

/// Network plugins, interfaces and firewall.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Network {
    /// Who gives pods their network.
    pub plugin: Sourced<Plugin>,
    /// Who enforces network policies.
    pub policy: Sourced<Policy>,
    /// Where Azure CNI's archive is, if the image does not bring it.
    pub plugin_archive: Sourced<Option<Download>>,
    /// Whether pods and services have IPv6 addresses too.
    pub dual_stack: Sourced<bool>,
    /// Whether the operating system is to configure network interfaces beyond the first.
    pub secondary_interfaces: Sourced<bool>,
    /// In which table pods are kept from the metadata service, if they are.
    pub metadata_restriction: Sourced<Option<Table>>,
    /// The way out.
    pub proxy: Proxy,
}

/// Who gives pods their network.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Plugin {
    /// Somebody who comes later, such as a daemon set.
    #[default]
    Later,
    /// Azure CNI.
    Azure,
    /// A bridge that containerd configures.
    Kubenet,
}

/// Who enforces network policies.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Policy {
    /// Nothing was said.
    #[default]
    Unsaid,
    /// Nobody.
    None,
    /// Azure's network policy manager.
    Azure,
    /// Calico.
    Calico,
}

impl Policy {
    /// The word for it; empty where nothing was said.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Unsaid => "",
            Self::None => "none",
            Self::Azure => "azure",
            Self::Calico => "calico",
        }
    }
}

/// A table of the firewall.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Table {
    /// `filter`.
    Filter,
    /// `mangle`.
    Mangle,
}

/// The way out through a proxy. Its addresses may hold a password.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Proxy {
    /// For HTTP.
    pub http: Sourced<Option<Secret<String>>>,
    /// For HTTPS.
    pub https: Sourced<Option<Secret<String>>>,
    /// What is reached without it.
    pub bypass: Sourced<Vec<String>>,
    /// The certificate with which the proxy vouches for what it passes on, PEM.
    pub certificate: Sourced<Option<String>>,
}
