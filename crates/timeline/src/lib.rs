//! What happened on a node, as the texts that others read.
//!
//! Comes in: values and times. Goes out: the text of a result file ([scripts](ProvisionResult), [native](NativeResult)),
//! of [guest-agent events](Event), of a [log record](Record); results [read back](attempts); and the
//! [anatomy](Anatomy) of a start. Never does: writing them.

mod anatomy;
mod attempt;
mod boot;
mod event;
mod gantt;
mod kubelet_log;
mod log;
mod native;
mod result;
mod status_text;

pub use anatomy::{Anatomy, Finding, Gap, Interval};
pub use attempt::{Attempt, Moment};
pub use boot::{BOOT_UNITS, BootMoments, BootUnit};
pub use event::{Event, EventLevel, TaskEvent};
pub use gantt::gantt;
pub use kubelet_log::{Milestone, journal_milestones, journal_start, klog_time};
pub use log::{Level, Record};
pub use native::{Failed, NativeResult, StepResult};
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
