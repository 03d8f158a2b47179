//! The way to Ready: what each moment of it went to, what of it nobody can explain, and what would have been saved.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap};

use jiff::{SignedDuration, Timestamp};
use serde::Serialize;

use crate::anatomy::{Anatomy, Interval};
use crate::evidence::{Source, as_seconds};
use crate::phase::Phase;

/// Where more run at once than this, removing one saves nothing.
const CROWD: usize = 64;

/// A part of the way to Ready.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Segment {
    /// From when.
    pub start: Timestamp,
    /// To when.
    pub end: Timestamp,
    /// What it went to, by its place among the intervals; nothing for a gap.
    pub interval: Option<usize>,
}

/// A time on the way to Ready in which nothing known happened.
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
    /// What it was, most likely.
    pub why: &'static str,
}

impl Gap {
    /// How long it was.
    pub fn took(&self) -> SignedDuration {
        self.end.duration_since(self.start)
    }
}

/// What the way to Ready was made of.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Share {
    /// What: the name of intervals, or the reason of gaps.
    pub what: String,
    /// The phase; none for gaps.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub phase: Option<Phase>,
    /// How many parts of the way.
    pub count: usize,
    /// How much of the way, in seconds.
    #[serde(rename = "seconds", serialize_with = "as_seconds")]
    pub took: SignedDuration,
    /// How much earlier Ready had come without all of it, in seconds.
    #[serde(rename = "saves_seconds", serialize_with = "as_seconds")]
    pub saves: SignedDuration,
}

/// The way, walked once.
pub(crate) struct Walk {
    pub(crate) path: Vec<Segment>,
    pub(crate) saves: Vec<SignedDuration>,
    /// Parts that only an envelope explains.
    within: BTreeSet<usize>,
    on: BTreeSet<usize>,
}

impl Walk {
    /// Walks from the first thing known to Ready. `told` says of each interval whether Ready waited for it, where
    /// somebody knew.
    pub(crate) fn of(anatomy: &Anatomy, told: &[Option<bool>]) -> Option<Self> {
        let (origin, goal) = (anatomy.start()?, anatomy.goal()?);
        let intervals = &anatomy.intervals;
        let mut times: BTreeSet<Timestamp> =
            intervals.iter().flat_map(|interval| [interval.start, interval.end]).collect();
        times.extend([origin, goal]);
        let times: Vec<Timestamp> = times.into_iter().filter(|time| (origin..=goal).contains(time)).collect();
        let aside = aside(intervals, told);
        let mut walk = Self {
            path: Vec::new(),
            saves: vec![SignedDuration::ZERO; intervals.len()],
            within: BTreeSet::new(),
            on: BTreeSet::new(),
        };
        let (mut next, mut active) = (0, Vec::new());
        let mut best = BinaryHeap::new();
        for pair in times.windows(2) {
            let (start, end) = (pair[0], pair[1]);
            while let Some(interval) = intervals.get(next).filter(|interval| interval.start <= start) {
                active.push(next);
                if !aside[next] {
                    best.push((rank(interval), interval.start, Reverse(interval.end), next));
                }
                next += 1;
            }
            active.retain(|at| intervals[*at].end > start);
            while best.peek().is_some_and(|(.., at)| intervals[*at].end <= start) {
                best.pop();
            }
            let on = best.peek().map(|(.., at)| *at);
            walk.step(intervals, start, end, on);
            if active.len() <= CROWD {
                let took = end.duration_since(start);
                for at in active.iter().filter(|at| !aside[**at] && alone(intervals, &active, **at)) {
                    walk.saves[*at] += took;
                }
            }
        }
        Some(walk)
    }

    fn step(&mut self, intervals: &[Interval], start: Timestamp, end: Timestamp, on: Option<usize>) {
        let envelope = on.filter(|at| intervals[*at].envelope);
        let on = on.filter(|at| !intervals[*at].envelope);
        self.on.extend(on);
        let last = self.path.len().wrapping_sub(1);
        let within = on.is_none() && envelope.is_some();
        match self.path.last_mut() {
            Some(part) if part.interval == on && self.within.contains(&last) == within => part.end = end,
            _ => {
                if within {
                    self.within.insert(self.path.len());
                }
                self.path.push(Segment { start, end, interval: on });
            }
        }
    }

    /// Whether an interval is on the way.
    pub(crate) fn is_on(&self, at: usize) -> bool {
        self.on.contains(&at)
    }

    pub(crate) fn total(&self) -> SignedDuration {
        self.path.iter().map(|part| part.end.duration_since(part.start)).sum()
    }

    pub(crate) fn gaps(&self, anatomy: &Anatomy) -> Vec<Gap> {
        let intervals = &anatomy.intervals;
        let of = |part: &Segment| part.interval.map(|at| &intervals[at]);
        let gaps = self.path.iter().enumerate().filter(|(_, part)| part.interval.is_none());
        gaps.map(|(at, part)| {
            let after = self.path[..at].iter().rev().find_map(of);
            let before = self.path[at + 1..].iter().find_map(of);
            let name = |interval: Option<&Interval>, none: &str| {
                interval.map_or_else(|| none.to_owned(), |interval| interval.name.clone())
            };
            Gap {
                start: part.start,
                end: part.end,
                after: name(after, "the first thing known"),
                before: name(before, "the last thing known"),
                why: why(after, before, self.within.contains(&at), has_agent(anatomy, part.end)),
            }
        })
        .collect()
    }

    pub(crate) fn shares(&self, intervals: &[Interval], gaps: &[Gap]) -> Vec<Share> {
        let mut shares: BTreeMap<(String, Option<Phase>), (usize, SignedDuration, SignedDuration)> =
            BTreeMap::new();
        for part in &self.path {
            let Some(interval) = part.interval.map(|at| &intervals[at]) else { continue };
            let share = shares.entry((interval.name.clone(), Some(interval.phase))).or_default();
            share.0 += 1;
            share.1 += part.end.duration_since(part.start);
        }
        for at in &self.on {
            let interval = &intervals[*at];
            if let Some(share) = shares.get_mut(&(interval.name.clone(), Some(interval.phase))) {
                share.2 += self.saves[*at];
            }
        }
        for gap in gaps {
            let share = shares.entry((gap.why.to_owned(), None)).or_default();
            *share = (share.0 + 1, share.1 + gap.took(), share.2 + gap.took());
        }
        let mut shares: Vec<Share> = shares
            .into_iter()
            .map(|((what, phase), (count, took, saves))| Share { what, phase, count, took, saves })
            .collect();
        shares.sort_by_key(|share| Reverse(share.took));
        shares
    }

    pub(crate) fn phases(&self, intervals: &[Interval]) -> BTreeMap<&'static str, f64> {
        let mut phases: BTreeMap<&str, SignedDuration> = BTreeMap::new();
        for part in &self.path {
            let name = part.interval.map_or("gaps", |at| intervals[at].phase.name());
            *phases.entry(name).or_default() += part.end.duration_since(part.start);
        }
        phases.into_iter().map(|(name, took)| (name, took.as_secs_f64())).collect()
    }
}

/// How much an interval says about a moment: what holds others together the least, later phases more.
fn rank(interval: &Interval) -> Option<Phase> {
    (!interval.envelope).then_some(interval.phase)
}

/// Which intervals Ready is known not to have waited for: steps of which that was recorded, and what those steps started,
/// unless kubelet was started before it was there, and so waited for it.
fn aside(intervals: &[Interval], told: &[Option<bool>]) -> Vec<bool> {
    const STARTED_BY: [(Phase, &str); 2] =
        [(Phase::Containerd, "start-containerd"), (Phase::Manager, "reload-units")];
    let step = |name: &str| {
        let mut steps = intervals.iter().zip(told).filter(|(it, _)| it.source == Source::Journal);
        steps.find(|(step, _)| step.name == name)
    };
    let kubelet = step("start-kubelet").map(|(step, _)| step.start);
    let idle = |interval: &Interval| {
        let by = STARTED_BY.iter().find(|(phase, _)| *phase == interval.phase).and_then(|(_, by)| step(by));
        by.is_some_and(|(_, told)| *told == Some(false)) && kubelet.is_none_or(|start| interval.end <= start)
    };
    intervals.iter().zip(told).map(|(interval, told)| *told == Some(false) || idle(interval)).collect()
}

/// Whether nothing else runs beside an interval that Ready would wait for: what holds it and what it holds do not count,
/// nor what is left of earlier phases beside the boot's end and beside kubelet.
fn alone(intervals: &[Interval], active: &[usize], at: usize) -> bool {
    let this = &intervals[at];
    active.iter().all(|other| {
        if *other == at {
            return true;
        }
        let other = &intervals[*other];
        // Slipway's steps run beside each other, however long each of them takes.
        let steps = (this.source, other.source) == (Source::Journal, Source::Journal);
        other.envelope
            || (!steps && (other.holds(this) || this.holds(other)))
            || (other.phase < this.phase && (other.phase.is_boot() || this.phase >= Phase::Kubelet))
    })
}

/// Whether anything tells that Azure's agent had to do with what began at a time. That it runs tells nothing: it does so
/// also where provisioning begins from custom data.
fn has_agent(anatomy: &Anatomy, until: Timestamp) -> bool {
    let by_agent = |it: &Interval| matches!(it.phase, Phase::Agent | Phase::Extension) && it.start <= until;
    let asked = |(name, time): (&String, &Timestamp)| name.starts_with("extension-") && *time <= until;
    anatomy.intervals.iter().any(by_agent) || anatomy.milestones.iter().any(asked)
}

/// What a gap was, most likely.
fn why(after: Option<&Interval>, before: Option<&Interval>, within: bool, has_agent: bool) -> &'static str {
    let (after, before) = (after.map(|it| it.phase), before.map(|it| it.phase));
    match (after, before) {
        _ if within => "between steps",
        (Some(Phase::Platform), _) => "the platform starts the machine",
        (Some(after), Some(Phase::Extension | Phase::Agent)) if after.is_boot() => "waiting for the agent",
        (Some(Phase::CloudInit), Some(Phase::Bootstrap)) if has_agent => "waiting for the agent",
        (Some(Phase::Agent), Some(Phase::Bootstrap | Phase::Extension)) => "waiting for the extension",
        (Some(after), Some(before)) if after.is_boot() && before.is_boot() => "the machine boots",
        (Some(after), Some(_)) if after.is_boot() => "waiting for provisioning to begin",
        (_, Some(Phase::Kubelet)) => "waiting for kubelet to start",
        (_, Some(Phase::Registration | Phase::Ready)) => "waiting for kubelet",
        (Some(Phase::Bootstrap | Phase::Containerd | Phase::Manager | Phase::Extension), Some(_)) => {
            "between steps"
        }
        _ => "nothing known",
    }
}
