//! A contract with one field changed.

use serde_json::{Map, Value, json};
use slipway_contract::codec::{Field, Format, Kind, Label, MessageTable};

/// The key of maps whose values are messages.
const DOMAIN: &str = "example.com";

/// The fields that hold values: the way to each, and what the schema says of it.
pub(crate) fn leaves(
    table: &'static MessageTable,
    above: &[&'static Field],
    found: &mut Vec<Vec<&'static Field>>,
) {
    for field in table.fields {
        let mut way = above.to_vec();
        way.push(field);
        match field.kind {
            Kind::Message(inner) => leaves(inner, &way, found),
            _ => found.push(way),
        }
    }
}

/// Other values for a field than the one that it has; of lists and maps also with one entry more.
pub(crate) fn others(way: &[&'static Field], now: Option<&Value>) -> Vec<Value> {
    let Some(field) = way.last() else { return Vec::new() };
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
        Label::Repeated => {
            let longer = now.and_then(Value::as_array).map(|entries| {
                let more = scalars.first().filter(|value| !entries.contains(value));
                entries.iter().chain(more).cloned().collect()
            });
            scalars.into_iter().map(|value| json!([value])).chain(longer).collect()
        }
        Label::Map => {
            let larger = now.filter(|entries| entries.is_object()).cloned().map(|mut entries| {
                entries["memory.available"] = scalars.first().cloned().unwrap_or_default();
                entries
            });
            scalars.into_iter().map(|value| json!({"nodefs.available": value})).chain(larger).collect()
        }
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
pub(crate) fn set(contract: &mut Value, way: &[&'static Field], value: &Value) {
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

pub(crate) fn get<'v>(contract: &'v Value, way: &[&'static Field]) -> Option<&'v Value> {
    let (last, above) = way.split_last()?;
    let above = above.iter().try_fold(contract, |at, field| {
        let at = at.get(field.name)?;
        if field.label == Label::Map { at.get(DOMAIN) } else { Some(at) }
    });
    above?.get(last.name)
}
