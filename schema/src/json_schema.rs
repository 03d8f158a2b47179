//! JSON Schema 2020-12 of the contract: the structure that the codec accepts without a finding.

use serde_json::{Map, Value, json};

use crate::table::{Field, Kind, Label, Message, Schema};

pub(crate) fn document(schema: &Schema) -> String {
    let mut definitions = Map::new();
    for message in &schema.messages[1..] {
        definitions.insert(message.name.clone(), object(schema, message));
    }
    let mut root = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": "urn:slipway:aksnodeconfig.v1",
        "title": "aksnodeconfig.v1",
        "description": "The AKS node contract. Both name styles are accepted for each field; keys that start \
                        with // are comments.",
    });
    if let (Value::Object(root), Value::Object(first)) = (&mut root, object(schema, &schema.messages[0])) {
        root.extend(first);
        root.insert("$defs".to_owned(), Value::Object(definitions));
    }
    format!("{root:#}\n")
}

fn object(schema: &Schema, message: &Message) -> Value {
    let mut properties = Map::new();
    let mut exclusions = Map::new();
    for field in &message.fields {
        properties.insert(field.name.clone(), property(schema, field));
        if field.json_name != field.name {
            properties.insert(
                field.json_name.clone(),
                json!({ "$ref": format!("#{}", pointer(schema, message, field)) }),
            );
            // The two names are one field, and a field may be set once.
            exclusions.insert(field.json_name.clone(), json!({ "properties": { &field.name: false } }));
        }
    }
    let mut object = json!({
        "type": "object",
        "properties": properties,
        "patternProperties": { "^//": true },
        "additionalProperties": false,
    });
    if !exclusions.is_empty() {
        object["dependentSchemas"] = Value::Object(exclusions);
    }
    object
}

fn pointer(schema: &Schema, message: &Message, field: &Field) -> String {
    if message.name == schema.messages[0].name {
        format!("/properties/{}", field.name)
    } else {
        format!("/$defs/{}/properties/{}", message.name, field.name)
    }
}

fn property(schema: &Schema, field: &Field) -> Value {
    let value = value(schema, field);
    // null means unset.
    let mut property = match &field.label {
        Label::Repeated => json!({ "type": ["array", "null"], "items": value }),
        Label::Map(_) => json!({ "type": ["object", "null"], "additionalProperties": value }),
        _ => json!({ "anyOf": [value, { "type": "null" }] }),
    };
    property["description"] = Value::String(field.meaning.clone());
    if field.sensitivity == "secret" {
        property["writeOnly"] = Value::Bool(true);
    }
    property
}

fn value(schema: &Schema, field: &Field) -> Value {
    match &field.kind {
        Kind::Message(name) => json!({ "$ref": format!("#/$defs/{name}") }),
        Kind::Enum(name) => {
            let names: Vec<&str> = schema
                .enum_named(name)
                .into_iter()
                .flat_map(|e| &e.values)
                .map(|(n, _)| n.as_str())
                .collect();
            let numbers: Vec<i32> =
                schema.enum_named(name).into_iter().flat_map(|e| &e.values).map(|(_, n)| *n).collect();
            json!({ "anyOf": [{ "enum": names }, { "enum": numbers }] })
        }
        Kind::Scalar(scalar) => match scalar.as_str() {
            "bool" => json!({ "type": "boolean" }),
            "int32" => json!({ "anyOf": [
                { "type": "integer", "minimum": i32::MIN, "maximum": i32::MAX },
                { "type": "string", "pattern": "^(0|-?[1-9][0-9]{0,9})(\\.0+)?$" },
            ]}),
            "double" => json!({ "anyOf": [
                { "type": "number" },
                { "enum": ["NaN", "Infinity", "-Infinity"] },
                { "type": "string", "pattern": "^-?(0|[1-9][0-9]*)(\\.[0-9]+)?([eE][+-]?[0-9]+)?$" },
            ]}),
            _ => json!({ "type": "string" }),
        },
    }
}
