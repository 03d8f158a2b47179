//! What the reader of an embedded text gets from it.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use serde_json::{Map, Value, json};

const EMBEDDED: [(&str, &str); 8] = [
    ("CONTAINERD_CONFIG_CONTENT", "toml"),
    ("CONTAINERD_CONFIG_NO_GPU_CONTENT", "toml"),
    ("KUBELET_CONFIG_FILE_CONTENT", "json"),
    ("KUBENET_TEMPLATE", "template"),
    ("LOCALDNS_COREFILE_BASE", "corefile"),
    ("LOCALDNS_COREFILE_WITH_HOSTS", "corefile"),
    ("LOCALDNS_GENERATED_COREFILE", "corefile"),
    ("SYSCTL_CONTENT", "sysctl"),
];

/// A variable's value: an embedded text by its meaning, `{"unreadable": kind}` where its reader would refuse it,
/// anything else as it is.
pub(crate) fn meaning(name: &str, value: &str) -> Value {
    let Some((_, kind)) = EMBEDDED.iter().find(|(known, _)| *known == name).filter(|_| !value.is_empty())
    else {
        return Value::from(value);
    };
    match text(value).and_then(|text| read(kind, &text)) {
        Some(meaning) => json!({ *kind: meaning }),
        None => json!({ "unreadable": kind }),
    }
}

/// The text that a variable embeds.
pub(crate) fn text(value: &str) -> Option<String> {
    String::from_utf8(BASE64_STANDARD.decode(value).ok()?).ok()
}

fn read(kind: &str, text: &str) -> Option<Value> {
    match kind {
        "toml" => serde_json::to_value(text.parse::<toml::Table>().ok()?).ok(),
        "json" => serde_json::from_str(text).ok(),
        "sysctl" => Some(sysctl(text)),
        "corefile" => Some(corefile(text)),
        _ => Some(template(text).into()),
    }
}

fn sysctl(text: &str) -> Value {
    let lines = text.lines().filter(|line| !line.trim_start().starts_with('#'));
    let pairs = lines.filter_map(|line| line.split_once('='));
    Value::Object(
        pairs.map(|(key, value)| (key.trim().to_owned(), value.trim().into())).collect::<Map<_, _>>(),
    )
}

/// Directive lines as lists of words, comments and layout dropped.
fn corefile(text: &str) -> Value {
    let lines = text
        .lines()
        .map(|line| line.split_whitespace().take_while(|word| !word.starts_with('#')).collect::<Vec<_>>());
    lines.filter(|words| !words.is_empty()).collect()
}

/// A Go template without white space and without the names of its variables.
fn template(text: &str) -> String {
    let mut out = String::new();
    let mut in_name = false;
    for character in text.chars().filter(|character| !character.is_whitespace()) {
        in_name = character == '$' || in_name && (character.is_alphanumeric() || character == '_');
        if character == '$' || !in_name {
            out.push(character);
        }
    }
    out
}

/// The words of a Corefile as its own reader finds them, quotes taken off. None where a quote or a block stays open.
pub(crate) fn corefile_words(text: &str) -> Option<Vec<String>> {
    let mut words = Vec::new();
    let mut characters = text.chars().peekable();
    while let Some(first) = characters.next() {
        match first {
            '#' => while characters.next_if(|next| *next != '\n').is_some() {},
            '"' => words.push(quoted_word(&mut characters)?),
            space if space.is_whitespace() => {}
            other => {
                let mut word = String::from(other);
                while let Some(next) = characters.next_if(|next| !next.is_whitespace()) {
                    word.push(next);
                }
                words.push(word);
            }
        }
    }
    let count = |brace| words.iter().filter(|word| *word == brace).count();
    (count("{") == count("}")).then_some(words)
}

fn quoted_word(characters: &mut impl Iterator<Item = char>) -> Option<String> {
    let mut word = String::new();
    loop {
        match characters.next()? {
            '"' => return Some(word),
            '\\' => match characters.next()? {
                '"' => word.push('"'),
                other => word.extend(['\\', other]),
            },
            other => word.push(other),
        }
    }
}
