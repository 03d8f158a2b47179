//! The chain from a request to custom data, and its second half alone, against recordings of the peer.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod vectors;

use std::collections::BTreeMap;
use std::fmt::Write as _;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use slipway_launch::computed::{Taints, containerd};
use slipway_launch::request::{HttpProxy, Taint};
use slipway_launch::variables::{Kind, Quoting, Secrecy, Value as Content, Variables, variables};
use slipway_launch::{
    Bootstrap, Bootstrapper as _, Fidelity, Gpu, Layered, Refusal, Request, Source, VariablesScript,
    assignment_block, resolve, script,
};
use slipway_model::Secret;

fn hex_digest(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().fold(String::new(), |mut hex, byte| {
        let _ = write!(hex, "{byte:02x}");
        hex
    })
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_else(|| panic!("{value} is not text")).to_owned()
}

/// The intermediate stage, as the recordings write it.
fn bootstrap(recorded: &Value) -> Bootstrap {
    let layered = |value: &str| Layered::new(value.to_owned(), Source::GlobalOptions);
    let taints: Option<Vec<Taint>> = serde_json::from_value(recorded["taints"].clone()).unwrap();
    let labels = recorded["labels"].as_object().into_iter().flatten();
    Bootstrap {
        cluster_name: text(&recorded["clusterName"]),
        cluster_endpoint: text(&recorded["clusterEndpoint"]),
        api_server_name: text(&recorded["apiServerName"]),
        ca_bundle: text(&recorded["caBundle"]),
        bootstrap_token: Secret::new(text(&recorded["bootstrapToken"])),
        kubernetes_version: text(&recorded["kubernetesVersion"]),
        arch: text(&recorded["arch"]),
        tenant_id: text(&recorded["tenantID"]),
        subscription_id: text(&recorded["subscriptionID"]),
        location: text(&recorded["location"]),
        cloud: layered("AzurePublicCloud"),
        resource_group: text(&recorded["resourceGroup"]),
        kubelet_identity_client_id: text(&recorded["kubeletIdentityClientID"]),
        admin_username: layered("azureuser"),
        network_plugin: text(&recorded["networkPlugin"]),
        network_policy: text(&recorded["networkPolicy"]),
        network_security_group: text(&recorded["networkSecurityGroupName"]),
        route_table: text(&recorded["routeTableName"]),
        subnet_id: layered(recorded["subnetID"].as_str().unwrap()),
        gpu: Gpu {
            is_nvidia: recorded["gpuNode"].as_bool().unwrap(),
            installs_driver: recorded["gpuDriverInstallationEnabled"].as_bool().unwrap(),
            driver_type: text(&recorded["gpuDriverType"]),
            driver_version: text(&recorded["gpuDriverVersion"]),
            image_suffix: text(&recorded["gpuImageSHA"]),
            needs_fabric_manager: false,
        },
        kubelet: vectors::kubelet_settings(&recorded["kubeletConfig"]),
        labels: labels.map(|(key, value)| (key.clone(), text(value))).collect(),
        taints: Taints { general: taints.unwrap_or_default(), startup: Vec::new() },
        http_proxy: HttpProxy::default(),
        custom_ca_certificates: Vec::new(),
        linux_os: None,
    }
}

/// Everything that the recordings say about a node's variables and script.
fn check_script(variables: &Variables<'_>, expected: &Value, name: &Value) {
    let assignments = variables.assignments();
    let recorded = expected["assignments"].as_array().unwrap();
    assert_eq!(assignments.len(), recorded.len(), "{name}");
    for (line, recorded) in assignments.iter().zip(recorded) {
        assert_eq!(line.name, recorded["name"].as_str().unwrap(), "{name}");
        assert_eq!(
            line.quoting == Quoting::Quoted,
            recorded["quoted"].as_bool().unwrap(),
            "{name} {}",
            line.name
        );
        if let Some(value) = recorded.get("value") {
            assert_eq!(line.value, value.as_str().unwrap(), "{name} {}", line.name);
        } else {
            let content = STANDARD.decode(line.value.as_bytes()).unwrap();
            assert_eq!(json!(hex_digest(&content)), recorded["valueDigest"]["decodedSha256"], "{name}");
        }
    }
    let block = assignment_block(variables, Fidelity::Compat).unwrap();
    assert_eq!(json!(block.expose().len()), expected["script"]["assignmentBlockBytes"], "{name}");
    assert_eq!(
        json!(hex_digest(block.expose().as_bytes())),
        expected["script"]["assignmentBlockSha256"],
        "{name}"
    );
    let script = script(variables, Fidelity::Compat).unwrap();
    assert!(
        script.expose().starts_with("#!/bin/bash\n") && script.expose().ends_with("provision_start.sh\n")
    );
}

fn check_fields(variables: &Variables<'_>, expected: &Value, name: &Value) {
    let recorded = expected["variables"].as_object().unwrap();
    assert_eq!(recorded.len(), 127, "{name}");
    for (row, entry) in variables.iter() {
        let found = entry.value.text();
        match &recorded[row.field] {
            Value::String(value) => assert_eq!(&found, value, "{name} {}", row.field),
            Value::Bool(value) => assert_eq!(found, value.to_string(), "{name} {}", row.field),
            Value::Number(value) => assert_eq!(found, value.to_string(), "{name} {}", row.field),
            Value::Array(items) => assert_eq!(found, items.len().to_string(), "{name} {}", row.field),
            digest => {
                let content = STANDARD.decode(found.as_bytes()).unwrap();
                assert_eq!(json!(hex_digest(&content)), digest["decodedSha256"], "{name} {}", row.field);
            }
        }
    }
}

#[test]
fn the_second_half_gives_the_recorded_variables_or_an_error_where_the_peer_crashed() {
    for case in vectors::of_kind("bootstrap", "bootstrapper") {
        let (node, name) = (bootstrap(&case["bootstrapper"]), &case["name"]);
        let expected = &case["expected"];
        match variables(&node, Fidelity::Compat) {
            Err(error) => assert!(!expected["panic"].is_null(), "{name}: {error}"),
            Ok(variables) => {
                assert!(expected["panic"].is_null(), "{name}");
                check_fields(&variables, expected, name);
                check_script(&variables, expected, name);
            }
        }
    }
}

#[test]
fn arbitrary_values_are_written_in_the_recorded_order_and_quoting() {
    for case in vectors::of_kind("bootstrap", "variables") {
        let recorded = case["variables"].as_object().unwrap();
        let lists: BTreeMap<_, Vec<String>> = slipway_launch::variables::TABLE
            .iter()
            .filter(|row| row.kind == Kind::List)
            .map(|row| (row.field, serde_json::from_value(recorded[row.field].clone()).unwrap()))
            .collect();
        let mut variables = Variables::default();
        for row in &slipway_launch::variables::TABLE {
            let value = match &recorded[row.field] {
                Value::String(value) => value.as_str().into(),
                Value::Array(_) => Content::List(&lists[row.field]),
                other => other.to_string().into(),
            };
            variables.set(row.variable, value, Source::Fixed);
        }
        check_script(&variables, &case["expected"], &case["name"]);
    }
}

#[test]
fn containerd_is_configured_as_recorded() {
    for case in vectors::of_kind("bootstrap", "containerd-table") {
        for row in case["rows"].as_array().unwrap() {
            let on = |member: &str| row[member].as_bool().unwrap();
            let content = containerd(
                on("configGPUDriverIfNeeded"),
                on("needsCgroupV2"),
                on("ensureNoDupePromiscuousBridge"),
            );
            let table: toml::Table = content.parse().unwrap();
            assert_eq!(json!(table), row["parsed"]);
            assert_eq!(json!(hex_digest(content.as_bytes())), row["decodedSha256"]);
        }
    }
}

#[test]
fn the_whole_chain_gives_the_recorded_launch_templates_and_variables() {
    for case in vectors::of_kind("bootstrap", "launch-template") {
        let (expected, name) = (&case["expected"], &case["name"]);
        let request = Request::parse(&case["input"].to_string()).unwrap();
        let node = match resolve(&request, Fidelity::Compat) {
            Ok(node) => node,
            Err(Refusal::NotOffered(_)) => {
                assert_eq!(expected["notOffered"], true, "{name}");
                continue;
            }
            Err(refusal) => {
                assert!(!(expected["error"].is_null() && expected["panic"].is_null()), "{name}: {refusal}");
                continue;
            }
        };
        assert_eq!(json!(node.launch_template), expected["launchTemplate"], "{name}");
        assert_eq!(json!(node.image.status_images), expected["statusImages"], "{name}");
        check_stage(&node.bootstrap, &case["bootstrapper"], name);
        let variables = variables(&node.bootstrap, Fidelity::Compat).unwrap();
        check_fields(&variables, expected, name);
        check_script(&variables, expected, name);
        let payload = VariablesScript { fidelity: Fidelity::Compat }.payload(&node).unwrap();
        assert!(STANDARD.decode(payload.custom_data.expose()).unwrap().starts_with(b"#!/bin/bash\n"));
    }
}

fn check_stage(found: &Bootstrap, recorded: &Value, name: &Value) {
    let expected = bootstrap(recorded);
    let labels = |node: &Bootstrap| {
        node.labels
            .iter()
            .map(|(key, value)| (key.to_owned(), value.value.clone()))
            .collect::<BTreeMap<_, _>>()
    };
    assert_eq!(labels(found), labels(&expected), "{name}");
    let taints = |node: &Bootstrap| node.taints.iter().cloned().collect::<Vec<_>>();
    assert_eq!(taints(found), taints(&expected), "{name}");
    let settings = |node: &Bootstrap| {
        let mut settings = node.kubelet.clone().unwrap();
        settings.max_pods = Layered::new(settings.max_pods.value, Source::Computed);
        settings
    };
    assert_eq!(settings(found), settings(&expected), "{name}");
    let gpu = Gpu { needs_fabric_manager: false, ..found.gpu.clone() };
    assert_eq!(gpu, expected.gpu, "{name}");
    assert_eq!(found.subnet_id.value, expected.subnet_id.value, "{name}");
    assert_eq!(found.route_table, expected.route_table, "{name}");
    assert_eq!(found.arch, expected.arch, "{name}");
}

#[test]
fn every_variable_names_the_layer_that_gave_it() {
    for case in vectors::of_kind("bootstrap", "launch-template") {
        let request = Request::parse(&case["input"].to_string()).unwrap();
        let Ok(node) = resolve(&request, Fidelity::Compat) else { continue };
        let variables = variables(&node.bootstrap, Fidelity::Compat).unwrap();
        assert_eq!(variables.iter().count(), 127);
        for (row, entry) in variables.iter() {
            // What the table calls fixed has its default; everything else was given by some layer.
            let is_default = entry.value.text() == row.default || row.default.is_empty();
            match row.source {
                Source::Fixed => assert!(entry.source == Source::Fixed && is_default, "{}", row.field),
                _ => assert_ne!(entry.source, Source::Fixed, "{} has no source", row.field),
            }
        }
    }
}

#[test]
fn explanations_name_value_source_and_what_lost() {
    let case = vectors::of_kind("bootstrap", "launch-template")
        .into_iter()
        .find(|case| case["name"] == "lt-017")
        .unwrap();
    let request = Request::parse(&case["input"].to_string()).unwrap();
    let node = resolve(&request, Fidelity::Ours).unwrap();
    let variables = variables(&node.bootstrap, Fidelity::Ours).unwrap();
    let explained = variables.explain(false);
    assert_eq!(explained.len(), 127 + 4);
    assert!(explained.iter().all(|variable| !variable.source.is_empty()));
    let of = |name: &str| json!(explained.iter().find(|variable| variable.name == name).unwrap());
    assert_eq!(
        of("SUBNET"),
        json!({"value": "Pool-anchor", "source": "node class", "overridden": [
            {"value": "aks-subnet", "source": "global options"},
        ]})
    );
    let flags = of("KUBELET_FLAGS");
    let lost = flags["overridden"].as_array().unwrap();
    assert!(lost.contains(&json!({"value": "--image-gc-high-threshold=85", "source": "fixed"})), "{flags}");
    assert_eq!(of("TLS_BOOTSTRAP_TOKEN")["value"], "<secret>");
    let shown = variables.explain(true);
    assert!(shown.iter().any(|variable| variable.value == node.bootstrap.bootstrap_token.expose().as_str()));
}

#[test]
fn secrets_are_masked_in_debug_output() {
    for case in vectors::of_kind("bootstrap", "launch-template").into_iter().take(1) {
        let request = Request::parse(&case["input"].to_string()).unwrap();
        let node = resolve(&request, Fidelity::Compat).unwrap();
        let variables = variables(&node.bootstrap, Fidelity::Compat).unwrap();
        let token = case["input"]["options"]["kubeletBootstrapToken"].as_str().unwrap();
        let payload = VariablesScript::default().payload(&node).unwrap();
        assert!(!format!("{node:?} {variables:?} {payload:?}").contains(token));
        assert!(
            variables.assignments().iter().any(|line| line.secrecy == Secrecy::Secret && line.value == token)
        );
    }
}
