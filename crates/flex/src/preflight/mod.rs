//! What keeps a machine from being a node, found before anything is done to it.
//!
//! Comes in: an [`Observed`], which is everything that was looked at. Goes out: for each [`Check`] of a table what it
//! found, how bad that is, and what to do. Never does: looking, which is [`look`]'s business, and changing anything.
//! `slipway flex preflight`, `slipway flex join` and `slipway doctor` tell the same findings by the same ids.

mod azure;
mod cluster;
mod finding;
pub mod look;
mod observed;
mod others;
mod system;
mod table;

pub use finding::{Check, Examined, Finding, Severity, examine, worst};
pub use observed::{
    ActiveNode, ArcSeen, Cgroups, CredentialSeen, Firewall, KubeletSeen, Leftover, Observed, Resolver,
    RuntimeSeen, SandboxFrom, SandboxSeen, ServerSeen, Unknown, Unpermitted, Unreached,
};
pub use table::{CHECKS, ON_EVERY_NODE};
