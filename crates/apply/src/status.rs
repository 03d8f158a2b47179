use jiff::Timestamp;

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
