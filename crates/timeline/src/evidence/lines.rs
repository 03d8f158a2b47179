//! Lines of a text of any size and kind, one at a time.

use std::borrow::Cow;
use std::io::{BufRead, Read as _};

use super::Page;

/// The part of a line that is looked at; a longer one is not what these files have.
const LONGEST: u64 = 256 * 1024;

/// Documents are read whole, up to this size.
const LARGEST: u64 = 16 * 1024 * 1024;

/// The lines of a text.
pub(super) struct Lines<'a> {
    input: &'a mut dyn BufRead,
    line: Vec<u8>,
    number: u64,
}

impl<'a> Lines<'a> {
    pub(super) fn new(input: &'a mut dyn BufRead) -> Self {
        Self { input, line: Vec::new(), number: 0 }
    }

    /// The next line with its number, without its end. What cannot be read ends the text, and is said.
    pub(super) fn next(&mut self, page: &mut Page<'_>) -> Option<(u64, Cow<'_, str>)> {
        self.line.clear();
        self.number += 1;
        match (&mut *self.input).take(LONGEST).read_until(b'\n', &mut self.line) {
            Ok(0) => return None,
            Ok(_) => {}
            Err(error) => {
                page.problem(Some(self.number), format!("cannot be read any further: {error}"));
                return None;
            }
        }
        if self.line.last() == Some(&b'\n') {
            self.line.pop();
        } else if self.line.len() as u64 == LONGEST {
            page.problem(Some(self.number), "a line this long is cut");
            if let Err(error) = self.skip() {
                page.problem(Some(self.number), format!("cannot be read any further: {error}"));
            }
        }
        if self.line.last() == Some(&b'\r') {
            self.line.pop();
        }
        let text = match std::str::from_utf8(&self.line) {
            Ok(text) => Cow::Borrowed(text),
            Err(_) => Cow::Owned(crate::text(&self.line)),
        };
        Some((self.number, text))
    }

    fn skip(&mut self) -> std::io::Result<()> {
        loop {
            let buffer = self.input.fill_buf()?;
            let end = buffer.iter().position(|byte| *byte == b'\n');
            let used = end.map_or(buffer.len(), |at| at + 1);
            let done = end.is_some() || buffer.is_empty();
            self.input.consume(used);
            if done {
                return Ok(());
            }
        }
    }
}

/// A whole document; `None`, with a word about it, where it cannot be read or is too large.
pub(super) fn whole(page: &mut Page<'_>, input: &mut dyn BufRead) -> Option<String> {
    let mut bytes = Vec::new();
    if let Err(error) = input.take(LARGEST).read_to_end(&mut bytes) {
        page.problem(None, format!("cannot be read: {error}"));
        return None;
    }
    if bytes.len() as u64 == LARGEST {
        page.problem(None, format!("larger than {} MiB, which no such document is", LARGEST >> 20));
        return None;
    }
    Some(crate::text(&bytes))
}

/// A JSON document; `None`, with a word about it, where it is none.
pub(super) fn document(page: &mut Page<'_>, input: &mut dyn BufRead) -> Option<serde_json::Value> {
    let text = whole(page, input)?;
    match serde_json::from_str(&text) {
        Ok(value) => Some(value),
        Err(error) => {
            let line = u64::try_from(error.line()).ok();
            page.problem(line, format!("is not JSON: {error}"));
            None
        }
    }
}
