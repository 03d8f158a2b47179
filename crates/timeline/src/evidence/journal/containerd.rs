//! What the container runtime logs while it starts.

use super::super::{Certainty, Page, Seen, Source, Stamp, signs};

/// What it says, and which moment that is.
const SAYINGS: [(&str, &str); 2] = [
    ("msg=\"starting containerd\"", "containerd-first-line"),
    ("msg=\"containerd successfully booted", "containerd-ready"),
];

/// Takes a line of its log.
pub(super) fn line(page: &mut Page<'_>, number: u64, message: &str, time: Stamp) {
    match SAYINGS.iter().find(|(saying, _)| message.contains(saying)) {
        Some((_, name)) => {
            let (source, certainty) = (Source::Containerd, Certainty::Measured);
            let place = page.place(number, message);
            page.seen(Seen { name, time, source, certainty, place });
        }
        None => page.look(number, message, Some(time), &signs::CONTAINERD),
    }
}
