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
pub mod node;
pub mod rules;
mod suggest;

pub use diff::{Change, diff};
pub use generated::Configuration as Contract;
pub use issue::{Issue, Severity, locate};
pub use suggest::nearest;

/// The contract's messages and enums.
pub mod messages {
    pub use crate::generated::*;
}

/// Everything there is to say about a contract text, in the order of the text: what the decoder found, and what
/// the [`rules`] say about the values. `now` is in seconds since 1970; certificates are held against it.
pub fn validate(text: &[u8], now: i64) -> Vec<Issue> {
    let decoded = codec::decode_with_places::<Contract>(text, codec::Policy::Careful);
    // A value that was refused is not there; that it is missing goes without saying.
    let refused: Vec<String> = decoded
        .issues
        .iter()
        .filter(|issue| issue.severity == Severity::Error && !issue.path.is_empty())
        .map(|issue| issue.path.clone())
        .collect();
    let check = if decoded.stopped { rules::check_values } else { rules::check };
    let mut issues = decoded.issues;
    issues.extend(
        check(&decoded.message, &decoded.places, now)
            .into_iter()
            .filter(|finding| !refused.iter().any(|path| is_within(&finding.path, path))),
    );
    issue::locate(text, &mut issues);
    issues
}

/// Whether a path is that of a value or of something inside it.
fn is_within(path: &str, outer: &str) -> bool {
    path.strip_prefix(outer).is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
}
