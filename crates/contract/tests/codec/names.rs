//! Every field by both of its names, and what "unset" means for each.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use slipway_contract::Contract;
use slipway_contract::codec::{Kind, Label, Layout, Names, Options, encode};

use crate::tables::{fields, messages, read, sample, wrapped};

const COMPACT: Options = Options { layout: Layout::Compact, ..Options::FILE };
const JSON_NAMES: Options = Options { names: Names::Json, ..COMPACT };

fn written(contract: &Contract, options: Options) -> Value {
    serde_json::from_str(&encode(contract, options)).unwrap()
}

#[test]
fn the_schema_has_the_messages_fields_and_enums_that_it_should_have() {
    let enums: BTreeSet<&str> = fields()
        .iter()
        .filter_map(|(field, _)| match field.kind {
            Kind::Enum(table) => Some(table.name),
            _ => None,
        })
        .collect();
    assert_eq!((messages().len(), fields().len(), enums.len()), (32, 257, 8));
}

#[test]
fn every_field_is_the_same_by_its_proto_name_and_by_its_json_name() {
    for (field, way) in fields() {
        let by_proto_name = wrapped(&way, field.name, &sample(field));
        let by_json_name = wrapped(&way, field.json_name, &sample(field));
        let (proto, json) = (read(&by_proto_name.to_string()), read(&by_json_name.to_string()));
        assert_eq!((proto.issues.len(), json.issues.len()), (0, 0), "{}", field.name);
        assert_eq!(proto.message, json.message, "{}", field.name);
        assert_eq!(written(&proto.message, COMPACT), by_proto_name, "what is written has the proto name");
        let again = read(&encode(&proto.message, JSON_NAMES));
        assert_eq!(again.message, proto.message, "{}", field.json_name);
        assert!(encode(&proto.message, JSON_NAMES).contains(&format!("\"{}\":", field.json_name)));
    }
}

#[test]
fn an_optional_zero_is_kept_and_a_singular_zero_is_left_out() {
    let mut kept = 0;
    for (field, way) in fields() {
        let zero = match (field.kind, field.label) {
            (_, Label::Repeated) => json!([]),
            (_, Label::Map) | (Kind::Message(_), _) => json!({}),
            (Kind::Bool, _) => json!(false),
            (Kind::String, _) => json!(""),
            _ => json!(0),
        };
        let text = wrapped(&way, field.name, &zero).to_string();
        let contract = read(&text).message;
        let stays = field.label == Label::Optional
            || matches!((field.kind, field.label), (Kind::Message(_), Label::Singular));
        kept += usize::from(stays);
        assert_eq!(encode(&contract, COMPACT).contains(&format!("\"{}\":", field.name)), stays, "{text}");
        assert_eq!(read(&encode(&contract, COMPACT)).message, contract, "{text}");
    }
    // 79 optional scalars, and all messages but the contract itself and the one that only maps hold.
    assert_eq!(kept, 79 + 30);
}
