//! Every measured case of protobuf-go's JSON reading, over a test message made by the same generator as the
//! contract's: what is accepted, what is left of the message after an error, and where the error is.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

#[rustfmt::skip]
#[expect(unreachable_pub, clippy::struct_field_names, reason = "the same generator writes the library's messages")]
mod generated;

use generated::Msg;
use serde_json::Value;
use slipway_contract::Severity;
use slipway_contract::codec::{Decoded, Options, Policy, decode, encode};

struct Case {
    name: String,
    input: Vec<u8>,
    accepted: bool,
    message: Option<Value>,
    place: Option<(usize, usize)>,
}

fn cases() -> Vec<Case> {
    let table = include_str!("../data/proto3-json.tsv");
    let rows = table.lines().filter(|line| !line.starts_with('#')).skip(1);
    rows.map(|row| {
        let cells: Vec<&str> = row.split('\t').collect();
        Case {
            name: cells[0].to_owned(),
            input: input(cells[1]),
            accepted: cells[2].starts_with("ok"),
            message: serde_json::from_str(cells[7]).ok(),
            place: place(cells.get(8).copied().unwrap_or_default()),
        }
    })
    .collect()
}

fn input(cell: &str) -> Vec<u8> {
    if let Some(hex) = cell.strip_prefix("hex:") {
        return (0..hex.len())
            .step_by(2)
            .map(|at| u8::from_str_radix(&hex[at..at + 2], 16).unwrap())
            .collect();
    }
    if let Some(count) = cell.strip_prefix("gen:nest:") {
        let count = count.parse().unwrap();
        return format!("{}{{}}{}", "{\"inner\":".repeat(count), "}".repeat(count)).into_bytes();
    }
    if let Some(count) = cell.strip_prefix("gen:unknown-nest:") {
        let count = count.parse().unwrap();
        return format!("{{\"zzz\":{}{}}}", "[".repeat(count), "]".repeat(count)).into_bytes();
    }
    cell.as_bytes().to_vec()
}

/// The line and column in a message such as `proto: (line 1:12): duplicate field`.
fn place(error: &str) -> Option<(usize, usize)> {
    let (line, rest) = error.split_once("(line ")?.1.split_once(':')?;
    Some((line.parse().ok()?, rest.split_once(')')?.0.parse().ok()?))
}

/// The contract itself cannot nest; the test message can, so it is read on a deep stack.
fn on_a_deep_stack(test: fn()) {
    std::thread::Builder::new().stack_size(1 << 30).spawn(test).unwrap().join().unwrap();
}

#[test]
fn every_measured_case_is_read_as_protobuf_go_reads_it() {
    on_a_deep_stack(|| {
        let cases = cases();
        assert_eq!(cases.len(), 219);
        for case in cases {
            let decoded: Decoded<Msg> = decode(&case.input, Policy::Compatible);
            assert_eq!(!decoded.stopped, case.accepted, "{}: accepted", case.name);
            if let Some(expected) = case.message {
                let text = encode(&decoded.message, Options::FILE);
                let found: Value = serde_json::from_str(&text).unwrap();
                assert_eq!(found, expected, "{}: what the message holds", case.name);
            }
            let errors = decoded.issues.iter().filter(|issue| issue.severity == Severity::Error);
            assert_eq!(errors.clone().count() > 0, !case.accepted, "{}: an error is reported", case.name);
            if let Some(place) = case.place {
                let first = errors.map(|issue| (issue.line, issue.column)).next();
                assert_eq!(first, Some(place), "{}: where", case.name);
            }
        }
    });
}

#[test]
fn the_careful_policy_loses_nothing_but_the_wrong_value() {
    on_a_deep_stack(|| {
        for case in cases() {
            let decoded: Decoded<Msg> = decode(&case.input, Policy::Careful);
            let syntax = decoded.issues.iter().any(|issue| issue.reason == "syntax");
            if case.accepted {
                assert!(!decoded.stopped, "{}: what Go accepts is accepted", case.name);
                let expected = case.message.unwrap_or_default();
                if expected != Value::Null {
                    let found: Value =
                        serde_json::from_str(&encode(&decoded.message, Options::FILE)).unwrap();
                    assert_eq!(found, expected, "{}", case.name);
                }
            } else {
                assert!(
                    syntax || decoded.issues.iter().any(|issue| issue.severity == Severity::Error),
                    "{}",
                    case.name
                );
                let no_object =
                    decoded.issues.iter().any(|issue| issue.path.is_empty() && issue.reason == "wrong-type");
                assert_eq!(decoded.stopped, syntax || no_object, "{}: only broken JSON stops it", case.name);
            }
        }
        let text = br#"{"version":1,"flag":"x","inner":{"name":"n","count":"x"},"names":["a",1,"c"],"opt_i":3,"opt_i":4}"#;
        let decoded: Decoded<Msg> = decode(text, Policy::Careful);
        let expected = r#"{"inner":{"name":"n"},"names":["a","c"],"opt_i":3}"#;
        assert_eq!(encode(&decoded.message, Options::EMBEDDED), expected);
        let found: Vec<_> =
            decoded.issues.iter().map(|issue| (issue.path.as_str(), issue.reason, issue.column)).collect();
        assert_eq!(
            found,
            [
                ("version", "wrong-type", 12),
                ("flag", "wrong-type", 21),
                ("inner.count", "wrong-type", 53),
                ("names[1]", "wrong-type", 71),
                ("opt_i", "duplicate-field", 88),
            ]
        );
    });
}
