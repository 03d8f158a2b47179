//! Requirements: which values of a label a size or an image goes with.

use std::borrow::Cow;

use serde::Serialize;
use serde::ser::{SerializeStruct, Serializer};

/// The values of one label that something goes with; without any, the label does not exist there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Requirement {
    /// The label's key.
    pub key: &'static str,
    /// Its values, sorted.
    pub values: Vec<Cow<'static, str>>,
}

impl Requirement {
    /// The label has exactly this value.
    pub fn is(key: &'static str, value: impl Into<Cow<'static, str>>) -> Self {
        Self { key, values: vec![value.into()] }
    }

    /// The label has one of these values.
    pub fn one_of(key: &'static str, values: impl IntoIterator<Item = impl Into<Cow<'static, str>>>) -> Self {
        let mut values: Vec<_> = values.into_iter().map(Into::into).collect();
        values.sort_unstable();
        values.dedup();
        Self { key, values }
    }

    /// The label has this value, or does not exist.
    pub fn maybe(key: &'static str, value: Option<impl Into<Cow<'static, str>>>) -> Self {
        Self { key, values: value.map(Into::into).into_iter().collect() }
    }

    /// The value, where only one is possible.
    pub fn single(&self) -> Option<&Cow<'static, str>> {
        match self.values.as_slice() {
            [value] => Some(value),
            _ => None,
        }
    }
}

impl Serialize for Requirement {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut object = serializer.serialize_struct("Requirement", 3)?;
        object.serialize_field("key", self.key)?;
        object.serialize_field("operator", if self.values.is_empty() { "DoesNotExist" } else { "In" })?;
        object.serialize_field("values", &self.values)?;
        object.end()
    }
}
