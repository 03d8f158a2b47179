use std::fmt;
use std::time::Duration;

use slipway_model::{ExitReason, Sources};

use crate::op::Op;

/// The name of a step: stable, documented, what `--skip`, `explain` and the timeline speak of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StepId(pub &'static str);

impl fmt::Display for StepId {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.0)
    }
}

/// A part of the work that has a name, that others can wait for, and that fails or succeeds as one.
#[derive(Debug, Clone, PartialEq)]
pub struct Step {
    /// Its name.
    pub id: StepId,
    /// What it does, in a few words.
    pub title: &'static str,
    /// The steps that must be done before it begins.
    pub needs: Vec<StepId>,
    /// When it may run.
    pub stage: Stage,
    /// What its failure means.
    pub on_failure: OnFailure,
    /// How long it may take, waiting for others not counted.
    pub within: Duration,
    /// Why it is in the plan at all.
    pub sources: Sources,
    /// What it does, in this order.
    pub ops: Vec<Op>,
}

/// When a step may run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stage {
    /// Also in an image build: nothing of it is secret, expires or belongs to one node.
    Bake,
    /// On the node.
    Join,
    /// When the node is Ready or has had its time: never delays Ready.
    AfterReady,
}

/// What a step's failure means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OnFailure {
    /// There will be no node.
    Fail(ExitReason),
    /// The node joins without this feature, and the result says so.
    Degrade(ExitReason),
}
