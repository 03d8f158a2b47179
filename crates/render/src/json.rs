//! JSON in both directions: an object's members as Go finds them, and a small tree that is written.

use std::borrow::Cow;
use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

use crate::fold::same_word;
use crate::go::double;
use crate::quote::quoted;

/// The members of an object, in order, each value still text: large documents are read only where needed.
pub(crate) struct Members<'a>(Vec<(Cow<'a, str>, &'a RawValue)>);

impl<'a> Members<'a> {
    /// The values under this name, whatever its case.
    pub(crate) fn named(&self, name: &str) -> impl Iterator<Item = &'a RawValue> {
        self.0.iter().filter(move |(key, _)| same_word(key, name)).map(|(_, value)| *value)
    }
}

impl<'de> Deserialize<'de> for Members<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct InOrder;
        impl<'de> Visitor<'de> for InOrder {
            type Value = Members<'de>;
            fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                out.write_str("an object")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut members = Vec::new();
                while let Some(member) = map.next_entry()? {
                    members.push(member);
                }
                Ok(Members(members))
            }
        }
        deserializer.deserialize_map(InOrder)
    }
}

/// A JSON value to be written.
#[derive(Debug, Clone, PartialEq)]
pub enum Json<'a> {
    /// `true` or `false`.
    Bool(bool),
    /// A whole number.
    Int(i64),
    /// A number; one that JSON cannot hold is null.
    Double(f64),
    /// Text.
    Text(Cow<'a, str>),
    /// Values in order.
    List(Vec<Self>),
    /// Members in order.
    Object(Vec<(Cow<'a, str>, Self)>),
}

impl<'a> Json<'a> {
    /// The member of an object with this name.
    pub fn member_mut(&mut self, name: &str) -> Option<&mut Json<'a>> {
        self.members_mut()?.iter_mut().find(|(key, _)| key == name).map(|(_, value)| value)
    }

    /// The members of an object.
    pub fn members_mut(&mut self) -> Option<&mut Vec<(Cow<'a, str>, Json<'a>)>> {
        if let Self::Object(members) = self { Some(members) } else { None }
    }

    /// The value as text: four spaces for each level, no line break at the end, and the characters that would
    /// mean something in HTML written as escapes, as Go does it.
    pub fn to_text(&self) -> String {
        let mut out = String::with_capacity(1024);
        self.write(&mut out, 0);
        out
    }

    fn write(&self, out: &mut String, depth: usize) {
        match self {
            Self::Bool(value) => out.push_str(if *value { "true" } else { "false" }),
            Self::Int(value) => out.push_str(&value.to_string()),
            Self::Double(value) if value.is_finite() => out.push_str(&double(*value)),
            Self::Double(_) => out.push_str("null"),
            Self::Text(text) => quoted(out, text, special),
            Self::List(values) => {
                let write = |value: &Self, out: &mut String| value.write(out, depth + 1);
                block(out, depth, ['[', ']'], values, write);
            }
            Self::Object(members) => block(out, depth, ['{', '}'], members, |(key, value), out| {
                quoted(out, key, special);
                out.push_str(": ");
                value.write(out, depth + 1);
            }),
        }
    }
}

fn block<T>(out: &mut String, depth: usize, ends: [char; 2], items: &[T], write: impl Fn(&T, &mut String)) {
    let line = |out: &mut String, depth| {
        out.push('\n');
        out.extend(std::iter::repeat_n("    ", depth));
    };
    out.push(ends[0]);
    for (at, item) in items.iter().enumerate() {
        if at > 0 {
            out.push(',');
        }
        line(out, depth + 1);
        write(item, out);
    }
    if !items.is_empty() {
        line(out, depth);
    }
    out.push(ends[1]);
}

/// What Go's encoder escapes so that the text can stand in HTML, and control characters.
fn special(letter: char) -> bool {
    matches!(letter, '\u{0}'..='\u{1f}' | '<' | '>' | '&' | '\u{2028}' | '\u{2029}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_laid_out_and_escaped_as_go_does_it() {
        let value = Json::Object(vec![
            ("a<b".into(), Json::Text("x > y & z \u{2028} \" \\ \n é".into())),
            ("none".into(), Json::Object(Vec::new())),
            (
                "list".into(),
                Json::List(vec![
                    Json::Int(-1),
                    Json::Bool(true),
                    Json::Double(2.5e6),
                    Json::Double(f64::NAN),
                ]),
            ),
        ]);
        let expected = "{\n    \"a\\u003cb\": \"x \\u003e y \\u0026 z \\u2028 \\\" \\\\ \\n é\",\n    \"none\": {},\n    \
                        \"list\": [\n        -1,\n        true,\n        2.5e+06,\n        null\n    ]\n}";
        assert_eq!(value.to_text(), expected);
        assert!(serde_json::from_str::<serde_json::Value>(expected).is_ok());
    }
}
