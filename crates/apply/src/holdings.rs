//! What Slipway left on a machine, and whether it is still so. A look costs one question about each path; a file is read
//! only if it is not as it was when it was last found good.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use slipway_host::{Entry as Found, EntryKind, Host, Modified};
use slipway_model::Attributes;

use crate::home;
use crate::ledger::{Entry, Ledger, State};
use crate::tree::look;

/// Every path that Slipway wrote, with what it left there last.
#[derive(Debug, Default)]
pub struct Holdings {
    held: BTreeMap<PathBuf, Held>,
}

#[derive(Debug)]
struct Held {
    left: Left,
    good: Good,
}

/// How a path looked when it was last found good.
#[derive(Debug, PartialEq, Eq)]
enum Good {
    Never,
    Like(Option<Found>),
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Left {
    State(State),
    /// Too large to be read again and again: time and size tell.
    Brought {
        modified: Modified,
        size: u64,
    },
}

/// Something that is no longer as Slipway left it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Strayed {
    /// Where.
    pub path: PathBuf,
    /// What is different, in a few words.
    pub how: &'static str,
}

impl Holdings {
    /// What the record says, but for what is at or below these paths, which belongs to services that go on with it.
    pub fn open(host: &dyn Host, except: &[&str]) -> io::Result<Self> {
        let mut holdings = Self::default();
        if !home::exists(host)? {
            return Ok(holdings);
        }
        for entry in Ledger::open(host)?.entries() {
            let (path, left) = match entry {
                Entry::Path { path, leaves, .. } => (path, Left::State(leaves)),
                Entry::Fetched { path, modified, size, .. } => (path, Left::Brought { modified, size }),
                Entry::Moved { to, modified, size, .. } => (to, Left::Brought { modified, size }),
                _ => continue,
            };
            if except.iter().any(|place| path.starts_with(place)) {
                continue;
            }
            // Making room for what comes is not the end of it.
            let on_its_way = left == Left::State(State::Absent) && holdings.brought(&path);
            if !on_its_way {
                holdings.held.insert(path, Held { left, good: Good::Never });
            }
        }
        Ok(holdings)
    }

    /// How many paths there are.
    pub fn len(&self) -> usize {
        self.held.len()
    }

    /// Whether nothing was left anywhere.
    pub fn is_empty(&self) -> bool {
        self.held.is_empty()
    }

    /// What is not as it was left; nothing is touched.
    pub fn look(&mut self, host: &dyn Host) -> io::Result<Vec<Strayed>> {
        let mut strayed = Vec::new();
        for (path, held) in &mut self.held {
            let found = host.entry(path)?;
            if held.good == Good::Like(found) {
                continue;
            }
            match held.left.differs(host, path, found)? {
                None => held.good = Good::Like(found),
                Some(how) => strayed.push(Strayed { path: path.clone(), how }),
            }
        }
        Ok(strayed)
    }

    /// Takes what is there now for good: an attempt has just ended well, and what it left alone is not wanted otherwise.
    pub fn settle(&mut self, host: &dyn Host) -> io::Result<()> {
        for (path, held) in &mut self.held {
            held.good = Good::Like(host.entry(path)?);
        }
        Ok(())
    }

    fn brought(&self, path: &Path) -> bool {
        self.held.get(path).is_some_and(|held| matches!(held.left, Left::Brought { .. }))
    }
}

impl Left {
    fn differs(
        &self,
        host: &dyn Host,
        path: &Path,
        found: Option<Found>,
    ) -> io::Result<Option<&'static str>> {
        let Some(found) = found else {
            return Ok((*self != Self::State(State::Absent)).then_some("gone"));
        };
        Ok(match self {
            Self::Brought { modified, size } => {
                let same =
                    found.kind == EntryKind::File && found.modified == *modified && found.size == *size;
                (!same).then_some("another file")
            }
            Self::State(State::Absent) => Some("here again"),
            Self::State(State::Other) => None,
            Self::State(State::Directory { attributes }) => match found.kind {
                EntryKind::Directory => other_mode(found.attributes, *attributes),
                // An owner may keep a directory elsewhere and link to it.
                EntryKind::Link if host.list(path).is_ok() => None,
                _ => Some("no directory"),
            },
            Self::State(state @ (State::File { .. } | State::Link { .. })) => {
                let there = look(host, path)?.state();
                match (state, &there) {
                    _ if *state == there => None,
                    (
                        State::File { attributes, sha256 },
                        State::File { attributes: now, sha256: content },
                    ) if sha256 == content => other_mode(*now, *attributes),
                    _ => Some("changed"),
                }
            }
        })
    }
}

fn other_mode(now: Attributes, wanted: Attributes) -> Option<&'static str> {
    (now != wanted).then_some("another mode or owner")
}
