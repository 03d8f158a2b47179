use slipway_model::node::{
    Backoff, CloudNetwork, CloudProvider, CustomCloud, LoadBalancer, LoadBalancerSku, RateLimit, VmType,
};

use super::field::{decoded, decoded_secret, demand, or, said};
use super::{Fate, Refused, take};
use crate::Contract;
use crate::messages;

/// What becomes of the fields that this file reads.
#[rustfmt::skip]
pub(super) const FATES: &[(&str, Fate)] = &[
    ("custom_cloud_config.custom_cloud_env_name", Fate::Honoured),
    ("custom_cloud_config.repo_depot_endpoint", Fate::Refused("package sources of a custom cloud are set up by the image's own script")),
    ("custom_cloud_config.custom_env_json_content", Fate::Honoured),
    ("custom_cloud_config.container_registry_dns_suffix", Fate::Honoured),
    ("cluster_config.resource_group", Fate::Honoured),
    ("cluster_config.location", Fate::Honoured),
    ("cluster_config.vm_type", Fate::Honoured),
    ("cluster_config.primary_availability_set", Fate::Honoured),
    ("cluster_config.primary_scale_set", Fate::Honoured),
    ("cluster_config.use_instance_metadata", Fate::Honoured),
    ("cluster_config.cluster_network_config.vnet_name", Fate::Honoured),
    ("cluster_config.cluster_network_config.vnet_resource_group", Fate::Honoured),
    ("cluster_config.cluster_network_config.subnet", Fate::Honoured),
    ("cluster_config.cluster_network_config.security_group_name", Fate::Honoured),
    ("cluster_config.cluster_network_config.route_table", Fate::Honoured),
    ("cluster_config.load_balancer_config.load_balancer_sku", Fate::Honoured),
    ("cluster_config.load_balancer_config.exclude_master_from_standard_load_balancer", Fate::Honoured),
    ("cluster_config.load_balancer_config.max_load_balancer_rule_count", Fate::Honoured),
    ("cluster_config.load_balancer_config.disable_outbound_snat", Fate::Honoured),
    ("cluster_config.cloud_provider_config.backoff", Fate::Honoured),
    ("cluster_config.cloud_provider_config.backoff_mode", Fate::Honoured),
    ("cluster_config.cloud_provider_config.backoff_retries", Fate::Honoured),
    ("cluster_config.cloud_provider_config.backoff_exponent", Fate::Honoured),
    ("cluster_config.cloud_provider_config.backoff_duration", Fate::Honoured),
    ("cluster_config.cloud_provider_config.backoff_jitter", Fate::Honoured),
    ("cluster_config.cloud_provider_config.rate_limit", Fate::Honoured),
    ("cluster_config.cloud_provider_config.rate_limit_qps", Fate::Honoured),
    ("cluster_config.cloud_provider_config.rate_limit_qps_write", Fate::Honoured),
    ("cluster_config.cloud_provider_config.rate_limit_bucket", Fate::Honoured),
    ("cluster_config.cloud_provider_config.rate_limit_bucket_write", Fate::Honoured),
    ("auth_config.tenant_id", Fate::Honoured),
    ("auth_config.subscription_id", Fate::Honoured),
    ("auth_config.service_principal_id", Fate::Honoured),
    ("auth_config.service_principal_secret", Fate::Honoured),
    ("auth_config.assigned_identity_id", Fate::Honoured),
    ("auth_config.use_managed_identity_extension", Fate::Honoured),
];

pub(super) fn read(contract: &Contract, refused: &mut Vec<Refused>) -> CloudProvider {
    let depot = take!(contract, custom_cloud_config.repo_depot_endpoint);
    demand(
        &depot,
        String::is_empty,
        refused,
        "package sources of a custom cloud are set up by the image's own script",
    );
    let vm_type = take!(contract, cluster_config.vm_type);
    demand(
        &vm_type,
        |it| !matches!(it, messages::VmType::Unknown(_)),
        refused,
        "it is a type of machine that this version does not know",
    );
    let secret = decoded_secret(&take!(contract, auth_config.service_principal_secret), refused);
    CloudProvider {
        custom: custom(contract, refused),
        location: take!(contract, cluster_config.location),
        tenant: take!(contract, auth_config.tenant_id),
        subscription: take!(contract, auth_config.subscription_id),
        resource_group: take!(contract, cluster_config.resource_group),
        client_id: take!(contract, auth_config.service_principal_id),
        client_secret: secret.map(|secret| secret.clone().unwrap_or_default()),
        managed_identity: take!(contract, auth_config.use_managed_identity_extension),
        identity: take!(contract, auth_config.assigned_identity_id),
        vm_type: vm_type.map(|it| match it {
            messages::VmType::Standard => Some(VmType::Standard),
            messages::VmType::Vmss => Some(VmType::ScaleSet),
            messages::VmType::Unspecified | messages::VmType::Unknown(_) => None,
        }),
        availability_set: take!(contract, cluster_config.primary_availability_set),
        scale_set: take!(contract, cluster_config.primary_scale_set),
        instance_metadata: take!(contract, cluster_config.use_instance_metadata),
        network: CloudNetwork {
            vnet: take!(contract, cluster_config.cluster_network_config.vnet_name),
            vnet_resource_group: take!(contract, cluster_config.cluster_network_config.vnet_resource_group),
            subnet: take!(contract, cluster_config.cluster_network_config.subnet),
            security_group: take!(contract, cluster_config.cluster_network_config.security_group_name),
            route_table: take!(contract, cluster_config.cluster_network_config.route_table),
        },
        load_balancer: load_balancer(contract, refused),
        backoff: backoff(contract),
        rate_limit: rate_limit(contract),
    }
}

/// The document of endpoints counts only in a custom cloud; elsewhere nobody reads it.
fn custom(contract: &Contract, refused: &mut Vec<Refused>) -> CustomCloud {
    let name = take!(contract, custom_cloud_config.custom_cloud_env_name);
    let is_custom = |name: &String| name.eq_ignore_ascii_case("akscustom");
    let mut unread = Vec::new();
    let environment = decoded(&take!(contract, custom_cloud_config.custom_env_json_content), &mut unread);
    if contract.custom_cloud_config.as_ref().is_some_and(|cloud| is_custom(&cloud.custom_cloud_env_name)) {
        refused.append(&mut unread);
    }
    CustomCloud {
        enabled: name.map(is_custom),
        environment: environment.map(|text| text.clone().unwrap_or_default()),
        registry_suffix: said(&take!(contract, custom_cloud_config.container_registry_dns_suffix)),
    }
}

fn load_balancer(contract: &Contract, refused: &mut Vec<Refused>) -> LoadBalancer {
    use messages::LoadBalancerSku as Sku;
    let sku = take!(contract, cluster_config.load_balancer_config.load_balancer_sku);
    demand(
        &sku,
        |it| !matches!(it, Sku::Unknown(_)),
        refused,
        "it is a kind of load balancer that this version does not know",
    );
    LoadBalancer {
        sku: sku.map(|it| match it {
            Sku::Basic => Some(LoadBalancerSku::Basic),
            Sku::Standard => Some(LoadBalancerSku::Standard),
            Sku::Unspecified | Sku::Unknown(_) => None,
        }),
        exclude_masters: or(
            &take!(contract, cluster_config.load_balancer_config.exclude_master_from_standard_load_balancer),
            true,
        ),
        most_rules: or(
            &take!(contract, cluster_config.load_balancer_config.max_load_balancer_rule_count),
            148,
        ),
        disable_outbound_snat: take!(contract, cluster_config.load_balancer_config.disable_outbound_snat),
    }
}

fn backoff(contract: &Contract) -> Backoff {
    let mode = take!(contract, cluster_config.cloud_provider_config.backoff_mode);
    Backoff {
        enabled: or(&take!(contract, cluster_config.cloud_provider_config.backoff), true),
        mode: or(&said(&mode), "v2".to_owned()),
        retries: or(&take!(contract, cluster_config.cloud_provider_config.backoff_retries), 6),
        exponent: or(&take!(contract, cluster_config.cloud_provider_config.backoff_exponent), 0.0),
        seconds: or(&take!(contract, cluster_config.cloud_provider_config.backoff_duration), 5),
        jitter: or(&take!(contract, cluster_config.cloud_provider_config.backoff_jitter), 0.0),
    }
}

fn rate_limit(contract: &Contract) -> RateLimit {
    RateLimit {
        enabled: or(&take!(contract, cluster_config.cloud_provider_config.rate_limit), true),
        qps: or(&take!(contract, cluster_config.cloud_provider_config.rate_limit_qps), 10.0),
        bucket: or(&take!(contract, cluster_config.cloud_provider_config.rate_limit_bucket), 100),
        qps_write: or(&take!(contract, cluster_config.cloud_provider_config.rate_limit_qps_write), 10.0),
        bucket_write: or(&take!(contract, cluster_config.cloud_provider_config.rate_limit_bucket_write), 100),
    }
}
