//! The bootstrap variables of a node, each with the layer that gave it.
//!
//! Comes in: a resolved node, or single values. Goes out: values in the order of the script, with what they won over.
//! Never does: quoting, which is the script's business.

mod explain;
mod fill;
mod table;

use std::borrow::Cow;
use std::fmt;

use slipway_model::Secret;

use crate::{Overridden, Source};

pub use explain::{Explanation, Lost};
pub use fill::{NoVariables, variables};
pub use table::{Kind, LITERALS, Quoting, REPEATED, Row, Secrecy, TABLE, Variable};

/// A variable's value.
#[derive(Clone, PartialEq, Eq)]
pub enum Value<'a> {
    /// Text, a truth or a number, as the script has it.
    Text(Cow<'a, str>),
    /// A list.
    List(&'a [String]),
}

/// A variable's value and where it came from.
#[derive(Clone, PartialEq, Eq)]
pub struct Entry<'a> {
    /// The value that is used.
    pub value: Value<'a>,
    /// The layer that gave it.
    pub source: Source,
    /// What it won over, strongest first.
    pub overridden: Vec<Overridden<String>>,
}

/// All variables of a node.
#[derive(Clone, PartialEq, Eq)]
pub struct Variables<'a> {
    entries: Vec<Entry<'a>>,
    registry: &'a str,
}

/// One line of the script.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Assignment<'a> {
    /// The variable's name.
    pub name: Cow<'static, str>,
    /// Its value.
    pub value: Cow<'a, str>,
    /// How the peer writes it.
    pub quoting: Quoting,
    /// Whether it may be seen.
    pub secrecy: Secrecy,
}

impl Default for Variables<'_> {
    fn default() -> Self {
        let entry = |row: &Row| Entry {
            value: match row.kind {
                Kind::List => Value::List(&[]),
                Kind::Text | Kind::Bool | Kind::Number => Value::Text(row.default.into()),
            },
            source: Source::Fixed,
            overridden: Vec::new(),
        };
        Self { entries: TABLE.iter().map(entry).collect(), registry: LITERALS[0].1 }
    }
}

impl<'a> Variables<'a> {
    /// A variable's value and where it came from.
    pub fn get(&self, variable: Variable) -> &Entry<'a> {
        &self.entries[variable as usize]
    }

    /// Every variable, in the order of the script.
    pub fn iter(&self) -> impl Iterator<Item = (&'static Row, &Entry<'a>)> {
        TABLE.iter().zip(&self.entries)
    }

    /// Gives a variable another value.
    pub fn set(&mut self, variable: Variable, value: Value<'a>, source: Source) {
        self.entries[variable as usize] = Entry { value, source, overridden: Vec::new() };
    }

    /// The lines of the script, in order.
    pub fn assignments(&self) -> Vec<Assignment<'_>> {
        let mut lines = Vec::with_capacity(TABLE.len() + LITERALS.len());
        for (row, entry) in self.iter() {
            let is_used = row.variable != Variable::AKSCustomCloudRepoDepotEndpoint || self.is_custom_cloud();
            if row.name.is_empty() || !is_used {
                continue;
            }
            lines.push(line(row, entry));
            if let Value::List(items) = &entry.value {
                lines.extend(items.iter().enumerate().map(|(at, item)| Assignment {
                    name: format!("CUSTOM_CA_CERT_{at}").into(),
                    value: item.as_str().into(),
                    quoting: Quoting::Quoted,
                    secrecy: row.secrecy,
                }));
            }
            let (repeated, after) = REPEATED;
            if row.variable == after {
                lines.push(line(repeated.row(), self.get(repeated)));
            }
        }
        for (name, value, quoting) in LITERALS {
            let value = if name == LITERALS[0].0 { self.registry } else { value };
            lines.push(Assignment {
                name: name.into(),
                value: value.into(),
                quoting,
                secrecy: Secrecy::Open,
            });
        }
        lines
    }

    /// Whether the cloud brings its own endpoints, which a script of the image sets up first.
    pub fn is_custom_cloud(&self) -> bool {
        self.get(Variable::IsAKSCustomCloud).value.text() == "true"
    }
}

fn line<'v>(row: &'static Row, entry: &'v Entry<'_>) -> Assignment<'v> {
    Assignment {
        name: row.name.into(),
        value: entry.value.text(),
        quoting: row.quoting,
        secrecy: row.secrecy,
    }
}

impl Value<'_> {
    /// What the script gets: a list's length, otherwise the text.
    pub fn text(&self) -> Cow<'_, str> {
        match self {
            Self::Text(text) => Cow::Borrowed(text),
            Self::List(items) => Cow::Owned(items.len().to_string()),
        }
    }
}

impl<'a, T: Into<Cow<'a, str>>> From<T> for Value<'a> {
    fn from(text: T) -> Self {
        Self::Text(text.into())
    }
}

/// Secrets are masked.
impl fmt::Debug for Variables<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown = |(row, entry): (&'static Row, &Entry<'_>)| match row.secrecy {
            Secrecy::Open => (row.field, entry.value.text().into_owned()),
            Secrecy::Secret => (row.field, Secret::<String>::MASK.to_owned()),
        };
        out.debug_map().entries(self.iter().map(shown)).finish()
    }
}
