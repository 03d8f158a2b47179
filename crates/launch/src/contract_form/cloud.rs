//! Azure's part of a contract: what the cloud provider on the node reads.

use slipway_contract::messages::{
    CloudProviderConfig, ClusterConfig, ClusterNetworkConfig, LoadBalancerConfig, LoadBalancerSku,
    NetworkConfig, NetworkPlugin, NetworkPolicy, VmType,
};

use crate::Bootstrap;
use crate::computed::{SubnetId, azure_cni_url, cni_plugins_url};

/// Cluster, network and load balancer.
pub(super) fn cluster_config(node: &Bootstrap) -> ClusterConfig {
    ClusterConfig {
        cluster_network_config: Some(cluster_network(node)),
        load_balancer_config: Some(LoadBalancerConfig {
            load_balancer_sku: LoadBalancerSku::Standard,
            exclude_master_from_standard_load_balancer: Some(true),
            max_load_balancer_rule_count: Some(250),
            disable_outbound_snat: false,
        }),
        resource_group: node.resource_group.clone(),
        location: node.location.clone(),
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
    }
}

fn cluster_network(node: &Bootstrap) -> ClusterNetworkConfig {
    // The peer passes over an id that cannot be read; otherwise it has been refused before.
    let subnet = SubnetId::parse(&node.subnet_id.value).ok();
    let part = |part: fn(SubnetId<'_>) -> &str| subnet.map(part).unwrap_or_default().to_owned();
    ClusterNetworkConfig {
        vnet_name: part(|id| id.network),
        vnet_resource_group: part(|id| id.resource_group),
        subnet: part(|id| id.name),
        security_group_name: node.network_security_group.clone(),
        route_table: node.route_table.clone(),
        core_dns_service_ip: node
            .kubelet
            .as_ref()
            .map(|kubelet| kubelet.cluster_dns.clone())
            .unwrap_or_default(),
    }
}

/// The plugin that the node sets up itself.
pub(super) fn network_config(node: &Bootstrap) -> NetworkConfig {
    NetworkConfig {
        network_plugin: match node.network_plugin.as_str() {
            "azure" => NetworkPlugin::Azure,
            _ => NetworkPlugin::None,
        },
        // Other engines need nothing of the node, and the contract has no word for them.
        network_policy: match node.network_policy.as_str() {
            "azure" => NetworkPolicy::Azure,
            "calico" => NetworkPolicy::Calico,
            "none" => NetworkPolicy::None,
            _ => NetworkPolicy::Unspecified,
        },
        vnet_cni_plugins_url: azure_cni_url(&node.arch),
        cni_plugins_url: cni_plugins_url(&node.arch),
        ..NetworkConfig::default()
    }
}
