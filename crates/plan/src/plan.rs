use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::Duration;

use slipway_model::{Sourced, Sources};

use crate::op::Action;
use crate::step::{Stage, Step, StepId};

/// What will be done: steps whose needs come before them. Built by [`plan`](crate::plan), so always a valid graph.
#[derive(Debug, Clone, PartialEq)]
pub struct Plan {
    steps: Vec<Step>,
    explained: Vec<Explained>,
    within: Sourced<Duration>,
    last_stage: Sourced<Stage>,
}

/// A value inside a planned file that people ask about by name.
#[derive(Debug, Clone, PartialEq)]
pub struct Explained {
    /// What it is.
    pub kind: ExplainedKind,
    /// Its name, such as `--max-pods` or `authentication.anonymous.enabled`.
    pub name: String,
    /// Its value, as a person may see it.
    pub value: String,
    /// The file it is in.
    pub path: PathBuf,
    /// Where it came from.
    pub sources: Sources,
}

/// What a value inside a file is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ExplainedKind {
    /// A flag of kubelet.
    KubeletFlag,
    /// A key of kubelet's configuration file.
    KubeletKey,
    /// A label of the node.
    Label,
    /// A kernel setting.
    Sysctl,
    /// A key of the cloud provider's file.
    CloudKey,
}

/// Steps that are no plan: a mistake in Slipway, not of its users.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PlanError {
    /// Two steps have one name.
    #[error("two steps are called {0}")]
    TwoSteps(StepId),
    /// A step needs one that is not there.
    #[error("step {0} needs {1}, which is not in the plan")]
    Unknown(StepId, StepId),
    /// Steps need each other.
    #[error("step {0} needs itself, by way of others")]
    Circle(StepId),
    /// Two operations write one file.
    #[error("steps {0} and {1} both make {2}")]
    TwoMakers(StepId, StepId, PathBuf),
}

/// Why there is no plan.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Unplanned {
    /// The node asks for what this machine or the native path cannot do.
    #[error("{}", .0.iter().map(|refusal| refusal.message.as_str()).collect::<Vec<_>>().join("; "))]
    Refused(Vec<Refusal>),
    /// The steps do not fit together.
    #[error(transparent)]
    Broken(#[from] PlanError),
}

/// Something that a node asks for and that cannot be planned.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// The field of the contract, or the fact, that stands against it.
    pub what: String,
    /// What is wrong with it.
    pub message: String,
    /// What to do.
    pub hint: String,
}

impl Plan {
    /// Checks and orders steps: each comes after those it needs, otherwise in the order given.
    pub fn new(steps: Vec<Step>, explained: Vec<Explained>) -> Result<Self, PlanError> {
        let mut places = BTreeMap::new();
        for (at, step) in steps.iter().enumerate() {
            if places.insert(step.id, at).is_some() {
                return Err(PlanError::TwoSteps(step.id));
            }
        }
        let mut makers: BTreeMap<&Path, StepId> = BTreeMap::new();
        for step in &steps {
            for need in &step.needs {
                if !places.contains_key(need) {
                    return Err(PlanError::Unknown(step.id, *need));
                }
            }
            for path in step.ops.iter().filter_map(|op| made_by(&op.action)) {
                if let Some(other) = makers.insert(path, step.id) {
                    return Err(PlanError::TwoMakers(other, step.id, path.to_owned()));
                }
            }
        }
        let mut waiting: Vec<Step> = steps;
        let mut done = BTreeSet::new();
        let mut ordered = Vec::with_capacity(waiting.len());
        while let Some(at) = waiting.iter().position(|step| step.needs.iter().all(|need| done.contains(need)))
        {
            let step = waiting.remove(at);
            done.insert(step.id);
            ordered.push(step);
        }
        match waiting.first() {
            Some(step) => Err(PlanError::Circle(step.id)),
            None => Ok(Self {
                steps: ordered,
                explained,
                within: Sourced::default(),
                last_stage: Sourced::fixed(Stage::AfterReady),
            }),
        }
    }

    /// The same plan with bounds.
    pub(crate) fn bounded(self, within: Sourced<Duration>, last_stage: Sourced<Stage>) -> Self {
        Self { within, last_stage, ..self }
    }

    /// How long all of it may take.
    pub fn within(&self) -> &Sourced<Duration> {
        &self.within
    }

    /// The last stage that the node asks for: `Bake` where only an image is prepared. Steps beyond it are not in the plan.
    pub fn last_stage(&self) -> &Sourced<Stage> {
        &self.last_stage
    }

    /// The steps, each after those it needs.
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// The step with this name.
    pub fn step(&self, id: &str) -> Option<&Step> {
        self.steps.iter().find(|step| step.id.0 == id)
    }

    /// The values that people ask about by name.
    pub fn explained(&self) -> &[Explained] {
        &self.explained
    }
}

/// The path that an operation owns.
pub(crate) fn made_by(action: &Action) -> Option<&Path> {
    match action {
        Action::File(file) => Some(&file.path),
        Action::Link(link) => Some(&link.path),
        _ => None,
    }
}
