//! What a row of the table of keys says.

use super::rules::Rule;

/// The versions of `aks-flex-node` whose files are read, oldest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Generation {
    /// November 2025: Arc, one-shot.
    V1,
    /// April 2026: the last that installs on the host itself.
    Apr26,
    /// July 2026.
    Head,
    /// What came after, and Slipway.
    Later,
}

/// What a value may be.
#[derive(Debug, Clone, Copy)]
pub enum Shape {
    /// A text; white space around it does not count, and an empty one is none.
    Text,
    /// A text that must not be shown.
    Secret,
    /// `true` or `false`.
    Switch,
    /// A whole number.
    Whole,
    /// One of these words.
    Word(&'static [&'static str]),
    /// One of these words in any letter case.
    AnyCase(&'static [&'static str]),
    /// A list of texts.
    Texts,
    /// A list of texts that must not be shown.
    Secrets,
    /// An object of texts with free keys.
    Map,
    /// A duration in Go's words, or in nanoseconds.
    Duration,
    /// A list of objects with these keys.
    Records(&'static [&'static Key]),
    /// Whatever it is, nothing of it is used.
    Unread,
}

/// What stands in for a key that is not there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Default {
    /// Nothing.
    None,
    /// This text.
    Text(&'static str),
    /// This number.
    Whole(i64),
    /// This.
    Switch(bool),
    /// Something that follows from other values, in words.
    Derived(&'static str),
}

/// What becomes of a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    /// It has its effect.
    Honoured,
    /// It is the older name of this key, which counts before it.
    Alias(&'static str),
    /// There is nothing to do for it here, for this reason.
    Idle(&'static str),
    /// A configuration that sets it becomes no node, for this reason.
    Refused(&'static str),
}

/// A key of the configuration.
#[derive(Debug, Clone, Copy)]
pub struct Key {
    /// Its path, dots between the names.
    pub path: &'static str,
    /// What it may be.
    pub shape: Shape,
    /// The first generation that knows it.
    pub first: Generation,
    /// The last generation that knows it.
    pub last: Generation,
    /// What stands in for it.
    pub default: Default,
    /// What else its texts have to fulfil.
    pub rule: Option<&'static Rule>,
    /// What becomes of it.
    pub fate: Fate,
    /// What it is.
    pub about: &'static str,
}

impl Key {
    /// A key that is honoured, known to a generation and all after it.
    pub(super) const fn new(
        path: &'static str,
        shape: Shape,
        first: Generation,
        about: &'static str,
    ) -> Self {
        let (last, default, fate) = (Generation::Later, Default::None, Fate::Honoured);
        Self { path, shape, first, last, default, rule: None, fate, about }
    }

    /// The same, forgotten after a generation.
    pub(super) const fn until(self, last: Generation) -> Self {
        Self { last, ..self }
    }

    pub(super) const fn or(self, default: Default) -> Self {
        Self { default, ..self }
    }

    pub(super) const fn is(self, rule: &'static Rule) -> Self {
        Self { rule: Some(rule), ..self }
    }

    pub(super) const fn becomes(self, fate: Fate) -> Self {
        Self { fate, ..self }
    }

    /// Its own name, without those of the objects that it is in.
    pub fn name(&self) -> &'static str {
        self.path.rsplit_once('.').map_or(self.path, |(_, name)| name)
    }
}
