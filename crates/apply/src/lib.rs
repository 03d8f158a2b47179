//! Makes a plan true on a host.
//!
//! Comes in: a [`Plan`](slipway_plan::Plan), a [`Host`](slipway_host::Host), an [`Outside`]. Goes out: an [`Attempt`], which
//! says of each step how it ended; a journal and a ledger below `/var/lib/slipway`, from which [`status`](fn@status) tells what
//! happened and [`reset`](fn@reset) takes all of it back. Never does: deciding what a node should be, printing, touching
//! anything but through the host.
//!
//! Whoever calls holds the lock: one attempt at a time.

mod attempt;
mod diff;
mod outside;
mod reset;
mod status;
mod watcher;

use slipway_host::Host;
use slipway_plan::Plan;

pub use attempt::{ApplyError, Attempt, Effect, Failure, OpReport, Options, Outcome, Problem, StepReport};
pub use diff::{Difference, Side};
pub use outside::{Impatience, Outside, Patience, ReadyOrder};
pub use reset::{Kept, ResetOptions, ResetReport};
pub use status::{FailureStatus, LastAttempt, Status, StepStatus};
pub use watcher::{Event, Unwatched, Watcher};

/// Does what the plan says and the host lacks.
pub fn apply(
    _plan: &Plan,
    _host: &dyn Host,
    _outside: &dyn Outside,
    _options: &Options,
    _watch: &dyn Watcher,
    _stop: &(dyn Fn() -> bool + Sync),
) -> Result<Attempt, ApplyError> {
    Err(ApplyError::NoSuchStep(String::new()))
}

/// Takes back everything that attempts did.
pub fn reset(
    _host: &dyn Host,
    _options: ResetOptions,
    _watch: &dyn Watcher,
) -> Result<ResetReport, ApplyError> {
    Ok(ResetReport::default())
}

/// What an attempt would change; nothing is touched.
pub fn diff(_plan: &Plan, _host: &dyn Host) -> std::io::Result<Vec<Difference>> {
    Ok(Vec::new())
}

/// What the journal says.
pub fn status(_host: &dyn Host) -> Result<Status, ApplyError> {
    Ok(Status::default())
}
