//! Strings that would break out of a text if they could.

use serde_json::{Map, Value, json};
use slipway_contract::Contract;
use slipway_contract::codec::{Kind, Label, Message as _, MessageTable};
use slipway_model::Facts;
use slipway_scripts::{Mode, TABLE, variables};

use crate::contract;
use crate::meaning::{corefile_words, meaning, text};

const ODD: &str =
    "a\"b'c\\\n}\n[x]\nversion = 9\r\t$(touch /tmp/x) `id` ${HOME} {$HOME} # é 管 🚀 <&>\u{2028}\u{1}\\";

/// A contract in which every text, key and list item is this one, and everything that can be on is on.
fn filled(table: &'static MessageTable, odd: &str) -> Value {
    let member = |field: &slipway_contract::codec::Field| {
        let one = match field.kind {
            Kind::Bool => json!(true),
            Kind::String => json!(odd),
            Kind::Enum(values) => json!(values.values[values.values.len() - 1].0),
            Kind::Message(inner) => filled(inner, odd),
            _ => json!(42),
        };
        let value = match field.label {
            Label::Repeated => json!([one, one]),
            Label::Map => Value::Object(Map::from_iter([(odd.to_owned(), one)])),
            Label::Singular | Label::Optional => one,
        };
        (field.name.to_owned(), value)
    };
    Value::Object(table.fields.iter().map(member).collect())
}

fn check(odd: &str) {
    let contract = contract(&filled(Contract::default().table(), odd));
    let facts = Facts::default();
    let variables = variables(&contract, &facts, Mode::Compat).unwrap();
    for variable in TABLE.iter().filter(|variable| variable.kind() == "text") {
        assert!(variables.get(variable.name).unwrap().reveal() == odd, "{}", variable.name);
    }
    for value in &variables {
        let read = meaning(value.name(), value.reveal());
        assert!(read.get("unreadable").is_none(), "{}", value.name());
        match value.name() {
            "CONTAINERD_CONFIG_CONTENT" => {
                assert!(read["toml"]["root"] == odd);
                assert_eq!(read["toml"]["version"], 2);
                assert!(read["toml"]["plugins"]["io.containerd.grpc.v1.cri"]["sandbox_image"] == odd);
            }
            "KUBELET_CONFIG_FILE_CONTENT" => {
                assert!(read["json"]["evictionHard"][odd] == odd);
                assert!(read["json"]["clusterDNS"][1] == odd);
            }
            "LOCALDNS_COREFILE_WITH_HOSTS" => {
                let words = corefile_words(&text(value.reveal()).unwrap()).unwrap();
                // Backslashes come back doubled: there is no way to write one before a quote.
                let zone = format!("{odd}:53").replace('\\', r"\\");
                assert_eq!(words.iter().filter(|word| **word == zone).count(), 2);
            }
            _ => {}
        }
    }
}

#[test]
fn odd_strings_arrive_as_they_were_and_no_text_breaks() {
    check(ODD);
}

#[test]
fn long_strings_are_not_cut() {
    check(&"0123456789".repeat(10_000));
    check(&ODD.repeat(100_000 / ODD.len()));
}

/// Each field alone, so that one refusal does not hide another; the values that need refusing are named.
#[test]
fn under_our_rules_a_hostile_string_is_either_harmless_or_refused() {
    let refusable = [
        "custom_linux_os_config.sysctl_config.net_ipv4_ip_local_port_range",
        "custom_linux_os_config.ulimit_config.no_file",
        "custom_linux_os_config.ulimit_config.max_locked_memory",
        "cluster_config.cluster_network_config.core_dns_service_ip",
        "local_dns_profile.vnet_dns_overrides",
        "local_dns_profile.kube_dns_overrides",
    ];
    let all = filled(Contract::default().table(), ODD);
    let mut refused = Vec::new();
    let mut paths = Vec::new();
    leaves(&all, "", &mut paths);
    assert!(paths.len() > 90);
    for path in paths {
        let mut one = json!({"local_dns_profile": {
            "enable_local_dns": true, "kube_dns_overrides": {".": {"forward_destination": "ClusterCoreDNS"}},
        }});
        let value = path.split('.').fold(&all, |at, name| &at[name]);
        let place = path
            .split('.')
            .fold(&mut one, |at, name| at.as_object_mut().unwrap().entry(name).or_insert_with(|| json!({})));
        *place = value.clone();
        let (contract, facts) = (contract(&one), Facts::default());
        match variables(&contract, &facts, Mode::Ours) {
            Ok(variables) => {
                for value in &variables {
                    assert!(meaning(value.name(), value.reveal()).get("unreadable").is_none(), "{path}");
                }
            }
            Err(error) => refused.push((path, error.refusal.reason())),
        }
    }
    let paths: Vec<_> = refused.iter().map(|(path, _)| path.as_str()).collect();
    assert!(
        refusable.iter().all(|path| paths.contains(path)) && paths.len() == refusable.len(),
        "{refused:?}"
    );
}

/// The paths of all values that hold the odd string; maps count as one value.
fn leaves(value: &Value, path: &str, into: &mut Vec<String>) {
    match value {
        Value::Object(members) if !members.contains_key(ODD) => {
            for (name, value) in members {
                let path = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
                leaves(value, &path, into);
            }
        }
        other if other.to_string().contains("touch") => into.push(path.to_owned()),
        _ => {}
    }
}
