//! Strict reading: the text against the description, every problem with its path.

use std::fmt;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer};
use serde_json::Value;
use slipway_contract::nearest;

use super::duration::GoDuration;
use super::record::{Described, Record, Shape};

/// Something that is wrong with a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// Which member: `nodeClass.spec.kubelet.cpuCFSQuota`; empty for the whole text.
    pub path: String,
    /// What is wrong. Never holds a secret.
    pub message: String,
    /// What to do about it.
    pub hint: Option<String>,
}

/// Everything that is wrong with a request; never empty.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub struct Problems(pub Vec<Problem>);

impl fmt::Display for Problem {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.path.is_empty() {
            write!(out, "{}: ", self.path)?;
        }
        out.write_str(&self.message)?;
        match &self.hint {
            Some(hint) => write!(out, " ({hint})"),
            None => Ok(()),
        }
    }
}

impl fmt::Display for Problems {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, problem) in self.0.iter().enumerate() {
            if at > 0 {
                out.write_str("\n")?;
            }
            problem.fmt(out)?;
        }
        Ok(())
    }
}

/// Reads a value whose text fits its description.
pub(crate) fn read<T: Described + DeserializeOwned>(text: &str) -> Result<T, Problems> {
    let whole = |error: &serde_json::Error| Problem {
        path: String::new(),
        message: format!("not JSON: {error}"),
        hint: Some("it has to be one JSON object".to_owned()),
    };
    let value: Value = serde_json::from_str(text).map_err(|error| Problems(vec![whole(&error)]))?;
    let mut problems = Vec::new();
    walk(&value, &T::SHAPE, &mut String::new(), &mut problems);
    if !problems.is_empty() {
        return Err(Problems(problems));
    }
    serde_json::from_value(value).map_err(|error| Problems(vec![whole(&error)]))
}

fn walk(value: &Value, shape: &Shape, path: &mut String, problems: &mut Vec<Problem>) {
    match (shape, value) {
        (Shape::Object(record), Value::Object(members)) => {
            for (name, member) in members {
                below(path, &format!(".{name}"), |path| match known(record, name) {
                    Some(shape) => walk(member, shape, path, problems),
                    None => problems.push(unknown(record, name, path)),
                });
            }
        }
        (Shape::Map(shape), Value::Object(members)) => {
            for (name, member) in members {
                below(path, &format!("[{name:?}]"), |path| walk(member, shape, path, problems));
            }
        }
        (Shape::List(shape), Value::Array(items)) => {
            for (at, item) in items.iter().enumerate() {
                below(path, &format!("[{at}]"), |path| walk(item, shape, path, problems));
            }
        }
        // What Go leaves unset it may write as null.
        (_, Value::Null) => {}
        (shape, value) => {
            if let Some(wanted) = mismatch(shape, value) {
                problems.push(Problem { path: path.clone(), message: wanted, hint: None });
            }
        }
    }
}

fn below(path: &mut String, step: &str, then: impl FnOnce(&mut String)) {
    let length = path.len();
    path.push_str(if length == 0 { step.trim_start_matches('.') } else { step });
    then(path);
    path.truncate(length);
}

fn known(record: &Record, name: &str) -> Option<&'static Shape> {
    record.fields.iter().find(|field| field.name == name).map(|field| field.shape)
}

fn unknown(record: &Record, name: &str, path: &str) -> Problem {
    let hint = nearest(name, record.fields.iter().map(|field| field.name))
        .map(|near| format!("did you mean {near}?"));
    Problem { path: path.to_owned(), message: "no such member".to_owned(), hint }
}

/// What the value should have been, if it is not that.
fn mismatch(shape: &Shape, value: &Value) -> Option<String> {
    let wanted = match (shape, value) {
        (Shape::Text | Shape::Secret, Value::String(_))
        | (Shape::Bool, Value::Bool(_))
        | (Shape::Number, Value::Number(_)) => {
            return None;
        }
        (Shape::Word(words), Value::String(word)) if words.contains(&word.as_str()) => return None,
        (Shape::Duration(words), Value::String(text))
            if words.contains(&text.as_str()) || GoDuration::parse(text).is_some() =>
        {
            return None;
        }
        (Shape::Integer(least, most), Value::Number(number))
            if number.as_i64().is_some_and(|number| (*least..=*most).contains(&number)) =>
        {
            return None;
        }
        (Shape::Text, _) => "a string".to_owned(),
        (Shape::Secret, _) => return Some("must be a string".to_owned()),
        (Shape::Bool, _) => "true or false".to_owned(),
        (Shape::Number, _) => "a number".to_owned(),
        (Shape::Integer(least, most), _) => format!("a whole number from {least} to {most}"),
        (Shape::Word(words), _) => format!("one of {}", words.join(", ")),
        (Shape::Duration(words), _) => match words.first() {
            Some(word) => format!("a duration such as 1h30m or 100ms, or {word}"),
            None => "a duration such as 1h30m or 100ms".to_owned(),
        },
        (Shape::List(_), _) => "a list".to_owned(),
        (Shape::Map(_) | Shape::Object(_), _) => "an object".to_owned(),
    };
    Some(format!("must be {wanted}, not {}", shown(value)))
}

fn shown(value: &Value) -> String {
    match value {
        Value::Object(_) => "an object".to_owned(),
        Value::Array(_) => "a list".to_owned(),
        scalar => scalar.to_string(),
    }
}

/// Serde's way into a member: `null` is what a member that is left out is.
pub(crate) fn member<'de, T, D>(deserializer: D) -> Result<T, D::Error>
where
    T: Deserialize<'de> + Default,
    D: Deserializer<'de>,
{
    Option::deserialize(deserializer).map(Option::unwrap_or_default)
}
