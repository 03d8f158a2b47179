//! Walks the graph with a few threads.

use std::fmt::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use jiff::Timestamp;
use sha2::{Digest as _, Sha256};
use slipway_host::Host;
use slipway_model::ExitReason;
use slipway_plan::{OnFailure, Plan, Stage, Step};

use crate::attempt::{ApplyError, Attempt, Failure, Options, Outcome, Problem, StepReport};
use crate::critical;
use crate::home;
use crate::journal::{FailureLine, Journal, Line, written};
use crate::ledger::Ledger;
use crate::outside::{Impatience, Outside, Patience};
use crate::reset;
use crate::schedule::Schedule;
use crate::step;
use crate::tree::hexadecimal;
use crate::watcher::{Event, Watcher};
use crate::work::{Site, Work};

/// How often an idle thread looks whether the attempt should stop.
const GLANCE: Duration = Duration::from_millis(50);

/// Does what the plan says and the host lacks.
///
/// An error means that nothing was touched. Whatever goes wrong afterwards is in the attempt: a step that fails as
/// [`OnFailure::Fail`] lets no other begin, those at work come to their end, and the first failure is the attempt's.
pub fn apply(
    plan: &Plan,
    host: &dyn Host,
    outside: &dyn Outside,
    options: &Options,
    watch: &dyn Watcher,
    stop: &(dyn Fn() -> bool + Sync),
) -> Result<Attempt, ApplyError> {
    if let Some(unknown) = options.skip.iter().find(|name| plan.step(name).is_none()) {
        return Err(ApplyError::NoSuchStep(unknown.clone()));
    }
    let state = |path: &str| {
        let path = PathBuf::from(path);
        move |source| ApplyError::State { path, source }
    };
    home::sweep(host).and_then(|()| home::make(host)).map_err(state(home::LEDGER))?;
    let ledger = Ledger::open(host).map_err(state(home::ENTRIES))?;
    let journal = Journal::open(host).map_err(state(home::JOURNAL))?;
    if journal.is_open() {
        reset::sweep(host, &ledger.entries()).map_err(state(home::LEDGER))?;
    }
    let (schedule, outcomes) = Schedule::new(plan, options);
    let selected = plan.steps().iter().zip(&outcomes).filter(|(_, outcome)| outcome.is_none());
    let began = Timestamp::now();
    let id = format!("{:x}-{:x}", began.as_nanosecond(), std::process::id());
    let line = Line::AttemptBegan {
        id: id.clone(),
        time: written(began),
        plan: plan_digest(plan),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        stages: options.stages.iter().map(|stage| stage_word(*stage).to_owned()).collect(),
        live: host.is_live(),
        boot: boot(host),
        steps: selected.map(|(step, _)| step.id.0.to_owned()).collect(),
    };
    journal.add(host, &line).map_err(state(home::JOURNAL))?;
    let site = Site { host, outside, ledger, journal };
    watch.saw(&Event::AttemptBegan { id: &id, steps: schedule.open() });
    let reports = plan.steps().iter().zip(outcomes).map(|(step, outcome)| StepReport::new(step, outcome));
    let attempt =
        Attempt { id, began, ended: began, steps: reports.collect(), failure: None, interrupted: false };
    let until = Instant::now() + options.within;
    let run = Run {
        plan,
        site: &site,
        watch,
        patience: Patience { until, stop },
        state: Mutex::new(State { schedule, attempt }),
        news: Condvar::new(),
    };
    thread::scope(|scope| {
        for _ in 1..options.workers.get() {
            scope.spawn(|| run.work());
        }
        run.work();
    });
    let attempt = run.finish();
    watch.saw(&Event::AttemptEnded(&attempt));
    Ok(attempt)
}

/// The machine's present start, which it has a name for.
fn boot(host: &dyn Host) -> Option<String> {
    let name = host.is_live().then(|| host.read(Path::new("/proc/sys/kernel/random/boot_id")))?.ok()?;
    Some(String::from_utf8_lossy(&name).trim().to_owned())
}

struct Run<'a> {
    plan: &'a Plan,
    site: &'a Site<'a>,
    watch: &'a dyn Watcher,
    patience: Patience<'a>,
    state: Mutex<State<'a>>,
    news: Condvar,
}

struct State<'a> {
    schedule: Schedule<'a>,
    attempt: Attempt,
}

impl<'a> Run<'a> {
    /// Takes steps that may begin until there are no more.
    fn work(&self) {
        let mut state = self.lock();
        loop {
            let goes_on = self.patience.left().is_ok();
            if state.schedule.is_over() || !(goes_on || state.schedule.runs_something()) {
                break;
            }
            let next = if goes_on { state.schedule.begin() } else { None };
            if let Some((at, waited_for)) = next {
                drop(state);
                let report = self.step(&self.plan.steps()[at], waited_for);
                state = self.lock();
                state.end(&self.plan.steps()[at], at, report);
                self.news.notify_all();
            } else {
                state = self.news.wait_timeout(state, GLANCE).unwrap_or_else(PoisonError::into_inner).0;
            }
        }
        self.news.notify_all();
    }

    fn step(&self, step: &'a Step, waited_for: Option<&'static str>) -> StepReport {
        self.watch.saw(&Event::StepBegan { step: step.id.0, title: step.title });
        let began = Timestamp::now();
        let work = Work { site: self.site, step, patience: self.patience.at_most(step.within) };
        let mut report = StepReport::new(step, None);
        let line = Line::StepBegan { step: step.id.0.to_owned(), time: written(began) };
        let result = work
            .note(&line)
            .map_err(|error| Problem::system(home::JOURNAL, &error))
            .and_then(|()| step::run(&work, self.watch, &mut report.ops));
        report.waited_for = waited_for;
        report.outcome = self.judged(step, result, report.changed());
        let ended = Timestamp::now();
        report.times = Some((began, ended));
        if let Err(error) = work.note(&report.line(ended)) {
            let unrecorded = Err(Problem::system(home::JOURNAL, &error));
            report.outcome = self.judged(step, unrecorded, report.changed());
        }
        self.watch.saw(&Event::StepEnded(&report));
        report
    }

    fn judged(&self, step: &Step, result: Result<(), Problem>, changed: usize) -> Outcome {
        match (result, step.on_failure) {
            (Ok(()), _) if changed == 0 => Outcome::Unchanged,
            (Ok(()), _) => Outcome::Done { changed },
            // Whoever asked to stop did not ask for a node without the feature.
            (Err(problem), OnFailure::Degrade(_)) if !(self.patience.stop)() => Outcome::Degraded(problem),
            (Err(problem), _) => Outcome::Failed(problem),
        }
    }

    /// The attempt, with what follows from how its steps ended.
    fn finish(self) -> Attempt {
        let ran_out = self.patience.left().err();
        let mut attempt = self.state.into_inner().unwrap_or_else(PoisonError::into_inner).attempt;
        let unreached = |step: &StepReport| step.outcome == Outcome::NotReached;
        let came_short = attempt.failure.is_some() || attempt.steps.iter().any(unreached);
        attempt.interrupted = ran_out == Some(Impatience::Stopped) && came_short;
        // What comes after Ready is not worth a node.
        let missed = self.plan.steps().iter().zip(&attempt.steps);
        let missed = missed.filter(|(step, report)| unreached(report) && step.stage != Stage::AfterReady);
        let missed = missed.map(|(step, _)| step.id.0).next();
        if attempt.interrupted {
            let problem = Impatience::Stopped.problem("provisioning");
            let step = attempt.failure.as_ref().and_then(|failure| failure.step);
            attempt.failure = Some(Failure { step, reason: ExitReason::Killed, problem });
        } else if let Some(failure) = &mut attempt.failure {
            let known = failure.problem.reason.is_some();
            if failure.problem.late && ran_out == Some(Impatience::Late) && !known {
                failure.reason = ExitReason::TimedOut;
            }
        } else if missed.is_some() {
            let problem =
                Impatience::Late.problem("provisioning").hint("look in the timeline for what took longest");
            attempt.failure = Some(Failure { step: missed, reason: ExitReason::TimedOut, problem });
        }
        attempt.ended = Timestamp::now();
        critical::mark(&mut attempt.steps, |id| {
            self.plan.step(id).is_some_and(|step| step.stage != Stage::AfterReady)
        });
        let recorded = self
            .site
            .journal
            .add(self.site.host, &attempt.line())
            .and_then(|()| if attempt.changed() > 0 { self.site.journal.sync() } else { Ok(()) });
        if let Err(error) = recorded
            && attempt.failure.is_none()
        {
            let problem = Problem::system(home::JOURNAL, &error);
            attempt.failure = Some(Failure { step: None, reason: ExitReason::Controller, problem });
        }
        attempt
    }

    fn lock(&self) -> MutexGuard<'_, State<'a>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State<'_> {
    fn end(&mut self, step: &Step, at: usize, report: StepReport) {
        let failure = match (&report.outcome, step.on_failure) {
            (Outcome::Failed(problem), OnFailure::Fail(reason) | OnFailure::Degrade(reason)) => {
                let reason = problem.reason.unwrap_or(reason);
                Some(Failure { step: Some(step.id.0), reason, problem: problem.clone() })
            }
            _ => None,
        };
        self.schedule.end(at, failure.is_some());
        self.attempt.failure = self.attempt.failure.take().or(failure);
        self.attempt.steps[at] = report;
    }
}

impl StepReport {
    fn new(step: &Step, outcome: Option<Outcome>) -> Self {
        Self {
            id: step.id.0,
            outcome: outcome.unwrap_or(Outcome::NotReached),
            times: None,
            waited_for: None,
            ops: Vec::new(),
            critical: false,
        }
    }

    fn line(&self, ended: Timestamp) -> Line {
        Line::StepEnded {
            step: self.id.to_owned(),
            time: written(ended),
            outcome: self.outcome.word().to_owned(),
            changed: self.changed(),
            error: self.outcome.problem().map(ToString::to_string),
            waited_for: self.waited_for.map(str::to_owned),
        }
    }
}

impl Attempt {
    /// `done`, `failed` or `interrupted`.
    pub fn word(&self) -> &'static str {
        match &self.failure {
            _ if self.interrupted => "interrupted",
            Some(_) => "failed",
            None => "done",
        }
    }

    fn line(&self) -> Line {
        let failure = self.failure.as_ref().map(|failure| FailureLine {
            step: failure.step.map(str::to_owned),
            code: failure.reason.code(),
            message: failure.problem.to_string(),
            hint: failure.problem.hint.clone(),
        });
        let critical = self.steps.iter().filter(|step| step.critical).map(|step| step.id.to_owned());
        Line::AttemptEnded {
            time: written(self.ended),
            outcome: self.word().to_owned(),
            failure,
            critical: critical.collect(),
        }
    }
}

/// The word for a stage in the journal.
fn stage_word(stage: Stage) -> &'static str {
    match stage {
        Stage::Bake => "bake",
        Stage::Join => "join",
        Stage::AfterReady => "after-ready",
    }
}

/// What tells one plan from another; secrets do not count, since they do not show.
fn plan_digest(plan: &Plan) -> String {
    struct Hash(Sha256);
    impl fmt::Write for Hash {
        fn write_str(&mut self, text: &str) -> fmt::Result {
            self.0.update(text);
            Ok(())
        }
    }
    let mut hash = Hash(Sha256::new());
    // Hashing cannot fail.
    let _ = write!(hash, "{:?}", plan.steps());
    hexadecimal(&hash.0.finalize())
}
