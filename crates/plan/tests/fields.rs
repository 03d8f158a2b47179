//! Every field of a contract that is honoured changes something, and whatever it changes names it.

use std::time::Duration;

use serde_json::{Map, Value, json};
use slipway_contract::Contract;
use slipway_contract::codec::{Field, Format, Kind, Label, Message as _, MessageTable, Policy, decode};
use slipway_contract::node::{Fate, fates, node};
use slipway_model::{Facts, Sources};
use slipway_plan::{Action, OnFailure, Plan, Stage, StepId, plan};

const FACTS: &str = r#"{
    "hostname": "node1", "cached": {"kubelet": ["1.33.2", "1.31.9"], "kubectl": ["1.33.2", "1.31.9"]},
    "containerd": {"version": "v2.0.0"}, "cpus": 4, "memory_bytes": 8589934592,
    "os": {"id": "ubuntu", "version_id": "22.04"}, "components": {"GPUContainerImages": [
        {"downloadURL": "mcr.microsoft.com/aks/aks-gpu-cuda-lts:*", "gpuVersion": {"latestVersion": "1-2"}},
        {"downloadURL": "mcr.microsoft.com/aks/aks-gpu-cuda:*", "gpuVersion": {"latestVersion": "3-4"}},
        {"downloadURL": "mcr.microsoft.com/aks/aks-gpu-grid:*", "gpuVersion": {"latestVersion": "5-6"}}
    ]},
    "imds": {"compute": {"tagsList": []}, "network": {"interface": [
        {"macAddress": "000D3A000001", "ipv4": {"ipAddress": [{"privateIpAddress": "10.0.0.4"}]}},
        {"macAddress": "000D3A000002", "ipv4": {"ipAddress": [{"privateIpAddress": "10.0.1.4"}]}}
    ]}}
}"#;

/// The key of maps whose values are messages.
const DOMAIN: &str = "example.com";

/// Contracts to begin with: no single one can ask for everything, because some things exclude each other.
fn bases() -> Vec<Value> {
    let plain = json!({
        "version": "v1", "kubernetes_version": "1.33.2", "kubernetes_ca_cert": "Y2E=",
        "api_server_config": {"api_server_name": "api.example"},
        "bootstrapping_config": {"tls_bootstrapping_token": "abcdef.0123456789abcdef"},
    });
    let certificate = merged(
        &plain,
        json!({
            "kubernetes_version": "1.32.0", "kube_binary_config": {"kube_binary_url": "https://h/k.tgz"},
            "bootstrapping_config": {"tls_bootstrapping_token": ""},
            "kubelet_config": {"kubelet_client_key": "a2V5", "kubelet_client_cert_content": "Y2VydA=="},
            "cluster_config": {"cloud_provider_config": {"backoff_mode": "v1"}},
        }),
    );
    let domain = json!({
        "forward_destination": "ClusterCoreDNS", "serve_stale": "Verify", "health_check": {"duration": "5s"},
    });
    let full = merged(
        &plain,
        json!({
            "bootstrapping_config": {"bootstrapping_auth_method": 2},
            "custom_cloud_config": {"custom_cloud_env_name": "akscustom", "custom_env_json_content": "e30="},
            "kubelet_config": {
                "enable_kubelet_config_file": true, "kubelet_config_file_config": {"max_pods": 30},
                "kubelet_flags": {
                    "--image-credential-provider-config": "/var/lib/kubelet/credential-provider-config.yaml",
                    "--image-credential-provider-bin-dir": "/var/lib/kubelet/credential-provider",
                },
            },
            "service_account_image_pull_profile": {"enabled": true},
            "custom_linux_os_config": {
                "enable_swap_config": true, "swap_file_size": 1500, "ulimit_config": {"no_file": "1048"},
                "sysctl_config": {"net_core_somaxconn": 20000}, "transparent_hugepage_support": "always",
            },
            "gpu_config": {"enable_nvidia": true, "config_gpu_driver": true},
            "vm_size": "Standard_NC6s_v3",
            "network_config": {"network_plugin": 2},
            "http_proxy_config": {"http_proxy": "http://proxy.example:3128/"},
            "local_dns_profile": {"enable_local_dns": true, "enable_hosts_plugin": true, "critical_fqdns": ["a.example"],
                "vnet_dns_overrides": {"example.com": domain},
                "kube_dns_overrides": {"example.com": domain}},
            "imds_restriction_config": {"enable_imds_restriction": true},
        }),
    );
    let kubenet = merged(&plain, json!({"network_config": {"network_plugin": 3}, "enable_ssh": true}));
    vec![plain, certificate, full, kubenet]
}

fn merged(base: &Value, over: Value) -> Value {
    match (base, over) {
        (Value::Object(base), Value::Object(over)) => {
            let mut all = base.clone();
            for (key, value) in over {
                let value = merged(all.get(&key).unwrap_or(&Value::Null), value);
                all.insert(key, value);
            }
            Value::Object(all)
        }
        (_, over) => over,
    }
}

fn planned(contract: &Value) -> Result<Plan, String> {
    let contract: Contract = decode(contract.to_string().as_bytes(), Policy::Careful).message;
    let node = node(&contract).map_err(|refused| format!("{refused:?}"))?;
    let facts = Facts::parse(FACTS).map_err(|error| error.to_string())?;
    plan(&node, &facts).map_err(|error| error.to_string())
}

/// The fields that hold values: the way to each, and what the schema says of it.
fn leaves(table: &'static MessageTable, above: &[&'static Field], found: &mut Vec<Vec<&'static Field>>) {
    for field in table.fields {
        let mut way = above.to_vec();
        way.push(field);
        match field.kind {
            Kind::Message(inner) => leaves(inner, &way, found),
            _ => found.push(way),
        }
    }
}

/// Other values for a field than the one that it has.
fn others(field: &Field, now: Option<&Value>) -> Vec<Value> {
    let scalars = match field.kind {
        Kind::Bool => vec![json!(true), json!(false)],
        Kind::Enum(table) => table.values.iter().map(|(_, number)| json!(number)).collect(),
        Kind::String => texts(field),
        _ => match field.format {
            Format::Range(low, high) | Format::Sysctl(low, high) => {
                [low + 1, low + 2, high.min(low + 10)].map(|number| json!(number)).to_vec()
            }
            _ => vec![json!(7), json!(8)],
        },
    };
    let values: Vec<Value> = match field.label {
        Label::Repeated => scalars.into_iter().map(|value| json!([value])).collect(),
        Label::Map => scalars.into_iter().map(|value| json!({"nodefs.available": value})).collect(),
        Label::Singular | Label::Optional => scalars,
    };
    // Without presence, nothing and zero are the same.
    let zeros = [json!(""), json!(false), json!(0), json!(0.0), Value::Null];
    let same = |value: &Value| {
        Some(value) == now
            || now.is_none() && field.label != Label::Optional && zeros.contains(value)
            || now.is_none() && value.is_null()
    };
    values.into_iter().chain([Value::Null]).filter(|value| !same(value)).collect()
}

fn texts(field: &Field) -> Vec<Value> {
    let text = match (field.name, field.format) {
        ("outbound_command", _) => "curl https://other.example/v2/",
        ("vm_size", _) => "Standard_ND96asr_v4",
        ("net_ipv4_ip_local_port_range", _) => "32768 61000",
        ("custom_cloud_env_name", _) => "akscustom",
        (_, Format::OneOf(words)) => return words.iter().map(|word| json!(word)).collect(),
        (_, Format::Named("pem-certificate" | "pem-private-key" | "base64" | "base64-json")) => "b3RoZXI=",
        (_, Format::Named("kubernetes-version")) => "1.31.9",
        (_, Format::Named("artifact" | "url")) => "https://other.example/other.tgz",
        (_, Format::Named("proxy-url")) => "http://other.example:3128/",
        (_, Format::Named("duration")) => "9s",
        (_, Format::Named("ip")) => "10.9.9.9",
        (_, Format::Named("ulimit")) => "2048",
        _ => "other",
    };
    vec![json!(text), json!("")]
}

/// The contract with a value at the end of a way; null takes it away.
fn set(contract: &mut Value, way: &[&'static Field], value: &Value) {
    let Some((field, rest)) = way.split_first() else { return };
    if !contract.is_object() {
        *contract = Value::Object(Map::new());
    }
    let Some(members) = contract.as_object_mut() else { return };
    if rest.is_empty() && value.is_null() {
        members.remove(field.name);
        return;
    }
    let at = members.entry(field.name).or_insert(Value::Null);
    if rest.is_empty() {
        *at = value.clone();
    } else if field.label == Label::Map {
        let mut inner = at.get(DOMAIN).cloned().unwrap_or_default();
        set(&mut inner, rest, value);
        *at = json!({ DOMAIN: inner });
    } else {
        set(at, rest, value);
    }
}

fn get<'v>(contract: &'v Value, way: &[&'static Field]) -> Option<&'v Value> {
    let (last, above) = way.split_last()?;
    let above = above.iter().try_fold(contract, |at, field| {
        let at = at.get(field.name)?;
        if field.label == Label::Map { at.get(DOMAIN) } else { Some(at) }
    });
    above?.get(last.name)
}

/// Something that can be told apart in a plan, with its sources.
struct Output {
    step: StepId,
    what: What,
    sources: Sources,
}

#[derive(Debug, PartialEq)]
enum What {
    /// What a step's failure means, and when and how long it may run.
    Step(Stage, OnFailure, Duration),
    Op(Action),
}

fn outputs(plan: &Plan) -> Vec<Output> {
    let mut outputs = Vec::new();
    for step in plan.steps() {
        let mut all = step.sources.clone();
        for op in &step.ops {
            let mut sources = step.sources.clone();
            sources.join(&op.sources);
            all.join(&op.sources);
            outputs.push(Output { step: step.id, what: What::Op(op.action.clone()), sources });
        }
        let what = What::Step(step.stage, step.on_failure, step.within);
        outputs.push(Output { step: step.id, what, sources: all });
    }
    outputs
}

/// Whether two outputs are the same thing before and after.
fn same_thing(one: &Output, other: &Output) -> bool {
    match (&one.what, &other.what) {
        (What::Step(..), What::Step(..)) => one.step == other.step,
        (What::Op(Action::File(one)), What::Op(Action::File(other))) => one.path == other.path,
        (What::Op(Action::Setting(one)), What::Op(Action::Setting(other))) => one.path == other.path,
        (What::Op(Action::Link(one)), What::Op(Action::Link(other))) => one.path == other.path,
        _ => false,
    }
}

/// What is in one of two plans only, and does not name the field before or after; and how much was in one only.
fn unnamed(before: &Plan, after: &Plan, path: &str) -> (usize, Vec<String>) {
    let (before, after) = (outputs(before), outputs(after));
    let gone = |one: &[Output], output: &Output| {
        !one.iter().any(|it| it.step == output.step && it.what == output.what)
    };
    let changed: Vec<&Output> = (before.iter().filter(|it| gone(&after, it)))
        .chain(after.iter().filter(|it| gone(&before, it)))
        .collect();
    let named = |output: &&&Output| {
        let twins = before.iter().chain(&after).filter(|it| same_thing(it, output));
        output.sources.names(path) || twins.into_iter().any(|it| it.sources.names(path))
    };
    let unnamed = changed.iter().filter(|output| !named(output));
    (changed.len(), unnamed.map(|output| format!("{} {:?}", output.step, output.what)).collect())
}

#[test]
fn an_honoured_field_changes_something_and_whatever_it_changes_names_it() {
    let honoured: Vec<&str> =
        fates().filter(|(_, fate)| *fate == Fate::Honoured).map(|(path, _)| *path).collect();
    let mut ways = Vec::new();
    leaves(Contract::default().table(), &[], &mut ways);
    let planned_or_not = |base: &Value| planned(base).unwrap_or_else(|error| panic!("{error}: {base}"));
    let bases: Vec<(Value, Plan)> =
        bases().into_iter().map(|base| (base.clone(), planned_or_not(&base))).collect();
    let mut wrong = Vec::new();
    for way in ways {
        let path = way.iter().map(|field| field.name).collect::<Vec<_>>().join(".");
        let Some(field) = way.last().filter(|_| honoured.contains(&path.as_str())) else { continue };
        let mut effects = 0;
        for (base, before) in &bases {
            for value in others(field, get(base, &way)) {
                let mut contract = base.clone();
                set(&mut contract, &way, &value);
                // What is refused is not silent.
                let Ok(after) = planned(&contract) else { continue };
                let (changed, unnamed) = unnamed(before, &after, &path);
                effects += changed;
                wrong.extend(
                    unnamed.into_iter().map(|output| format!("{path} = {value}: not named by {output}")),
                );
            }
        }
        if effects == 0 {
            wrong.push(format!("{path}: changes nothing"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
