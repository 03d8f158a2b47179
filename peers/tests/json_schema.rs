//! The JSON Schema is valid 2020-12, and agrees with `config validate --strict` about structure.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use jsonschema::Validator;
use serde_json::{Value, json};
use slipway_contract::codec::{Field, Kind, Label, Message as _, MessageTable};
use slipway_contract::{Contract, Severity, validate};

const SCHEMA: &str = include_str!("../../schema/aksnodeconfig-v1.schema.json");

/// The reasons that concern structure: what a schema can see.
const STRUCTURE: &[&str] = &[
    "wrong-type",
    "unknown-field",
    "unknown-enum-value",
    "duplicate-field",
    "duplicate-key",
    "invalid-key",
    "syntax",
];

fn schema() -> (Value, Validator) {
    let schema: Value = serde_json::from_str(SCHEMA).unwrap();
    let validator = jsonschema::draft202012::new(&schema).unwrap();
    (schema, validator)
}

/// The verdict of `config validate --strict`, structure alone.
fn accepted(document: &Value) -> bool {
    let issues = validate(document.to_string().as_bytes(), 0);
    !issues.iter().any(|issue| STRUCTURE.contains(&issue.reason) && issue.severity > Severity::Note)
}

/// Values that fit a field once, and values that do not.
fn samples(field: &Field) -> (Vec<Value>, Vec<Value>) {
    match field.kind {
        Kind::Bool => (vec![json!(true), json!(false)], vec![json!("true"), json!(1), json!({})]),
        Kind::Int32 => (
            vec![json!(0), json!(-7), json!(2_147_483_647), json!("7"), json!("-7"), json!(1.0)],
            vec![
                json!(2_147_483_648_i64),
                json!(1.5),
                json!("x"),
                json!(" 7"),
                json!("007"),
                json!(true),
                json!([1]),
            ],
        ),
        Kind::Double => (
            vec![json!(0.5), json!(3), json!("1.5"), json!("NaN"), json!("-Infinity")],
            vec![json!("inf"), json!(true), json!({}), json!("")],
        ),
        Kind::String => {
            (vec![json!(""), json!("text")], vec![json!(1), json!(false), json!(["text"]), json!({})])
        }
        Kind::Enum(table) => (
            vec![json!(table.values[0].0), json!(table.values[1].0), json!(table.values[1].1)],
            vec![json!("NO_SUCH_VALUE"), json!(4711), json!(true), json!([])],
        ),
        Kind::Message(_) => (vec![json!({})], vec![json!("{}"), json!([]), json!(1), json!({"zzz": 1})]),
        _ => unreachable!("the contract has no such kind"),
    }
}

/// Calls `judge` with every field alone in its document: with values that fit, and with values that do not.
fn each_field(
    table: &'static MessageTable,
    wrap: &dyn Fn(Value) -> Value,
    judge: &mut dyn FnMut(Value, bool),
) {
    for field in table.fields {
        let (good, bad) = samples(field);
        let shape = |value: Value| match field.label {
            Label::Repeated => json!([value]),
            Label::Map => json!({"key": value}),
            _ => value,
        };
        for name in [field.name, field.json_name] {
            for value in &good {
                judge(wrap(json!({ name: shape(value.clone()) })), true);
            }
            for value in &bad {
                judge(wrap(json!({ name: shape(value.clone()) })), false);
            }
            judge(wrap(json!({ name: null })), true);
            if matches!(field.label, Label::Repeated | Label::Map) {
                judge(wrap(json!({ name: shape(Value::Null) })), false);
                judge(wrap(json!({ name: "neither list nor object" })), false);
            }
        }
        if field.name != field.json_name {
            let both = json!({ field.name: shape(good[0].clone()), field.json_name: shape(good[0].clone()) });
            judge(wrap(both), false);
        }
        if let Kind::Message(inner) = field.kind {
            let name = field.name;
            each_field(inner, &|value| wrap(json!({ name: shape(value) })), judge);
        }
    }
    judge(wrap(json!({ "no_such_field": 1 })), false);
    judge(wrap(json!({ "// a comment": "is welcome" })), true);
}

#[test]
fn the_schema_is_a_valid_2020_12_schema() {
    let (schema, _) = schema();
    jsonschema::meta::validate(&schema).unwrap();
    assert_eq!(schema["$schema"], "https://json-schema.org/draft/2020-12/schema");
}

#[test]
fn schema_and_strict_validation_agree_about_every_field() {
    let (_, validator) = schema();
    let mut judged = 0;
    each_field(Contract::default().table(), &|value| value, &mut |document, expected| {
        assert_eq!(accepted(&document), expected, "config validate --strict: {document}");
        assert_eq!(validator.is_valid(&document), expected, "JSON Schema: {document}");
        judged += 1;
    });
    assert!(judged > 4_000, "{judged} documents");
}
