//! The types that every part of Slipway shares.
//!
//! Comes in: nothing. Goes out: types only. Never does: I/O, parsing, formatting for users.

mod secret;

pub use secret::Secret;
