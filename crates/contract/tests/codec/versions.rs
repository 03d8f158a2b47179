//! Contracts of a newer and of an older schema.

use serde_json::{Map, Value, json};
use slipway_contract::codec::{Decoded, Kind, Label, MessageTable, Options, Policy, decode, encode};
use slipway_contract::{Contract, Severity};

use crate::tables::{POPULATED, fields, populated, read, root, sample, wrapped};

/// The message as a newer schema would write it: more fields of every kind, in every message.
fn newer(table: &MessageTable, message: &Value, added: &mut usize) -> Value {
    let mut all = Map::new();
    for (key, value) in message.as_object().unwrap() {
        let field = table.field(key).unwrap();
        let value = match (field.kind, field.label) {
            (Kind::Message(inner), Label::Map) => {
                let entries = value.as_object().unwrap().iter();
                entries.map(|(key, value)| (key.clone(), newer(inner, value, added))).collect()
            }
            (Kind::Message(inner), _) => newer(inner, value, added),
            _ => value.clone(),
        };
        all.insert(key.clone(), value);
    }
    for (key, value) in [
        ("a_new_message", json!({ "version": "v9", "deeper": { "list": [1, { "x": null }] } })),
        ("newNumber", json!(12.5)),
        ("new_list", json!(["x", []])),
        ("zz_new_enum", json!("ZZ_NEW")),
    ] {
        all.insert(key.to_owned(), value);
        *added += 1;
    }
    Value::Object(all)
}

#[test]
fn a_contract_of_a_newer_schema_is_read_without_loss_of_what_is_known() {
    let known = read(POPULATED).message;
    let mut added = 0;
    let text = format!("{:#}", newer(root(), &populated(root()), &mut added));
    assert!(added > 32 * 4, "every message has new fields");
    for policy in [Policy::Careful, Policy::Compatible] {
        let decoded: Decoded<Contract> = decode(text.as_bytes(), policy);
        assert!(!decoded.stopped);
        assert_eq!(decoded.message, known);
        assert_eq!(decoded.issues.len(), added, "each new field is named");
        assert!(decoded.issues.iter().all(|issue| issue.reason == "unknown-field"));
    }
}

#[test]
fn a_newer_enum_value_costs_its_own_field_only() {
    let all: Value = serde_json::from_str(POPULATED).unwrap();
    let mut seen = 0;
    for (field, way) in fields() {
        if !matches!(field.kind, Kind::Enum(_)) {
            continue;
        }
        seen += 1;
        let pointer = way.iter().chain([&field]).fold(String::new(), |way, field| way + "/" + field.name);
        let mut newer = all.clone();
        *newer.pointer_mut(&pointer).unwrap() = json!("OF_A_NEWER_SCHEMA");
        let mut without = all.clone();
        let (parent, _) = pointer.rsplit_once('/').unwrap();
        without.pointer_mut(parent).unwrap().as_object_mut().unwrap().remove(field.name);
        let decoded = read(&newer.to_string());
        assert_eq!(decoded.message, read(&without.to_string()).message, "{pointer}");
        assert_eq!(decoded.issues.len(), 1);
        assert_eq!(
            (decoded.issues[0].reason, decoded.issues[0].severity),
            ("unknown-enum-value", Severity::Warning)
        );
        let numbered = wrapped(&way, field.name, &json!(77)).to_string();
        let written: Value = serde_json::from_str(&encode(&read(&numbered).message, Options::FILE)).unwrap();
        assert_eq!(written.to_string(), numbered, "a number without a name is kept");
    }
    assert_eq!(seen, 8);
}

/// The message as a schema with half the fields would write it.
fn older(table: &MessageTable) -> Value {
    let half = &table.fields[..table.fields.len().div_ceil(2)];
    let members = half.iter().map(|field| {
        let value = match (field.kind, field.label) {
            (Kind::Message(inner), Label::Map) => json!({ "key": older(inner) }),
            (Kind::Message(inner), _) => older(inner),
            _ => sample(field),
        };
        (field.name.to_owned(), value)
    });
    Value::Object(members.collect())
}

#[test]
fn a_contract_of_an_older_schema_is_read_whole_and_nothing_is_made_up() {
    let old = older(root());
    let decoded = read(&old.to_string());
    assert!(decoded.issues.is_empty());
    let written: Value = serde_json::from_str(&encode(&decoded.message, Options::FILE)).unwrap();
    assert_eq!(written, old);
}
