//! From text to values: every key against its row, every problem with its place.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use slipway_contract::codec::{COMMENT, Reader, SyntaxError, Token};
use slipway_contract::{Issue, Severity, nearest};
use slipway_model::{GoDuration, Secret};

use super::key::{Key, Shape};
use super::keys::KEYS;
use super::names::{below, did_you_mean, first_name, joined, suggestion};
use super::rules::Rule;
use super::values::{Value, Values};

/// Nobody nests what is not read deeper than this.
const DEEPEST: usize = 64;

/// What a text says, and what is wrong with it. A text that is not JSON is read up to where it stops being that.
pub(super) struct Text {
    pub(super) values: Values,
    pub(super) issues: Vec<Issue>,
    pub(super) stopped: bool,
}

pub(super) fn values(text: &[u8]) -> Text {
    let mut walk = Walk {
        reader: Reader::new(text),
        path: String::new(),
        values: Values::default(),
        issues: Vec::new(),
    };
    let end = walk.object("").and_then(|()| walk.reader.finish());
    let stopped = end.is_err();
    if let Err(SyntaxError { at, problem }) = end {
        let message = format!("this is not JSON: {}", problem.describe());
        walk.issues.push(Issue::new(Severity::Error, "not-json", walk.path.clone(), at, message));
    }
    Text { values: walk.values, issues: walk.issues, stopped }
}

struct Walk<'a> {
    reader: Reader<'a>,
    /// Where the reader is, as messages name it.
    path: String,
    values: Values,
    issues: Vec<Issue>,
}

type Read<T> = Result<T, SyntaxError>;

impl Walk<'_> {
    /// An object whose keys are in the table.
    fn object(&mut self, path: &str) -> Read<()> {
        let at = self.reader.position();
        match self.reader.token()? {
            Token::Object => {}
            // What Go leaves unset it writes as null.
            Token::Null if !path.is_empty() => return Ok(()),
            other => {
                self.wrong(at, "an object", &other, false);
                for key in KEYS.iter().filter(|key| below(key.path, path).is_some()) {
                    self.values.refuse(key.path);
                }
                return self.rest(at, &other);
            }
        }
        self.values.open(path, at);
        let known: BTreeSet<&'static str> =
            KEYS.iter().filter_map(|key| below(key.path, path)).map(first_name).collect();
        let mut seen = BTreeSet::new();
        self.reader.enter();
        let mut first = true;
        while let Some((name, at)) = self.reader.key(first)? {
            first = false;
            let length = self.path.len();
            if name.starts_with(COMMENT) {
                self.reader.skip(DEEPEST)?;
                continue;
            }
            // Go's readers do not mind the case of a key.
            let found = known.iter().find(|known| known.eq_ignore_ascii_case(&name)).copied();
            self.step(found.unwrap_or(&name));
            match found {
                Some(found) if seen.insert(found) => self.member(&joined(path, found), at)?,
                Some(_) => {
                    self.issue("duplicate-key", at, "this key is there twice".to_owned(), None);
                    self.reader.skip(DEEPEST)?;
                }
                None => {
                    let hint = suggestion(&name, path, &known);
                    self.issue("unknown-key", at, "there is no such key".to_owned(), hint);
                    self.reader.skip(DEEPEST)?;
                }
            }
            self.path.truncate(length);
        }
        Ok(())
    }

    fn member(&mut self, path: &str, at: usize) -> Read<()> {
        let Some(key) = KEYS.iter().find(|key| key.path == path) else { return self.object(path) };
        let issues = self.issues.len();
        let value = self.value(key)?;
        if self.issues[issues..].iter().any(|issue| issue.severity == Severity::Error) {
            self.values.refuse(key.path);
        } else if let Some(value) = value {
            self.values.set(key, value, at);
        }
        Ok(())
    }

    /// A value of a key's shape; nothing where it is null, empty or of another.
    fn value(&mut self, key: &Key) -> Read<Option<Value>> {
        let at = self.reader.position();
        if let Shape::Unread = key.shape {
            self.reader.skip(DEEPEST)?;
            return Ok(Some(Value::Unread));
        }
        let secret = matches!(key.shape, Shape::Secret);
        let value = match (key.shape, self.reader.token()?) {
            (_, Token::Null) => None,
            (Shape::Text, Token::Text(text)) => self.text(at, text.trim(), key.rule).map(Value::Text),
            (Shape::Secret, Token::Text(text)) => {
                let text = Secret::from(&*text);
                self.checked(at, text.expose(), key.rule);
                (!text.expose().is_empty()).then_some(Value::Secret(text))
            }
            (Shape::Word(words), Token::Text(word)) => self.word(at, word.trim(), words, |a, b| a == b),
            (Shape::AnyCase(words), Token::Text(word)) => {
                self.word(at, word.trim(), words, str::eq_ignore_ascii_case)
            }
            (Shape::Switch, Token::Bool(on)) => Some(Value::Switch(on)),
            (Shape::Whole, Token::Number(digits)) => self.whole(at, digits).map(Value::Whole),
            (Shape::Duration, Token::Number(digits)) => {
                self.whole(at, digits).map(|number| Value::Duration(GoDuration::of_nanoseconds(number)))
            }
            (Shape::Duration, Token::Text(text)) => {
                let duration = GoDuration::parse(&text);
                if duration.is_none() {
                    let message = format!("{text:?} is not a duration such as 90s or 10m");
                    self.issue("wrong-value", at, message, None);
                }
                duration.map(Value::Duration)
            }
            (Shape::Texts, Token::List) => Some(Value::Texts(self.texts(key)?)),
            (Shape::Secrets, Token::List) => {
                Some(Value::Secrets(self.texts(key)?.into_iter().map(Secret::new).collect()))
            }
            (Shape::Map, Token::Object) => Some(Value::Map(self.map()?)),
            (Shape::Records(keys), Token::List) => Some(Value::Records(self.records(keys)?)),
            (shape, other) => {
                self.wrong(at, wanted(shape), &other, secret);
                self.rest(at, &other)?;
                None
            }
        };
        Ok(value)
    }

    fn text(&mut self, at: usize, text: &str, rule: Option<&Rule>) -> Option<String> {
        // An empty text is how Go's zero values look in a file.
        if text.is_empty() {
            return None;
        }
        self.checked(at, text, rule);
        Some(text.to_owned())
    }

    fn checked(&mut self, at: usize, text: &str, rule: Option<&Rule>) {
        if let Some((rule, problem)) = rule.and_then(|rule| Some((rule, (rule.check)(text).err()?))) {
            let issue = Issue::new(rule.severity, rule.reason, self.path.clone(), at, problem);
            self.issues.push(issue.with_hint(rule.hint));
        }
    }

    fn word(
        &mut self,
        at: usize,
        word: &str,
        words: &[&'static str],
        same: fn(&str, &str) -> bool,
    ) -> Option<Value> {
        if word.is_empty() {
            return None;
        }
        let found = words.iter().find(|known| same(known, word));
        if found.is_none() {
            let hint = nearest(word, words.iter().copied()).map(|near| format!("did you mean {near:?}?"));
            self.issue("wrong-value", at, format!("{word:?} is none of {}", words.join(", ")), hint);
        }
        found.map(|word| Value::Text((*word).to_owned()))
    }

    fn whole(&mut self, at: usize, digits: &str) -> Option<i64> {
        let number = digits.parse().ok();
        if number.is_none() {
            self.issue("wrong-type", at, format!("must be a whole number, not {digits}"), None);
        }
        number
    }

    fn texts(&mut self, key: &Key) -> Read<Vec<String>> {
        let mut texts = Vec::new();
        self.each(|walk, at| {
            match walk.reader.token()? {
                Token::Text(text) => texts.extend(walk.text(at, text.trim(), key.rule)),
                other => {
                    walk.wrong(at, "a text", &other, false);
                    walk.rest(at, &other)?;
                }
            }
            Ok(())
        })?;
        Ok(texts)
    }

    fn map(&mut self) -> Read<BTreeMap<String, String>> {
        let mut map = BTreeMap::new();
        self.reader.enter();
        let mut first = true;
        while let Some((name, key_at)) = self.reader.key(first)? {
            first = false;
            if name.starts_with(COMMENT) {
                self.reader.skip(DEEPEST)?;
                continue;
            }
            let length = self.path.len();
            let _ = write!(self.path, "[{name}]");
            let at = self.reader.position();
            match self.reader.token()? {
                Token::Text(text) => {
                    if map.insert(name.to_string(), text.into_owned()).is_some() {
                        self.issue("duplicate-key", key_at, "this key is there twice".to_owned(), None);
                    }
                }
                other => {
                    self.wrong(at, "a text", &other, false);
                    self.rest(at, &other)?;
                }
            }
            self.path.truncate(length);
        }
        Ok(map)
    }

    fn records(&mut self, keys: &'static [&'static Key]) -> Read<Vec<BTreeMap<&'static str, Value>>> {
        let mut records = Vec::new();
        self.each(|walk, at| {
            match walk.reader.token()? {
                Token::Object => records.push(walk.record(keys)?),
                other => {
                    walk.wrong(at, "an object", &other, false);
                    walk.rest(at, &other)?;
                }
            }
            Ok(())
        })?;
        Ok(records)
    }

    fn record(&mut self, keys: &'static [&'static Key]) -> Read<BTreeMap<&'static str, Value>> {
        let mut record = BTreeMap::new();
        self.reader.enter();
        let mut first = true;
        while let Some((name, at)) = self.reader.key(first)? {
            first = false;
            let length = self.path.len();
            self.step(&name);
            if let Some(key) = keys.iter().find(|key| key.path.eq_ignore_ascii_case(&name)) {
                if let Some(value) = self.value(key)?
                    && record.insert(key.path, value).is_some()
                {
                    self.issue("duplicate-key", at, "this key is there twice".to_owned(), None);
                }
            } else {
                let hint = nearest(&name, keys.iter().map(|key| key.path)).map(did_you_mean);
                self.issue("unknown-key", at, "there is no such key".to_owned(), hint);
                self.reader.skip(DEEPEST)?;
            }
            self.path.truncate(length);
        }
        Ok(record)
    }

    fn each(&mut self, mut read: impl FnMut(&mut Self, usize) -> Read<()>) -> Read<()> {
        self.reader.enter();
        let mut index = 0_usize;
        while self.reader.element(index == 0)? {
            let length = self.path.len();
            let _ = write!(self.path, "[{index}]");
            let at = self.reader.position();
            read(self, at)?;
            self.path.truncate(length);
            index += 1;
        }
        Ok(())
    }

    /// Steps over a value of which one token was read; scalars are over by then.
    fn rest(&mut self, at: usize, token: &Token<'_>) -> Read<()> {
        if matches!(token, Token::Object | Token::List) {
            self.reader.rewind(at);
            self.reader.skip(DEEPEST)?;
        }
        Ok(())
    }

    fn wrong(&mut self, at: usize, wanted: &str, found: &Token<'_>, secret: bool) {
        let found = match found {
            Token::Null => "null",
            Token::Bool(_) => "true or false",
            Token::Number(_) => "a number",
            Token::Text(_) => "a text",
            Token::Object => "an object",
            Token::List => "a list",
        };
        let hint = (wanted == "a text" && !secret).then(|| "put it in quotes".to_owned());
        let hint = hint.filter(|_| matches!(found, "a number" | "true or false"));
        self.issue("wrong-type", at, format!("must be {wanted}, not {found}"), hint);
    }

    fn issue(&mut self, reason: &'static str, at: usize, message: String, hint: Option<String>) {
        let issue = Issue::new(Severity::Error, reason, self.path.clone(), at, message);
        self.issues.push(Issue { hint, ..issue });
    }

    fn step(&mut self, name: &str) {
        if !self.path.is_empty() {
            self.path.push('.');
        }
        self.path.push_str(name);
    }
}

const fn wanted(shape: Shape) -> &'static str {
    match shape {
        Shape::Text | Shape::Secret | Shape::Word(_) | Shape::AnyCase(_) => "a text",
        Shape::Switch => "true or false",
        Shape::Whole => "a whole number",
        Shape::Texts | Shape::Secrets => "a list of texts",
        Shape::Map => "an object of texts",
        Shape::Duration => "a duration such as \"10m\"",
        Shape::Records(_) => "a list of objects",
        Shape::Unread => "anything",
    }
}
