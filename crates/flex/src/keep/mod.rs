//! Keeping a machine the node that it became: what was seen, and what to do about it.
//!
//! Comes in: an [`Observation`] and the time since the daemon began, which no clock that is set can change. Goes out: a
//! [`Decision`], which is at most one [`Repair`], the smallest that may help. Each kind of repair has a budget and pauses
//! that double; one whose budget is spent makes room for the next larger one, and the largest goes on with long pauses.
//! Never does: looking, repairing, reading a clock.

mod budget;
mod clock;
mod decision;
mod marks;
mod observation;
mod record;
mod status;

pub use clock::Clocks;
pub use decision::{Decision, Keeper, Reason, Repair};
pub use marks::Marks;
pub use observation::{ConfigSeen, CredentialSeen, Joined, NodeSeen, Observation};
pub use record::{KnownCluster, RECORD, Record, RecordError, digest};
pub use status::{GoalStatus, Health, NodeStatus, Repaired, STATUS, Status};
