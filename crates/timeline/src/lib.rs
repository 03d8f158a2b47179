//! What happened on a node, as the texts that others read.
//!
//! Comes in: values and times. Goes out: the text of a [result file](ProvisionResult), of a
//! [guest-agent event](Event), of a [log record](Record); and results [read back](attempts). Never does: writing them.

mod attempt;
mod event;
mod log;
mod result;
mod status_text;

pub use attempt::{Attempt, Moment};
pub use event::{Event, EventLevel};
pub use log::{Level, Record};
pub use result::{ProvisionResult, Unsuccessful, judge, with_contract_issues};
pub use status_text::attempts;

/// JSON with the characters that matter to HTML escaped, as Go's encoder writes it by default. They can only occur
/// inside strings, so replacing them in the finished text is safe.
fn html_escaped(json: &str) -> String {
    let mut out = String::with_capacity(json.len());
    for character in json.chars() {
        match character {
            '<' => out.push_str("\\u003c"),
            '>' => out.push_str("\\u003e"),
            '&' => out.push_str("\\u0026"),
            '\u{2028}' => out.push_str("\\u2028"),
            '\u{2029}' => out.push_str("\\u2029"),
            other => out.push(other),
        }
    }
    out
}

/// Text from bytes of any kind; every byte that is not UTF-8 becomes a replacement character.
pub fn text(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        out.push_str(chunk.valid());
        out.extend(chunk.invalid().iter().map(|_| char::REPLACEMENT_CHARACTER));
    }
    out
}
