//! The codec beside the real protobuf-go, asked in the same run, on tens of thousands of texts: sound ones, and
//! ones that are wrong in every way we could think of.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

#[rustfmt::skip]
#[path = "../../../crates/contract/tests/proto3_json/generated.rs"]
#[expect(unreachable_pub, clippy::struct_field_names, reason = "the same generator writes the library's messages")]
mod generated;
mod go;
mod inputs;

use generated::Msg;
use go::{Answer, Table, ask};
use inputs::{Dice, ODD, mutate};
use serde_json::Value;
use slipway_contract::codec::{Decoded, Message, Options, Policy, decode, encode};
use slipway_contract::{Contract, Severity};

/// The text with the question of what it is as a contract or as the test message.
type Question = (Table, Vec<u8>);

fn measured() -> Vec<Question> {
    let rows = include_str!("../../../crates/contract/tests/data/proto3-json.tsv")
        .lines()
        .filter(|line| !line.starts_with('#'))
        .skip(1);
    let cells = rows.map(|row| row.split('\t').nth(1).unwrap()).filter(|cell| !cell.starts_with("gen:"));
    cells
        .map(|cell| match cell.strip_prefix("hex:") {
            Some(hex) => {
                let octets = hex.as_bytes().chunks(2).map(|pair| std::str::from_utf8(pair).unwrap());
                octets.map(|pair| u8::from_str_radix(pair, 16).unwrap()).collect()
            }
            None => cell.as_bytes().to_vec(),
        })
        .map(|text| (Table::Proto3, text))
        .collect()
}

/// The recorded contract texts.
fn contracts() -> Vec<String> {
    let files = [
        include_str!("../../../crates/contract/tests/data/custom-data/002-typical.json"),
        include_str!("../../../crates/contract/tests/data/custom-data/003-typical-camel-input.json"),
        include_str!("../../../crates/contract/tests/data/custom-data/007-odd-values.json"),
        include_str!("../../../crates/contract/tests/data/custom-data/011-marshal-full.json"),
    ];
    files
        .map(|file| serde_json::from_str::<Value>(file).unwrap()["config_text"].as_str().unwrap().to_owned())
        .to_vec()
}

/// Contracts with one top-level field each, taken from the recorded ones.
fn excerpts() -> Vec<Question> {
    let mut found = Vec::new();
    for text in contracts() {
        let Ok(Value::Object(whole)) = serde_json::from_str(&text) else { continue };
        for (key, value) in whole {
            found.push((Table::Contract, format!("{{\"{key}\":{value},\"version\":\"v1\"}}").into_bytes()));
        }
    }
    found
}

/// Every field of the test message with every odd value: alone, in a list, in a map.
fn odd_values() -> Vec<Question> {
    let mut found = Vec::new();
    for field in Msg::default().table().fields {
        for odd in ODD {
            for value in [(*odd).to_owned(), format!("[{odd}]"), format!("{{\"1\":{odd}}}")] {
                found.push((Table::Proto3, format!("{{\"{}\":{value},\"u32\":7}}", field.name).into_bytes()));
            }
        }
    }
    let keys = ODD.iter().filter(|odd| odd.starts_with('"'));
    for (key, map) in
        keys.flat_map(|key| ["int_map", "bool_map", "labels", "color_map"].map(|map| (key, map)))
    {
        found.push((Table::Proto3, format!("{{\"{map}\":{{{key}:\"a\"}},\"u32\":7}}").into_bytes()));
    }
    found
}

fn deep() -> Vec<Question> {
    let nested = |open: &str, middle: &str, close: &str, depth| {
        (Table::Proto3, format!("{}{middle}{}", open.repeat(depth), close.repeat(depth)).into_bytes())
    };
    let mut found = Vec::new();
    for depth in [100, 9_998, 9_999, 10_000, 10_001] {
        found.push(nested("{\"inner\":", "{}", "}", depth));
        found.push(nested("{\"zzz\":", "1", "}", depth));
        found.push(nested("[", "", "]", depth));
        for (before, after) in [
            ("{\"zzz\":", "}"),
            ("{\"inner\":{\"zzz\":", "}}"),
            ("{\"inners\":[{\"zzz\":", "}]}"),
            ("{\"msg_map\":{\"a\":{\"zzz\":", "}}}"),
        ] {
            let text = format!("{before}{}{}{after}", "[".repeat(depth), "]".repeat(depth));
            found.push((Table::Proto3, text.into_bytes()));
        }
    }
    found
}

/// What is left after `times` mutations of each text, keeping every step on the way.
fn mutations(of: &[Question], times: usize, dice: &mut Dice) -> Vec<Question> {
    let mut found = Vec::new();
    for (table, sound) in of {
        let mut text = sound.clone();
        for step in 0..times {
            // Most texts have one mistake; some have two or three.
            text = mutate(if step % 4 == 3 { &text } else { sound }, dice);
            found.push((*table, text.clone()));
        }
    }
    found
}

/// What the codec and protobuf-go say differently about a text.
fn deviation<M: Message + Default>(text: &[u8], answer: &Answer) -> Option<String> {
    let decoded: Decoded<M> = decode(text, Policy::Compatible);
    if decoded.stopped == answer.error.is_empty() {
        return Some(format!("accepted: ours {}, Go's {}", !decoded.stopped, answer.error.is_empty()));
    }
    let ours = parsed(encode(&decoded.message, Options::EMBEDDED).as_bytes());
    let theirs = parsed(&answer.message);
    if ours != theirs {
        return Some(format!("message: ours {ours}, Go's {theirs}"));
    }
    let mut errors = decoded.issues.iter().filter(|issue| issue.severity == Severity::Error);
    let first = errors.next().map(|issue| (issue.line, issue.column));
    if first.is_some() != decoded.stopped {
        return Some(format!("issues: {first:?} although stopped is {}", decoded.stopped));
    }
    match place(&answer.error) {
        Some(place) if first != Some(place) => Some(format!("place: ours {first:?}, Go's {place:?}")),
        _ => None,
    }
}

/// A message's JSON; as text without blanks where it nests deeper than the parser goes.
fn parsed(text: &[u8]) -> Value {
    serde_json::from_slice(text).unwrap_or_else(|error| {
        assert!(error.to_string().contains("recursion limit"), "not JSON: {error}");
        Value::String(String::from_utf8(text.to_vec()).unwrap().replace(' ', ""))
    })
}

/// The line and column in a message such as `proto: (line 1:12): duplicate field`.
fn place(error: &str) -> Option<(usize, usize)> {
    let (line, rest) = error.split_once("(line ")?.1.split_once(':')?;
    Some((line.parse().ok()?, rest.split_once(')')?.0.parse().ok()?))
}

fn questions() -> Vec<Question> {
    let mut dice = Dice::new(3);
    let measured = measured();
    let excerpts = excerpts();
    let whole: Vec<Question> =
        contracts().into_iter().map(|text| (Table::Contract, text.into_bytes())).collect();
    let mut questions = mutations(&measured, 200, &mut dice);
    questions.extend(mutations(&excerpts, 250, &mut dice));
    questions.extend(mutations(&whole, 150, &mut dice));
    questions.extend([odd_values(), deep(), measured, excerpts, whole].into_iter().flatten());
    questions
}

fn compare() {
    let questions = questions();
    let answers = ask(&questions);
    let accepted = answers.iter().filter(|answer| answer.error.is_empty()).count();
    let mut deviations = Vec::new();
    for ((table, text), answer) in questions.iter().zip(&answers) {
        let found = match table {
            Table::Contract => deviation::<Contract>(text, answer),
            Table::Proto3 => deviation::<Msg>(text, answer),
        };
        if let Some(found) = found {
            let shown = String::from_utf8_lossy(&text[..text.len().min(300)]);
            deviations.push(format!("{shown:?}\n    {found}\n    Go: {}", answer.error));
        }
    }
    assert!(questions.len() > 70_000, "enough texts: {}", questions.len());
    assert!(accepted > 10_000 && questions.len() - accepted > 40_000, "both sides: {accepted} accepted");
    let shown = deviations.iter().take(40).cloned().collect::<Vec<_>>().join("\n");
    assert!(deviations.is_empty(), "{} deviations from protobuf-go:\n{shown}", deviations.len());
}

#[test]
fn every_text_is_read_as_protobuf_go_reads_it_in_this_run() {
    // The test message holds itself, so reading it needs a deep stack; the contract does not.
    std::thread::Builder::new().stack_size(1 << 30).spawn(compare).unwrap().join().unwrap();
}
