//! The types that every part of Slipway shares.
//!
//! Comes in: nothing. Goes out: types only. Never does: I/O, parsing, formatting for users.

mod mode;
mod secret;

pub use mode::Mode;
pub use secret::Secret;
