//! Odd strings in every string field of the contract: nothing executes, nothing is cut.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};
use slipway_contract::Contract;
use slipway_contract::codec::{Kind, Label, Message as _, MessageTable, Policy, decode};
use slipway_model::{Containerd, Facts, Mode};
use slipway_peers::node::{COMPLETE, CONTRACT, Node, RESULT};

use crate::{SUCCEED, node, populated, runs};

/// Everything that a shell could act on, each with a canary of its own.
const ODD: &str = "a'b\"c\\ $(touch /opt/canary-1) `touch /opt/canary-2`\n; touch /opt/canary-3 #\r\t${PATH} %s é 😀 ' && touch /opt/canary-4\n";

/// The longest value of a variable is 128 KiB with its name.
const TOO_LONG: usize = 128 * 1024;

/// What is done with a field: its path, and a function that makes the smallest document that sets it.
type Visit<'v> = dyn FnMut(&str, &dyn Fn(&str) -> Value) + 'v;

/// Visits every string field, with what stands around it.
fn string_fields(
    table: &'static MessageTable,
    path: &str,
    wrap: &dyn Fn(Value) -> Value,
    each: &mut Visit<'_>,
) {
    for field in table.fields {
        let path = format!("{path}{}", field.name);
        let inside = |value: Value| {
            let value = match field.label {
                Label::Repeated => json!([value]),
                Label::Map => json!({ "key": value }),
                Label::Singular | Label::Optional => value,
            };
            wrap(Value::Object(Map::from_iter([(field.name.to_owned(), value)])))
        };
        match field.kind {
            Kind::String if field.label == Label::Map => each(&path, &|text| {
                wrap(Value::Object(Map::from_iter([(field.name.to_owned(), json!({ text: text }))])))
            }),
            Kind::String => each(&path, &|text| inside(json!(text))),
            Kind::Message(inner) => string_fields(inner, &format!("{path}."), &inside, each),
            _ => {}
        }
    }
}

/// One document over another.
fn merge(below: &mut Value, above: Value) {
    match (below, above) {
        (Value::Object(below), Value::Object(above)) => {
            for (name, value) in above {
                merge(below.entry(name).or_insert(Value::Null), value);
            }
        }
        (below, above) => *below = above,
    }
}

fn provision_each(text: &str, known: &dyn Fn(&str) -> bool) -> Outcomes {
    let node = node(&format!("env -0 >/opt/environment\n{SUCCEED}"));
    let mut outcomes = Outcomes::default();
    string_fields(Contract::default().table(), "", &|value| value, &mut |path, document| {
        // A version that is not one ends the attempt before anything else.
        if path == "version" || !known(path) {
            return;
        }
        let mut contract = populated();
        merge(&mut contract, document(text));
        provision_one(&node, path, &contract, &mut outcomes);
    });
    outcomes
}

#[derive(Default, Debug)]
struct Outcomes {
    provisioned: usize,
    /// Field and error.
    refused: Vec<(String, String)>,
}

fn provision_one(node: &Node, path: &str, contract: &Value, outcomes: &mut Outcomes) {
    for file in ["/opt/environment", COMPLETE, RESULT, "/opt/runs"] {
        node.remove(file);
    }
    let text = contract.to_string();
    node.put(CONTRACT, &text, 0o600);
    let ended = node.provision();
    for canary in 1..=4 {
        assert!(node.read(&format!("/opt/canary-{canary}")).is_none(), "{path}: a canary was made");
    }
    if ended.code != 0 {
        let result = node.result();
        assert_eq!((result["ExitCode"].as_str(), runs(node)), (Some("240"), 0), "{path}: {result}");
        assert!(
            node.events().pop().unwrap().len() <= 3 * 1024,
            "{path}: the guest agent does not take the event"
        );
        outcomes.refused.push((path.to_owned(), result["Error"].as_str().unwrap().to_owned()));
        return;
    }
    let decoded = decode::<Contract>(text.as_bytes(), Policy::Careful);
    let facts = Facts { containerd: Containerd::Missing, ..Facts::default() };
    let expected = slipway_scripts::variables(&decoded.message, &facts, Mode::Ours).unwrap();
    let environment = node.read("/opt/environment").unwrap();
    let arrived: BTreeMap<&[u8], &[u8]> = environment
        .split(|byte| *byte == 0)
        .filter_map(|variable| {
            let at = variable.iter().position(|byte| *byte == b'=')?;
            Some((&variable[..at], &variable[at + 1..]))
        })
        .collect();
    for value in &expected {
        let arrived = arrived.get(value.name().as_bytes()).copied();
        assert!(
            arrived == Some(value.reveal().as_bytes()),
            "{path}: {} did not arrive as it was",
            value.name()
        );
    }
    outcomes.provisioned += 1;
}

#[test]
fn odd_strings_in_every_field_arrive_as_they_were_and_nothing_executes() {
    let outcomes = provision_each(ODD, &|_| true);
    // What cannot be part of the file that it is meant for.
    for (path, error) in &outcomes.refused {
        let known = ["SYSCTL_CONTENT", "CONTAINERD_ULIMITS", "LOCALDNS_", "CONTAINERD_CONFIG"];
        assert!(known.iter().any(|variable| error.contains(variable)), "{path}: {error}");
    }
    assert!(outcomes.provisioned > 100, "{outcomes:?}");
}

#[test]
fn strings_of_100_kb_in_every_field_arrive_in_full_or_are_refused_by_name() {
    let long = format!("{ODD}{}", "0123456789".repeat(10_000));
    let outcomes = provision_each(&long, &|_| true);
    for (path, error) in &outcomes.refused {
        // Base64 makes a third more of it; the rest cannot be part of the file that it is meant for.
        assert!(
            error.contains(" cannot be passed to the scripts: ") || error.contains(" cannot be built: "),
            "{path}"
        );
    }
    assert!(outcomes.provisioned > 80, "{outcomes:?}");
}

#[test]
fn a_value_that_no_process_can_be_given_is_refused_by_name() {
    for text in ["x".repeat(TOO_LONG), "nul \0 inside".to_owned()] {
        let outcomes = provision_each(&text, &|path| path == "message_of_the_day");
        let [(_, error)] = &outcomes.refused[..] else { panic!("{outcomes:?}") };
        assert!(error.starts_with("MESSAGE_OF_THE_DAY cannot be passed to the scripts: "), "{error}");
    }
    let longest = "x".repeat(TOO_LONG - "MESSAGE_OF_THE_DAY=".len() - 1);
    assert_eq!(provision_each(&longest, &|path| path == "message_of_the_day").provisioned, 1);
}
