//! The environment that the scripts are started with: what we inherited, and the variables.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::ffi::{OsStr, OsString};
use std::fmt;

use slipway_model::Mode;

use crate::variables::Variables;

/// A complete environment, secrets included; printing it shows names only.
#[derive(Clone, PartialEq, Eq)]
pub struct Environment<'a>(BTreeMap<Cow<'a, OsStr>, Cow<'a, OsStr>>);

impl Environment<'_> {
    /// Names and values, for the one process that they are meant for.
    pub fn iter(&self) -> impl Iterator<Item = (&OsStr, &OsStr)> {
        self.0.iter().map(|(name, value)| (&**name, &**value))
    }

    /// The value of a variable.
    pub fn get(&self, name: &str) -> Option<&OsStr> {
        self.0.get(OsStr::new(name)).map(|value| &**value)
    }
}

impl fmt::Debug for Environment<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_set().entries(self.0.keys()).finish()
    }
}

/// Adds the variables to an inherited environment.
///
/// Where a name is in both, the contract wins. The peer sorts whole `NAME=VALUE` texts and lets the last one win, so
/// in [`Mode::Compat`] the value that is larger byte by byte does.
pub fn environment<'a>(
    inherited: impl IntoIterator<Item = (OsString, OsString)>,
    variables: &'a Variables<'a>,
    mode: Mode,
) -> Environment<'a> {
    let mut merged = BTreeMap::new();
    let inherited = inherited.into_iter().map(|(name, value)| (Cow::Owned(name), Cow::Owned(value)));
    let ours = variables
        .iter()
        .map(|value| (Cow::Borrowed(OsStr::new(value.name())), Cow::Borrowed(OsStr::new(value.reveal()))));
    for (name, value) in inherited.chain(ours) {
        match merged.entry(name) {
            Entry::Vacant(free) => {
                free.insert(value);
            }
            Entry::Occupied(mut taken) => {
                if mode == Mode::Ours || value.as_encoded_bytes() > taken.get().as_encoded_bytes() {
                    taken.insert(value);
                }
            }
        }
    }
    Environment(merged)
}
