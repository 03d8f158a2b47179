//! What can be told apart in a plan, and what changes from one plan to another.

use std::path::Path;
use std::time::Duration;

use slipway_model::Sources;
use slipway_plan::{Action, ExplainedKind, OnFailure, Plan, Stage, Step};

/// Something that can be told apart in a plan, with its sources.
pub(crate) struct Output {
    /// The step that it belongs to; values inside files belong to none.
    step: &'static str,
    what: What,
    sources: Sources,
}

#[derive(Debug, PartialEq)]
enum What {
    /// How long all of it may take, and where it ends.
    Bounds(Duration, Stage),
    /// What a step's failure means, and when and how long it may run.
    Step(Stage, OnFailure, Duration),
    Op(Action),
    Value(ExplainedKind, String, String),
}

/// Everything that a plan brings about or says.
pub(crate) fn outputs(plan: &Plan) -> Vec<Output> {
    let mut of = Sources::none();
    let bounds = What::Bounds(*of.read(plan.within()), *of.read(plan.last_stage()));
    let mut outputs = vec![Output { step: "", what: bounds, sources: of }];
    for step in plan.steps() {
        let mut all = step.sources.clone();
        for op in &step.ops {
            let mut sources = step.sources.clone();
            sources.join(&op.sources);
            all.join(&op.sources);
            outputs.push(Output { step: step.id.0, what: What::Op(op.action.clone()), sources });
        }
        let what = What::Step(step.stage, step.on_failure, step.within);
        outputs.push(Output { step: step.id.0, what, sources: all });
    }
    for explained in plan.explained() {
        let mut sources = explained.sources.clone();
        let makes = |step: &&Step| step.ops.iter().any(|op| path(&op.action) == Some(&explained.path));
        // Who asks for a value is told which step writes its file, and why that one is there.
        plan.steps().iter().find(makes).iter().for_each(|step| sources.join(&step.sources));
        let what = What::Value(explained.kind, explained.name.clone(), explained.value.clone());
        outputs.push(Output { step: "", what, sources });
    }
    outputs
}

/// Whether two outputs are the same thing before and after.
fn same_thing(one: &Output, other: &Output) -> bool {
    match (&one.what, &other.what) {
        (What::Bounds(..), What::Bounds(..)) => true,
        (What::Step(..), What::Step(..)) => one.step == other.step,
        (What::Op(one), What::Op(other)) => path(one).is_some() && path(one) == path(other),
        (What::Value(one_kind, one, _), What::Value(other_kind, other, _)) => {
            (one_kind, one) == (other_kind, other)
        }
        _ => false,
    }
}

fn path(action: &Action) -> Option<&Path> {
    match action {
        Action::File(file) => Some(&file.path),
        Action::Setting(setting) => Some(&setting.path),
        Action::Link(link) => Some(&link.path),
        _ => None,
    }
}

/// What is in one of two plans only: how much, and what of it does not name the field, neither before nor after.
pub(crate) fn unnamed(before: &[Output], after: &[Output], field: &str) -> (usize, Vec<String>) {
    let missing = |plan: &[Output], it: &Output| {
        !plan.iter().any(|other| other.step == it.step && other.what == it.what)
    };
    let changed: Vec<&Output> = (before.iter().filter(|output| missing(after, output)))
        .chain(after.iter().filter(|output| missing(before, output)))
        .collect();
    let named = |output: &Output| {
        let mut twins = before.iter().chain(after).filter(|other| same_thing(other, output));
        output.sources.names(field) || twins.any(|twin| twin.sources.names(field))
    };
    let unnamed = changed.iter().filter(|output| !named(output));
    (changed.len(), unnamed.map(|output| format!("{} {:?}", output.step, output.what)).collect())
}
