//! The types that every part of Slipway shares.
//!
//! Comes in: nothing. Goes out: types only. Never does: I/O, parsing, formatting for users.

mod blame;
mod exit_code;
mod secret;

pub use blame::Blame;
pub use exit_code::ExitReason;
pub use secret::Secret;
