//! Names of keys and paths, and what was probably meant by others.

use std::collections::BTreeSet;

use slipway_contract::nearest;

use super::keys::KEYS;

/// What of a key's path is below an object's.
pub(super) fn below<'p>(key: &'p str, object: &str) -> Option<&'p str> {
    if object.is_empty() { Some(key) } else { key.strip_prefix(object)?.strip_prefix('.') }
}

pub(super) fn first_name(path: &str) -> &str {
    path.split_once('.').map_or(path, |(first, _)| first)
}

pub(super) fn joined(above: &str, name: &str) -> String {
    if above.is_empty() { name.to_owned() } else { format!("{above}.{name}") }
}

pub(super) fn did_you_mean(name: &str) -> String {
    format!("did you mean {name}?")
}

/// A key that is nearly this one, or one of the same name in another place.
pub(super) fn suggestion(name: &str, object: &str, known: &BTreeSet<&'static str>) -> Option<String> {
    let elsewhere = || KEYS.iter().find(|key| key.name().eq_ignore_ascii_case(name)).map(|key| key.path);
    match nearest(name, known.iter().copied()) {
        Some(near) => Some(did_you_mean(&joined(object, near))),
        None => elsewhere().map(did_you_mean),
    }
}
