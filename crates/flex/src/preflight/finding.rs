//! The form of a finding, and of what asks for it.

use std::fmt;

/// How bad something is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// Worth knowing; nothing has to be done.
    Fine,
    /// The node comes to be, with less than it could have.
    Warns,
    /// There will be no node.
    Blocks,
}

impl fmt::Display for Severity {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.pad(match self {
            Self::Fine => "fine",
            Self::Warns => "warns",
            Self::Blocks => "blocks",
        })
    }
}

/// Something that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// How bad it is.
    pub severity: Severity,
    /// What was seen.
    pub message: String,
    /// What to do about it.
    pub advice: String,
}

impl Finding {
    /// Something that is as it may be.
    pub fn fine(message: impl Into<String>, advice: impl Into<String>) -> Self {
        Self { severity: Severity::Fine, message: message.into(), advice: advice.into() }
    }

    /// Something that costs the node a part of what it could be.
    pub fn warns(message: impl Into<String>, advice: impl Into<String>) -> Self {
        Self { severity: Severity::Warns, ..Self::fine(message, advice) }
    }

    /// Something with which there will be no node.
    pub fn blocks(message: impl Into<String>, advice: impl Into<String>) -> Self {
        Self { severity: Severity::Blocks, ..Self::fine(message, advice) }
    }
}

/// A question about what was seen.
pub struct Check<O: 'static> {
    /// Its name: stable, documented, what `--ignore` and programs speak of.
    pub id: &'static str,
    /// The question.
    pub asks: &'static str,
    /// Whether there was something to look at.
    pub seen: fn(&O) -> bool,
    /// What there is to say.
    pub look: fn(&O) -> Vec<Finding>,
}

/// A question with its answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Examined {
    /// The check's name.
    pub id: &'static str,
    /// The question.
    pub asks: &'static str,
    /// Whether there was something to look at.
    pub seen: bool,
    /// What was found.
    pub findings: Vec<Finding>,
}

/// Asks every question.
pub fn examine<O>(checks: &[Check<O>], seen: &O) -> Vec<Examined> {
    let examined = |check: &Check<O>| Examined {
        id: check.id,
        asks: check.asks,
        seen: (check.seen)(seen),
        findings: (check.look)(seen),
    };
    checks.iter().map(examined).collect()
}

/// The worst that was found; nothing where nothing was.
pub fn worst(examined: &[Examined]) -> Option<Severity> {
    examined.iter().flat_map(|one| &one.findings).map(|finding| finding.severity).max()
}
