//! Azure's part of a contract: what the cloud provider on the node reads.

use slipway_contract::messages::{
    CloudProviderConfig, ClusterConfig, ClusterNetworkConfig, LoadBalancerConfig, LoadBalancerSku,
    NetworkConfig, NetworkPlugin, NetworkPolicy, VmType,
};

use super::Impossible;
use crate::nps::profile::ProvisionProfile;
use crate::request::{Environment, Options};

/// The host of the API server, without scheme and port.
pub(super) fn api_server_name(options: &Options) -> Result<String, Impossible> {
    let endpoint = &options.cluster_endpoint;
    let rest = endpoint.split_once("://").map_or(endpoint.as_str(), |(_, rest)| rest);
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let host = match authority.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        Some((host, _)) => host,
        None => authority.split(':').next().unwrap_or_default(),
    };
    if host.is_empty() {
        return Err(Impossible::cluster("options.clusterEndpoint", "there is no host in it"));
    }
    Ok(host.to_owned())
}

/// Cluster, network and load balancer.
pub(super) fn cluster_config(
    options: &Options,
    environment: &Environment,
    profile: &ProvisionProfile,
) -> Result<ClusterConfig, Impossible> {
    let subnet = Subnet::parse(&profile.vnet_subnet_id)
        .ok_or_else(|| Impossible::member("vnetSubnetID", "this is not the resource id of a subnet"))?;
    let (security_group, id) = security_group(&environment.network_security_groups)?;
    Ok(ClusterConfig {
        cluster_network_config: Some(ClusterNetworkConfig {
            vnet_name: subnet.network.to_owned(),
            vnet_resource_group: subnet.resource_group.to_owned(),
            subnet: subnet.name.to_owned(),
            security_group_name: security_group.to_owned(),
            route_table: format!("aks-agentpool-{id}-routetable"),
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

/// The plugin that the node sets up itself: none where the cluster brings it as pods.
pub(super) fn network_config(options: &Options, profile: &ProvisionProfile) -> NetworkConfig {
    let of_cluster = options.network_plugin_mode == "overlay" || options.network_dataplane == "cilium";
    NetworkConfig {
        network_plugin: match options.network_plugin.as_str() {
            "azure" if !of_cluster => NetworkPlugin::Azure,
            _ => NetworkPlugin::None,
        },
        // Cilium needs nothing of the node, and the contract has no word for it.
        network_policy: match options.network_policy.as_str() {
            "azure" => NetworkPolicy::Azure,
            "calico" => NetworkPolicy::Calico,
            _ => NetworkPolicy::Unspecified,
        },
        vnet_cni_plugins_url: super::kubelet::azure_cni_url(profile.architecture),
        ..NetworkConfig::default()
    }
}

/// The names in the resource id of a subnet.
struct Subnet<'a> {
    resource_group: &'a str,
    network: &'a str,
    name: &'a str,
}

impl<'a> Subnet<'a> {
    fn parse(id: &'a str) -> Option<Self> {
        const FIXED: [(usize, &str); 7] = [
            (0, ""),
            (1, "subscriptions"),
            (3, "resourceGroups"),
            (5, "providers"),
            (6, "Microsoft.Network"),
            (7, "virtualNetworks"),
            (9, "subnets"),
        ];
        let parts: Vec<&str> = id.split('/').collect();
        let fits = parts.len() == 11
            && parts[1..].iter().all(|part| !part.is_empty())
            && FIXED.iter().all(|(at, word)| parts[*at].eq_ignore_ascii_case(word));
        fits.then(|| Self { resource_group: parts[4], network: parts[8], name: parts[10] })
    }
}

/// The one group that AKS made for the nodes, and the cluster's id in its name.
fn security_group(names: &[String]) -> Result<(&str, &str), Impossible> {
    let id = |name: &'_ str| -> Option<(usize, usize)> {
        let (head, tail) = ("aks-agentpool-", "-nsg");
        let fits = name.len() == head.len() + 8 + tail.len()
            && name.is_ascii()
            && name[..head.len()].eq_ignore_ascii_case(head)
            && name[head.len() + 8..].eq_ignore_ascii_case(tail)
            && name[head.len()..head.len() + 8].bytes().all(|byte| byte.is_ascii_digit());
        fits.then_some((head.len(), head.len() + 8))
    };
    let mut found =
        names.iter().filter_map(|name| id(name).map(|(from, to)| (name.as_str(), &name[from..to])));
    let wrong = |problem| Impossible::cluster("environment.networkSecurityGroups", problem);
    match (found.next(), found.next()) {
        (Some(group), None) => Ok(group),
        (None, _) => Err(wrong("none is named aks-agentpool-<8 digits>-nsg")),
        (Some(_), Some(_)) => Err(wrong("more than one is named aks-agentpool-<8 digits>-nsg")),
    }
}
