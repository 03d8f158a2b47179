//! The variables that a pre-rendered command file sets, read without running it.

use std::collections::BTreeMap;

/// Every `NAME=value` of the text; the last one of a name counts. Quotes group, nothing is expanded or escaped.
pub fn assignments(text: &[u8]) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut at = 0;
    while at < text.len() {
        if is_delimiter(text[at]) {
            at += 1;
        } else if let Some(length) = name_length(&text[at..]) {
            let name = String::from_utf8_lossy(&text[at..at + length]).into_owned();
            let (value, end) = value(text, at + length + 1);
            found.insert(name, value);
            at = end;
        } else {
            at = skip_word(text, at);
        }
    }
    found
}

fn is_delimiter(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b';')
}

/// The length of a variable's name that is followed by an equals sign.
fn name_length(text: &[u8]) -> Option<usize> {
    let length = text.iter().take_while(|byte| matches!(byte, b'A'..=b'Z' | b'0'..=b'9' | b'_')).count();
    (length > 0 && !text[0].is_ascii_digit() && text.get(length) == Some(&b'=')).then_some(length)
}

/// A value and where it ends: segments in either kind of quotes or in none, one after the other. A bare segment also
/// ends where another assignment begins, because command files have been seen without the space between.
fn value(text: &[u8], from: usize) -> (Vec<u8>, usize) {
    let mut value = Vec::new();
    let mut at = from;
    while let Some(&byte) = text.get(at) {
        match byte {
            b'"' | b'\'' => {
                let inside = &text[at + 1..];
                let length = inside.iter().position(|other| *other == byte).unwrap_or(inside.len());
                value.extend_from_slice(&inside[..length]);
                at += length + 2;
            }
            _ if is_delimiter(byte) || name_length(&text[at..]).is_some() => break,
            _ => {
                value.push(byte);
                at += 1;
            }
        }
    }
    (value, at.min(text.len()))
}

fn skip_word(text: &[u8], from: usize) -> usize {
    let mut at = from;
    let mut quote = None;
    while let Some(&byte) = text.get(at) {
        match quote {
            Some(open) if open == byte => quote = None,
            None if is_delimiter(byte) => break,
            None if matches!(byte, b'"' | b'\'') => quote = Some(byte),
            _ => {}
        }
        at += 1;
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn assignments_are_found_whatever_stands_around_them() {
        let text =
            br#"echo "NOT=this"; A=1 B="two words"'!' C='x'y	_D=;A=3 e=f /bin/x G=1H=2 'I=no' J="unended"#;
        let found: Vec<(String, String)> = assignments(text)
            .into_iter()
            .map(|(name, value)| (name, String::from_utf8(value).unwrap()))
            .collect();
        let expected = [
            ("A", "3"),
            ("B", "two words!"),
            ("C", "xy"),
            ("G", "1"),
            ("H", "2"),
            ("J", "unended"),
            ("_D", ""),
        ];
        assert_eq!(found, expected.map(|(name, value)| (name.to_owned(), value.to_owned())));
    }
}
