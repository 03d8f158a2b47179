//! Contracts, recorded and of our own, and the texts that come of them.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use serde_json::{Value, json};
use slipway_contract::Contract;
use slipway_contract::codec::{Policy, decode};
use slipway_model::{Containerd, Facts};
use slipway_scripts::{Mode, variables};

/// The two containerds that a node may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Family {
    V1,
    V2,
}

/// All contracts by name.
pub(crate) fn contracts() -> Vec<(String, Contract)> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates/scripts/tests/data/anc-env");
    let mut paths: Vec<_> = fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    assert_eq!(paths.len(), 51);
    let recorded = paths.iter().map(|path| {
        let case: Value = serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap();
        let text = case["config_text"].as_str().unwrap();
        (case["name"].as_str().unwrap().to_owned(), decode(text.as_bytes(), Policy::Compatible).message)
    });
    recorded.chain(own().into_iter().map(|(name, json)| (name.to_owned(), contract(&json)))).collect()
}

/// The contract with this name.
pub(crate) fn named(name: &str) -> Contract {
    contracts().into_iter().find(|(known, _)| known == name).unwrap().1
}

/// A contract from its JSON form.
pub(crate) fn contract(json: &Value) -> Contract {
    let decoded = decode::<Contract>(json.to_string().as_bytes(), Policy::Careful);
    assert!(!decoded.stopped && decoded.issues.is_empty(), "{:?}", decoded.issues);
    decoded.message
}

/// What the recordings leave out: every feature of containerd and every word of the DNS profile in one contract of
/// today's Kubernetes.
fn own() -> [(&'static str, Value); 5] {
    let pause = json!({"pod_infra_container_image_url": "mcr.microsoft.com/oss/v2/kubernetes/pause:3.6"});
    let node = |more: Value| {
        let mut node = json!({
            "version": "v1", "kubernetes_version": "1.34.1", "kube_binary_config": pause,
            "kubelet_config": {"container_data_dir": "/mnt/aks/containers"},
        });
        node.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        node
    };
    [
        ("gpu", node(json!({"vm_size": "Standard_NC24ads_A100_v4", "gpu_config": {"enable_nvidia": true}}))),
        ("kata", node(json!({"is_kata": true, "needs_cgroupv2": true}))),
        ("streaming", node(json!({"enable_artifact_streaming": true, "needs_cgroupv2": true}))),
        ("kubenet", node(json!({"network_config": {"network_plugin": "NETWORK_PLUGIN_KUBENET"}}))),
        ("localdns", node(json!({"local_dns_profile": dns_profile()}))),
    ]
}

fn dns_profile() -> Value {
    let check = json!({"duration": "5s", "no_rec": true, "domain": "contoso.com"});
    json!({
        "enable_local_dns": true,
        "enable_hosts_plugin": true,
        "vnet_dns_overrides": {
            ".": {"query_logging": "Log", "protocol": "PreferUDP", "forward_policy": "Random",
                  "serve_stale": "Immediate", "failfast_all_unhealthy_upstreams": true, "health_check": check},
            "cluster.local": {"query_logging": "Error", "protocol": "ForceTCP", "forward_policy": "RoundRobin",
                  "max_concurrent": 5, "cache_duration_in_seconds": 0, "serve_stale": "Disable"},
            "bücher.example.": {},
        },
        "kube_dns_overrides": {
            ".": {"forward_destination": "ClusterCoreDNS", "serve_stale": "Verify",
                  "serve_stale_duration_in_seconds": 1},
            "contoso.com": {"max_concurrent": 0, "health_check": {"duration": "500ms"}},
        },
    })
}

/// The text in one variable of a contract; none where our rules refuse the contract, or where there is no text.
pub(crate) fn text(contract: &Contract, family: Family, mode: Mode, variable: &str) -> Option<String> {
    let version = if family == Family::V1 { "1.7.22" } else { "2.0.0" };
    let facts = Facts { containerd: Containerd::Version(version.into()), ..Facts::default() };
    let variables = variables(contract, &facts, mode).ok()?;
    let value = variables.get(variable).unwrap().reveal();
    let text = String::from_utf8(BASE64_STANDARD.decode(value).unwrap()).unwrap();
    (!text.is_empty()).then_some(text)
}

/// Every different text of these variables, with the first contract that leads to it.
pub(crate) fn texts(family: Family, mode: Mode, variables: &[&str]) -> BTreeMap<String, String> {
    let mut texts = BTreeMap::new();
    for (name, contract) in contracts() {
        for variable in variables {
            if let Some(text) = text(&contract, family, mode, variable) {
                texts.entry(text).or_insert_with(|| format!("{name}, {variable}"));
            }
        }
    }
    texts
}
