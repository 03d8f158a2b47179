//! Places and values in words, for issues.

use std::borrow::Cow;
use std::fmt::Write as _;

use super::reader::Token;
use super::table::{Field, Label};

/// One step of the way to a value.
pub(super) enum Step<'a> {
    Field(&'static Field),
    Index(usize),
    Key(Cow<'a, str>),
}

/// The path that steps make: `cluster_config.location`, `custom_ca_certs[1]`, `kubelet_flags["--v"]`.
pub(super) fn path(steps: &[Step<'_>]) -> String {
    let mut path = String::new();
    for (depth, step) in steps.iter().enumerate() {
        let known = matches!(step, Step::Field(_));
        let plain = match step {
            Step::Field(field) => field.name,
            Step::Key(key) => key,
            Step::Index(index) => {
                // Writing to a string cannot fail.
                let _ = write!(path, "[{index}]");
                continue;
            }
        };
        let in_map = depth > 0 && matches!(&steps[depth - 1], Step::Field(field) if is_map(field));
        if known || !in_map && is_word(plain) {
            path.push_str(if path.is_empty() { "" } else { "." });
            path.push_str(plain);
        } else {
            path.push_str(&map_key(plain));
        }
    }
    path
}

fn is_map(field: &Field) -> bool {
    field.label == Label::Map
}

fn is_word(text: &str) -> bool {
    !text.is_empty()
        && text.len() <= 80
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-')
}

/// How a map's key stands in a path: `["key"]`.
pub fn map_key(key: &str) -> String {
    format!("[{}]", quote(key))
}

/// A text in quotes, shortened, with nothing in it that a terminal would act on.
pub(crate) fn quote(text: &str) -> String {
    const LONGEST: usize = 60;
    let mut shown: String = text.chars().take(LONGEST).collect();
    if shown.len() < text.len() {
        shown.push('…');
    }
    format!("\"{}\"", shown.escape_debug())
}

/// A list of names for people.
pub(crate) fn names<'n>(names: impl Iterator<Item = &'n str>) -> String {
    names.collect::<Vec<_>>().join(", ")
}

/// What a token is, without its value.
pub(super) fn kind(token: &Token<'_>) -> &'static str {
    match token {
        Token::Null => "null",
        Token::Bool(_) => "a boolean",
        Token::Number(_) => "a number",
        Token::Text(_) => "a string",
        Token::Object => "an object",
        Token::List => "a list",
    }
}

/// A token with its value.
pub(super) fn describe(token: &Token<'_>) -> String {
    match token {
        Token::Bool(value) => value.to_string(),
        Token::Number(digits) if digits.len() <= 40 => (*digits).to_owned(),
        Token::Text(text) => format!("the string {}", quote(text)),
        other => kind(other).to_owned(),
    }
}
