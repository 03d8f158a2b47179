//! A plan in the making: subjects add steps, operations and explained values to it.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Duration;

use slipway_model::{Attributes, ExitReason, Node, Secret, Sourced, Sources, Verb};

use crate::op::{Action, Content, Directory, File, Link, Op, Remove, Setting, Unit};
use crate::plan::{Explained, Plan, Refusal, Unplanned, made_by};
use crate::step::{OnFailure, Stage, Step, StepId};

/// The step between writing unit files and starting units.
pub(crate) const RELOAD_UNITS: StepId = StepId("reload-units");

/// A step takes this long at most, unless it says otherwise.
const STEP_SECONDS: u64 = 60;

#[derive(Debug, Default)]
pub(crate) struct Draft {
    steps: Vec<Step>,
    explained: Vec<Explained>,
    refusals: Vec<Refusal>,
    orders: Vec<(StepId, StepId)>,
    within: Sourced<Duration>,
    bake_only: Sourced<bool>,
}

impl Draft {
    /// A draft for this node, still empty.
    pub(crate) fn of(node: &Node) -> Self {
        Self {
            within: node.cluster.within.clone(),
            bake_only: node.cluster.bake_only.clone(),
            ..Self::default()
        }
    }

    /// Adds a step.
    pub(crate) fn add(&mut self, step: Step) {
        self.steps.push(step);
    }

    /// Names a value that people ask about.
    pub(crate) fn explain(&mut self, explained: Explained) {
        self.explained.push(explained);
    }

    /// Names values that people ask about.
    pub(crate) fn explain_all(&mut self, explained: impl Iterator<Item = Explained>) {
        self.explained.extend(explained);
    }

    /// Says that something cannot be planned.
    pub(crate) fn refuse(&mut self, refusal: Refusal) {
        self.refusals.push(refusal);
    }

    /// Lets one step wait for another, where both are in the plan.
    pub(crate) fn order(&mut self, first: StepId, then: StepId) {
        self.orders.push((first, then));
    }

    /// The steps so far, for tests of one subject.
    #[cfg(test)]
    pub(crate) fn into_steps(self) -> Vec<Step> {
        self.steps
    }

    /// The plan. Steps that start units wait for one reload of the manager, which waits for every step that writes unit files.
    pub(crate) fn finish(mut self) -> Result<Plan, Unplanned> {
        if !self.refusals.is_empty() {
            return Err(Unplanned::Refused(self.refusals));
        }
        self.cut();
        self.put_in_order();
        let writers: Vec<StepId> = self
            .steps
            .iter()
            .filter(|step| writes_units(step) && step.stage != Stage::AfterReady)
            .map(|step| step.id)
            .collect();
        let mut starts = false;
        for step in &mut self.steps {
            let uses_manager =
                step.ops.iter().any(|op| matches!(&op.action, Action::Unit(unit) if unit.verb.is_some()));
            if uses_manager {
                starts = true;
                step.needs.push(RELOAD_UNITS);
            }
        }
        if starts {
            let mut reload = Step::join(RELOAD_UNITS, "let the service manager read what changed")
                .or_fail(ExitReason::UnitStart)
                .because(self.bake_only.sources())
                .op(Sources::none(), Action::ReloadUnits);
            reload.needs = writers;
            self.steps.push(reload);
        }
        let last = self.bake_only.map(|only| if *only { Stage::Bake } else { Stage::AfterReady });
        Ok(Plan::new(self.steps, self.explained)?.bounded(self.within, last))
    }

    /// Where only an image is prepared, everything else goes.
    fn cut(&mut self) {
        let mut of = Sources::none();
        let bake_only = *of.read(&self.bake_only);
        for step in self.steps.iter_mut().filter(|step| step.stage != Stage::Bake) {
            step.sources.join(&of);
        }
        if bake_only {
            self.steps.retain(|step| step.stage == Stage::Bake);
            let kept: BTreeSet<StepId> = self.steps.iter().map(|step| step.id).collect();
            for step in &mut self.steps {
                step.needs.retain(|need| kept.contains(need));
            }
            let steps = &self.steps;
            self.explained.retain(|value| {
                steps.iter().flat_map(|step| &step.ops).any(|op| made_by(&op.action) == Some(&value.path))
            });
        }
    }

    fn put_in_order(&mut self) {
        let known: BTreeSet<StepId> = self.steps.iter().map(|step| step.id).collect();
        for (first, then) in std::mem::take(&mut self.orders) {
            let waiting = self.steps.iter_mut().find(|step| step.id == then);
            if let Some(step) = waiting.filter(|_| known.contains(&first)) {
                step.needs.push(first);
            }
        }
    }
}

fn writes_units(step: &Step) -> bool {
    step.ops.iter().any(|op| {
        let path = match &op.action {
            Action::File(file) => &file.path,
            Action::Link(link) => &link.path,
            Action::Edit(edit) => &edit.path,
            Action::Remove(remove) => &remove.path,
            _ => return false,
        };
        path.starts_with("/etc/systemd")
    })
}

impl Step {
    /// A step that may run in an image build.
    pub(crate) fn bake(id: StepId, title: &'static str) -> Self {
        Self::in_stage(Stage::Bake, id, title)
    }

    /// A step of the node's own.
    pub(crate) fn join(id: StepId, title: &'static str) -> Self {
        Self::in_stage(Stage::Join, id, title)
    }

    /// A step that waits until the node is Ready or has had its time.
    pub(crate) fn after_ready(id: StepId, title: &'static str) -> Self {
        Self::in_stage(Stage::AfterReady, id, title)
    }

    fn in_stage(stage: Stage, id: StepId, title: &'static str) -> Self {
        Self {
            id,
            title,
            needs: Vec::new(),
            stage,
            on_failure: OnFailure::Fail(ExitReason::Controller),
            within: Duration::from_secs(STEP_SECONDS),
            sources: Sources::none(),
            ops: Vec::new(),
        }
    }

    pub(crate) fn or_fail(mut self, reason: ExitReason) -> Self {
        self.on_failure = OnFailure::Fail(reason);
        self
    }

    pub(crate) fn or_degrade(mut self, reason: ExitReason) -> Self {
        self.on_failure = OnFailure::Degrade(reason);
        self
    }

    pub(crate) fn after(mut self, needs: &[StepId]) -> Self {
        self.needs.extend_from_slice(needs);
        self
    }

    pub(crate) fn taking(mut self, within: Duration) -> Self {
        self.within = within;
        self
    }

    pub(crate) fn because(mut self, sources: &Sources) -> Self {
        self.sources.join(sources);
        self
    }

    pub(crate) fn op(mut self, sources: Sources, action: Action) -> Self {
        self.ops.push(Op { action, sources });
        self
    }

    pub(crate) fn directory(self, sources: Sources, path: impl Into<PathBuf>, mode: u32) -> Self {
        self.op(
            sources,
            Action::Directory(Directory { path: path.into(), attributes: Attributes::root(mode) }),
        )
    }

    pub(crate) fn file(
        self,
        sources: Sources,
        path: impl Into<PathBuf>,
        mode: u32,
        text: impl Into<String>,
    ) -> Self {
        let content = Content::Plain(text.into());
        self.op(
            sources,
            Action::File(File { path: path.into(), attributes: Attributes::root(mode), content }),
        )
    }

    pub(crate) fn secret_file(
        self,
        sources: Sources,
        path: impl Into<PathBuf>,
        text: Secret<String>,
    ) -> Self {
        let content = Content::Secret(text);
        self.op(
            sources,
            Action::File(File { path: path.into(), attributes: Attributes::root(0o600), content }),
        )
    }

    pub(crate) fn link(self, sources: Sources, path: impl Into<PathBuf>, target: impl Into<PathBuf>) -> Self {
        self.op(sources, Action::Link(Link { path: path.into(), target: target.into() }))
    }

    pub(crate) fn remove(self, sources: Sources, path: impl Into<PathBuf>) -> Self {
        self.op(sources, Action::Remove(Remove { path: path.into() }))
    }

    /// A sysctl by its dotted name.
    pub(crate) fn sysctl(
        self,
        sources: Sources,
        name: &str,
        value: impl Into<String>,
        required: bool,
    ) -> Self {
        let path = Path::new("/proc/sys").join(name.replace('.', "/"));
        self.op(sources, Action::Setting(Setting { path, value: value.into(), required }))
    }

    /// Restarts and enables a unit; the job is enqueued only.
    pub(crate) fn unit(self, sources: Sources, name: &str) -> Self {
        let unit = Unit {
            name: name.to_owned(),
            verb: Some(Verb::Restart),
            enabled: Some(true),
            wait: None,
            required: true,
        };
        self.op(sources, Action::Unit(unit))
    }
}
