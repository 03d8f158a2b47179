//! Azure's part of a contract: what the cloud provider on the node reads.

use slipway_contract::messages::{
    CloudProviderConfig, ClusterConfig, ClusterNetworkConfig, LoadBalancerConfig, LoadBalancerSku,
    NetworkConfig, NetworkPlugin, NetworkPolicy, VmType,
};

use super::Impossible;
use super::kubelet::arch;
use crate::computed::{SubnetId, azure_cni_url, managed_group, node_network_plugin};
use crate::nps::profile::ProvisionProfile;
use crate::request::{Environment, Options};

/// Cluster, network and load balancer.
pub(super) fn cluster_config(
    options: &Options,
    environment: &Environment,
    profile: &ProvisionProfile,
) -> Result<ClusterConfig, Impossible> {
    let subnet = SubnetId::parse(&profile.vnet_subnet_id)
        .map_err(|problem| Impossible::member("vnetSubnetID", problem.to_string()))?;
    let group = managed_group(&environment.network_security_groups)
        .map_err(|problem| Impossible::cluster("environment.networkSecurityGroups", problem.to_string()))?;
    Ok(ClusterConfig {
        cluster_network_config: Some(ClusterNetworkConfig {
            vnet_name: subnet.network.to_owned(),
            vnet_resource_group: subnet.resource_group.to_owned(),
            subnet: subnet.name.to_owned(),
            security_group_name: group.name.to_owned(),
            route_table: format!("aks-agentpool-{}-routetable", group.cluster_id),
            core_dns_service_ip: options.dns_service_ip.clone(),
        }),
        load_balancer_config: Some(LoadBalancerConfig {
            load_balancer_sku: LoadBalancerSku::Standard,
            exclude_master_from_standard_load_balancer: Some(true),
            max_load_balancer_rule_count: Some(250),
            disable_outbound_snat: false,
        }),
        resource_group: options.node_resource_group.clone(),
        location: environment.location.clone(),
        // Launched nodes are machines of their own, not members of a scale set.
        vm_type: VmType::Standard,
        use_instance_metadata: true,
        cloud_provider_config: Some(CloudProviderConfig {
            backoff: Some(true),
            backoff_mode: "v2".to_owned(),
            backoff_retries: Some(6),
            backoff_exponent: Some(0.0),
            backoff_duration: Some(5),
            backoff_jitter: Some(0.0),
            rate_limit: Some(true),
            rate_limit_qps: Some(10.0),
            rate_limit_qps_write: Some(10.0),
            rate_limit_bucket: Some(100),
            rate_limit_bucket_write: Some(100),
        }),
        ..ClusterConfig::default()
    })
}

/// The plugin that the node sets up itself, and the policy engine as far as the contract has words for it: Cilium
/// needs nothing of the node.
pub(super) fn network_config(options: &Options, profile: &ProvisionProfile) -> NetworkConfig {
    NetworkConfig {
        network_plugin: match node_network_plugin(options) {
            "azure" => NetworkPlugin::Azure,
            _ => NetworkPlugin::None,
        },
        network_policy: match options.network_policy.as_str() {
            "azure" => NetworkPolicy::Azure,
            "calico" => NetworkPolicy::Calico,
            _ => NetworkPolicy::Unspecified,
        },
        vnet_cni_plugins_url: azure_cni_url(arch(profile)),
        ..NetworkConfig::default()
    }
}
