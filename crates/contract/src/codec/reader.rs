//! A pull reader for JSON text that knows where it is.
//!
//! It accepts what protobuf-go's reader accepts, which is JSON with two oddities kept on purpose: a number
//! ends only at a character outside `[-+._a-zA-Z0-9]`, and `1e` directly before such a character passes as a
//! number. Nothing here recurses, so no input can exhaust the stack.

use std::borrow::Cow;

use super::number;
use super::text::{escape, plain_length};

/// Why and where the text stopped being JSON.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SyntaxError {
    /// Byte offset in the text.
    pub at: usize,
    /// What was wrong there.
    pub problem: Problem,
}

/// The ways in which text is not JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Problem {
    /// The text ends in the middle of a value.
    UnexpectedEnd,
    /// This character cannot stand here.
    Unexpected,
    /// A key is not followed by a colon.
    MissingColon,
    /// A string holds bytes that are not UTF-8.
    NotUtf8,
    /// A string holds a control character that has to be escaped.
    ControlCharacter,
    /// A backslash is followed by something that is not an escape.
    BadEscape,
    /// Values are nested deeper than the limit.
    TooDeep,
    /// There is more text after the end of the value.
    TrailingText,
}

impl Problem {
    /// The problem in words.
    pub fn describe(self) -> &'static str {
        match self {
            Self::UnexpectedEnd => "the text ends in the middle of a value",
            Self::Unexpected => "this is not JSON: something else has to stand here",
            Self::MissingColon => "a key has to be followed by a colon",
            Self::NotUtf8 => "the text is not valid UTF-8 here",
            Self::ControlCharacter => "a string holds a control character that has to be escaped",
            Self::BadEscape => "a string holds an escape that JSON does not have",
            Self::TooDeep => "values are nested more than 10,000 levels deep",
            Self::TrailingText => "there is more text after the end of the document",
        }
    }
}

/// A value's first token: the whole value where it is a scalar.
#[derive(Debug, Clone, PartialEq)]
pub enum Token<'a> {
    /// `null`
    Null,
    /// `true` or `false`
    Bool(bool),
    /// The digits as written.
    Number(&'a str),
    /// A string, escapes resolved.
    Text(Cow<'a, str>),
    /// An object starts here; the brace is not consumed.
    Object,
    /// A list starts here; the bracket is not consumed.
    List,
}

/// Reads JSON text from front to back.
#[derive(Debug)]
pub struct Reader<'a> {
    text: &'a str,
    /// Whether bytes that are not UTF-8 follow the text.
    cut: bool,
    at: usize,
}

impl<'a> Reader<'a> {
    /// A reader at the start of the text. Bytes that are not UTF-8 are an error where they are reached.
    pub fn new(bytes: &'a [u8]) -> Self {
        match std::str::from_utf8(bytes) {
            Ok(text) => Self { text, cut: false, at: 0 },
            Err(error) => {
                let text = std::str::from_utf8(&bytes[..error.valid_up_to()]).unwrap_or_default();
                Self { text, cut: true, at: 0 }
            }
        }
    }

    /// The offset of the next token.
    pub fn position(&mut self) -> usize {
        self.peek();
        self.at
    }

    /// Goes back to an offset that `position` gave.
    pub fn rewind(&mut self, at: usize) {
        self.at = at;
    }

    /// The first byte of the next token.
    #[inline]
    pub fn peek(&mut self) -> Option<u8> {
        match self.text.as_bytes().get(self.at) {
            Some(byte) if *byte > b' ' => Some(*byte),
            _ => self.peek_behind_blanks(),
        }
    }

    fn peek_behind_blanks(&mut self) -> Option<u8> {
        let bytes = self.text.as_bytes();
        let mut at = self.at;
        while let Some(b' ' | b'\n' | b'\r' | b'\t') = bytes.get(at) {
            at += 1;
        }
        self.at = at;
        bytes.get(at).copied()
    }

    /// Whether anything but white space is left.
    pub fn finish(&mut self) -> Result<(), SyntaxError> {
        match self.peek() {
            None if !self.cut => Ok(()),
            None => Err(self.error(Problem::NotUtf8)),
            Some(_) => Err(self.error(Problem::TrailingText)),
        }
    }

    /// The next value's first token. Containers are not entered.
    pub fn token(&mut self) -> Result<Token<'a>, SyntaxError> {
        match self.peek() {
            Some(b'"') => self.string().map(Token::Text),
            Some(b'{') => Ok(Token::Object),
            Some(b'[') => Ok(Token::List),
            Some(b't') => self.word("true", Token::Bool(true)),
            Some(b'f') => self.word("false", Token::Bool(false)),
            Some(b'n') => self.word("null", Token::Null),
            Some(b'-' | b'0'..=b'9') => {
                let rest = &self.text[self.at..];
                let length = number::length(rest, self.cut).ok_or_else(|| self.error(Problem::Unexpected))?;
                self.at += length;
                Ok(Token::Number(&rest[..length]))
            }
            Some(_) => Err(self.error(Problem::Unexpected)),
            None => Err(self.end()),
        }
    }

    /// Steps over the opening `{` or `[` that `token` announced.
    pub fn enter(&mut self) {
        self.at += 1;
    }

    /// The next key of the object that was entered with its offset, or `None` after stepping over its end.
    pub fn key(&mut self, first: bool) -> Result<Option<(Cow<'a, str>, usize)>, SyntaxError> {
        if !self.item(first, b'}')? {
            return Ok(None);
        }
        let at = self.at;
        match self.text.as_bytes().get(at) {
            Some(b'"') => {}
            Some(_) => return Err(self.error(Problem::Unexpected)),
            None => return Err(self.end()),
        }
        let key = self.string()?;
        match self.peek() {
            Some(b':') => self.at += 1,
            Some(_) => return Err(self.error(Problem::MissingColon)),
            None => return Err(self.end()),
        }
        Ok(Some((key, at)))
    }

    /// Whether the list that was entered has another element; steps over its end if not.
    pub fn element(&mut self, first: bool) -> Result<bool, SyntaxError> {
        self.item(first, b']')
    }

    /// Steps over a whole value, which may open at most `depth` containers inside each other.
    pub fn skip(&mut self, depth: usize) -> Result<(), SyntaxError> {
        let mut open: Vec<u8> = Vec::new();
        loop {
            let mut first = false;
            match self.token()? {
                container @ (Token::Object | Token::List) => {
                    if open.len() == depth {
                        return Err(self.error(Problem::TooDeep));
                    }
                    open.push(if container == Token::Object { b'}' } else { b']' });
                    self.enter();
                    first = true;
                }
                _ if open.is_empty() => return Ok(()),
                _ => {}
            }
            while let Some(end) = open.last() {
                let more = match end {
                    b'}' => self.key(first)?.is_some(),
                    _ => self.element(first)?,
                };
                if more {
                    break;
                }
                open.pop();
                first = false;
            }
            if open.is_empty() {
                return Ok(());
            }
        }
    }

    /// Whether another item follows, with the reader at its first byte; steps over the end if not.
    #[inline]
    fn item(&mut self, first: bool, end: u8) -> Result<bool, SyntaxError> {
        match self.peek() {
            Some(byte) if byte == end => {
                self.at += 1;
                Ok(false)
            }
            Some(_) if first => Ok(true),
            Some(b',') => {
                self.at += 1;
                match self.peek() {
                    Some(byte) if byte == end => Err(self.error(Problem::Unexpected)),
                    _ => Ok(true),
                }
            }
            Some(_) => Err(self.error(Problem::Unexpected)),
            None => Err(self.end()),
        }
    }

    fn word(&mut self, word: &str, token: Token<'a>) -> Result<Token<'a>, SyntaxError> {
        let rest = &self.text.as_bytes()[self.at..];
        if rest.starts_with(word.as_bytes()) && !rest.get(word.len()).copied().is_some_and(number::continues)
        {
            self.at += word.len();
            return Ok(token);
        }
        Err(self.error(Problem::Unexpected))
    }

    fn string(&mut self) -> Result<Cow<'a, str>, SyntaxError> {
        let from = self.at + 1;
        let end = from + plain_length(&self.text.as_bytes()[from..]);
        if self.text.as_bytes().get(end) == Some(&b'"') {
            self.at = end + 1;
            return Ok(Cow::Borrowed(&self.text[from..end]));
        }
        self.string_with_escapes()
    }

    fn string_with_escapes(&mut self) -> Result<Cow<'a, str>, SyntaxError> {
        let open = self.at;
        let failed = |problem| SyntaxError { at: open, problem };
        let bytes = self.text.as_bytes();
        let mut from = open + 1;
        let mut resolved = String::new();
        loop {
            let end = from + plain_length(&bytes[from..]);
            resolved.push_str(&self.text[from..end]);
            match bytes.get(end) {
                Some(b'"') => {
                    self.at = end + 1;
                    return Ok(Cow::Owned(resolved));
                }
                Some(b'\\') => {
                    let length = escape(&bytes[end..], &mut resolved);
                    from = end + length.ok_or_else(|| failed(Problem::BadEscape))?;
                }
                Some(_) => return Err(failed(Problem::ControlCharacter)),
                None if self.cut => return Err(failed(Problem::NotUtf8)),
                None => return Err(SyntaxError { at: end, problem: Problem::UnexpectedEnd }),
            }
        }
    }

    fn error(&self, problem: Problem) -> SyntaxError {
        SyntaxError { at: self.at, problem }
    }

    fn end(&self) -> SyntaxError {
        self.error(if self.cut { Problem::NotUtf8 } else { Problem::UnexpectedEnd })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn skipped(text: &str) -> Result<(), Problem> {
        let mut reader = Reader::new(text.as_bytes());
        reader.skip(3).and_then(|()| reader.finish()).map_err(|error| error.problem)
    }

    #[test]
    fn a_value_is_skipped_whole_or_refused() {
        for good in
            ["1", " \"a\" ", "[]", "{}", "[1,[2],{\"a\":[]}]", "{\"a\":{\"b\":{}}}", "[null,true,false]"]
        {
            assert_eq!(skipped(good), Ok(()), "{good}");
        }
        for (bad, problem) in [
            ("", Problem::UnexpectedEnd),
            ("[1", Problem::UnexpectedEnd),
            ("[1,]", Problem::Unexpected),
            ("[,1]", Problem::Unexpected),
            ("{\"a\":1]", Problem::Unexpected),
            ("{\"a\" 1}", Problem::MissingColon),
            ("[1]]", Problem::TrailingText),
            ("[[[[]]]]", Problem::TooDeep),
            ("\"\\x\"", Problem::BadEscape),
            ("\"\\ud800\\u0041\"", Problem::BadEscape),
            ("\"a\nb\"", Problem::ControlCharacter),
        ] {
            assert_eq!(skipped(bad), Err(problem), "{bad}");
        }
    }
}
