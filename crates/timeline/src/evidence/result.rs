//! `provision.json`, in the scripts' shape, in the short one, and in Slipway's own.

use std::io::BufRead;

use super::lines::whole;
use super::{Certainty, Ended, Page, Seen, Source, stamp};
use crate::status_text::attempts;

/// The times of a result, and what they are called here.
const MOMENTS: [(&str, &str); 8] = [
    ("KernelStartTime", "kernel-started"),
    ("CloudInitLocalStartTime", "cloud-init-started"),
    ("NetworkdStartTime", "network-started"),
    ("CloudInitStartTime", "cloud-init-network-started"),
    ("GuestAgentStartTime", "guest-agent-started"),
    ("CloudFinalStartTime", "cloud-init-final-started"),
    ("CSEStartTime", "provisioning-started"),
    ("KubeletStartTime", "kubelet-started"),
];

pub(super) fn read(page: &mut Page<'_>, input: &mut dyn BufRead) {
    let Some(text) = whole(page, input) else { return };
    tell(page, &text, true);
}

/// What a text that has a result somewhere tells; whether there was one.
pub(super) fn tell(page: &mut Page<'_>, text: &str, expected: bool) -> bool {
    let found = attempts(text.as_bytes());
    if found.is_empty() && expected {
        page.problem(None, "has no result: it is empty, cut short, or something else");
    }
    for attempt in &found {
        let mut began = None;
        for moment in &attempt.moments {
            let name = MOMENTS.iter().find(|(key, _)| *key == moment.key).map(|(_, name)| *name);
            let Some((name, time)) = name.zip(stamp::at(moment.time, page.zone)) else { continue };
            if name == "provisioning-started" {
                began = Some(time.into());
            }
            let place = page.whole(&format!("{}: {}", moment.key, moment.time));
            let (source, certainty) = (Source::Result, Certainty::Rounded);
            page.seen(Seen { name, time: time.into(), source, certainty, place });
        }
        let told = attempt.telling_lines(1).first().copied().unwrap_or_default();
        let error = if attempt.error.trim().is_empty() { told } else { attempt.error.trim() };
        let place = page.whole(error);
        let error = super::signs::excerpt(error);
        page.evidence.ended.push(Ended { exit_code: attempt.exit_code, error, time: began, place });
    }
    !found.is_empty()
}
