//! Texts that travel as base64.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;

use super::Refused;

/// The text inside, however the base64 was wrapped. What is no base64, or not of a text, is refused.
pub(super) fn text(path: &str, base64: &str, refused: &mut Vec<Refused>) -> String {
    let packed: String = base64.split_ascii_whitespace().collect();
    let decoded = BASE64_STANDARD.decode(packed).ok().and_then(|octets| String::from_utf8(octets).ok());
    decoded.unwrap_or_else(|| {
        let reason = "it is not a text in base64; encode it again".to_owned();
        refused.push(Refused { path: path.to_owned(), reason });
        String::new()
    })
}
