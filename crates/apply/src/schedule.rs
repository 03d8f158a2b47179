//! Which step may begin, and which will not.

use std::collections::BTreeMap;

use slipway_plan::{Action, Await, OnFailure, Plan, Stage, Step};

use crate::attempt::{Options, Outcome};

/// The steps of an attempt and how far each has come.
pub(crate) struct Schedule<'a> {
    steps: &'a [Step],
    places: BTreeMap<&'static str, usize>,
    progress: Vec<Progress>,
    ends: Vec<Option<u64>>,
    ended: u64,
    failed: bool,
    /// Whether a step of this attempt awaits Ready.
    awaited: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Progress {
    Waiting,
    Running,
    Ended,
}

impl<'a> Schedule<'a> {
    /// All steps of a plan; those outside the options have ended before they began, as the second value says.
    pub(crate) fn new(plan: &'a Plan, options: &Options) -> (Self, Vec<Option<Outcome>>) {
        let steps = plan.steps();
        let outcomes: Vec<Option<Outcome>> = steps
            .iter()
            .map(|step| match step {
                step if !options.stages.contains(&step.stage) => Some(Outcome::Skipped("of another stage")),
                step if options.skip.contains(step.id.0) => Some(Outcome::Skipped("on request")),
                _ => None,
            })
            .collect();
        let progress = outcomes
            .iter()
            .map(|outcome| if outcome.is_some() { Progress::Ended } else { Progress::Waiting })
            .collect();
        let places = steps.iter().enumerate().map(|(at, step)| (step.id.0, at)).collect();
        let awaited =
            steps.iter().zip(&outcomes).any(|(step, outcome)| outcome.is_none() && awaits_ready(step));
        let ends = vec![None; steps.len()];
        (Self { steps, places, progress, ends, ended: 0, failed: false, awaited }, outcomes)
    }

    /// How many steps are still to come or at work.
    pub(crate) fn open(&self) -> usize {
        self.progress.iter().filter(|progress| **progress != Progress::Ended).count()
    }

    pub(crate) fn runs_something(&self) -> bool {
        self.progress.contains(&Progress::Running)
    }

    /// Lets the next step begin that may; says which, and for which step it waited last.
    pub(crate) fn begin(&mut self) -> Option<(usize, Option<&'static str>)> {
        let ready = |at: &usize| self.may_begin(*at);
        let counts = |at: &usize| matches!(self.steps[*at].on_failure, OnFailure::Fail(_));
        // What the node can do without does not take a thread from what it needs.
        let needed = (0..self.steps.len()).filter(counts).find(ready);
        let at = needed.or_else(|| (0..self.steps.len()).find(ready))?;
        self.progress[at] = Progress::Running;
        let last = self.gates(at).filter_map(|gate| self.ends[gate].map(|end| (end, gate))).max();
        Some((at, last.map(|(_, gate)| self.steps[gate].id.0)))
    }

    /// A step came to its end.
    pub(crate) fn end(&mut self, at: usize, failed: bool) {
        self.progress[at] = Progress::Ended;
        self.ended += 1;
        self.ends[at] = Some(self.ended);
        // A node that is not Ready in time still gets what comes afterwards: it may be Ready a moment later.
        self.failed |= failed && !awaits_ready(&self.steps[at]);
    }

    /// Whether anything more may begin, now or later.
    pub(crate) fn is_over(&self) -> bool {
        self.open() == 0 || (self.failed && !self.runs_something())
    }

    fn may_begin(&self, at: usize) -> bool {
        !self.failed
            && self.progress[at] == Progress::Waiting
            && self.gates(at).all(|gate| self.progress[gate] == Progress::Ended)
    }

    /// The steps that must have ended before one begins: what it needs, and for what comes after Ready, Ready.
    fn gates(&self, at: usize) -> impl Iterator<Item = usize> {
        let step = &self.steps[at];
        let needs = step.needs.iter().filter_map(|need| self.places.get(need.0).copied());
        let late = step.stage == Stage::AfterReady;
        let awaited = self.awaited;
        let before = self.steps.iter().enumerate().filter(move |(_, other)| {
            late && if awaited { awaits_ready(other) } else { other.stage != Stage::AfterReady }
        });
        needs.chain(before.map(|(at, _)| at))
    }
}

fn awaits_ready(step: &Step) -> bool {
    step.ops.iter().any(|op| matches!(op.action, Action::Await(Await::Ready { .. })))
}
