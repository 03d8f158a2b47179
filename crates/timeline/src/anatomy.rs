//! The anatomy of a node's start: one story from everything that tells of it.

use std::collections::BTreeMap;

use jiff::{SignedDuration, Timestamp};
use serde::Serialize;

use crate::derived;
use crate::evidence::{Certainty, Clock, ClockStep, Evidence, Place, Problem, Source, Span, as_seconds};
use crate::findings::{Finding, findings};
use crate::path::{Gap, Segment, Share, Walk};
use crate::phase::Phase;
use crate::sifted;

/// What took which time.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Anatomy {
    /// What ran from when to when, by its beginning.
    pub intervals: Vec<Interval>,
    /// What happened when.
    pub milestones: BTreeMap<String, Timestamp>,
    /// The way to Ready without a break: what each moment went to.
    pub path: Vec<Segment>,
    /// Times on the way to Ready in which nothing known happened.
    pub gaps: Vec<Gap>,
    /// What the way to Ready was made of, the largest first.
    pub shares: Vec<Share>,
    /// Seconds of the way to Ready in each phase; what no phase explains is under `gaps`.
    pub phases: BTreeMap<&'static str, f64>,
    /// Seconds from the first thing known to Ready, or to the last thing known.
    pub total_seconds: f64,
    /// What stands out.
    pub findings: Vec<Finding>,
    /// When the time of day was set; all times here are on the clock as it was in the end.
    pub clock_steps: Vec<ClockStep>,
    /// What of the evidence could not be read.
    pub problems: Vec<Problem>,
}

/// Something that ran for a time.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Interval {
    /// What: a step, a stage, a task by its name.
    pub name: String,
    /// Of which part of the start it is.
    pub phase: Phase,
    /// From when.
    pub start: Timestamp,
    /// To when.
    pub end: Timestamp,
    /// Who says so.
    pub source: Source,
    /// How well the times are known.
    pub certainty: Certainty,
    /// Whether Ready waited for it.
    pub critical: bool,
    /// How much earlier Ready had come without it, in seconds.
    #[serde(rename = "saves_seconds", serialize_with = "as_seconds")]
    pub saves: SignedDuration,
    /// Whether it only holds others together.
    pub envelope: bool,
    /// Where it stands.
    pub evidence: Place,
    /// What it waited for last before it began.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<String>,
    /// How it ended, where that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outcome: Option<String>,
}

impl Interval {
    /// How long it took.
    pub fn took(&self) -> SignedDuration {
        self.end.duration_since(self.start)
    }

    /// Whether it holds all of another one.
    pub(crate) fn holds(&self, other: &Self) -> bool {
        self.start <= other.start && other.end <= self.end
    }
}

/// A moment, and how it is known.
#[derive(Debug, Clone)]
pub(crate) struct Known {
    pub(crate) time: Timestamp,
    pub(crate) source: Source,
    pub(crate) certainty: Certainty,
    pub(crate) place: Place,
}

/// Moments by their names.
pub(crate) type Moments = BTreeMap<&'static str, Known>;

impl Anatomy {
    /// Puts everything together that is known of a node.
    pub fn of(mut evidence: Evidence) -> Self {
        let clock = Clock::of(std::mem::take(&mut evidence.ticks));
        sifted::sift(&mut evidence, &clock);
        let told: Vec<(Interval, Option<bool>)> = evidence
            .spans
            .iter()
            .map(|span| (interval(span, &clock), span.critical))
            .filter(|(interval, _)| interval.start <= interval.end)
            .collect();
        let moments = moments(&evidence, &clock);
        let (mut intervals, told): (Vec<Interval>, Vec<Option<bool>>) =
            derived::intervals(&moments, &told).map(|interval| (interval, None)).chain(told.clone()).unzip();
        let mut order: Vec<usize> = (0..intervals.len()).collect();
        order.sort_by_key(|at| (intervals[*at].start, intervals[*at].end));
        let told: Vec<Option<bool>> = order.iter().map(|at| told[*at]).collect();
        intervals = order.iter().map(|at| intervals[*at].clone()).collect();

        let mut anatomy = Self {
            milestones: moments.iter().map(|(name, known)| ((*name).to_owned(), known.time)).collect(),
            clock_steps: clock.steps,
            intervals,
            ..Self::default()
        };
        if let Some(walk) = Walk::of(&anatomy, &told) {
            for (at, interval) in anatomy.intervals.iter_mut().enumerate() {
                interval.critical = told[at] == Some(true) || walk.is_on(at);
                interval.saves = walk.saves[at];
            }
            anatomy.gaps = walk.gaps(&anatomy);
            anatomy.shares = walk.shares(&anatomy.intervals, &anatomy.gaps);
            anatomy.phases = walk.phases(&anatomy.intervals);
            anatomy.total_seconds = walk.total().as_secs_f64();
            anatomy.path = walk.path;
        }
        anatomy.findings = findings(&anatomy, &evidence);
        anatomy.problems = evidence.problems;
        anatomy
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

    /// What the way leads to: Ready, or the last thing known where it never came to that.
    pub fn goal(&self) -> Option<Timestamp> {
        self.milestones.get("node-ready").copied().or_else(|| self.end())
    }
}

fn interval(span: &Span, clock: &Clock) -> Interval {
    let ((start, sure_start), (end, sure_end)) = (clock.resolve(span.start), clock.resolve(span.end));
    let sure = sure_start && sure_end;
    Interval {
        name: span.name.clone(),
        phase: span.phase,
        start,
        end,
        source: span.source,
        certainty: if sure { span.certainty } else { Certainty::Inferred },
        critical: false,
        saves: SignedDuration::ZERO,
        envelope: span.envelope,
        evidence: span.place.clone(),
        after: span.after.clone(),
        outcome: span.outcome.clone(),
    }
}

/// Of several that tell of a moment, the surest counts, and of those the first.
fn moments(evidence: &Evidence, clock: &Clock) -> Moments {
    let mut moments = Moments::new();
    for seen in &evidence.seen {
        let (time, sure) = clock.resolve(seen.time);
        let certainty = if sure { seen.certainty } else { Certainty::Inferred };
        let known = Known { time, source: seen.source, certainty, place: seen.place.clone() };
        let better = moments
            .get(seen.name)
            .is_none_or(|other| (known.certainty, known.time) < (other.certainty, other.time));
        if better {
            moments.insert(seen.name, known);
        }
    }
    moments
}
