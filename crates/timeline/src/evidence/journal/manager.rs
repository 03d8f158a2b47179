//! What the service manager tells: units that start, and times at which it reads all of them again.

use std::collections::HashMap;

use jiff::SignedDuration;

use super::super::{Certainty, Page, Place, Seen, Source, Span, Stamp};
use super::entry::Entry;
use crate::phase::Phase;

/// The manager's own names for "a unit starts", "it has started" and "it has not".
const STARTING: &str = "7d4958e842da4a758f6c1cdc7b36dcc5";
const STARTED: &str = "39f53479d3a045ac8e11786248231fbf";
const FAILED: &str = "be02cf6855d2428ba40df7e9d022f03d";

/// Units whose starts are part of a node's, and the moment at which each has started.
const UNITS: [(&str, Phase, Option<&str>); 9] = [
    ("cloud-init-local.service", Phase::CloudInit, None),
    ("cloud-init.service", Phase::CloudInit, None),
    ("cloud-init-network.service", Phase::CloudInit, None),
    ("cloud-config.service", Phase::CloudInit, None),
    ("cloud-final.service", Phase::CloudInit, None),
    ("systemd-networkd-wait-online.service", Phase::Userspace, None),
    ("network-online.target", Phase::Userspace, Some("network-online")),
    ("containerd.service", Phase::Containerd, Some("containerd-active")),
    // Until kubelet itself runs, what its unit starts before it is work on the node.
    ("kubelet.service", Phase::Bootstrap, Some("kubelet-active")),
];

/// Reading units in the manager's words.
pub(super) const RELOAD: &str = "daemon-reload";

#[derive(Default)]
pub(super) struct Log {
    starting: HashMap<&'static str, (Phase, Stamp, Place)>,
    reload: Option<Reload>,
    last: Option<Stamp>,
}

/// A reload that has begun.
struct Reload {
    start: Stamp,
    /// The last thing that the manager said while it read.
    last: Stamp,
    place: Place,
    requested: bool,
}

impl Log {
    pub(super) fn entry(&mut self, page: &mut Page<'_>, number: u64, entry: &Entry<'_>, time: Stamp) {
        let message: &str = &entry.message;
        self.last = Some(time);
        // A unit that reads its own configuration again is another matter.
        if message.starts_with("Reloading") && entry.about.is_empty() {
            return self.reloading(page, number, message, time);
        }
        let is_job = entry.function.starts_with("job_") || !entry.about.is_empty() && is_job(message);
        if is_job {
            self.reloaded(page);
        } else if let Some(reload) = &mut self.reload {
            reload.last = time;
        }
        if message.starts_with("Startup finished in") {
            return seen(page, "startup-finished", time, page.place(number, message));
        }
        let Some((unit, phase, moment)) = UNITS.iter().find(|(unit, ..)| *unit == &*entry.about) else {
            return;
        };
        let starts = &*entry.message_id == STARTING || message.starts_with("Starting ");
        let ended = match &*entry.message_id {
            STARTED => Some("done"),
            FAILED => Some("failed"),
            _ if message.starts_with("Started ") || message.starts_with("Finished ") => Some("done"),
            _ if message.starts_with("Reached target ") => Some("done"),
            _ if message.starts_with("Failed to start ") => Some("failed"),
            _ => None,
        };
        if starts {
            self.starting.insert(unit, (*phase, time, page.place(number, message)));
        } else if let Some(outcome) = ended {
            if let Some((_, start, place)) = self.starting.remove(unit) {
                let span = span(unit, *phase, start, time, place, Certainty::Measured);
                page.span(Span { outcome: Some(outcome.to_owned()), ..span });
            }
            if let (Some(moment), "done") = (moment, outcome) {
                seen(page, moment, time, page.place(number, message));
            }
        }
    }

    fn reloading(&mut self, page: &mut Page<'_>, number: u64, message: &str, time: Stamp) {
        if let Some(took) = message.strip_prefix("Reloading finished in ") {
            let place = page.place(number, message);
            let took = took.split(' ').next().and_then(|millis| millis.parse().ok());
            let start = self.reload.take().map(|reload| reload.start);
            let start = took.and_then(|millis| before(time, SignedDuration::from_millis(millis))).or(start);
            let span = span(RELOAD, Phase::Manager, start.unwrap_or(time), time, place, Certainty::Measured);
            return page.span(span);
        }
        // A newer manager first says who asked for it.
        if self.reload.as_ref().is_some_and(|reload| reload.requested) {
            return;
        }
        self.reloaded(page);
        let requested = message.starts_with("Reloading requested");
        let place = page.place(number, message);
        self.reload = Some(Reload { start: time, last: time, place, requested });
    }

    /// An older manager does not say when it has read all: it was busy at least until it last complained about a unit.
    fn reloaded(&mut self, page: &mut Page<'_>) {
        if let Some(Reload { start, last, place, .. }) = self.reload.take() {
            page.span(span(RELOAD, Phase::Manager, start, last, place, Certainty::Inferred));
        }
    }

    /// What the node itself waits for and never came is told of; the rest of the boot may go on for long.
    pub(super) fn finish(&mut self, page: &mut Page<'_>) {
        self.reloaded(page);
        let Some(last) = self.last else { return };
        let waited_for = |phase: Phase| phase >= Phase::Bootstrap;
        for (unit, (phase, start, place)) in
            self.starting.drain().filter(|(_, (phase, ..))| waited_for(*phase))
        {
            let span = span(unit, phase, start, last, place, Certainty::Inferred);
            page.span(Span { outcome: Some("unfinished".to_owned()), ..span });
        }
    }
}

fn is_job(message: &str) -> bool {
    const BEGINS: [&str; 9] = [
        "Starting ",
        "Started ",
        "Finished ",
        "Reached target ",
        "Failed to start ",
        "Stopping ",
        "Stopped ",
        "Reloading ",
        "Reloaded ",
    ];
    BEGINS.iter().any(|begin| message.starts_with(begin))
}

fn before(time: Stamp, by: SignedDuration) -> Option<Stamp> {
    let micros = i64::try_from(by.as_micros()).ok()?;
    let monotonic = time.monotonic.map(|monotonic| monotonic - micros);
    Some(Stamp { wall: time.wall.checked_sub(by).ok()?, monotonic, ..time })
}

fn seen(page: &mut Page<'_>, name: &'static str, time: Stamp, place: Place) {
    page.seen(Seen { name, time, source: Source::Systemd, certainty: Certainty::Measured, place });
}

fn span(name: &str, phase: Phase, start: Stamp, end: Stamp, place: Place, certainty: Certainty) -> Span {
    Span {
        name: name.to_owned(),
        phase,
        start,
        end,
        source: Source::Systemd,
        certainty,
        place,
        outcome: None,
        after: None,
        critical: None,
        envelope: false,
    }
}
