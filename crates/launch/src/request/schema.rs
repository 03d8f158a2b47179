//! The request's description as JSON Schema.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::record::{Described, Record, Shape};
use crate::Request;

/// Go writes durations as numbers with units, one after the other.
const DURATION: &str = r"[-+]?(0|([0-9]+\.?[0-9]*|\.[0-9]+)(ns|us|µs|μs|ms|s|m|h))+";

/// JSON Schema 2020-12 of the launch request.
pub fn schema() -> Value {
    let mut definitions = BTreeMap::new();
    let root = reference(&Request::SHAPE, &mut definitions);
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Slipway launch request",
        "$ref": root["$ref"],
        "$defs": definitions,
    })
}

fn reference(shape: &Shape, definitions: &mut BTreeMap<&'static str, Value>) -> Value {
    match shape {
        Shape::Text => json!({"type": ["string", "null"]}),
        Shape::Secret => json!({"type": ["string", "null"], "writeOnly": true}),
        Shape::Duration(words) => {
            let pattern =
                std::iter::once(DURATION).chain(words.iter().copied()).collect::<Vec<_>>().join("|");
            json!({"type": ["string", "null"], "pattern": format!("^({pattern})$")})
        }
        Shape::Word(words) => {
            let words: Vec<Value> = words.iter().map(|word| json!(word)).chain([Value::Null]).collect();
            json!({"enum": words})
        }
        Shape::Bool => json!({"type": ["boolean", "null"]}),
        Shape::Integer(least, most) => {
            json!({"type": ["integer", "null"], "minimum": least, "maximum": most})
        }
        Shape::Number => json!({"type": ["number", "null"]}),
        Shape::List(item) => json!({"type": ["array", "null"], "items": reference(item, definitions)}),
        Shape::Map(item) => {
            json!({"type": ["object", "null"], "additionalProperties": reference(item, definitions)})
        }
        Shape::Object(record) => {
            if !definitions.contains_key(record.name) {
                // The name is taken before the members, so that a record may hold itself.
                definitions.insert(record.name, Value::Null);
                let definition = object(record, definitions);
                definitions.insert(record.name, definition);
            }
            json!({"$ref": format!("#/$defs/{}", record.name)})
        }
    }
}

fn object(record: &Record, definitions: &mut BTreeMap<&'static str, Value>) -> Value {
    let mut properties = Map::new();
    for field in record.fields {
        let mut value = reference(field.shape, definitions);
        if let Value::Object(members) = &mut value {
            members.insert("description".to_owned(), json!(field.about.trim()));
        }
        properties.insert(field.name.to_owned(), value);
    }
    json!({
        "type": ["object", "null"],
        "description": record.about.trim(),
        "properties": properties,
        "additionalProperties": false,
    })
}
