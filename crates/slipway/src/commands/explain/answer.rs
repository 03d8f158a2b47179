//! What an answer is made of.

use std::path::PathBuf;

use serde::Serialize;
use serde_json::Value;
use slipway_model::{Source, Sources};

use super::fields::Fields;

/// Longer values of facts are named, not shown.
const SHOWN: usize = 80;

/// One thing that has the name in question.
#[derive(Debug, Serialize)]
pub(super) struct Answer {
    /// What it is: `file`, `kubelet-flag`, `step`, `contract-field`, …
    pub(super) kind: &'static str,
    pub(super) name: String,
    /// As anyone may see it; none for what has no value of its own.
    pub(super) value: Option<String>,
    /// What else there is to know.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) note: Option<String>,
    /// The file that it is in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) path: Option<PathBuf>,
    /// The step that brings it about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) step: Option<&'static str>,
    #[serde(skip)]
    pub(super) title: Option<&'static str>,
    /// Where it came from.
    pub(super) sources: Vec<Origin>,
    /// What comes of it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) leads_to: Vec<Effect>,
}

/// A field of the contract or a fact that had a part in something.
#[derive(Debug, Serialize)]
pub(super) struct Origin {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) contract: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) fact: Option<String>,
    /// Whether the contract's field is set.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) set: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) value: Option<String>,
}

/// Something that comes of a field.
#[derive(Debug, Serialize)]
pub(super) struct Effect {
    pub(super) kind: &'static str,
    pub(super) name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) value: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) step: Option<&'static str>,
}

impl Answer {
    pub(super) fn new(kind: &'static str, name: impl Into<String>) -> Self {
        Self {
            kind,
            name: name.into(),
            value: None,
            note: None,
            path: None,
            step: None,
            title: None,
            sources: Vec::new(),
            leads_to: Vec::new(),
        }
    }
}

/// Sources with their values.
pub(super) fn origins(sources: &Sources, fields: &Fields<'_>) -> Vec<Origin> {
    sources.iter().map(|source| origin(source, fields)).collect()
}

fn origin(source: &Source, fields: &Fields<'_>) -> Origin {
    match source {
        Source::Contract(path) => Origin {
            contract: Some(path.to_string()),
            fact: None,
            set: Some(true),
            value: fields.value(path),
        },
        Source::Unset(path) => {
            Origin { contract: Some(path.to_string()), fact: None, set: Some(false), value: None }
        }
        Source::Fact(name) => of_fact(name, fields.facts),
        Source::Flex { key, set } => {
            Origin { contract: Some(key.to_string()), fact: None, set: Some(*set), value: None }
        }
    }
}

/// A fact, with its value where it is short.
pub(super) fn of_fact(name: &str, facts: &Value) -> Origin {
    let value = facts.get(name).map_or_else(|| "unknown".to_owned(), ToString::to_string);
    Origin {
        contract: None,
        fact: Some(name.to_owned()),
        set: None,
        value: (value.len() <= SHOWN).then_some(value),
    }
}
