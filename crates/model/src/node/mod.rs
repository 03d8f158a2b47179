//! What a node should be, in our own types. Contracts and flex configurations become it; planning reads only it.

mod binaries;
mod cloud;
mod cluster;
mod dns;
mod gpu;
mod join;
mod kubelet;
mod network;
mod runtime;
mod system;

pub use binaries::{Binaries, ChecksumError, Component, Download, Supply};
pub use cloud::{
    Backoff, CloudNetwork, CloudProvider, CustomCloud, LoadBalancer, LoadBalancerSku, RateLimit, VmType,
};
pub use cluster::{Cluster, Endpoint, Kubernetes};
pub use dns::{Dns, Domains, HostsFile, LocalDns, Treatment};
pub use gpu::Gpu;
pub use join::{CredentialPlugin, Join, SecureBootstrap};
pub use kubelet::{AccountPull, Kubelet, Setting, SettingValue};
pub use network::{Network, Plugin, Policy, Proxy, Table};
pub use runtime::{HeldImage, Runtime};
pub use system::{Keeper, SwapOff, System};

/// Whose machine a node is, and so what may be taken for granted and what may be changed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Machine {
    /// A VM of Azure's with one of AKS's images: it is there to be this node.
    #[default]
    Image,
    /// Somebody's own, wherever it is: what a node does not need is left as its owner has it.
    Own,
}

/// What a node should be.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Node {
    /// Whose machine it is.
    pub machine: Machine,
    /// The cluster that the node joins.
    pub cluster: Cluster,
    /// How the node gets its first credential.
    pub join: Join,
    /// How kubelet runs.
    pub kubelet: Kubelet,
    /// What Azure's agents on the node are told.
    pub cloud: CloudProvider,
    /// Which programs the node runs, and where they come from.
    pub binaries: Binaries,
    /// The container runtime.
    pub runtime: Runtime,
    /// Network plugins, interfaces and firewall.
    pub network: Network,
    /// Graphics processors.
    pub gpu: Gpu,
    /// Name resolution.
    pub dns: Dns,
    /// The operating system.
    pub system: System,
}
