//! What a configuration says, key by key, with places.

use std::collections::{BTreeMap, BTreeSet};

use slipway_model::{GoDuration, Secret, Source};

use super::key::{Default, Fate, Key};
use super::keys::KEYS;

/// A value that fits its key's shape.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Value {
    Text(String),
    Secret(Secret<String>),
    Switch(bool),
    Whole(i64),
    Texts(Vec<String>),
    Secrets(Vec<Secret<String>>),
    Map(BTreeMap<String, String>),
    Duration(GoDuration),
    Records(Vec<BTreeMap<&'static str, Value>>),
    Unread,
}

/// Everything that a text says, before defaults.
#[derive(Debug, Clone, std::default::Default)]
pub(crate) struct Values {
    given: BTreeMap<&'static str, (Value, usize)>,
    /// Objects that are there, by their paths, with their places.
    objects: BTreeMap<String, usize>,
    /// Keys that are there and could not be read.
    refused: BTreeSet<&'static str>,
}

impl Values {
    pub(super) fn set(&mut self, key: &Key, value: Value, at: usize) {
        self.given.insert(key.path, (value, at));
    }

    pub(super) fn open(&mut self, path: &str, at: usize) {
        self.objects.insert(path.to_owned(), at);
    }

    pub(super) fn refuse(&mut self, path: &'static str) {
        self.refused.insert(path);
    }

    /// Whether an object is there, even an empty one.
    pub(crate) fn has(&self, path: &str) -> bool {
        self.objects.contains_key(path)
    }

    /// Whether a key is there, under this name.
    pub(crate) fn is_set(&self, key: &Key) -> bool {
        self.given.contains_key(key.path)
    }

    /// Whether a key is not there under any name; one that could not be read is there.
    pub(super) fn is_missing(&self, key: &Key) -> bool {
        !named(key).any(|name| self.given.contains_key(name.path) || self.refused.contains(name.path))
    }

    /// Where a key is, or else the nearest object that it should be in.
    pub(super) fn place(&self, path: &str) -> usize {
        if let Some((_, at)) = self.given.get(path) {
            return *at;
        }
        let mut path = path;
        loop {
            if let Some(at) = self.objects.get(path) {
                return *at;
            }
            match path.rsplit_once('.') {
                Some((above, _)) => path = above,
                None => return self.objects.get("").copied().unwrap_or_default(),
            }
        }
    }

    /// The value of a key, under its own name before older ones.
    pub(crate) fn value(&self, key: &Key) -> Option<&Value> {
        named(key).find_map(|name| self.given.get(name.path)).map(|(value, _)| value)
    }

    /// Where the value of a key came from.
    pub(crate) fn source(&self, key: &Key) -> Source {
        let said = named(key).find(|name| self.is_set(name));
        Source::Flex { key: said.map_or(key.path, |name| name.path).into(), set: said.is_some() }
    }

    pub(crate) fn text(&self, key: &Key) -> Option<&str> {
        match (self.value(key), key.default) {
            (Some(Value::Text(text)), _) => Some(text),
            (None, Default::Text(text)) => Some(text),
            _ => None,
        }
    }

    /// A text, or nothing as an empty one.
    pub(crate) fn words(&self, key: &Key) -> String {
        self.text(key).unwrap_or_default().to_owned()
    }

    pub(crate) fn secret(&self, key: &Key) -> Option<&Secret<String>> {
        if let Some(Value::Secret(secret)) = self.value(key) { Some(secret) } else { None }
    }

    pub(crate) fn switch(&self, key: &Key) -> Option<bool> {
        match (self.value(key), key.default) {
            (Some(Value::Switch(on)), _) => Some(*on),
            (None, Default::Switch(on)) => Some(on),
            _ => None,
        }
    }

    pub(crate) fn whole(&self, key: &Key) -> i64 {
        match (self.value(key), key.default) {
            (Some(Value::Whole(number)), _) => *number,
            (_, Default::Whole(number)) => number,
            _ => 0,
        }
    }

    pub(crate) fn texts(&self, key: &Key) -> &[String] {
        if let Some(Value::Texts(texts)) = self.value(key) { texts } else { &[] }
    }

    pub(crate) fn secrets(&self, key: &Key) -> &[Secret<String>] {
        if let Some(Value::Secrets(secrets)) = self.value(key) { secrets } else { &[] }
    }

    pub(crate) fn map(&self, key: &Key) -> BTreeMap<String, String> {
        if let Some(Value::Map(map)) = self.value(key) { map.clone() } else { BTreeMap::new() }
    }

    pub(crate) fn duration(&self, key: &Key) -> GoDuration {
        match (self.value(key), key.default) {
            (Some(Value::Duration(duration)), _) => *duration,
            (_, Default::Text(text)) => GoDuration::parse(text).unwrap_or_default(),
            _ => GoDuration::default(),
        }
    }

    /// Whether a key is there and says something else than its default.
    pub(crate) fn differs(&self, key: &Key) -> bool {
        match (self.given.get(key.path), key.default) {
            (None, _) => false,
            (Some((Value::Switch(on), _)), Default::Switch(default)) => *on != default,
            (Some((Value::Records(records), _)), _) => !records.is_empty(),
            (Some((Value::Texts(texts), _)), _) => !texts.is_empty(),
            (Some(_), _) => true,
        }
    }
}

/// A key and its older names.
fn named(key: &Key) -> impl Iterator<Item = &Key> {
    let aliases = KEYS.iter().copied().filter(|other| other.fate == Fate::Alias(key.path));
    std::iter::once(key).chain(aliases)
}
