//! The native path's files against what the scripts are told for the same contract.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use slipway_contract::Contract;
use slipway_contract::messages::{ApiServerConfig, BootstrappingConfig};
use slipway_model::{Facts, Secret};
use slipway_plan::{Action, Content, Plan, plan};
use slipway_scripts::{Mode, Variables, variables};

use crate::azure_keys::AZURE;
use crate::meaning::{meaning, text};
use crate::recorded::cases;

/// The contract with what no node joins without, and without what only scripts can do.
fn completed(mut contract: Contract) -> Contract {
    contract.version = "v1".into();
    contract.pre_provision_only = false;
    contract.kubernetes_ca_cert = "Y2E=".into();
    let server = contract.api_server_config.get_or_insert_with(ApiServerConfig::default);
    server.api_server_public_key.clear();
    server.api_server_name = "api.example".into();
    let bootstrapping = contract.bootstrapping_config.get_or_insert_with(BootstrappingConfig::default);
    bootstrapping.tls_bootstrapping_token = Some("abcdef.0123456789abcdef".into());
    if let Some(auth) = &mut contract.auth_config {
        auth.service_principal_secret = Secret::from("bXNp");
    }
    if let Some(cloud) = &mut contract.custom_cloud_config {
        cloud.repo_depot_endpoint.clear();
    }
    contract.kubernetes_version = if contract.kubernetes_version.is_empty() {
        "1.30.0".to_owned()
    } else {
        contract.kubernetes_version
    };
    contract
}

fn file(plan: &Plan, path: &str) -> Option<String> {
    let ops = plan.steps().iter().flat_map(|step| &step.ops);
    ops.into_iter().find_map(|op| match &op.action {
        Action::File(file) if file.path.as_os_str() == path => Some(match &file.content {
            Content::Plain(text) => text.clone(),
            Content::Secret(text) => text.expose().clone(),
        }),
        _ => None,
    })
}

fn lines(text: &str) -> BTreeMap<&str, &str> {
    text.lines().filter_map(|line| line.split_once('=')).collect()
}

fn words<'t>(text: &'t str, separator: &str) -> Vec<&'t str> {
    text.split(separator).filter(|word| !word.is_empty()).collect()
}

#[test]
fn native_files_mean_what_the_variables_say() {
    let mut compared = 0;
    for case in cases() {
        let contract = completed(case.contract);
        let facts = Facts { hostname: Some("node1".to_owned()), ..case.facts };
        let Ok(node) = slipway_contract::node::node(&contract) else { continue };
        let Ok(plan) = plan(&node, &facts) else { continue };
        let variables = variables(&contract, &facts, Mode::Ours).unwrap();
        compared += 1;
        kubelet(&case.name, &plan, &variables);
        azure(&case.name, &plan, &variables);
        runtime(&case.name, &plan, &variables);
    }
    assert!(compared > 35, "{compared}");
}

fn value<'v>(variables: &'v Variables<'_>, name: &str) -> &'v str {
    variables.get(name).unwrap_or_else(|| panic!("{name}")).reveal()
}

fn kubelet(case: &str, plan: &Plan, variables: &Variables<'_>) {
    let text_of = |path| file(plan, path);
    let defaults = text_of("/etc/default/kubelet").unwrap();
    let defaults = lines(&defaults);
    let rotates = value(variables, "ENABLE_KUBELET_SERVING_CERTIFICATE_ROTATION") == "true";
    assert_eq!(
        words(defaults["KUBELET_FLAGS"], " "),
        words(value(variables, "KUBELET_FLAGS"), " "),
        "{case}"
    );
    assert_eq!(defaults["NETWORK_POLICY"], value(variables, "NETWORK_POLICY"), "{case}");
    let given = words(value(variables, "KUBELET_NODE_LABELS"), ",");
    let mut labels = words(defaults["KUBELET_NODE_LABELS"], ",");
    labels.retain(|label| {
        let added = [
            "kubernetes.azure.com/kubelet-serving-ca=cluster",
            "kubernetes.azure.com/localdns-exporter=enabled",
        ];
        given.contains(label) || !added.contains(label)
    });
    assert_eq!(labels, given, "{case}");
    let enabled = value(variables, "KUBELET_CONFIG_FILE_ENABLED") == "true";
    let settings = text_of("/etc/default/kubeletconfig.json");
    assert_eq!(settings.is_some(), enabled, "{case}");
    if let Some(settings) = settings {
        let ours: Value = serde_json::from_str(&settings).unwrap();
        let told = text(value(variables, "KUBELET_CONFIG_FILE_CONTENT")).unwrap();
        let mut told: Value = serde_json::from_str(&told).unwrap();
        let members = told.as_object_mut().unwrap();
        members.entry("kind").or_insert(json!("KubeletConfiguration"));
        members.entry("apiVersion").or_insert(json!("kubelet.config.k8s.io/v1beta1"));
        if rotates {
            // Scripts take these away on the node.
            members.retain(|name, _| name != "tlsCertFile" && name != "tlsPrivateKeyFile");
        }
        members.retain(|_, value| *value != json!({}));
        assert_eq!(ours, told, "{case}");
    }
}

fn azure(case: &str, plan: &Plan, variables: &Variables<'_>) {
    let json: Value = serde_json::from_str(&file(plan, "/etc/kubernetes/azure.json").unwrap()).unwrap();
    for (key, variable) in AZURE {
        let Some(ours) = json.get(key) else {
            assert_eq!(value(variables, "CLOUDPROVIDER_BACKOFF_MODE"), "v2", "{case} {key}");
            continue;
        };
        // No JSON holds an infinite number: scripts leave a file that nobody can read, we leave null.
        let told = value(variables, variable);
        let told =
            if ours.is_string() { json!(told) } else { serde_json::from_str(told).unwrap_or_default() };
        assert_eq!(
            ours.as_f64().map_or(ours.clone(), Into::into),
            told.as_f64().map_or(told, Into::into),
            "{case} {key}"
        );
    }
}

fn runtime(case: &str, plan: &Plan, variables: &Variables<'_>) {
    let config = file(plan, "/etc/containerd/config.toml").unwrap();
    let config: toml::Table = config.parse().unwrap();
    let told = ["CONTAINERD_CONFIG_CONTENT", "CONTAINERD_CONFIG_NO_GPU_CONTENT"]
        .map(|name| meaning(name, value(variables, name)));
    let ours = json!({"toml": config});
    assert!(told.contains(&ours), "{case}");
    let sysctl = file(plan, "/etc/sysctl.d/999-sysctl-aks.conf").unwrap();
    let keys = |text: &str| -> BTreeMap<String, String> {
        lines(text).into_iter().map(|(key, value)| (key.trim().to_owned(), value.trim().to_owned())).collect()
    };
    assert_eq!(keys(&sysctl), keys(&text(value(variables, "SYSCTL_CONTENT")).unwrap()), "{case}");
}
