//! The anatomy of a node's start: what took which time from the kernel to Ready.

use std::collections::BTreeMap;

use jiff::{SignedDuration, Timestamp};
use serde::Serialize;

use crate::boot::BootMoments;

/// Nothing known happened for this long: worth a question.
const GAP: SignedDuration = SignedDuration::from_millis(500);

/// A step that takes this long on the way to Ready is worth a word.
const SLOW: SignedDuration = SignedDuration::from_secs(5);

/// What took which time.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Anatomy {
    /// What ran from when to when, by its beginning.
    pub intervals: Vec<Interval>,
    /// What happened when.
    pub milestones: BTreeMap<String, Timestamp>,
    /// Times in which nothing known happened.
    pub gaps: Vec<Gap>,
    /// What stands out.
    pub findings: Vec<Finding>,
}

/// Something that ran for a time.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Interval {
    /// What: a step, a phase of the boot.
    pub name: String,
    /// Of which part of the start it is: `boot`, `bake`, `join`, `after-ready`.
    pub phase: String,
    /// From when.
    pub start: Timestamp,
    /// To when.
    pub end: Timestamp,
    /// Who says so: `journal` (Slipway's own), `systemd`.
    pub source: String,
    /// Whether Ready waited for it.
    pub critical: bool,
    /// What it waited for last before it began.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<String>,
    /// How it ended, where that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outcome: Option<String>,
}

/// A time in which nothing known happened.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Gap {
    /// From when.
    pub start: Timestamp,
    /// To when.
    pub end: Timestamp,
    /// What ended before it.
    pub after: String,
    /// What began after it.
    pub before: String,
}

/// Something that stands out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// What it is about: an interval, a milestone.
    pub about: String,
    /// What stands out.
    pub message: String,
}

impl Interval {
    /// How long it took.
    pub fn took(&self) -> SignedDuration {
        self.end.duration_since(self.start)
    }
}

impl Anatomy {
    /// Puts together what Slipway's journal, the service manager and kubelet say.
    pub fn of(steps: Vec<Interval>, boot: &BootMoments, kubelet: &[(&str, Timestamp)]) -> Self {
        let mut intervals = boot_intervals(boot, steps.iter().map(|step| step.start).min());
        intervals.extend(steps);
        intervals.sort_by_key(|interval| (interval.start, interval.end));
        let mut milestones: BTreeMap<String, Timestamp> =
            kubelet.iter().map(|(name, time)| ((*name).to_owned(), *time)).collect();
        for (name, time) in boot_milestones(boot) {
            milestones.insert(name.to_owned(), time);
        }
        let gaps = gaps(&intervals);
        let findings = findings(&intervals, &gaps, &milestones);
        Self { intervals, milestones, gaps, findings }
    }

    /// When the first thing began.
    pub fn start(&self) -> Option<Timestamp> {
        let first = self.intervals.iter().map(|interval| interval.start);
        first.chain(self.milestones.values().copied()).min()
    }

    /// When the last thing ended.
    pub fn end(&self) -> Option<Timestamp> {
        let last = self.intervals.iter().map(|interval| interval.end);
        last.chain(self.milestones.values().copied()).max()
    }
}

fn boot_milestones(boot: &BootMoments) -> impl Iterator<Item = (&'static str, Timestamp)> {
    [
        ("kernel-started", &boot.kernel),
        ("userspace-started", &boot.userspace),
        ("network-started", &boot.networkd),
        ("cloud-init-started", &boot.cloud_init_local),
        ("guest-agent-started", &boot.guest_agent),
        ("containerd-started", &boot.containerd),
        ("kubelet-started", &boot.kubelet),
    ]
    .into_iter()
    .filter_map(|(name, time)| Some((name, time.as_ref()?.timestamp())))
}

/// The phases of the boot: each lasts until the next begins, the last until provisioning does.
fn boot_intervals(boot: &BootMoments, provisioning: Option<Timestamp>) -> Vec<Interval> {
    let mut phases: Vec<(&str, Timestamp)> = [
        ("kernel", &boot.kernel),
        ("userspace", &boot.userspace),
        ("cloud-init, local", &boot.cloud_init_local),
        ("network", &boot.networkd),
        ("cloud-init", &boot.cloud_init),
        ("cloud-init, final", &boot.cloud_final),
    ]
    .into_iter()
    .filter_map(|(name, time)| Some((name, time.as_ref()?.timestamp())))
    .filter(|(_, time)| provisioning.is_none_or(|begin| *time < begin))
    .collect();
    phases.sort_by_key(|(_, time)| *time);
    let ends: Vec<Option<Timestamp>> =
        phases.iter().skip(1).map(|(_, time)| Some(*time)).chain([provisioning]).collect();
    phases
        .into_iter()
        .zip(ends)
        .filter_map(|((name, start), end)| {
            Some(Interval {
                name: name.to_owned(),
                phase: "boot".to_owned(),
                start,
                end: end?,
                source: "systemd".to_owned(),
                critical: true,
                after: None,
                outcome: None,
            })
        })
        .collect()
}

/// Times between intervals in which none runs. Intervals come by their beginnings.
fn gaps(intervals: &[Interval]) -> Vec<Gap> {
    let mut gaps = Vec::new();
    let Some(mut last) = intervals.first() else { return gaps };
    for interval in intervals {
        if interval.start.duration_since(last.end) >= GAP {
            gaps.push(Gap {
                start: last.end,
                end: interval.start,
                after: last.name.clone(),
                before: interval.name.clone(),
            });
        }
        if interval.end > last.end {
            last = interval;
        }
    }
    gaps
}

fn findings(intervals: &[Interval], gaps: &[Gap], milestones: &BTreeMap<String, Timestamp>) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut find = |about: &str, message: String| findings.push(Finding { about: about.to_owned(), message });
    for interval in intervals.iter().filter(|interval| interval.source == "journal") {
        let seconds = interval.took().as_secs_f64();
        match interval.outcome.as_deref() {
            Some(outcome @ ("failed" | "degraded")) => {
                find(&interval.name, format!("{outcome} after {seconds:.1} s"));
            }
            _ if interval.critical && interval.took() >= SLOW => {
                find(&interval.name, format!("the node waited {seconds:.1} s for it"));
            }
            _ => {}
        }
    }
    for gap in gaps {
        let seconds = gap.end.duration_since(gap.start).as_secs_f64();
        find(&gap.after, format!("nothing known happened for {seconds:.1} s between it and {}", gap.before));
    }
    let moment = |name: &str| milestones.get(name);
    if let (Some(registered), None) = (moment("node-registered"), moment("node-ready")) {
        find("node-ready", format!("the node registered at {registered} and has not become Ready"));
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(1_800_000_000 + second).unwrap()
    }

    fn step(name: &str, from: i64, to: i64, critical: bool) -> Interval {
        Interval {
            name: name.to_owned(),
            phase: "join".to_owned(),
            start: at(from),
            end: at(to),
            source: "journal".to_owned(),
            critical,
            after: None,
            outcome: Some("done".to_owned()),
        }
    }

    #[test]
    fn phases_of_the_boot_end_where_the_next_begins_and_gaps_and_slow_steps_are_found() {
        let zoned = |second| Some(at(second).to_zoned(jiff::tz::TimeZone::UTC));
        let boot = BootMoments {
            kernel: zoned(0),
            userspace: zoned(2),
            kubelet: zoned(16),
            ..BootMoments::default()
        };
        let steps = vec![step("a", 10, 16, true), step("b", 10, 11, false), step("c", 18, 19, true)];
        let anatomy = Anatomy::of(steps, &boot, &[("node-registered", at(18))]);
        let names: Vec<String> = anatomy
            .intervals
            .iter()
            .map(|interval| format!("{} {}", interval.name, interval.took().as_secs()))
            .collect();
        assert_eq!(names, ["kernel 2", "userspace 8", "b 1", "a 6", "c 1"]);
        assert_eq!((anatomy.gaps.len(), anatomy.gaps[0].after.as_str()), (1, "a"));
        let findings: Vec<&str> = anatomy.findings.iter().map(|finding| finding.message.as_str()).collect();
        assert_eq!(
            findings[..2],
            ["the node waited 6.0 s for it", "nothing known happened for 2.0 s between it and c"]
        );
        assert!(findings[2].contains("has not become Ready"));
        assert_eq!(anatomy.start().zip(anatomy.end()), Some((at(0), at(19))));
        assert_eq!(anatomy.milestones.len(), 4);
    }
}
