//! The features file: toggles that the launcher exports to everything it starts.

use std::collections::BTreeMap;

use crate::codec::quote;

/// The lines of the file, and what was left out of it.
pub(super) struct Features {
    /// Sorted `KEY=VALUE` lines, or `None` when no entry can be one.
    pub(super) text: Option<String>,
    /// One warning for each entry that is only in the contract. Values are not shown.
    pub(super) warnings: Vec<String>,
}

impl Features {
    pub(super) fn of(toggles: &BTreeMap<String, String>) -> Self {
        let mut text = String::new();
        let mut warnings = Vec::new();
        for (key, value) in toggles {
            let problem = if !is_name(key) {
                "its name is not one that a variable can have"
            } else if value.contains(['\n', '\r', '\0']) {
                "its value has a line break or a NUL in it"
            } else {
                text.extend([key, "=", value, "\n"]);
                continue;
            };
            let key = quote(key);
            warnings.push(format!("feature {key} stays in the contract but reaches no script: {problem}"));
        }
        Self { text: (!text.is_empty()).then_some(text), warnings }
    }
}

/// Whether a shell can have a variable of this name.
fn is_name(key: &str) -> bool {
    key.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && key.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}
