//! What a node is bootstrapped with: the resolved inputs of every payload.

use slipway_model::Secret;

use crate::Layered;
use crate::computed::{KubeletSettings, Labels, Taints};
use crate::request::{HttpProxy, LinuxOs};

/// What a node is bootstrapped with.
#[derive(Debug, Clone, PartialEq)]
pub struct Bootstrap {
    /// The cluster's name.
    pub cluster_name: String,
    /// The API server's address.
    pub cluster_endpoint: String,
    /// The API server's name.
    pub api_server_name: String,
    /// The certificates that the API server is trusted by: PEM, in base64.
    pub ca_bundle: String,
    /// The token that the node joins with.
    pub bootstrap_token: Secret<String>,
    /// The cluster's version, without `v`.
    pub kubernetes_version: String,
    /// `amd64` or `arm64`.
    pub arch: String,
    /// The tenant of the subscription.
    pub tenant_id: String,
    /// The subscription of the node.
    pub subscription_id: String,
    /// The region.
    pub location: String,
    /// The cloud's name.
    pub cloud: Layered<String>,
    /// The resource group of the node.
    pub resource_group: String,
    /// The client id of the identity that kubelet pulls images with.
    pub kubelet_identity_client_id: String,
    /// The administrator's name.
    pub admin_username: Layered<String>,
    /// The plugin that the node itself sets up.
    pub network_plugin: String,
    /// The network policy engine.
    pub network_policy: String,
    /// The network security group of the nodes.
    pub network_security_group: String,
    /// The route table of the nodes.
    pub route_table: String,
    /// The subnet, by resource id.
    pub subnet_id: Layered<String>,
    /// The GPU and its driver.
    pub gpu: Gpu,
    /// kubelet's configuration.
    pub kubelet: Option<KubeletSettings>,
    /// Labels of the node.
    pub labels: Labels,
    /// Taints of the node.
    pub taints: Taints,
    /// The proxy to the outside.
    pub http_proxy: HttpProxy,
    /// Certificates that the node trusts beside the system's.
    pub custom_ca_certificates: Vec<String>,
    /// Settings of the operating system.
    pub linux_os: Option<LinuxOs>,
}

/// A node's GPU, and the driver that fits its size.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Gpu {
    /// Whether the size has NVIDIA GPUs.
    pub is_nvidia: bool,
    /// Whether the node class leaves the driver to the node.
    pub installs_driver: bool,
    /// The kind of driver.
    pub driver_type: String,
    /// The driver's version.
    pub driver_version: String,
    /// The build of the image that installs it.
    pub image_suffix: String,
    /// Whether the GPUs are joined by switches, which a service has to set up.
    pub needs_fabric_manager: bool,
}

impl Gpu {
    /// Whether the node sets up its GPU.
    pub fn is_set_up(&self) -> bool {
        self.is_nvidia && self.installs_driver
    }
}
