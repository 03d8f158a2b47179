//! From one version of a node's programs to another, and back where the new one does not serve.
//!
//! What is decided here takes values and gives values: whether a version may follow another ([`skew`]), what is recorded
//! so that an upgrade that was cut short can go on or go back ([`Record`]), whether a node serves with its new version
//! ([`Gate`]), which programs nobody needs any more ([`unneeded`]). Doing it is the command's.

mod gate;
mod leftovers;
mod record;
mod skew;

pub use gate::{Expected, Gate, Unfit, Verdict};
pub use leftovers::unneeded;
pub use record::{CHOICE, Choice, Phase, RECORD, Record, RecordError};
pub use skew::{SkewError, series, skew};
