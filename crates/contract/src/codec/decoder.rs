//! The decoder: walks the text and the tables side by side, and notes what does not fit.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};

use super::decode::{COMMENT, Policy, Refused};
use super::message::{EnumValue, Key, Message, Value, enum_number};
use super::reader::{Problem, Reader, SyntaxError, Token};
use super::table::{MessageTable, Sensitivity};
use super::words::{Step, describe, kind, names, path, quote};
use crate::issue::{Issue, Severity};
use crate::suggest::nearest;

/// Messages may be nested this deep, containers inside unknown values counted in.
const DEEPEST: usize = 10_000;

/// A file with more issues than this is not a contract; the rest is counted, not listed.
pub(crate) const MOST_ISSUES: usize = 1_000;

/// The issues beyond [`MOST_ISSUES`]: how many, and how bad the worst of them is.
#[derive(Clone, Copy)]
struct Unlisted {
    count: usize,
    worst: Severity,
}

/// Reads values for the fields of messages; what the generated code talks to.
pub struct Decoder<'a> {
    json: Reader<'a>,
    policy: Policy,
    depth: usize,
    path: Vec<Step<'a>>,
    issues: Vec<Issue>,
    unlisted: Unlisted,
    places: Option<HashMap<String, usize>>,
}

impl<'a> Decoder<'a> {
    pub(super) fn new(text: &'a [u8], policy: Policy, with_places: bool) -> Self {
        Self {
            json: Reader::new(text),
            policy,
            depth: 0,
            path: Vec::new(),
            issues: Vec::new(),
            unlisted: Unlisted { count: 0, worst: Severity::Note },
            places: with_places.then(HashMap::new),
        }
    }

    /// Reads the whole text into a message.
    pub(super) fn document(&mut self, message: &mut dyn Message) -> Result<(), Refused> {
        let start = self.json.position();
        let result = self.message(message);
        if let Err(Refused::Wrong(found)) = &result {
            let message = format!("a contract is a JSON object: {found}");
            self.report(Severity::Error, "wrong-type", start, message, None);
        }
        result?;
        self.json.finish().map_err(|error| self.syntax(&error))
    }

    /// Everything there is to say, and the places; the text ends at `end`.
    pub(super) fn finish(mut self, end: usize) -> (Vec<Issue>, HashMap<String, usize>) {
        let Unlisted { count, worst } = self.unlisted;
        if count > 0 {
            let message = format!("{count} more issues are not listed");
            self.issues.push(Issue::new(worst, "too-many-issues", String::new(), end, message));
        }
        (self.issues, self.places.unwrap_or_default())
    }

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
            let hint = match self.suggest(name, E::TABLE.values.iter().map(|(name, _)| *name)) {
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
    #[inline]
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
            } else if self.json.peek() == Some(b'n') && self.json.token() == Ok(Token::Null) {
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
        match T::read(self) {
            Err(Refused::Wrong(message)) => {
                self.json.rewind(at);
                self.refuse("wrong-type", at, message, None)?;
                Ok(None)
            }
            read => {
                if matches!(read, Ok(Some(_))) {
                    self.place(at);
                }
                read
            }
        }
    }

    fn container(&mut self, opening: &Token<'_>, expected: &str) -> Result<bool, Refused> {
        let at = self.json.position();
        let token = self.token()?;
        if token == *opening {
            self.place(at);
            self.json.enter();
            return Ok(true);
        }
        let Refused::Wrong(message) = self.wrong(expected, &token) else { return Err(Refused::Stopped) };
        self.json.rewind(at);
        self.refuse("wrong-type", at, message, None)?;
        Ok(false)
    }

    /// Remembers where the value stands that the path leads to.
    fn place(&mut self, at: usize) {
        if self.places.is_some() {
            let path = self.path();
            self.places.get_or_insert_default().insert(path, at);
        }
    }

    #[inline]
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
            } else {
                self.suggest(&name, table.keys.iter().map(|(key, _)| *key))
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

    #[cold]
    fn syntax(&mut self, error: &SyntaxError) -> Refused {
        self.report(Severity::Error, "syntax", error.at, error.problem.describe().to_owned(), None);
        Refused::Stopped
    }

    #[cold]
    fn report(
        &mut self,
        severity: Severity,
        reason: &'static str,
        at: usize,
        message: String,
        hint: Option<&str>,
    ) {
        // What ended the reading is always listed.
        if self.issues.len() >= MOST_ISSUES && reason != "syntax" {
            self.unlisted.count += 1;
            self.unlisted.worst = self.unlisted.worst.max(severity);
            return;
        }
        let issue = Issue::new(severity, reason, self.path(), at, message);
        self.issues.push(match hint {
            Some(hint) => issue.with_hint(hint),
            None => issue,
        });
    }

    /// What was probably meant. Looking costs time, so it ends where issues are no longer listed.
    fn suggest<'k>(&self, word: &str, known: impl IntoIterator<Item = &'k str>) -> Option<&'k str> {
        if self.issues.len() < MOST_ISSUES { nearest(word, known) } else { None }
    }

    fn hides_values(&self) -> bool {
        self.path
            .iter()
            .any(|step| matches!(step, Step::Field(field) if field.sensitivity != Sensitivity::Public))
    }

    fn path(&self) -> String {
        path(&self.path)
    }
}
