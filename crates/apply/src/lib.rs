//! Makes a plan true on a host.
//!
//! Comes in: a [`Plan`](slipway_plan::Plan), a [`Host`](slipway_host::Host), an [`Outside`]. Goes out: an [`Attempt`], which
//! says of each step how it ended; a journal and a ledger below `/var/lib/slipway`, from which [`status`](fn@status) tells what
//! happened and [`reset`](fn@reset) takes all of it back. Never does: deciding what a node should be, printing, touching
//! anything but through the host.
//!
//! Whoever calls holds the lock: one attempt at a time.

mod attempt;
mod carry;
mod critical;
mod diff;
mod executor;
mod holdings;
mod home;
mod install;
mod journal;
mod ledger;
mod lines;
mod network;
mod notes;
mod ops;
mod outside;
mod reset;
mod schedule;
mod sentinel;
mod status;
mod step;
mod sum;
mod traces;
mod tree;
mod undo;
mod watcher;
mod work;

pub use attempt::{ApplyError, Attempt, Effect, Failure, OpReport, Options, Outcome, Problem, StepReport};
pub use diff::{Difference, Side, diff};
pub use executor::apply;
pub use holdings::{Holdings, Strayed};
pub use ledger::{brought, has_brought};
pub use network::{Network, NodeCredential, credential_of_node, server_of_node};
pub use notes::{drop_note, keep_note, note};
pub use outside::{Impatience, Outside, Patience, ReadyOrder};
pub use reset::{Kept, ResetOptions, ResetReport, reset};
pub use sentinel::{lower_sentinel, raise_sentinel};
pub use status::{FailureStatus, LastAttempt, Status, StepStatus, status};
pub use sum::adds_up;
pub use watcher::{Event, Unwatched, Watcher};
