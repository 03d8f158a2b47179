//! Strings in double quotes, with the escapes that JSON and TOML share.

use std::fmt::Write as _;

/// Writes a text in quotes. Quotes, backslashes and line breaks are always escaped; `special` says what else is, by its
/// number.
pub(crate) fn quoted(out: &mut String, text: &str, special: fn(char) -> bool) {
    out.push('"');
    for character in text.chars() {
        match character {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            other if special(other) => {
                // Writing to a string cannot fail.
                let _ = write!(out, "\\u{:04x}", u32::from(other));
            }
            other => out.push(other),
        }
    }
    out.push('"');
}
