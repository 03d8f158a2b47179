//! The types that every part of Slipway shares.
//!
//! Comes in: nothing. Goes out: types, and the facts' JSON form. Never does: I/O, formatting for users.

mod blame;
mod duration;
mod effect;
mod exit_code;
mod facts;
mod instance;
mod mode;
pub mod node;
mod secret;
mod sourced;
mod version;

pub use blame::Blame;
pub use duration::GoDuration;
pub use effect::{Attributes, Verb};
pub use exit_code::ExitReason;
pub use facts::{Cached, Containerd, Facts, FactsError, JsonText, Os};
pub use instance::{Instance, InstanceError, Interface, Subnet};
pub use mode::Mode;
pub use node::Node;
pub use secret::Secret;
pub use sourced::{Source, Sourced, Sources};
pub use version::KubernetesVersion;
