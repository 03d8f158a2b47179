//! What a node is bootstrapped with: the resolved inputs of every payload.

use slipway_model::Secret;
use slipway_render::{Cloud, needs_fabric_manager};

use crate::computed::{
    KubeletSettings, Labels, NoManagedGroup, Taints, api_server_name, managed_group, node_network_plugin,
};
use crate::request::{Environment, HttpProxy, LinuxOs, Options};
use crate::sizes::{Manufacturer, gpu_driver, gpu_sizes};
use crate::{Layered, Source};

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

/// What a node has of its own; the rest it has of its cluster.
pub(crate) struct NodePart {
    pub(crate) bootstrap_token: Secret<String>,
    pub(crate) kubernetes_version: String,
    pub(crate) arch: &'static str,
    pub(crate) subnet_id: Layered<String>,
    pub(crate) gpu: Gpu,
    pub(crate) kubelet: KubeletSettings,
    pub(crate) labels: Labels,
    pub(crate) taints: Taints,
    pub(crate) linux_os: Option<LinuxOs>,
}

impl Bootstrap {
    /// What a node of a cluster is bootstrapped with.
    pub(crate) fn of(
        options: &Options,
        environment: &Environment,
        node: NodePart,
    ) -> Result<Self, NoManagedGroup> {
        let group = managed_group(&environment.network_security_groups)?;
        Ok(Self {
            cluster_name: options.cluster_name.clone(),
            cluster_endpoint: options.cluster_endpoint.clone(),
            api_server_name: api_server_name(&options.cluster_endpoint).to_owned(),
            ca_bundle: environment.ca_bundle_base64.clone(),
            bootstrap_token: node.bootstrap_token,
            kubernetes_version: node.kubernetes_version,
            arch: node.arch.to_owned(),
            tenant_id: environment.tenant_id.clone(),
            subscription_id: environment.subscription_id.clone(),
            location: environment.location.clone(),
            cloud: cloud(environment),
            resource_group: options.node_resource_group.clone(),
            kubelet_identity_client_id: options.kubelet_identity_client_id.clone(),
            admin_username: admin(options),
            network_plugin: node_network_plugin(options).to_owned(),
            network_policy: options.network_policy.clone(),
            network_security_group: group.name.to_owned(),
            route_table: format!("aks-agentpool-{}-routetable", group.cluster_id),
            subnet_id: node.subnet_id,
            gpu: node.gpu,
            kubelet: Some(node.kubelet),
            labels: node.labels,
            taints: node.taints,
            http_proxy: options.http_proxy.clone(),
            custom_ca_certificates: options.custom_ca_certificates.clone(),
            linux_os: node.linux_os,
        })
    }
}

/// The cloud that the launcher runs in, else the one that the region belongs to.
fn cloud(environment: &Environment) -> Layered<String> {
    let public = Cloud::Public.name().to_owned();
    let of_region = Cloud::of_location(&environment.location);
    let of_region = Some(of_region.name().to_owned()).filter(|_| of_region != Cloud::Public);
    let given = Some(environment.cloud.clone()).filter(|cloud| !cloud.is_empty());
    Layered::new(public, Source::Fixed).under(of_region, Source::Computed).under(given, Source::Environment)
}

fn admin(options: &Options) -> Layered<String> {
    let default = Layered::new("azureuser".to_owned(), Source::Fixed);
    let given = options.linux_admin_username.clone();
    if given == default.value { default } else { default.under(Some(given), Source::GlobalOptions) }
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
    /// The GPU of a VM size.
    pub(crate) fn of_size(size: &str, installs_driver: bool) -> Self {
        let driver = gpu_driver(size);
        Self {
            is_nvidia: gpu_sizes(size).is_some_and(|sizes| sizes.manufacturer() == Manufacturer::Nvidia),
            installs_driver,
            driver_type: driver.kind.to_owned(),
            driver_version: driver.version.to_owned(),
            image_suffix: driver.image_suffix.to_owned(),
            needs_fabric_manager: needs_fabric_manager(size),
        }
    }

    /// Whether the node sets up its GPU.
    pub fn is_set_up(&self) -> bool {
        self.is_nvidia && self.installs_driver
    }
}
