//! Launching: from a node class to everything that a VM is created with.
//!
//! Comes in: a launch [`Request`]: options, environment, node class, node claim, VM size, and what the allocation
//! chose. Goes out: resolved values that know their [`Source`], the bootstrap variables, payloads, images, sizes,
//! drift. Never does: I/O of any kind, guessing, or writing a secret anywhere but into the payload.

pub mod drift;
mod fidelity;
pub mod images;
pub mod request;
pub mod sizes;
mod source;

pub use fidelity::Fidelity;
pub use request::Request;
pub use source::{Layered, Overridden, Source};
