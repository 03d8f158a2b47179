//! Drift: whether a node is still what would be launched today, and the hashes that tell.
//!
//! Comes in: what the API server and Azure say of a node, its claim and its node class. Goes out: the first
//! difference with both values, the hash of a node class (version 3), the hash of what changes in place. Never does:
//! looking anything up, or replacing a node.

mod check;
mod hash;
mod in_place;
mod report;
mod situation;

pub use check::{Drift, DriftError, DriftReason, drift};
pub use hash::{HASH_VERSION, NotHashable, node_class_hash};
pub use in_place::in_place_hash;
pub use report::{DriftReport, drift_report};
pub use situation::Situation;
