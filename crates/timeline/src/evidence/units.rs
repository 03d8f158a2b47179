//! What the service manager prints when it is asked: `systemctl show`, and `systemd-analyze dump`.

use std::collections::HashMap;
use std::io::BufRead;

use super::lines::Lines;
use super::{Certainty, Page, Place, Seen, Source, Span, Stamp, stamp};
use crate::phase::Phase;

/// Moments at which the main program of a unit starts.
const STARTED: [(&str, &str); 9] = [
    ("cloud-init-local.service", "cloud-init-started"),
    ("cloud-init.service", "cloud-init-network-started"),
    ("cloud-init-network.service", "cloud-init-network-started"),
    ("cloud-config.service", "cloud-init-config-started"),
    ("cloud-final.service", "cloud-init-final-started"),
    ("systemd-networkd.service", "network-started"),
    ("walinuxagent.service", "guest-agent-started"),
    ("containerd.service", "containerd-started"),
    ("kubelet.service", "kubelet-started"),
];

/// Units whose main program runs once; when it ends, they are done.
const ONCE: [&str; 5] = [
    "cloud-init-local.service",
    "cloud-init.service",
    "cloud-init-network.service",
    "cloud-config.service",
    "cloud-final.service",
];

/// Moments of the manager itself, as `show` and as `dump` call them.
const MANAGER: [(&str, &str, &str); 3] = [
    ("Kernel", "kernel", "kernel-started"),
    ("Userspace", "userspace", "userspace-started"),
    ("Finish", "finish", "startup-finished"),
];

/// Properties of one unit, or of the manager.
#[derive(Default)]
struct Block {
    line: u64,
    unit: String,
    values: HashMap<String, String>,
}

/// `systemctl show`: properties, and an empty line between units.
pub(super) fn show(page: &mut Page<'_>, input: &mut dyn BufRead) {
    let mut lines = Lines::new(input);
    let mut block = Block::default();
    while let Some((number, line)) = lines.next(page) {
        if page.is_full() {
            continue;
        }
        if line.trim().is_empty() {
            std::mem::take(&mut block).tell(page);
        } else if let Some((name, value)) = line.split_once('=') {
            if block.values.is_empty() {
                block.line = number;
            }
            if name == "Id" {
                value.clone_into(&mut block.unit);
            }
            if name.contains("Timestamp") {
                block.values.insert(name.to_owned(), value.to_owned());
            }
        } else {
            page.problem(Some(number), "is not a property of a unit");
        }
    }
    block.tell(page);
}

/// `systemd-analyze dump`: `-> Unit NAME:`, and below it `Inactive Exit Timestamp: …`.
pub(super) fn dump(page: &mut Page<'_>, input: &mut dyn BufRead) {
    let mut lines = Lines::new(input);
    let mut block = Block::default();
    while let Some((number, line)) = lines.next(page) {
        if page.is_full() {
            continue;
        }
        if let Some(unit) = line.strip_prefix("-> Unit ") {
            std::mem::take(&mut block).tell(page);
            unit.trim_end_matches(':').clone_into(&mut block.unit);
            block.line = number;
        } else if line.starts_with("-> ") {
            std::mem::take(&mut block).tell(page);
        } else if let Some((name, value)) = line.trim().split_once(": ") {
            if let Some(of_manager) = name.strip_prefix("Timestamp ") {
                let known = MANAGER.iter().find(|(_, dumped, _)| *dumped == of_manager);
                if let Some((_, _, moment)) = known {
                    let time = stamp::printed(value, page.zone);
                    let place = page.place(number, &line);
                    seen(page, moment, time.map(Stamp::from), value, place);
                }
            } else if name.ends_with("Timestamp") {
                let name = match name {
                    // The main program's own times have another indentation, not another name.
                    "Start Timestamp" => "ExecMainStartTimestamp".to_owned(),
                    "Exit Timestamp" => "ExecMainExitTimestamp".to_owned(),
                    other => other.replace(' ', ""),
                };
                block.values.entry(name).or_insert_with(|| value.to_owned());
            }
        }
    }
    block.tell(page);
}

impl Block {
    fn tell(self, page: &mut Page<'_>) {
        for (name, _, moment) in MANAGER {
            let property = format!("{name}Timestamp");
            if !self.values.contains_key(&property) {
                continue;
            }
            let place = self.place(page, &property);
            seen(page, moment, self.time(page, &property), self.text(&property), place);
        }
        let unit = self.unit.as_str();
        let Some((_, moment)) = STARTED.iter().find(|(known, _)| *known == unit) else { return };
        let begin = "ExecMainStartTimestamp";
        let start = self.time(page, begin);
        if start.is_some() {
            seen(page, moment, start, self.text(begin), self.place(page, begin));
        }
        let end = self.time(page, "ExecMainExitTimestamp").filter(|_| ONCE.contains(&unit));
        if let Some((start, end)) = start.zip(end) {
            let place = self.place(page, "ExecMainExitTimestamp");
            page.span(span(unit, Phase::CloudInit, start, end, place));
        }
        if let (Some(to), "containerd.service") = (self.time(page, "ActiveEnterTimestamp"), unit)
            && let Some(from) = self.time(page, "InactiveExitTimestamp")
        {
            let place = self.place(page, "ActiveEnterTimestamp");
            page.span(span(unit, Phase::Containerd, from, to, place));
        }
    }

    fn text(&self, property: &str) -> &str {
        self.values.get(property).map_or("", String::as_str)
    }

    fn place(&self, page: &Page<'_>, property: &str) -> Place {
        page.place(self.line, &format!("{} {property}={}", self.unit, self.text(property)))
    }

    fn time(&self, page: &Page<'_>, property: &str) -> Option<Stamp> {
        let wall = stamp::printed(self.values.get(property)?, page.zone)?;
        let monotonic = self.values.get(&format!("{property}Monotonic"));
        let monotonic = monotonic.and_then(|micros| micros.parse().ok()).filter(|micros| *micros > 0);
        Some(Stamp { monotonic, ..wall.into() })
    }
}

/// Times without fractions are rounded, unless the other clock is there to sharpen them.
fn certainty(time: Stamp, text: &str) -> Certainty {
    let exact = time.monotonic.is_some() || text.contains('.');
    if exact { Certainty::Measured } else { Certainty::Rounded }
}

fn seen(page: &mut Page<'_>, name: &'static str, time: Option<Stamp>, text: &str, place: Place) {
    if let Some(time) = time {
        let certainty = certainty(time, text);
        page.seen(Seen { name, time, source: Source::Systemd, certainty, place });
    }
}

fn span(name: &str, phase: Phase, start: Stamp, end: Stamp, place: Place) -> Span {
    let both = start.monotonic.is_some() && end.monotonic.is_some();
    Span {
        name: name.to_owned(),
        phase,
        start,
        end,
        source: Source::Systemd,
        certainty: if both { Certainty::Measured } else { Certainty::Rounded },
        place,
        outcome: None,
        after: None,
        critical: None,
        envelope: false,
    }
}
