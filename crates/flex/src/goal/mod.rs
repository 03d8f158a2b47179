//! What Azure wants of a machine that is known in an agent pool of its cluster, as desired state.
//!
//! Comes in: the machine's resource as it was read ([`Seen`]), what was applied before ([`Record`]), the Node. Goes out:
//! what to do about it ([`Course`]), and what the machine should be when Azure, the configuration and what was applied say
//! different things ([`merged`]): whoever spoke last is right. Never does: asking, applying.

mod course;
mod merge;
mod pace;
mod record;
mod seen;

pub use course::{Course, Mark, Member, Resource, course};
pub use merge::merged;
pub use pace::{Pace, pause};
pub use record::{Failed, RECORD, Record, RecordError, Standing};
pub use seen::{Seen, Wanted};

/// The taint by which Azure says that a Node is to go.
pub const DELETING: &str = "kubernetes.azure.com/flex-node-deleting=true:NoSchedule";
