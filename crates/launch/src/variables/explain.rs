//! Where each variable came from, as `--explain` prints it.

use serde::Serialize;
use slipway_model::Secret;

use super::{LITERALS, Secrecy, Variables};
use crate::Source;

/// A variable's value, the layer that gave it, and what it won over.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Explanation {
    /// The variable's name in the script; for the two that only steer it, their name in the table.
    #[serde(skip)]
    pub name: &'static str,
    /// The value, masked if it is a secret that was not asked for.
    pub value: String,
    /// The layer's name.
    pub source: &'static str,
    /// What it won over, strongest first.
    pub overridden: Vec<Lost>,
}

/// A value that lost.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Lost {
    /// The value.
    pub value: String,
    /// The layer's name.
    pub source: &'static str,
}

impl Variables<'_> {
    /// Every variable and literal of the script, in its order, with where it came from.
    pub fn explain(&self, show_secrets: bool) -> Vec<Explanation> {
        let shown = |value: &str, secrecy| match secrecy {
            Secrecy::Secret if !show_secrets && !value.is_empty() => Secret::<String>::MASK.to_owned(),
            _ => value.to_owned(),
        };
        let variables = self.iter().map(|(row, entry)| Explanation {
            name: if row.name.is_empty() { row.field } else { row.name },
            value: shown(&entry.value.text(), row.secrecy),
            source: entry.source.as_str(),
            overridden: entry
                .overridden
                .iter()
                .map(|lost| Lost { value: shown(&lost.value, row.secrecy), source: lost.source.as_str() })
                .collect(),
        });
        let literals = LITERALS.iter().map(|(name, value, _)| Explanation {
            name,
            value: if *name == LITERALS[0].0 { self.registry } else { value }.to_owned(),
            source: Source::Fixed.as_str(),
            overridden: Vec::new(),
        });
        variables.chain(literals).collect()
    }
}
