//! The table's sources are the truth: changing a field changes the variables that list it, and no others.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use slipway_contract::Contract;
use slipway_contract::codec::{Kind, Label, Message as _, MessageTable};
use slipway_model::{Containerd, Facts, JsonText};
use slipway_scripts::{Mode, TABLE, variables};

use crate::contract;

/// Every field that holds values, with values to try on it.
fn fields(table: &'static MessageTable, prefix: &str, into: &mut Vec<(String, Vec<Value>)>) {
    for field in table.fields {
        let path = if prefix.is_empty() { field.name.to_owned() } else { format!("{prefix}.{}", field.name) };
        match (field.label, field.kind) {
            (Label::Map, kind) => into.push((path, vec![map_value(kind)])),
            (Label::Repeated, _) => into.push((path, vec![json!(["first", "second"])])),
            (_, Kind::Message(inner)) => fields(inner, &path, into),
            (_, kind) => {
                let values = scalar_values(&path, kind);
                into.push((path, values));
            }
        }
    }
}

fn map_value(kind: Kind) -> Value {
    match kind {
        Kind::Message(_) => json!({"contoso.com": {}, "cluster.local": {"query_logging": "Log"}}),
        Kind::Bool => json!({"Gate": true}),
        _ => json!({"key": "value"}),
    }
}

fn scalar_values(path: &str, kind: Kind) -> Vec<Value> {
    let texts: &[&str] = match path {
        "vm_size" => &["Standard_DC2s", "Standard_ND96asr_v4", "Standard_NC6", "Standard_NV6ads_A10_v5"],
        "kubernetes_version" => &["1.20.0", "1.22.0", "1.34.0"],
        "custom_cloud_config.custom_cloud_env_name" => &["other", "AKSCustom"],
        "custom_cloud_config.custom_env_json_content" => &[r#"{"resourceManagerEndpoint":"https://arm/"}"#],
        "cluster_config.location" => &["eastus", "China East"],
        "containerd_config.containerd_version" => &["1.7.0", "2.0.0"],
        "cluster_config.cluster_network_config.core_dns_service_ip" => &["", "10.1.0.10"],
        _ => &["", "word"],
    };
    match kind {
        Kind::Bool => vec![json!(false), json!(true)],
        Kind::Enum(table) => table.values.iter().map(|(name, _)| json!(name)).collect(),
        Kind::String => texts.iter().map(|text| json!(text)).collect(),
        _ => vec![json!(0), json!(7)],
    }
}

/// Every message present and empty.
fn skeleton(table: &'static MessageTable) -> Value {
    let messages = table.fields.iter().filter(|field| field.label == Label::Singular);
    let members = messages.filter_map(|field| match field.kind {
        Kind::Message(inner) => Some((field.name.to_owned(), skeleton(inner))),
        _ => None,
    });
    Value::Object(members.collect())
}

/// Starting points in which each field has a chance to matter.
fn starting_points() -> [Value; 2] {
    let mut plain = skeleton(Contract::default().table());
    // Its mere presence is a setting.
    plain["custom_linux_os_config"].as_object_mut().unwrap().remove("ulimit_config");
    let mut busy = skeleton(Contract::default().table());
    for (path, value) in [
        ("custom_cloud_config.custom_cloud_env_name", json!("akscustom")),
        ("custom_cloud_config.repo_depot_endpoint", json!("https://depot/")),
        (
            "custom_search_domain_config",
            json!({"domain_name": "d", "realm_user": "u", "realm_password": "p"}),
        ),
        ("custom_linux_os_config.enable_swap_config", json!(true)),
        ("custom_linux_os_config.swap_file_size", json!(100)),
        ("network_config.network_plugin", json!("NETWORK_PLUGIN_KUBENET")),
        ("kubelet_config.kubelet_flags", json!({"--streaming-connection-idle-timeout": "4h"})),
        ("kubelet_config.kubelet_config_file_config.streaming_connection_idle_timeout", json!("4h")),
        ("local_dns_profile.enable_local_dns", json!(true)),
        ("local_dns_profile.enable_hosts_plugin", json!(true)),
        ("local_dns_profile.cpu_limit_in_milli_cores", json!(1)),
        ("local_dns_profile.memory_limit_in_mb", json!(1)),
        ("local_dns_profile.kube_dns_overrides", json!({".": {"forward_destination": "ClusterCoreDNS"}})),
        ("kubernetes_version", json!("1.30.0")),
    ] {
        set(&mut busy, path, value);
    }
    [plain, busy]
}

fn set(contract: &mut Value, path: &str, value: Value) {
    let place = path
        .split('.')
        .fold(contract, |at, name| at.as_object_mut().unwrap().entry(name).or_insert_with(|| json!({})));
    *place = value;
}

fn machines() -> Vec<Facts> {
    let manifest =
        r#"{"GPUContainerImages":[{"downloadURL":"aks-gpu-cuda-lts","gpuVersion":{"latestVersion":"5-6"}}]}"#;
    let with = |containerd, manifest: Option<&str>| Facts {
        containerd,
        components: manifest.map(|text| JsonText(text.to_owned())),
        ..Facts::default()
    };
    vec![
        with(Containerd::Unknown, Some(manifest)),
        with(Containerd::Version("1.7.22".into()), Some(manifest)),
        with(Containerd::Version("2.0.0".into()), Some(manifest)),
        with(Containerd::Version("1.7.22".into()), None),
    ]
}

/// The variables whose values differ, numbered ones aside.
fn changed(before: (&Contract, &Facts), after: (&Contract, &Facts), mode: Mode, into: &mut BTreeSet<String>) {
    let one = variables(before.0, before.1, mode).unwrap();
    let other = variables(after.0, after.1, mode).unwrap();
    for value in other.iter().filter(|value| !value.name().starts_with("CUSTOM_CA_CERT_")) {
        if one.get(value.name()).unwrap().reveal() != value.reveal() {
            into.insert(value.name().to_owned());
        }
    }
}

fn listing(path: &str) -> BTreeSet<String> {
    let covers = |source: &&str| {
        path.strip_prefix(*source).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    };
    let rows = TABLE.iter().filter(|variable| variable.sources.iter().any(covers));
    rows.map(|variable| variable.name.to_owned()).collect()
}

#[test]
fn a_field_changes_exactly_the_variables_that_list_it() {
    let mut all = Vec::new();
    fields(Contract::default().table(), "", &mut all);
    assert!(all.len() > 200);
    for (path, values) in all {
        let mut found = BTreeSet::new();
        for start in starting_points() {
            let before = contract(&start);
            for value in &values {
                let mut start = start.clone();
                set(&mut start, &path, value.clone());
                let after = contract(&start);
                for facts in &machines() {
                    for mode in [Mode::Compat, Mode::Ours] {
                        changed((&before, facts), (&after, facts), mode, &mut found);
                    }
                }
            }
        }
        assert_eq!(found, listing(&path), "{path}");
    }
}

#[test]
fn a_fact_changes_exactly_the_variables_that_list_it() {
    let machines = machines();
    let contract = contract(&starting_points()[0]);
    for (path, before, after) in [("facts.containerd", 1, 2), ("facts.components", 1, 3)] {
        let mut found = BTreeSet::new();
        changed((&contract, &machines[before]), (&contract, &machines[after]), Mode::Compat, &mut found);
        assert_eq!(found, listing(path));
    }
}

#[test]
fn every_source_exists() {
    let exists = |path: &str| {
        let mut table = Some(Contract::default().table());
        path.split('.').all(|name| match table.and_then(|table| table.field(name)).map(|field| field.kind) {
            Some(Kind::Message(inner)) => {
                table = Some(inner);
                true
            }
            Some(_) => {
                table = None;
                true
            }
            None => false,
        })
    };
    let names: BTreeSet<_> = TABLE.iter().map(|variable| variable.name).collect();
    assert_eq!(names.len(), 164);
    for variable in &TABLE {
        for source in variable.sources {
            assert!(source.starts_with("facts.") || exists(source), "{}: {source}", variable.name);
        }
    }
}
