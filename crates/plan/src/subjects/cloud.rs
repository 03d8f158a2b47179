//! What Azure's agents on the node read: azure.json and a custom cloud's environment.

use slipway_model::node::{LoadBalancerSku, VmType};
use slipway_model::{ExitReason, Facts, Node, Secret, Sourced, Sources};
use slipway_render::{Cloud, Json};

use crate::draft::Draft;
use crate::places::{AZURE_CONFIG, AZURE_JSON, CUSTOM_ENVIRONMENT};
use crate::plan::{Explained, ExplainedKind};
use crate::step::{Step, StepId};

const CUSTOM_CLOUD: StepId = StepId("custom-cloud-environment");

pub(crate) fn steps(node: &Node, _facts: &Facts, draft: &mut Draft) {
    let mut of = Sources::none();
    let mut members = Vec::new();
    for (name, value, sources) in keys(node) {
        of.join(&sources);
        draft.explain(Explained {
            kind: ExplainedKind::CloudKey,
            name: name.to_owned(),
            value: if name == SECRET_KEY { Secret::<String>::MASK.to_owned() } else { value.to_text() },
            path: AZURE_JSON.into(),
            sources,
        });
        members.push((name.into(), value));
    }
    draft.add(
        Step::join(AZURE_CONFIG, "tell Azure's agents about the cluster")
            .or_fail(ExitReason::Unspecified)
            .secret_file(of, AZURE_JSON, Secret::new(Json::Object(members).to_text())),
    );
    custom_cloud(node, draft);
}

fn custom_cloud(node: &Node, draft: &mut Draft) {
    let mut of = Sources::none();
    if !of.read(&node.cloud.custom.enabled) {
        return;
    }
    let because = of.clone();
    let environment = of.read(&node.cloud.custom.environment).as_str();
    draft.add(
        Step::join(CUSTOM_CLOUD, "name the custom cloud's endpoints")
            .or_fail(ExitReason::Unspecified)
            .because(&because)
            .file(of, CUSTOM_ENVIRONMENT, 0o600, environment),
    );
    draft.order(CUSTOM_CLOUD, crate::places::START_KUBELET);
}

const SECRET_KEY: &str = "aadClientSecret";
type Key<'a> = (&'static str, Json<'a>, Sources);

/// Every key of azure.json, in order.
fn keys(node: &Node) -> Vec<Key<'_>> {
    let cloud = &node.cloud;
    let (network, balancer) = (&cloud.network, &cloud.load_balancer);
    let mut keys = vec![
        name(node),
        text("tenantId", &cloud.tenant),
        text("subscriptionId", &cloud.subscription),
        text("aadClientId", &cloud.client_id),
        secret(&cloud.client_secret),
        text("resourceGroup", &cloud.resource_group),
        text("location", &cloud.location),
        word("vmType", &cloud.vm_type, |it| match it {
            VmType::Standard => "standard",
            VmType::ScaleSet => "vmss",
        }),
        text("subnetName", &network.subnet),
        text("securityGroupName", &network.security_group),
        text("vnetName", &network.vnet),
        text("vnetResourceGroup", &network.vnet_resource_group),
        text("routeTableName", &network.route_table),
        text("primaryAvailabilitySetName", &cloud.availability_set),
        text("primaryScaleSetName", &cloud.scale_set),
    ];
    keys.extend(backoff(node));
    keys.extend([
        switch("cloudProviderRateLimit", &cloud.rate_limit.enabled),
        double("cloudProviderRateLimitQPS", &cloud.rate_limit.qps),
        number("cloudProviderRateLimitBucket", &cloud.rate_limit.bucket),
        double("cloudProviderRateLimitQPSWrite", &cloud.rate_limit.qps_write),
        number("cloudProviderRateLimitBucketWrite", &cloud.rate_limit.bucket_write),
        switch("useManagedIdentityExtension", &cloud.managed_identity),
        text("userAssignedIdentityID", &cloud.identity),
        switch("useInstanceMetadata", &cloud.instance_metadata),
        word("loadBalancerSku", &balancer.sku, |it| match it {
            LoadBalancerSku::Basic => "basic",
            LoadBalancerSku::Standard => "standard",
        }),
        switch("disableOutboundSNAT", &balancer.disable_outbound_snat),
        switch("excludeMasterFromStandardLB", &balancer.exclude_masters),
        fixed("providerVaultName", ""),
        number("maximumLoadBalancerRuleCount", &balancer.most_rules),
        fixed("providerKeyName", "k8s"),
        fixed("providerKeyVersion", ""),
    ]);
    keys
}

/// The second mode has no exponent and no jitter; the agents take their own.
fn backoff(node: &Node) -> Vec<Key<'_>> {
    let backoff = &node.cloud.backoff;
    let mut keys = vec![
        text("cloudProviderBackoffMode", &backoff.mode),
        switch("cloudProviderBackoff", &backoff.enabled),
        number("cloudProviderBackoffRetries", &backoff.retries),
        number("cloudProviderBackoffDuration", &backoff.seconds),
    ];
    let mut of = Sources::none();
    if of.read(&backoff.mode) != "v2" {
        for (key, value) in [
            ("cloudProviderBackoffExponent", &backoff.exponent),
            ("cloudProviderBackoffJitter", &backoff.jitter),
        ] {
            let (key, value, mut sources) = double(key, value);
            sources.join(&of);
            keys.push((key, value, sources));
        }
    }
    keys
}

fn name(node: &Node) -> Key<'_> {
    let mut of = Sources::none();
    let name = if *of.read(&node.cloud.custom.enabled) {
        "AzureStackCloud"
    } else {
        Cloud::of_location(of.read(&node.cloud.location).as_str()).name()
    };
    ("cloud", Json::Text(name.into()), of)
}

fn key<'a, T>(name: &'static str, value: &'a Sourced<T>, json: impl FnOnce(&'a T) -> Json<'a>) -> Key<'a> {
    let mut of = Sources::none();
    (name, json(of.read(value)), of)
}

fn text<'a>(name: &'static str, value: &'a Sourced<String>) -> Key<'a> {
    key(name, value, |text| Json::Text(text.into()))
}

fn secret(value: &Sourced<Secret<String>>) -> Key<'_> {
    key(SECRET_KEY, value, |secret| Json::Text(secret.expose().into()))
}

fn switch(name: &'static str, value: &Sourced<bool>) -> Key<'static> {
    let mut of = Sources::none();
    (name, Json::Bool(*of.read(value)), of)
}

fn number(name: &'static str, value: &Sourced<i32>) -> Key<'static> {
    let mut of = Sources::none();
    (name, Json::Int(i64::from(*of.read(value))), of)
}

fn double(name: &'static str, value: &Sourced<f64>) -> Key<'static> {
    let mut of = Sources::none();
    (name, Json::Double(*of.read(value)), of)
}

fn word<T: Copy>(
    name: &'static str,
    value: &Sourced<Option<T>>,
    word: fn(T) -> &'static str,
) -> Key<'static> {
    let mut of = Sources::none();
    (name, Json::Text(of.read(value).map_or("", word).into()), of)
}

fn fixed(name: &'static str, text: &'static str) -> Key<'static> {
    (name, Json::Text(text.into()), Sources::none())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{facts, lines, plain, text as file, with};

    fn azure_json(node: &Node) -> serde_json::Value {
        serde_json::from_str(&file(steps, node, &facts(), AZURE_JSON)).unwrap()
    }

    #[test]
    fn an_unset_contract_has_its_defaults_and_the_second_backoff_has_no_exponent() {
        let json = azure_json(&plain());
        assert_eq!(json["cloud"], "AzurePublicCloud");
        assert_eq!(json["cloudProviderBackoffMode"], "v2");
        assert_eq!(json["maximumLoadBalancerRuleCount"], 148);
        assert_eq!(json["cloudProviderRateLimitQPS"], 10);
        assert_eq!(json["excludeMasterFromStandardLB"], true);
        assert!(json.get("cloudProviderBackoffExponent").is_none());
        assert_eq!(json.as_object().unwrap().len(), 34);
    }

    #[test]
    fn the_first_backoff_has_both_and_a_secret_is_decoded_into_a_file_for_root_alone() {
        let node = with(
            r#""auth_config":{"service_principal_secret":"YSJiXGM="},"cluster_config":{"cloud_provider_config":{"backoff_mode":"v1","backoff_exponent":1.5}}"#,
        );
        let json = azure_json(&node);
        assert_eq!(
            (&json["cloudProviderBackoffExponent"], &json["cloudProviderBackoffJitter"]),
            (&1.5.into(), &0.into())
        );
        assert_eq!(json["aadClientSecret"], "a\"b\\c");
        assert_eq!(lines(steps, &node, &facts()), ["azure-json file /etc/kubernetes/azure.json 0600 secret"]);
    }

    #[test]
    fn a_custom_cloud_has_its_own_name_and_endpoints() {
        let node = with(
            r#""custom_cloud_config":{"custom_cloud_env_name":"AKSCustom","custom_env_json_content":"e30="}"#,
        );
        assert_eq!(azure_json(&node)["cloud"], "AzureStackCloud");
        assert_eq!(file(steps, &node, &facts(), CUSTOM_ENVIRONMENT), "{}");
    }
}
