//! What can be said about a contract or another JSON text: one issue for each thing, with its place.

use std::fmt;

/// How bad an issue is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// Worth knowing; nothing to do.
    Note,
    /// The contract works, but probably not as meant.
    Warning,
    /// The contract does not work, or part of it is lost.
    Error,
}

impl fmt::Display for Severity {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::Note => "note",
            Self::Warning => "warning",
            Self::Error => "error",
        })
    }
}

/// Something about a contract text that its author should know.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Issue {
    /// Which field: `cluster_config.location`, `custom_ca_certs[1]`, `kubelet_config.kubelet_flags["--v"]`.
    /// Empty for the whole text.
    pub path: String,
    /// Byte offset of the place in the text.
    pub offset: usize,
    /// Line of the place, from 1.
    pub line: usize,
    /// Column of the place in characters, from 1.
    pub column: usize,
    /// How bad it is.
    pub severity: Severity,
    /// Which rule says so; stable.
    pub reason: &'static str,
    /// What is wrong. Never holds a secret.
    pub message: String,
    /// What to do about it.
    pub hint: Option<String>,
}

impl Issue {
    /// An issue whose line and column are filled in by [`locate`].
    pub fn new(
        severity: Severity,
        reason: &'static str,
        path: String,
        offset: usize,
        message: String,
    ) -> Self {
        Self { path, offset, line: 0, column: 0, severity, reason, message, hint: None }
    }

    /// The same issue with advice.
    #[must_use]
    pub fn with_hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}

/// Puts issues in the order of the text and fills in their lines and columns, in one pass over it.
pub fn locate(text: &[u8], issues: &mut [Issue]) {
    issues.sort_by_key(|issue| issue.offset);
    let (mut at, mut line, mut column) = (0, 1, 1);
    for issue in issues {
        let end = issue.offset.min(text.len());
        for byte in &text[at..end] {
            match byte {
                b'\n' => (line, column) = (line + 1, 1),
                0x80..=0xbf => {}
                _ => column += 1,
            }
        }
        at = end;
        (issue.line, issue.column) = (line, column);
    }
}
