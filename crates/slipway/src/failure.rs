//! What the user is told when a command cannot do its work.

use std::fmt;

pub(crate) use slipway_model::Blame;

/// A command that failed: what was being done, what was found, and what to try.
#[derive(Debug)]
pub(crate) struct Failure {
    /// Stable, in kebab-case.
    pub(crate) reason: &'static str,
    /// The exit code.
    pub(crate) code: u8,
    pub(crate) blame: Blame,
    /// What was being done: "cannot read contract.json".
    pub(crate) doing: String,
    /// What stood in the way.
    pub(crate) found: String,
    pub(crate) hint: Option<String>,
}

impl Failure {
    /// A failure that the user's input caused.
    pub(crate) fn input(reason: &'static str, doing: impl Into<String>, found: impl fmt::Display) -> Self {
        Self {
            reason,
            code: 1,
            blame: Blame::Input,
            doing: doing.into(),
            found: found.to_string(),
            hint: None,
        }
    }

    /// A failure that the machine caused.
    pub(crate) fn machine(reason: &'static str, doing: impl Into<String>, found: impl fmt::Display) -> Self {
        Self { blame: Blame::Machine, ..Self::input(reason, doing, found) }
    }

    pub(crate) fn with_hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}
