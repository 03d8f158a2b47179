//! The features file: lines of `KEY=VALUE` that become variables. It is read, never executed.

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt as _;

/// What a features file sets, and what in it is of no use.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Features {
    /// The variables, in the order of the file.
    pub variables: Vec<(OsString, OsString)>,
    /// The numbers of lines that set nothing, with the reason.
    pub skipped: Vec<(usize, &'static str)>,
}

impl Features {
    /// Reads the text: one variable a line, split at the first equals sign; blank lines and comments are passed over.
    /// Values are taken as they are: no quotes, no expansion, no escapes. A carriage return at a line's end belongs to
    /// the end, not to the value.
    pub fn read(text: &[u8]) -> Self {
        let mut features = Self::default();
        for (index, line) in text.split(|byte| *byte == b'\n').enumerate() {
            let line = line.strip_suffix(b"\r").unwrap_or(line);
            if line.iter().all(u8::is_ascii_whitespace) || line.starts_with(b"#") {
                continue;
            }
            match variable(line) {
                Ok(variable) => features.variables.push(variable),
                Err(reason) => features.skipped.push((index + 1, reason)),
            }
        }
        features
    }
}

fn variable(line: &[u8]) -> Result<(OsString, OsString), &'static str> {
    let at = line.iter().position(|byte| *byte == b'=').ok_or("it has no equals sign")?;
    let (key, value) = (&line[..at], &line[at + 1..]);
    if !is_name(key) {
        return Err("its key is no variable's name");
    }
    if value.contains(&0) {
        return Err("its value contains a NUL");
    }
    Ok((OsString::from_vec(key.to_vec()), OsString::from_vec(value.to_vec())))
}

fn is_name(key: &[u8]) -> bool {
    let starts = key.first().is_some_and(|byte| byte.is_ascii_alphabetic() || *byte == b'_');
    starts && key.iter().all(|byte| byte.is_ascii_alphanumeric() || *byte == b'_')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn variables(text: &[u8]) -> Vec<(String, Vec<u8>)> {
        let variables = Features::read(text).variables.into_iter();
        variables.map(|(key, value)| (key.into_string().unwrap(), value.into_vec())).collect()
    }

    fn set(key: &str, value: &str) -> (String, Vec<u8>) {
        (key.to_owned(), value.as_bytes().to_vec())
    }

    #[test]
    fn values_are_taken_as_they_are() {
        for value in
            ["", "true", "a=b=", " two words ", "\"quoted\"", "$(id)", "`id`", "${HOME}; id", "ünïcode"]
        {
            assert_eq!(variables(format!("KEY={value}\n").as_bytes()), [set("KEY", value)]);
        }
        assert_eq!(variables(b"KEY=\xff\xfe")[0].1, b"\xff\xfe");
    }

    #[test]
    fn a_last_line_needs_no_end_and_a_carriage_return_is_part_of_one() {
        assert_eq!(variables(b"A=1\r\n\r\nB=2"), [set("A", "1"), set("B", "2")]);
    }

    #[test]
    fn lines_that_set_nothing_are_named_with_their_reason() {
        let text = b"# A=1\n\n  \n1A=x\nexport B=1\n=x\nA-B=1\nnothing\nN=\0\n A=1\nGOOD=1\n";
        let features = Features::read(text);
        assert_eq!(features.variables, [("GOOD".into(), "1".into())]);
        let lines: Vec<usize> = features.skipped.iter().map(|(line, _)| *line).collect();
        assert_eq!(lines, [4, 5, 6, 7, 8, 9, 10]);
    }

    #[test]
    fn the_last_value_of_a_key_is_the_one_that_stays() {
        let features = Features::read(b"A=1\nA=2\n");
        let environment: std::collections::BTreeMap<_, _> = features.variables.into_iter().collect();
        assert_eq!(environment.get(std::ffi::OsStr::new("A")).unwrap(), "2");
    }
}
