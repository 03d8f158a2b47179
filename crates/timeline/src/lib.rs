//! What happened on a node, as the texts that others read.
//!
//! Comes in: values and times; files that a node left behind. Goes out: the text of a result file
//! ([scripts](ProvisionResult), [native](NativeResult)), of [guest-agent events](Event), of a [log record](Record);
//! results [read back](attempts); what files tell as [`Evidence`]; and the [`Anatomy`] of a start, which is one story of
//! all of it, drawn with [letters](gantt()), as a [picture](svg()) or a [page](page()), [summed up](summary()) or
//! [compared](Comparison). Never does: opening or writing files.

mod anatomy;
mod attempt;
mod boot;
mod compare;
mod derived;
mod event;
pub mod evidence;
mod findings;
mod gantt;
mod log;
mod native;
mod page;
mod path;
mod phase;
mod result;
mod scrub;
mod sifted;
mod status_text;
mod summary;
mod svg;

pub use anatomy::{Anatomy, Interval};
pub use attempt::{Attempt, Moment};
pub use boot::{BOOT_UNITS, BootMoments, BootUnit};
pub use compare::{Comparison, Row};
pub use event::{Event, EventLevel, TaskEvent};
pub use evidence::Evidence;
pub use findings::{FINDINGS, Finding, Known};
pub use gantt::{Sorted, gantt};
pub use log::{Level, Record};
pub use native::{Failed, NativeResult, StepResult};
pub use page::page;
pub use path::{Gap, Segment, Share};
pub use phase::Phase;
pub use result::{ProvisionResult, Unsuccessful, judge, with_contract_issues};
pub use scrub::Scrubber;
pub use status_text::attempts;
pub use summary::summary;
pub use svg::svg;

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
