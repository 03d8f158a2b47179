//! What the journal tells of the last attempt.

use jiff::Timestamp;
use slipway_host::Host;

use crate::attempt::ApplyError;
use crate::home;
use crate::journal::{self, Line};

/// What the journal says.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Status {
    /// How many attempts there were.
    pub attempts: usize,
    /// The last of them.
    pub last: Option<LastAttempt>,
}

/// The last attempt, as its journal has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LastAttempt {
    /// Its name.
    pub id: String,
    /// The version of Slipway that made it.
    pub version: String,
    /// The digest of its plan.
    pub plan: String,
    /// Its stages.
    pub stages: Vec<String>,
    /// When it began.
    pub began: Timestamp,
    /// When it ended; `None` while it runs, and for ever if it was killed.
    pub ended: Option<Timestamp>,
    /// `done`, `failed` or `interrupted`, once it ended.
    pub outcome: Option<String>,
    /// Why it failed.
    pub failure: Option<FailureStatus>,
    /// Its steps, in the order of the plan.
    pub steps: Vec<StepStatus>,
}

/// Why an attempt failed, as its journal has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FailureStatus {
    /// The first step that failed.
    pub step: Option<String>,
    /// The code of the result.
    pub code: i16,
    /// What was found.
    pub message: String,
    /// What to try.
    pub hint: Option<String>,
}

/// A step of an attempt, as its journal has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StepStatus {
    /// Its name.
    pub id: String,
    /// `pending`, `running`, or a word of [`Outcome`](crate::Outcome).
    pub state: String,
    /// When it began.
    pub began: Option<Timestamp>,
    /// When it ended.
    pub ended: Option<Timestamp>,
    /// How many operations changed something.
    pub changed: usize,
    /// What went wrong.
    pub error: Option<String>,
    /// The step that it waited for last.
    pub waited_for: Option<String>,
    /// Whether it was on the critical path; known once the attempt ended.
    pub critical: bool,
}

/// What the journal says; nothing of the machine is looked at.
pub fn status(host: &dyn Host) -> Result<Status, ApplyError> {
    let lines =
        journal::read(host).map_err(|source| ApplyError::State { path: home::JOURNAL.into(), source })?;
    let mut status = Status::default();
    for line in lines {
        status.add(line);
    }
    Ok(status)
}

impl Status {
    fn add(&mut self, line: Line) {
        if let Line::AttemptBegan { id, time, plan, version, stages, steps, .. } = line {
            self.attempts += 1;
            self.last = Some(LastAttempt {
                id,
                version,
                plan,
                stages,
                began: moment(&time).unwrap_or(Timestamp::UNIX_EPOCH),
                ended: None,
                outcome: None,
                failure: None,
                steps: steps.into_iter().map(StepStatus::pending).collect(),
            });
        } else if let Some(last) = &mut self.last {
            last.add(line);
        }
    }
}

impl LastAttempt {
    /// Whether it came to no end, or was asked to stop; one that still runs looks the same.
    pub fn is_interrupted(&self) -> bool {
        self.outcome.as_deref().is_none_or(|outcome| outcome == "interrupted")
    }

    fn add(&mut self, line: Line) {
        match line {
            Line::StepBegan { step, time } => {
                if let Some(status) = self.step(&step) {
                    "running".clone_into(&mut status.state);
                    status.began = moment(&time);
                }
            }
            Line::StepEnded { step, time, outcome, changed, error, waited_for } => {
                if let Some(status) = self.step(&step) {
                    status.ended = moment(&time);
                    (status.state, status.changed) = (outcome, changed);
                    (status.error, status.waited_for) = (error, waited_for);
                }
            }
            Line::AttemptEnded { time, outcome, failure, critical } => {
                self.ended = moment(&time);
                self.outcome = Some(outcome);
                self.failure = failure.map(|failure| FailureStatus {
                    step: failure.step,
                    code: failure.code,
                    message: failure.message,
                    hint: failure.hint,
                });
                for id in critical {
                    if let Some(status) = self.step(&id) {
                        status.critical = true;
                    }
                }
            }
            Line::AttemptBegan { .. }
            | Line::Changing { .. }
            | Line::Job { .. }
            | Line::Reloaded { .. }
            | Line::Ran { .. } => {}
        }
    }

    fn step(&mut self, id: &str) -> Option<&mut StepStatus> {
        self.steps.iter_mut().find(|step| step.id == id)
    }
}

impl StepStatus {
    fn pending(id: String) -> Self {
        Self {
            id,
            state: "pending".to_owned(),
            began: None,
            ended: None,
            changed: 0,
            error: None,
            waited_for: None,
            critical: false,
        }
    }
}

fn moment(text: &str) -> Option<Timestamp> {
    text.parse().ok()
}
