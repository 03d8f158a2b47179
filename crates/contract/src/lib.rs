//! The AKS node contract `aksnodeconfig.v1`, off the node.
//!
//! Comes in: contract text, or a [`Contract`] built in code. Goes out: messages, issues with their places,
//! text. Never does: I/O of any kind.

pub mod codec;
pub mod custom_data;
mod diff;
#[rustfmt::skip]
#[expect(
    clippy::doc_markdown, clippy::unreadable_literal, clippy::struct_excessive_bools,
    reason = "the contract's names, numbers and shape are not ours to choose"
)]
mod generated;
mod issue;
mod suggest;

pub use diff::{Change, diff};
pub use generated::Configuration as Contract;
pub use issue::{Issue, Severity};

/// The contract's messages and enums.
pub mod messages {
    pub use crate::generated::*;
}

/// Everything there is to say about a contract text, in the order of the text. `now` is in seconds since 1970.
pub fn validate(text: &[u8], _now: i64) -> Vec<Issue> {
    codec::decode::<Contract>(text, codec::Policy::Careful).issues
}
