//! YAML and JSON documents that others have written: kubeconfigs, node classes, settings.

use saphyr_parser::{Event, Parser, ScalarStyle};
use serde_json::{Map, Value};

/// No such document is nested deeper.
const DEEPEST: usize = 64;

/// The first document of a text.
pub(super) fn parse(text: &str) -> Result<Value, String> {
    if let Ok(value) = serde_json::from_str(text) {
        return Ok(value);
    }
    let mut events = Events(Parser::new_from_str(text));
    loop {
        match events.next()? {
            Event::StreamStart | Event::DocumentStart(_) | Event::Nothing => {}
            Event::StreamEnd => return Ok(Value::Null),
            first => return events.value(first, 0),
        }
    }
}

struct Events<'a>(Parser<'a, saphyr_parser::StrInput<'a>>);

impl<'a> Events<'a> {
    fn next(&mut self) -> Result<Event<'a>, String> {
        match self.0.next() {
            Some(Ok((event, _))) => Ok(event),
            Some(Err(error)) => Err(error.to_string()),
            None => Err("it ends too early".to_owned()),
        }
    }

    /// The value that begins with this event.
    fn value(&mut self, first: Event<'a>, depth: usize) -> Result<Value, String> {
        if depth > DEEPEST {
            return Err(format!("it is nested more than {DEEPEST} levels deep"));
        }
        match first {
            Event::Scalar(text, style, _, tag) => {
                let is_plain = style == ScalarStyle::Plain && tag.is_none();
                Ok(if is_plain { plain(&text) } else { Value::String(text.into_owned()) })
            }
            Event::SequenceStart(..) => {
                let mut items = Vec::new();
                loop {
                    match self.next()? {
                        Event::SequenceEnd => return Ok(Value::Array(items)),
                        item => items.push(self.value(item, depth + 1)?),
                    }
                }
            }
            Event::MappingStart(..) => {
                let mut members = Map::new();
                loop {
                    let key = match self.next()? {
                        Event::MappingEnd => return Ok(Value::Object(members)),
                        Event::Scalar(key, ..) => key.into_owned(),
                        _ => return Err("a key that is not a text is not read here".to_owned()),
                    };
                    let first = self.next()?;
                    let value = self.value(first, depth + 1)?;
                    if members.insert(key.clone(), value).is_some() {
                        return Err(format!("the key {key:?} is there twice"));
                    }
                }
            }
            Event::Alias(_) => Err("aliases (*name) are not read here; write the value out".to_owned()),
            _ => Err("it ends too early".to_owned()),
        }
    }
}

/// A scalar without quotes: null, a truth, a number, else its text.
fn plain(text: &str) -> Value {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => Value::Null,
        "true" | "True" | "TRUE" => Value::Bool(true),
        "false" | "False" | "FALSE" => Value::Bool(false),
        // What reads as a JSON number is one; 0123 and 1_000 are texts.
        text => match serde_json::from_str(text) {
            Ok(Value::Number(number)) => Value::Number(number),
            _ => Value::String(text.to_owned()),
        },
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn blocks_flows_and_scalars_are_read() {
        let text = "a: 1\nb: [x, 'true', true]\nc:\n- d: ~\n  e: |\n    two\n    lines\nf: 0123\ng: \"1\"\n";
        let expected = json!({"a": 1, "b": ["x", "true", true], "c": [{"d": null, "e": "two\nlines\n"}], "f": "0123", "g": "1"});
        assert_eq!(parse(text).unwrap(), expected);
        assert_eq!(parse("").unwrap(), Value::Null);
        assert_eq!(parse("{\"a\": [1]}").unwrap(), json!({"a": [1]}));
    }

    #[test]
    fn what_is_not_read_is_an_error() {
        for text in ["a: &x 1\nb: *x\n", "a: 1\na: 2\n", "a: [", &"[".repeat(1000)] {
            assert!(parse(text).is_err(), "{text}");
        }
    }
}
