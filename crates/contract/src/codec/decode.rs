//! Reading a message from JSON text: one decoder, two policies.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::fmt::Write as _;

use super::message::{EnumValue, Key, Message, Value, enum_number};
use super::reader::{Problem, Reader, SyntaxError, Token};
use super::table::{Field, MessageTable, Sensitivity};
use crate::issue::{Issue, Severity, locate};
use crate::suggest::nearest;

/// Messages may be nested this deep, containers inside unknown values counted in.
const DEEPEST: usize = 10_000;

/// A file with more issues than this is not a contract; the rest is counted, not listed.
pub(crate) const MOST_ISSUES: usize = 1_000;

/// Keys that start like this are comments. Every reader of the contract ignores them.
pub const COMMENT: &str = "//";

/// What to do about a value that cannot be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Policy {
    /// Skip it, report it, keep everything else.
    Careful,
    /// Stop there and keep what was read so far, as the Go program does.
    Compatible,
}

/// Why a value was not read.
#[derive(Debug)]
pub enum Refused {
    /// Reading ended here; the reason is among the issues.
    Stopped,
    /// The value is not what the field takes. The reader stands behind it or at its opening bracket.
    Wrong(String),
}

/// A message as it was read, with everything there is to say about its text.
#[derive(Debug)]
pub struct Decoded<M> {
    /// What was understood.
    pub message: M,
    /// All issues, in the order of the text.
    pub issues: Vec<Issue>,
    /// Whether reading ended before the end of the text, so that what followed is not in the message.
    pub stopped: bool,
    /// Where each value that was read stands, by path; empty unless asked for.
    pub places: HashMap<String, usize>,
}

/// Reads a message.
pub fn decode<M: Message + Default>(text: &[u8], policy: Policy) -> Decoded<M> {
    run(text, policy, false)
}

/// Reads a message and remembers where each value stands.
pub fn decode_with_places<M: Message + Default>(text: &[u8], policy: Policy) -> Decoded<M> {
    run(text, policy, true)
}

fn run<M: Message + Default>(text: &[u8], policy: Policy, with_places: bool) -> Decoded<M> {
    let mut decoder = Decoder {
        json: Reader::new(text),
        policy,
        depth: 0,
        path: Vec::new(),
        issues: Vec::new(),
        unlisted: 0,
        places: with_places.then(HashMap::new),
    };
    let mut message = M::default();
    let start = decoder.json.position();
    let mut result = decoder.message(&mut message);
    if result.is_ok() {
        result = decoder.json.finish().map_err(|error| decoder.syntax(&error));
    }
    if let Err(Refused::Wrong(found)) = &result {
        decoder.report(
            Severity::Error,
            "wrong-type",
            start,
            format!("a contract is a JSON object, not {found}"),
            None,
        );
    }
    if decoder.unlisted > 0 {
        let message = format!("{} more issues are not listed", decoder.unlisted);
        decoder.path.clear();
        decoder.issues.push(Issue::new(
            Severity::Error,
            "too-many-issues",
            String::new(),
            text.len(),
            message,
        ));
    }
    let Decoder { mut issues, places, .. } = decoder;
    let stopped = result.is_err();
    if stopped && policy == Policy::Compatible {
        // The first pass ended at the first error. What a reader should know about the rest comes from a
        // careful second pass; only what the message holds is the first one's.
        issues = run::<M>(text, Policy::Careful, false).issues;
    }
    locate(text, &mut issues);
    Decoded { message, issues, stopped, places: places.unwrap_or_default() }
}

enum Step<'a> {
    Field(&'static Field),
    Index(usize),
    Key(Cow<'a, str>),
}

/// Reads values for the fields of messages; what the generated code talks to.
pub struct Decoder<'a> {
    json: Reader<'a>,
    policy: Policy,
    depth: usize,
    path: Vec<Step<'a>>,
    issues: Vec<Issue>,
    unlisted: usize,
    places: Option<HashMap<String, usize>>,
}

impl<'a> Decoder<'a> {
    /// Reads a field that has no presence.
    pub fn singular<T: Value>(&mut self, into: &mut T) -> Result<(), Refused> {
        if let Some(value) = self.value()? {
            *into = value;
        }
        Ok(())
    }

    /// Reads a field that has presence.
    pub fn optional<T: Value>(&mut self, into: &mut Option<T>) -> Result<(), Refused> {
        if let Some(value) = self.value()? {
            *into = Some(value);
        }
        Ok(())
    }

    /// Reads a message that can hold itself.
    pub fn boxed<T: Value>(&mut self, into: &mut Option<Box<T>>) -> Result<(), Refused> {
        if let Some(value) = self.value()? {
            *into = Some(Box::new(value));
        }
        Ok(())
    }

    /// Reads a list. Elements read before an error stay.
    pub fn list<T: Value>(&mut self, into: &mut Vec<T>) -> Result<(), Refused> {
        if !self.container(&Token::List, "a list")? {
            return Ok(());
        }
        for index in 0.. {
            if !self.json.element(index == 0).map_err(|error| self.syntax(&error))? {
                break;
            }
            self.path.push(Step::Index(index));
            into.extend(self.value()?);
            self.path.pop();
        }
        Ok(())
    }

    /// Reads a map. Entries read before an error stay.
    pub fn map<K: Key, T: Value>(&mut self, into: &mut BTreeMap<K, T>) -> Result<(), Refused> {
        if !self.container(&Token::Object, "an object")? {
            return Ok(());
        }
        let mut first = true;
        while let Some((name, at)) = self.key(first)? {
            first = false;
            self.path.push(Step::Key(name.clone()));
            match K::parse(&name) {
                None => {
                    self.refuse("invalid-key", at, format!("a key has to be {} here", K::EXPECTED), None)?;
                }
                Some(key) if into.contains_key(&key) => {
                    let message = "the key stands here a second time; the first value counts".to_owned();
                    self.refuse("duplicate-key", at, message, Some("remove one of the two"))?;
                }
                Some(key) => {
                    if let Some(value) = self.value()? {
                        into.insert(key, value);
                    }
                }
            }
            self.path.pop();
        }
        Ok(())
    }

    /// Reads an enum value. A name that is not known is ignored, a number is kept.
    pub fn enumeration<E: EnumValue>(&mut self) -> Result<Option<E>, Refused> {
        let at = self.json.position();
        let token = self.token()?;
        if let Token::Text(name) = &token {
            if let Some(number) = E::TABLE.number(name) {
                return Ok(Some(E::from_number(number)));
            }
            let message = format!("{} is not a value of {}: it is ignored", quote(name), E::TABLE.name);
            let hint = match nearest(name, E::TABLE.values.iter().map(|(name, _)| *name)) {
                Some(meant) => format!("did you mean {meant}?"),
                None => format!("known values: {}", names(E::TABLE.values.iter().map(|(name, _)| *name))),
            };
            self.report(Severity::Warning, "unknown-enum-value", at, message, Some(&hint));
            return Ok(None);
        }
        let number = enum_number(&token).ok_or_else(|| self.wrong("a name or a 32-bit number", &token))?;
        if E::TABLE.name_of(number).is_none() {
            let message = format!("{number} is not a known number of {}", E::TABLE.name);
            self.report(Severity::Warning, "unknown-enum-value", at, message, None);
        }
        Ok(Some(E::from_number(number)))
    }

    /// The next value's first token.
    pub(super) fn token(&mut self) -> Result<Token<'a>, Refused> {
        self.json.token().map_err(|error| self.syntax(&error))
    }

    /// Says that a token is not what the field takes.
    pub(super) fn wrong(&self, expected: &str, found: &Token<'_>) -> Refused {
        let found = if self.hides_values() { kind(found).to_owned() } else { describe(found) };
        Refused::Wrong(format!("expected {expected}, found {found}"))
    }

    /// Reads an object into a message, field by field.
    pub(super) fn message(&mut self, message: &mut dyn Message) -> Result<(), Refused> {
        let token = self.token()?;
        if token != Token::Object {
            return Err(self.wrong("an object", &token));
        }
        self.depth += 1;
        if self.depth > DEEPEST {
            let error = SyntaxError { at: self.json.position(), problem: Problem::TooDeep };
            return Err(self.syntax(&error));
        }
        self.json.enter();
        let table = message.table();
        let (mut seen, mut chosen): (u64, u64) = (0, 0);
        let (mut first, mut expected) = (true, 0);
        while let Some((name, at)) = self.key(first)? {
            first = false;
            let Some(index) = table.find(&name, expected) else {
                self.unknown(table, name, at)?;
                continue;
            };
            expected = index + 1;
            let field = &table.fields[index];
            self.path.push(Step::Field(field));
            if seen & (1 << index) != 0 {
                let message = format!("{} is set a second time; the first value counts", field.name);
                let hint = "remove one of the two; proto name and JSON name are the same field";
                self.refuse("duplicate-field", at, message, Some(hint))?;
            } else if self.json.peek() == Some(b'n') && self.token()? == Token::Null {
                seen |= 1 << index;
                self.report(Severity::Note, "null-ignored", at, "null means unset".to_owned(), None);
            } else if field.oneof.is_some_and(|group| chosen & (1 << group) != 0) {
                seen |= 1 << index;
                let message = "another field that excludes this one is set already".to_owned();
                self.refuse("excluded-field", at, message, Some("keep one of them"))?;
            } else {
                seen |= 1 << index;
                chosen |= field.oneof.map_or(0, |group| 1 << group);
                message.read_field(index, self)?;
            }
            self.path.pop();
        }
        self.depth -= 1;
        Ok(())
    }

    fn value<T: Value>(&mut self) -> Result<Option<T>, Refused> {
        let at = self.json.position();
        if self.places.is_some() {
            let path = self.path();
            self.places.get_or_insert_default().insert(path, at);
        }
        match T::read(self) {
            Err(Refused::Wrong(message)) => {
                self.json.rewind(at);
                self.refuse("wrong-type", at, message, None)?;
                Ok(None)
            }
            read => read,
        }
    }

    fn container(&mut self, opening: &Token<'_>, expected: &str) -> Result<bool, Refused> {
        let at = self.json.position();
        let token = self.token()?;
        if token == *opening {
            if self.places.is_some() {
                let path = self.path();
                self.places.get_or_insert_default().insert(path, at);
            }
            self.json.enter();
            return Ok(true);
        }
        let Refused::Wrong(message) = self.wrong(expected, &token) else { return Err(Refused::Stopped) };
        self.json.rewind(at);
        self.refuse("wrong-type", at, message, None)?;
        Ok(false)
    }

    fn key(&mut self, first: bool) -> Result<Option<(Cow<'a, str>, usize)>, Refused> {
        self.json.key(first).map_err(|error| self.syntax(&error))
    }

    fn unknown(
        &mut self,
        table: &'static MessageTable,
        name: Cow<'a, str>,
        at: usize,
    ) -> Result<(), Refused> {
        if !name.starts_with(COMMENT) {
            let hint = if table.retired.contains(&&*name) {
                Some("the contract had this field once; remove it".to_owned())
            } else if self.issues.len() >= MOST_ISSUES {
                // Nobody will read it.
                None
            } else {
                nearest(&name, table.keys.iter().map(|(key, _)| *key))
                    .map(|meant| format!("did you mean {meant}?"))
            };
            let message = format!("{} has no field {}: it is ignored", table.name, quote(&name));
            self.path.push(Step::Key(name));
            self.report(Severity::Warning, "unknown-field", at, message, hint.as_deref());
            self.path.pop();
        }
        self.skip()
    }

    fn skip(&mut self) -> Result<(), Refused> {
        self.json.skip(DEEPEST - self.depth).map_err(|error| self.syntax(&error))
    }

    /// Reports a value that cannot be used and steps over it, or stops there.
    fn refuse(
        &mut self,
        reason: &'static str,
        at: usize,
        message: String,
        hint: Option<&str>,
    ) -> Result<(), Refused> {
        self.report(Severity::Error, reason, at, message, hint);
        match self.policy {
            Policy::Careful => self.skip(),
            Policy::Compatible => Err(Refused::Stopped),
        }
    }

    fn syntax(&mut self, error: &SyntaxError) -> Refused {
        self.report(Severity::Error, "syntax", error.at, error.problem.describe().to_owned(), None);
        Refused::Stopped
    }

    fn report(
        &mut self,
        severity: Severity,
        reason: &'static str,
        at: usize,
        message: String,
        hint: Option<&str>,
    ) {
        if self.issues.len() >= MOST_ISSUES {
            self.unlisted += 1;
            return;
        }
        let issue = Issue::new(severity, reason, self.path(), at, message);
        self.issues.push(match hint {
            Some(hint) => issue.with_hint(hint),
            None => issue,
        });
    }

    fn hides_values(&self) -> bool {
        self.path
            .iter()
            .any(|step| matches!(step, Step::Field(field) if field.sensitivity != Sensitivity::Public))
    }

    fn path(&self) -> String {
        let mut path = String::new();
        for (depth, step) in self.path.iter().enumerate() {
            let known = matches!(step, Step::Field(_));
            let plain = match step {
                Step::Field(field) => field.name,
                Step::Key(key) => key,
                Step::Index(index) => {
                    // Writing to a string cannot fail.
                    let _ = write!(path, "[{index}]");
                    continue;
                }
            };
            let in_map = depth > 0 && matches!(&self.path[depth - 1], Step::Field(field) if is_map(field));
            if known || !in_map && is_word(plain) {
                path.push_str(if path.is_empty() { "" } else { "." });
                path.push_str(plain);
            } else {
                path.push_str(&map_key(plain));
            }
        }
        path
    }
}

fn is_map(field: &Field) -> bool {
    field.label == super::table::Label::Map
}

fn is_word(text: &str) -> bool {
    !text.is_empty()
        && text.len() <= 80
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-')
}

/// How a map's key stands in a path: `["key"]`.
pub fn map_key(key: &str) -> String {
    format!("[{}]", quote(key))
}

/// A text in quotes, shortened, with nothing in it that a terminal would act on.
pub(crate) fn quote(text: &str) -> String {
    const LONGEST: usize = 60;
    let mut shown: String = text.chars().take(LONGEST).collect();
    if shown.len() < text.len() {
        shown.push('…');
    }
    format!("\"{}\"", shown.escape_debug())
}

/// A list of names for people.
pub(crate) fn names<'n>(names: impl Iterator<Item = &'n str>) -> String {
    names.collect::<Vec<_>>().join(", ")
}

fn kind(token: &Token<'_>) -> &'static str {
    match token {
        Token::Null => "null",
        Token::Bool(_) => "a boolean",
        Token::Number(_) => "a number",
        Token::Text(_) => "a string",
        Token::Object => "an object",
        Token::List => "a list",
    }
}

fn describe(token: &Token<'_>) -> String {
    match token {
        Token::Bool(value) => value.to_string(),
        Token::Number(digits) if digits.len() <= 40 => (*digits).to_owned(),
        Token::Text(text) => format!("the string {}", quote(text)),
        other => kind(other).to_owned(),
    }
}
