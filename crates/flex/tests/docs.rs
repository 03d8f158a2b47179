//! The page for owners of machines has every key, as the table has it.

#![expect(clippy::disallowed_methods, reason = "the test compares files")]

use std::fmt::Write as _;
use std::path::Path;

use slipway_flex::config::{Default, Fate, Generation, KEYS, Key};

fn known_to(key: &Key) -> String {
    let word = |generation| match generation {
        Generation::V1 => "v1",
        Generation::Apr26 => "Apr 2026",
        Generation::Head => "Jul 2026",
        Generation::Later => "now",
    };
    match (key.first, key.last) {
        (Generation::Later, _) => "new".to_owned(),
        (first, last) if first == last => format!("{} only", word(first)),
        (first, last) => format!("{} to {}", word(first), word(last)),
    }
}

fn default(key: &Key) -> String {
    match key.default {
        Default::None => String::new(),
        Default::Text(text) => format!("`{text}`"),
        Default::Whole(number) => format!("`{number}`"),
        Default::Switch(on) => format!("`{on}`"),
        Default::Derived(words) => words.to_owned(),
    }
}

fn meaning(key: &Key) -> String {
    match key.fate {
        Fate::Honoured => key.about.to_owned(),
        Fate::Alias(of) => format!("Older name of `{of}`"),
        Fate::Idle(reason) => format!("{}. Nothing is done for it: {reason}", key.about),
        Fate::Refused(reason) => format!("{}. Refused: {reason}", key.about),
    }
}

fn table() -> String {
    let mut out = "| Key | May be | Files of | Default | What it is |\n|---|---|---|---|---|\n".to_owned();
    for key in KEYS {
        let shape = key.rule.map_or_else(|| key.shape_in_words(), |rule| rule.words.to_owned());
        let (known, default, meaning) = (known_to(key), default(key), meaning(key));
        let _ = writeln!(out, "| `{}` | {shape} | {known} | {default} | {meaning} |", key.path);
    }
    out
}

#[test]
fn the_page_has_every_key() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/flex.md");
    let page = std::fs::read_to_string(path).unwrap();
    let table = table();
    assert!(
        page.contains(&table),
        "the table of keys in docs/flex.md is out of date; it has to be:\n{table}"
    );
}
