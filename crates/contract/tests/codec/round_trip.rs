//! decode(encode(x)) = x, for contracts made through the tables and for contracts built in code.

use proptest::prelude::*;
use serde_json::{Map, Value, json};
use slipway_contract::codec::{
    Decoded, Field, Kind, Label, Layout, MessageTable, Names, Options, Policy, decode, encode,
};
use slipway_contract::messages::{ClusterConfig, NetworkConfig, NetworkPlugin, NetworkPolicy, VmType};
use slipway_contract::{Contract, Severity};

use crate::tables::{read, root};

/// A random message: each field may be missing, and has one of its two names.
fn message(table: &'static MessageTable) -> BoxedStrategy<Value> {
    let members: Vec<_> = table
        .fields
        .iter()
        .map(|field| proptest::option::weighted(0.4, (any::<bool>(), value(field))))
        .collect();
    members
        .prop_map(|values| {
            let named = values.into_iter().zip(table.fields).filter_map(|(value, field)| {
                let (by_json_name, value) = value?;
                Some(((if by_json_name { field.json_name } else { field.name }).to_owned(), value))
            });
            Value::Object(named.collect())
        })
        .boxed()
}

fn value(field: &'static Field) -> BoxedStrategy<Value> {
    match field.label {
        Label::Singular | Label::Optional => one(field),
        Label::Repeated => prop::collection::vec(one(field), 0..3).prop_map(Value::Array).boxed(),
        Label::Map => prop::collection::btree_map(any::<String>(), one(field), 0..3)
            .prop_map(|entries| Value::Object(entries.into_iter().collect()))
            .boxed(),
    }
}

fn one(field: &'static Field) -> BoxedStrategy<Value> {
    match field.kind {
        Kind::Bool => any::<bool>().prop_map(Value::from).boxed(),
        Kind::Int32 => (any::<i32>(), any::<bool>())
            .prop_map(|(number, quoted)| if quoted { json!(number.to_string()) } else { json!(number) })
            .boxed(),
        Kind::Double => prop_oneof![
            (prop::num::f64::NORMAL | prop::num::f64::SUBNORMAL | prop::num::f64::ZERO).prop_map(Value::from),
            Just(json!("Infinity")),
            Just(json!("-Infinity")),
        ]
        .boxed(),
        Kind::String => any::<String>().prop_map(Value::from).boxed(),
        Kind::Enum(table) => prop_oneof![
            prop::sample::select(table.values).prop_map(|(name, _)| json!(name)),
            prop::sample::select(table.values).prop_map(|(_, number)| json!(number)),
            (100..i32::MAX).prop_map(Value::from),
        ]
        .boxed(),
        Kind::Message(table) => message(table),
        other => unreachable!("the contract has no field of kind {other:?}"),
    }
}

/// The message as it is written: proto names, plain numbers, enum names, zeros left out.
fn normal(table: &'static MessageTable, message: &Value) -> Value {
    let mut written = Map::new();
    for (key, value) in message.as_object().unwrap() {
        let field = &table.fields[table.find(key, 0).unwrap()];
        let value = match value {
            Value::Array(items) => items.iter().map(|item| normal_one(field, item)).collect(),
            Value::Object(entries) if field.label == Label::Map => {
                entries.iter().map(|(key, value)| (key.clone(), normal_one(field, value))).collect()
            }
            one => normal_one(field, one),
        };
        let is_zero = match field.label {
            Label::Optional => false,
            Label::Singular if matches!(field.kind, Kind::Message(_)) => false,
            Label::Singular if matches!(field.kind, Kind::Enum(table) if value == table.values[0].0) => true,
            _ => [json!(0), json!(""), json!(false), json!([]), json!({})].contains(&value),
        };
        if !is_zero {
            written.insert(field.name.to_owned(), value);
        }
    }
    Value::Object(written)
}

fn normal_one(field: &'static Field, value: &Value) -> Value {
    match (field.kind, value) {
        (Kind::Int32, Value::String(digits)) => json!(digits.parse::<i32>().unwrap()),
        (Kind::Enum(table), Value::Number(number)) => {
            let known = table.values.iter().find(|(_, known)| Some(i64::from(*known)) == number.as_i64());
            known.map_or_else(|| value.clone(), |(name, _)| json!(name))
        }
        (Kind::Message(table), _) => normal(table, value),
        _ => value.clone(),
    }
}

/// Numbers as doubles, so that `42` and `42.0` are the same.
fn with_doubles(value: Value) -> Value {
    match value {
        Value::Number(number) => json!(number.as_f64()),
        Value::Array(items) => items.into_iter().map(with_doubles).collect(),
        Value::Object(members) => {
            members.into_iter().map(|(key, value)| (key, with_doubles(value))).collect()
        }
        other => other,
    }
}

fn styles() -> impl Iterator<Item = Options> {
    let layouts = [Layout::Compact, Layout::Indented(0), Layout::Indented(2)];
    layouts.into_iter().flat_map(|layout| {
        [(Names::Proto, false), (Names::Json, true), (Names::Json, false)].map(|(names, ascii)| Options {
            names,
            layout,
            ascii,
            ..Options::FILE
        })
    })
}

fn survives(contract: &Contract) {
    for options in styles() {
        let text = encode(contract, options);
        assert_eq!(&read(&text).message, contract, "{options:?}: {text}");
        assert!(!options.ascii || text.is_ascii(), "{text}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_contract_survives_being_written_and_read(json in message(root())) {
        let text = json.to_string();
        let decoded = read(&text);
        let careful: Decoded<Contract> = decode(text.as_bytes(), Policy::Careful);
        prop_assert_eq!(&careful.message, &decoded.message);
        prop_assert!(careful.issues.iter().all(|issue| issue.severity < Severity::Error));
        let written: Value = serde_json::from_str(&encode(&decoded.message, Options::FILE)).unwrap();
        prop_assert_eq!(with_doubles(written), with_doubles(normal(root(), &json)));
        survives(&decoded.message);
    }

    #[test]
    fn a_contract_built_in_code_survives_too(
        version in any::<String>(),
        timeout in any::<Option<i32>>(),
        certificates in any::<Vec<String>>(),
        features in prop::collection::btree_map(any::<String>(), any::<String>(), 0..4),
        plugin in any::<i32>(),
        is_vhd in any::<Option<bool>>(),
    ) {
        use slipway_contract::codec::EnumValue as _;
        let contract = Contract {
            version,
            cse_timeout: timeout,
            custom_ca_certs: certificates,
            enabled_features: features,
            is_vhd,
            cluster_config: Some(ClusterConfig { vm_type: VmType::Vmss, ..ClusterConfig::default() }),
            network_config: Some(NetworkConfig {
                network_plugin: NetworkPlugin::from_number(plugin),
                network_policy: NetworkPolicy::Calico,
                ..NetworkConfig::default()
            }),
            ..Contract::default()
        };
        survives(&contract);
    }
}
