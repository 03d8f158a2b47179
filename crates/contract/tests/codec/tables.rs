//! The contract through its tables: every message with the way to it, and the populated contract.

use serde_json::{Map, Value, json};
use slipway_contract::codec::{Decoded, Field, Kind, Label, Message, MessageTable, Policy, decode};
use slipway_contract::{Contract, Severity};

/// The contract with every field set, as the peer's own compatibility tests populate it and Go writes it.
pub(crate) const POPULATED: &str = include_str!("../data/populated.json");

pub(crate) fn root() -> &'static MessageTable {
    Contract::default().table()
}

/// Every message with the fields that lead to it; a message that is used twice is listed once.
pub(crate) fn messages() -> Vec<(&'static MessageTable, Vec<&'static Field>)> {
    let mut found = vec![(root(), Vec::new())];
    let mut next = 0;
    while let Some((table, way)) = found.get(next).cloned() {
        next += 1;
        for field in table.fields {
            let Kind::Message(inner) = field.kind else { continue };
            if found.iter().all(|(known, _)| known.name != inner.name) {
                let way = way.iter().copied().chain([field]).collect();
                found.push((inner, way));
            }
        }
    }
    found
}

/// Every field with the fields that lead to it.
pub(crate) fn fields() -> Vec<(&'static Field, Vec<&'static Field>)> {
    let each = |(table, way): (&'static MessageTable, Vec<_>)| {
        table.fields.iter().map(move |field| (field, way.clone()))
    };
    messages().into_iter().flat_map(each).collect()
}

/// A contract with nothing but this member at the end of the way.
pub(crate) fn wrapped(way: &[&Field], key: &str, value: &Value) -> Value {
    let inner = json!({ key: value });
    way.iter().rev().fold(inner, |inner, field| match field.label {
        Label::Map => json!({ field.name: { "key": inner } }),
        Label::Repeated => json!({ field.name: [inner] }),
        _ => json!({ field.name: inner }),
    })
}

/// A message with every field set, by the peer's rule.
pub(crate) fn populated(table: &MessageTable) -> Value {
    let members = table.fields.iter().map(|field| (field.name.to_owned(), sample(field)));
    let mut message: Map<String, Value> = members.collect();
    if table.name == root().name {
        message.insert("version".to_owned(), json!("v1"));
    }
    Value::Object(message)
}

/// A value for a field, by the peer's rule: two of everything that can be had twice.
pub(crate) fn sample(field: &Field) -> Value {
    let one = |suffix: &str| match field.kind {
        Kind::Bool => json!(true),
        Kind::Int32 | Kind::Uint32 | Kind::Float | Kind::Double => json!(42),
        Kind::Int64 | Kind::Uint64 => json!("42"),
        Kind::String => json!(format!("test-{}-{suffix}", field.name)),
        Kind::Bytes => json!("dGVzdA=="),
        Kind::Enum(table) => json!(table.values.last().unwrap().0),
        Kind::Message(table) => populated(table),
    };
    match field.label {
        Label::Repeated => json!([one("item0"), one("item1")]),
        Label::Map => json!({ "test-key-0": one("map0"), "test-key-1": one("map1") }),
        Label::Singular | Label::Optional => one("value"),
    }
}

/// The contract in a text that has no errors.
pub(crate) fn read(text: &str) -> Decoded<Contract> {
    let decoded: Decoded<Contract> = decode(text.as_bytes(), Policy::Compatible);
    let worst = decoded.issues.iter().find(|issue| issue.severity == Severity::Error);
    assert!(worst.is_none() && !decoded.stopped, "{worst:?} in {text}");
    decoded
}

#[test]
fn the_recorded_populated_contract_follows_the_population_rule() {
    let recorded: Value = serde_json::from_str(POPULATED).unwrap();
    assert_eq!(populated(root()), recorded);
}
