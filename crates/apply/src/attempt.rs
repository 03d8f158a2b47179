//! What an attempt is asked to do, and what it says of itself afterwards.

use std::collections::BTreeSet;
use std::fmt;
use std::io;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::thread;
use std::time::Duration;

use jiff::Timestamp;
use slipway_host::os_text;
use slipway_model::{Blame, ExitReason};
use slipway_plan::Stage;

/// What an attempt is to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Options {
    /// The stages whose steps run.
    pub stages: BTreeSet<Stage>,
    /// Steps that are left out, by name.
    pub skip: BTreeSet<String>,
    /// How many steps may run at once.
    pub workers: NonZeroUsize,
    /// How long all of it may take.
    pub within: Duration,
}

/// More than this run no plan faster.
const MOST_WORKERS: NonZeroUsize = NonZeroUsize::new(8).expect("eight is not zero");

impl Options {
    /// Every stage, within this time, with two workers for each processor and at most eight.
    pub fn within(within: Duration) -> Self {
        let processors = thread::available_parallelism().map_or(1, NonZeroUsize::get);
        Self {
            stages: BTreeSet::from([Stage::Bake, Stage::Join, Stage::AfterReady]),
            skip: BTreeSet::new(),
            workers: NonZeroUsize::new((processors * 2).min(MOST_WORKERS.get())).unwrap_or(NonZeroUsize::MIN),
            within,
        }
    }

    /// With all the workers, for a plan whose steps wait for downloads and not for processors.
    #[must_use]
    pub fn downloading(self) -> Self {
        Self { workers: MOST_WORKERS, ..self }
    }
}

/// One run over a plan, from beginning to end.
#[derive(Debug, Clone, PartialEq)]
pub struct Attempt {
    /// Its name in the journal.
    pub id: String,
    /// When it began.
    pub began: Timestamp,
    /// When it ended.
    pub ended: Timestamp,
    /// All steps of the plan, in its order.
    pub steps: Vec<StepReport>,
    /// Why there is no node; `None` where there is one.
    pub failure: Option<Failure>,
    /// Whether it was asked to stop.
    pub interrupted: bool,
}

impl Attempt {
    /// How many operations changed something.
    pub fn changed(&self) -> usize {
        self.steps.iter().map(StepReport::changed).sum()
    }
}

/// Why an attempt failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// The first step that failed; `None` where it was none of them.
    pub step: Option<&'static str>,
    /// The code that the result carries.
    pub reason: ExitReason,
    /// What was found.
    pub problem: Problem,
}

/// What happened to a step.
#[derive(Debug, Clone, PartialEq)]
pub struct StepReport {
    /// The step's name.
    pub id: &'static str,
    /// How it ended.
    pub outcome: Outcome,
    /// When its work began and ended; `None` where it did not begin.
    pub times: Option<(Timestamp, Timestamp)>,
    /// The step that it waited for last.
    pub waited_for: Option<&'static str>,
    /// What its operations did, as far as it came.
    pub ops: Vec<OpReport>,
    /// Whether the attempt would have ended sooner had this step been quicker.
    pub critical: bool,
}

impl StepReport {
    /// How many of its operations changed something.
    pub fn changed(&self) -> usize {
        self.ops.iter().filter(|op| op.effect == Effect::Changed).count()
    }
}

/// How a step ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// All of it is so now.
    Done {
        /// How many operations changed something.
        changed: usize,
    },
    /// All of it was so already.
    Unchanged,
    /// It failed, and the attempt with it.
    Failed(Problem),
    /// It failed, and the node joins without it.
    Degraded(Problem),
    /// It was left out.
    Skipped(&'static str),
    /// The attempt ended before its turn.
    NotReached,
}

impl Outcome {
    /// The word for it in the journal and in JSON.
    pub const fn word(&self) -> &'static str {
        match self {
            Self::Done { .. } => "done",
            Self::Unchanged => "unchanged",
            Self::Failed(_) => "failed",
            Self::Degraded(_) => "degraded",
            Self::Skipped(_) => "skipped",
            Self::NotReached => "not-reached",
        }
    }

    /// What went wrong, if something did.
    pub const fn problem(&self) -> Option<&Problem> {
        match self {
            Self::Failed(problem) | Self::Degraded(problem) => Some(problem),
            _ => None,
        }
    }
}

/// What an operation did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpReport {
    /// What it is about, such as a path or a unit.
    pub what: String,
    /// What came of it.
    pub effect: Effect,
}

/// What came of an operation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Effect {
    /// It changed something.
    Changed,
    /// There was nothing to change.
    Unchanged,
    /// There is no running system below a root: what the operation wants of one is left to the machine's own start.
    InRoot,
    /// What a probe found.
    Found(String),
}

/// Something that stands in the way.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// What was being done to what.
    pub what: String,
    /// What was found.
    pub found: String,
    /// What to try.
    pub hint: Option<String>,
    /// Who has to act, where that is known better than by the step's reason.
    pub blame: Option<Blame>,
    /// The code that the result carries, where that is known better than by the step.
    pub reason: Option<ExitReason>,
    /// Whether it was the time that ran out.
    pub late: bool,
    /// Whether the same may go well a moment later.
    pub passing: bool,
}

/// What to try about an error of the system.
const HINTS: [(io::ErrorKind, &str); 4] = [
    (io::ErrorKind::StorageFull, "free some space on that file system, then run again"),
    (io::ErrorKind::PermissionDenied, "run as root, and see that nothing protects the file"),
    (io::ErrorKind::ReadOnlyFilesystem, "the file system is read-only: remount it writable, then run again"),
    (io::ErrorKind::NotFound, "the image does not have it"),
];

impl Problem {
    /// A problem with a path, a unit or the like.
    pub fn new(what: impl Into<String>, found: impl Into<String>) -> Self {
        Self {
            what: what.into(),
            found: found.into(),
            hint: None,
            blame: None,
            reason: None,
            late: false,
            passing: false,
        }
    }

    /// What the system says about a path, a unit or the like.
    pub fn system(what: impl Into<String>, error: &io::Error) -> Self {
        let hint = HINTS.iter().find(|(kind, _)| *kind == error.kind()).map(|(_, hint)| (*hint).to_owned());
        let passing = matches!(
            error.kind(),
            io::ErrorKind::Interrupted | io::ErrorKind::WouldBlock | io::ErrorKind::ResourceBusy
        );
        Self {
            hint,
            passing,
            late: error.kind() == io::ErrorKind::TimedOut,
            ..Self::new(what, os_text(error))
        }
    }

    /// With what to try.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// With who has to act.
    #[must_use]
    pub fn blame(mut self, blame: Blame) -> Self {
        self.blame = Some(blame);
        self
    }

    /// With the code that the result carries, and what that says about who has to act and what to try.
    #[must_use]
    pub fn reason(mut self, reason: ExitReason) -> Self {
        self.reason = Some(reason);
        self.hint(reason.hint()).blame(reason.blame())
    }

    /// Because the time ran out.
    #[must_use]
    pub fn late(mut self) -> Self {
        self.late = true;
        self
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}: {}", self.what, self.found)
    }
}

/// Why there was no attempt at all; nothing was touched.
#[derive(Debug, thiserror::Error)]
pub enum ApplyError {
    /// The record of what was done cannot be kept.
    #[error("{}: {}", path.display(), os_text(source))]
    State {
        /// The file or directory.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// A step to be left out is not in the plan.
    #[error("there is no step {0} to leave out")]
    NoSuchStep(String),
}
