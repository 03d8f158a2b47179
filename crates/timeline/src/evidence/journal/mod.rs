//! The systemd journal, as `journalctl` writes it: one JSON document in each line, or the export format.

mod containerd;
mod entry;
mod export;
mod kubelet;
mod manager;

use std::io::BufRead;

use super::lines::Lines;
use super::{Certainty, Page, Seen, Source, Tick, agent, cloud_init};
use entry::Entry;

pub use entry::JOURNAL_FIELDS;

/// Moments of which both clocks tell are kept when the clocks moved against each other, and this often besides.
const TICKS: u64 = 1_000;

/// More jumps of the clock than this are not clocks.
const MOST_TICKS: usize = 4_000;

/// `journalctl --output=json`.
pub(super) fn json(page: &mut Page<'_>, input: &mut dyn BufRead) {
    let mut lines = Lines::new(input);
    let mut reading = Reading::default();
    while let Some((number, line)) = lines.next(page) {
        if line.trim().is_empty() {
            continue;
        }
        match serde_json::from_str::<Entry<'_>>(&line) {
            Ok(entry) => reading.entry(page, number, &entry),
            Err(error) => page.problem(Some(number), format!("is not a record of the journal: {error}")),
        }
    }
    reading.finish(page);
}

/// `journalctl --output=export`.
pub(super) fn export(page: &mut Page<'_>, input: &mut dyn BufRead) {
    let mut reading = Reading::default();
    export::read(page, input, |page, number, entry| reading.entry(page, number, entry));
    reading.finish(page);
}

/// What has been read so far.
#[derive(Default)]
struct Reading {
    manager: manager::Log,
    kubelet: kubelet::Log,
    agent: agent::Log,
    boot: String,
    boothook: bool,
    last: Option<Tick>,
    count: u64,
}

impl Reading {
    fn entry(&mut self, page: &mut Page<'_>, number: u64, entry: &Entry<'_>) {
        let Some(time) = entry.time() else {
            return page.problem(Some(number), "a record without a time");
        };
        self.boot(page, entry);
        self.tick(page, entry);
        let message: &str = &entry.message;
        match (&*entry.identifier, &*entry.unit) {
            ("systemd", _) if matches!(&*entry.pid, "" | "1") => {
                self.manager.entry(page, number, entry, time);
            }
            ("kubelet", _) | (_, "kubelet.service") => self.kubelet.line(page, number, message, time),
            ("containerd", _) | (_, "containerd.service") => containerd::line(page, number, message, time),
            ("cloud-init", _) => cloud_init::output_line(page, number, message),
            (_, "walinuxagent.service" | "waagent.service") => self.agent.line(page, number, message),
            ("aks-boothook", _) if !self.boothook => {
                self.boothook = true;
                let (source, certainty) = (Source::Systemd, Certainty::Measured);
                let place = page.place(number, message);
                page.seen(Seen { name: "boothook-started", time, source, certainty, place });
            }
            _ => {}
        }
    }

    /// Only the last start of the machine counts: whatever was read of earlier ones is forgotten.
    fn boot(&mut self, page: &mut Page<'_>, entry: &Entry<'_>) {
        let other = !self.boot.is_empty() && !entry.boot.is_empty() && self.boot != *entry.boot;
        let back = self.last.zip(entry.tick()).is_some_and(|(last, now)| {
            // Records of several programs may come a little out of order.
            last.monotonic - now.monotonic > 60_000_000
        });
        if other || (entry.boot.is_empty() && back) {
            page.forget();
            *self = Self::default();
        }
        if !entry.boot.is_empty() && self.boot != *entry.boot {
            self.boot = entry.boot.to_string();
        }
    }

    fn tick(&mut self, page: &mut Page<'_>, entry: &Entry<'_>) {
        let Some(now) = entry.tick() else { return };
        let moved = self
            .last
            .is_none_or(|last| ((now.wall - now.monotonic) - (last.wall - last.monotonic)).abs() > 1_000);
        if page.evidence.ticks.len() < MOST_TICKS {
            if moved {
                page.evidence.ticks.extend(self.last);
            }
            if moved || self.count.is_multiple_of(TICKS) {
                page.evidence.ticks.push(now);
            }
        }
        self.count += 1;
        self.last = Some(now);
    }

    fn finish(mut self, page: &mut Page<'_>) {
        page.evidence.ticks.extend(self.last);
        self.manager.finish(page);
        self.agent.finish(page);
    }
}
