//! Text as a part of an address, of a form or of a message.

use std::fmt::Write as _;

/// Percent-encodes everything but letters, digits and `-._~`.
pub(crate) fn escaped(text: &str) -> String {
    // In one piece: what is escaped may be a secret, and no shorter copy of it is to stay behind.
    let mut escaped = String::with_capacity(text.len() * 3);
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            escaped.push(char::from(byte));
        } else {
            let _ = write!(escaped, "%{byte:02X}");
        }
    }
    escaped
}

/// What a service said, fit for a message: one line, no control characters, not too long.
pub(crate) fn quotable(said: &str) -> String {
    const LONGEST: usize = 400;
    let line = said.trim().lines().next().unwrap_or_default();
    line.chars().filter(|character| !character.is_control()).take(LONGEST).collect()
}
