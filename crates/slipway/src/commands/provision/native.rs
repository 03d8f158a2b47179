//! Provisioning natively: plan, apply, publish.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use jiff::Zoned;
use slipway_apply::{Attempt, Options, Outcome as StepOutcome, StepReport, apply};
use slipway_host::{Host, Interruption, now};
use slipway_model::{ExitReason, Sources};
use slipway_plan::{Action, Await, Plan, Stage};
use slipway_timeline::{Failed, NativeResult, StepResult};

use crate::cli::StageChoice;
use crate::commands::plan;
use crate::failure::Failure;
use crate::native::knowledge::Knowledge;
use crate::native::planned::Planned;
use crate::native::progress::Progress;
use crate::native::publish::{Product, Unpublished, publish, sweep};
use crate::native::{boot, lock, outside};
use crate::screen::Screen;
use crate::{Outcome, Surroundings};

pub(crate) use crate::native::progress::Told;

/// What is to be provisioned.
pub(crate) struct Order<'a> {
    pub(crate) contract: &'a Path,
    pub(crate) facts: Option<&'a Path>,
    /// The directory that stands for the machine.
    pub(crate) root: Option<PathBuf>,
    pub(crate) stage: StageChoice,
    pub(crate) skip: BTreeSet<String>,
}

/// Says what would be done.
pub(super) fn rehearse(
    order: &Order<'_>,
    around: &Surroundings<'_>,
    screen: &mut Screen,
) -> Result<Outcome, Failure> {
    let host = around.host_at(order.root.as_deref())?;
    let planned = Planned::new(order.contract, order.facts, &*host, screen)?;
    known(&order.skip, &planned.plan)?;
    plan::text(&planned.given.name, &planned.plan, screen);
    Ok(Outcome::Done)
}

/// Makes the node, and leaves a result behind in any case.
pub(crate) fn provision(
    order: &Order<'_>,
    told: Told,
    around: &Surroundings<'_>,
    screen: &mut Screen,
) -> Result<Outcome, Failure> {
    let host = around.host_at(order.root.as_deref())?;
    let _lock = lock::take(order.root.as_deref(), "provision")?;
    let began = now();
    let mut publication = Publication { host: &*host, product: product(order.stage), began };
    let knowledge = match (order.facts, order.stage) {
        (Some(file), _) => Knowledge::File(file),
        (None, StageChoice::Bake) => Knowledge::Machine,
        (None, StageChoice::Join | StageChoice::All) => Knowledge::Node,
    };
    let planned = Planned::new(order.contract, knowledge, &*host, screen)
        .map_err(|failure| publication.refusal(failure, screen))?;
    known(&order.skip, &planned.plan)?;
    let mut of = Sources::none();
    // A contract can say itself that only an image is to be prepared.
    let (stage, product) = match order.stage {
        StageChoice::All if *of.read(planned.plan.last_stage()) == Stage::Bake => {
            (StageChoice::Bake, Product::Prepared)
        }
        stage => (stage, product(stage)),
    };
    publication.product = product;
    let stop = Interruption::listen()
        .map_err(|error| Failure::machine("no-signals", "cannot listen for signals", error))?;
    let mut options = Options::within(*of.read(planned.plan.within()));
    options.stages = stages(stage);
    options.skip.clone_from(&order.skip);
    options.workers = around.workers.unwrap_or(options.workers);
    let outside =
        outside::network(&*host, &planned.node).map_err(|failure| publication.refusal(failure, screen))?;
    sweep(&*host, product).map_err(|found| publication.refusal(unpublished(found), screen))?;
    let ended =
        apply(&planned.plan, &*host, &outside, &options, &Progress::new(told), &|| stop.signal().is_some());
    let attempt = ended.map_err(|error| {
        let failure = Failure::machine("not-begun", "cannot begin", error)
            .with_hint("slipway plan lists the steps; the records are below /var/lib/slipway");
        publication.refusal(failure, screen)
    })?;
    let result = publication.result(&attempt, &planned);
    publish(&*host, product, &result).map_err(unpublished)?;
    match attempt.failure {
        None => {
            if told.summarises() {
                let made = match product {
                    Product::Node => "the node is provisioned",
                    Product::Prepared | Product::Image => "the image is prepared",
                };
                summary(&attempt, made, screen);
            }
            Ok(Outcome::Done)
        }
        Some(failure) => Err(failed(failure)),
    }
}

/// What the user is told of an attempt that failed.
pub(crate) fn failed(failure: slipway_apply::Failure) -> Failure {
    Failure {
        reason: failure.reason.reason(),
        code: process_code(failure.reason),
        blame: failure.problem.blame.unwrap_or(failure.reason.blame()),
        doing: failure.step.map_or("provisioning failed".to_owned(), |step| format!("step {step} failed")),
        found: failure.problem.to_string(),
        hint: failure.problem.hint.or_else(|| Some(failure.reason.hint().to_owned())),
    }
}

/// Whether there is something to leave out by each of these names.
fn known(skip: &BTreeSet<String>, plan: &Plan) -> Result<(), Failure> {
    let Some(unknown) = skip.iter().find(|name| plan.step(name).is_none()) else { return Ok(()) };
    let failure =
        Failure::input("unknown-step", format!("cannot leave out {unknown}"), "the plan has no such step");
    let near = slipway_contract::nearest(unknown, plan.steps().iter().map(|step| step.id.0));
    let hint = near.map_or("slipway plan lists all steps".to_owned(), |near| format!("did you mean {near}?"));
    Err(Failure { code: 2, ..failure }.with_hint(hint))
}

fn product(choice: StageChoice) -> Product {
    match choice {
        StageChoice::Bake => Product::Image,
        StageChoice::Join | StageChoice::All => Product::Node,
    }
}

fn stages(choice: StageChoice) -> BTreeSet<Stage> {
    match choice {
        StageChoice::Bake => BTreeSet::from([Stage::Bake]),
        StageChoice::Join => BTreeSet::from([Stage::Join, Stage::AfterReady]),
        StageChoice::All => BTreeSet::from([Stage::Bake, Stage::Join, Stage::AfterReady]),
    }
}

fn process_code(reason: ExitReason) -> u8 {
    u8::try_from(reason.code()).unwrap_or(u8::MAX)
}

fn unpublished((path, found): Unpublished) -> Failure {
    Failure::machine("result-unwritable", format!("cannot write {}", path.display()), found)
        .with_hint("whoever waits for the result will not hear of it")
}

/// What was made, how much changed and how long it took.
pub(crate) fn summary(attempt: &Attempt, made: &str, screen: &mut Screen) {
    let seconds = attempt.ended.duration_since(attempt.began).as_secs_f64();
    let steps = attempt.steps.iter().filter(|step| step.times.is_some()).count();
    match attempt.changed() {
        0 => screen.line(format_args!("{made}: nothing to change, {steps} steps in {seconds:.2} s")),
        changed => screen.line(format_args!("{made}: {changed} changes, {steps} steps in {seconds:.2} s")),
    }
    let degraded = attempt.steps.iter().filter(|step| matches!(step.outcome, StepOutcome::Degraded(_)));
    for step in degraded {
        screen.warning(format_args!("the node does without {}", step.id));
    }
}

/// Who says how the attempt ended.
struct Publication<'a> {
    host: &'a dyn Host,
    product: Product,
    began: Zoned,
}

impl Publication<'_> {
    /// The result of a contract that was refused: nothing of the node was touched, and whoever waits hears of it.
    fn refusal(&self, failure: Failure, screen: &Screen) -> Failure {
        let known = [ExitReason::Imds].into_iter().find(|reason| reason.reason() == failure.reason);
        let reason = known.unwrap_or(ExitReason::Controller);
        let result = NativeResult {
            attempt: String::new(),
            failure: Some(Failed {
                reason,
                blame: failure.blame,
                message: format!("{}: {}", failure.doing, failure.found),
                hint: failure.hint.clone().unwrap_or_default(),
            }),
            began: self.began.clone(),
            ended: now(),
            ready: None,
            boot: boot::moments(self.host),
            steps: Vec::new(),
            contract_issues: None,
        };
        if let Err((path, found)) = publish(self.host, self.product, &result) {
            screen.warning(format_args!("cannot write {}: {found}", path.display()));
        }
        Failure { code: process_code(reason), ..failure }
    }

    fn result(&self, attempt: &Attempt, planned: &Planned) -> NativeResult {
        let zone = self.began.time_zone();
        NativeResult {
            attempt: attempt.id.clone(),
            failure: attempt.failure.as_ref().map(|failure| Failed {
                reason: failure.reason,
                blame: failure.problem.blame.unwrap_or(failure.reason.blame()),
                message: match failure.step {
                    Some(step) => format!("{step}: {}", failure.problem),
                    None => failure.problem.to_string(),
                },
                hint: failure.problem.hint.clone().unwrap_or_else(|| failure.reason.hint().to_owned()),
            }),
            began: self.began.clone(),
            ended: now(),
            ready: ready_step(&planned.plan, attempt).map(|time| time.to_zoned(zone.clone())),
            boot: boot::moments(self.host),
            steps: attempt.steps.iter().map(step_result).collect(),
            contract_issues: planned.given.lost(),
        }
    }
}

/// When the node was seen to be Ready.
fn ready_step(plan: &Plan, attempt: &Attempt) -> Option<jiff::Timestamp> {
    let awaits = |id: &str| {
        plan.step(id).is_some_and(|step| {
            step.ops.iter().any(|op| matches!(op.action, Action::Await(Await::Ready { .. })))
        })
    };
    let step = attempt.steps.iter().find(|step| awaits(step.id))?;
    let seen = matches!(step.outcome, StepOutcome::Done { .. } | StepOutcome::Unchanged);
    step.times.filter(|_| seen).map(|(_, ended)| ended)
}

fn step_result(report: &StepReport) -> StepResult {
    StepResult {
        id: report.id.to_owned(),
        outcome: report.outcome.word().to_owned(),
        start: report.times.map(|(began, _)| began),
        end: report.times.map(|(_, ended)| ended),
        changed: report.changed(),
        error: report.outcome.problem().map(ToString::to_string),
    }
}
