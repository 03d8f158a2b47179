//! The hash of what can change on a running VM: identities and tags.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

/// The hash of a VM's identities and tags: FNV-1a, 32 bits, of compact JSON as Go writes it.
///
/// AKS gives machines their identities, so theirs is a hash of tags only.
pub fn in_place_hash(identities: &[String], tags: &BTreeMap<String, String>) -> u32 {
    let mut members = Vec::new();
    if !identities.is_empty() {
        let identities: BTreeSet<&String> = identities.iter().collect();
        members.push(member(
            "identities",
            identities.into_iter().map(|identity| format!("{}:{{}}", quoted(identity))),
        ));
    }
    if !tags.is_empty() {
        members.push(member(
            "tags",
            tags.iter().map(|(key, value)| format!("{}:{}", quoted(key), quoted(value))),
        ));
    }
    fnv1a(format!("{{{}}}", members.join(",")).as_bytes())
}

fn member(name: &str, entries: impl Iterator<Item = String>) -> String {
    format!("{}:{{{}}}", quoted(name), entries.collect::<Vec<_>>().join(","))
}

/// A JSON string as Go writes it: safe inside of HTML and JavaScript.
fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for letter in text.chars() {
        match letter {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\u{8}' => out.push_str("\\b"),
            '\u{c}' => out.push_str("\\f"),
            '<' | '>' | '&' | '\u{2028}' | '\u{2029}' | '\0'..' ' => {
                // A `String` takes whatever is written.
                let _ = write!(out, "\\u{:04x}", u32::from(letter));
            }
            _ => out.push(letter),
        }
    }
    out.push('"');
    out
}

fn fnv1a(bytes: &[u8]) -> u32 {
    bytes.iter().fold(0x811c_9dc5, |hash: u32, byte| (hash ^ u32::from(*byte)).wrapping_mul(0x0100_0193))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_has_the_hash_of_an_empty_object() {
        assert_eq!(in_place_hash(&[], &BTreeMap::new()), 1_415_952_421);
    }

    #[test]
    fn text_is_quoted_as_go_does() {
        assert_eq!(
            quoted("a<b>&c \u{2028} \"q\" \\ é\u{1}"),
            "\"a\\u003cb\\u003e\\u0026c \\u2028 \\\"q\\\" \\\\ é\\u0001\""
        );
    }
}
