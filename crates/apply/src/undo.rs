//! Paths put back to what they were.

use std::io;
use std::path::{Path, PathBuf};

use slipway_host::{EntryKind, Host, Modified};
use slipway_model::Attributes;

use crate::carry::carry;
use crate::home;
use crate::ledger::{Entry, State, Was};
use crate::reset::ResetOptions;
use crate::tree::{There, look, make_directory, put_file, put_link};

/// What came of undoing something.
pub(crate) enum Undone {
    /// There was nothing to undo.
    Nothing,
    /// It is as it was before.
    Done,
    /// It is left as it is, for this reason.
    Kept(String),
}

/// A file as it was before it was moved: where, when it changed last, its size.
pub(crate) type Origin = (PathBuf, Modified, u64);

/// Everything that happened to one path, or one move from a path to another.
pub(crate) enum Item {
    Path {
        path: PathBuf,
        was: Was,
        leaves: Vec<State>,
        fetched: Vec<(Modified, u64)>,
        origin: Option<Origin>,
    },
    Attributes {
        path: PathBuf,
        was: Attributes,
        leaves: Vec<Attributes>,
    },
    Moved {
        from: PathBuf,
        to: PathBuf,
        attributes: Attributes,
        modified: Modified,
        size: u64,
    },
}

/// The paths of a ledger, in the order in which they were first touched.
pub(crate) fn items(entries: &[Entry]) -> Vec<Item> {
    let mut items: Vec<Item> = Vec::new();
    for entry in entries.iter().cloned() {
        match entry {
            Entry::Path { path, was, leaves } => match (find(&mut items, &path), was) {
                (Some(Item::Path { leaves: all, .. }), _) => all.push(leaves),
                (_, Some(was)) => {
                    let origin = origin(&items, &path);
                    items.push(Item::Path { path, was, leaves: vec![leaves], fetched: Vec::new(), origin });
                }
                _ => {}
            },
            Entry::Fetched { path, modified, size, .. } => {
                if let Some(Item::Path { fetched, .. }) = find(&mut items, &path) {
                    fetched.push((modified, size));
                }
            }
            Entry::Attributes { path, was, leaves } => {
                let known = items.iter_mut().find_map(|item| match item {
                    Item::Attributes { path: other, leaves, .. } if *other == path => Some(leaves),
                    _ => None,
                });
                match known {
                    Some(all) => all.push(leaves),
                    None => items.push(Item::Attributes { path, was, leaves: vec![leaves] }),
                }
            }
            Entry::Moved { from, to, attributes, modified, size } => {
                items.push(Item::Moved { from, to, attributes, modified, size });
            }
            Entry::Home { .. }
            | Entry::Setting { .. }
            | Entry::Unit { .. }
            | Entry::Mount { .. }
            | Entry::Traces { .. }
            | Entry::Image { .. }
            | Entry::Swap { .. }
            | Entry::Program { .. } => {}
        }
    }
    items
}

fn find<'a>(items: &'a mut [Item], path: &Path) -> Option<&'a mut Item> {
    items.iter_mut().find(|item| matches!(item, Item::Path { path: other, .. } if other == path))
}

/// Where the file at a path was moved from.
fn origin(items: &[Item], path: &Path) -> Option<Origin> {
    items.iter().rev().find_map(|item| match item {
        Item::Moved { from, to, modified, size, .. } if to == path => Some((from.clone(), *modified, *size)),
        _ => None,
    })
}

impl Item {
    pub(crate) fn path(&self) -> &Path {
        match self {
            Self::Path { path, .. } | Self::Attributes { path, .. } => path,
            Self::Moved { to, .. } => to,
        }
    }

    pub(crate) fn undo(&self, host: &dyn Host, options: ResetOptions) -> io::Result<Undone> {
        match self {
            Self::Path { path, origin: Some(origin), .. } if is_back(host, path, origin)? => {
                Ok(Undone::Nothing)
            }
            Self::Path { path, was, leaves, fetched, .. } => {
                undo_path(host, options, path, was, leaves, fetched)
            }
            Self::Attributes { path, was, leaves } => {
                let Some(now) = host.entry(path)? else { return Ok(Undone::Nothing) };
                if now.attributes == *was {
                    return Ok(Undone::Nothing);
                }
                if !leaves.contains(&now.attributes) && !options.force {
                    return Ok(Undone::Kept("someone changed its mode or owner since".to_owned()));
                }
                act(options, || host.set_attributes(path, *was))
            }
            Self::Moved { from, to, attributes, modified, size } => {
                undo_move(host, options, (from, to), *attributes, (*modified, *size))
            }
        }
    }
}

/// Whether a file that was moved here and then edited is back where it came from: a reset was cut short after that.
fn is_back(host: &dyn Host, path: &Path, (from, modified, size): &Origin) -> io::Result<bool> {
    if host.entry(path)?.is_some() {
        return Ok(false);
    }
    Ok(host.entry(from)?.is_some_and(|found| (found.modified, found.size) == (*modified, *size)))
}

fn undo_path(
    host: &dyn Host,
    options: ResetOptions,
    path: &Path,
    was: &Was,
    leaves: &[State],
    fetched: &[(Modified, u64)],
) -> io::Result<Undone> {
    let kept = was.aside.as_ref().map(|name| Path::new(home::LEDGER).join(name));
    if let Some(kept) = &kept
        && host.entry(kept)?.is_none()
    {
        // It never went, or it is back already.
        return Ok(Undone::Nothing);
    }
    let entry = host.entry(path)?;
    let came = entry.is_some_and(|entry| fetched.contains(&(entry.modified, entry.size)));
    let there = if came { There::Other } else { look(host, path)? };
    let state = there.state();
    if kept.is_none() && state == was.state && !came {
        return same(host, options, path, was, leaves, entry.map(|entry| entry.modified));
    }
    let directory = matches!(there, There::Directory { .. });
    let made = directory && leaves.iter().any(|state| matches!(state, State::Directory { .. }));
    if !came && !made && !leaves.contains(&state) && !options.force {
        let what = if entry.is_none() { "removed" } else { "changed" };
        return Ok(Undone::Kept(format!("someone {what} it since")));
    }
    if directory && !options.dry_run {
        match host.remove_directory(path) {
            Err(error) if error.kind() == io::ErrorKind::DirectoryNotEmpty => {
                return Ok(Undone::Kept("there is something in it that is not ours".to_owned()));
            }
            other => other?,
        }
    }
    act(options, || match (&was.state, &kept) {
        (_, Some(kept)) => carry(host, kept, path),
        (State::Absent, _) if directory || entry.is_none() => Ok(()),
        (State::Absent, _) => host.remove(path),
        (State::Directory { attributes }, _) => make_directory(host, path, *attributes),
        (State::Link { target }, _) => put_link(host, path, target, was.owner.zip(was.modified)),
        (State::File { attributes, .. }, _) => {
            let copy = was.copy.as_deref().unwrap_or_default();
            let content = host.read(&Path::new(home::LEDGER).join(copy))?;
            put_file(host, path, *attributes, &content, was.modified)
        }
        (State::Other, _) => Ok(()),
    })
}

/// What is as it was may have been away meanwhile: then only its time differs.
fn same(
    host: &dyn Host,
    options: ResetOptions,
    path: &Path,
    was: &Was,
    leaves: &[State],
    now: Option<Modified>,
) -> io::Result<Undone> {
    match was.modified {
        Some(modified) if now != Some(modified) && leaves.contains(&was.state) => {
            act(options, || host.set_modified(path, modified))
        }
        _ => Ok(Undone::Nothing),
    }
}

fn undo_move(
    host: &dyn Host,
    options: ResetOptions,
    (from, to): (&Path, &Path),
    attributes: Attributes,
    (modified, size): (Modified, u64),
) -> io::Result<Undone> {
    let is_it = |path: &Path| -> io::Result<Option<Attributes>> {
        let found = host.entry(path)?.filter(|found| {
            found.kind == EntryKind::File && (found.modified, found.size) == (modified, size)
        });
        Ok(found.map(|found| found.attributes))
    };
    if let Some(now) = is_it(from)? {
        // It never went, or a reset ended before mode and owner were back.
        return if now == attributes {
            Ok(Undone::Nothing)
        } else {
            act(options, || host.set_attributes(from, attributes))
        };
    }
    if is_it(to)?.is_none() && !(options.force && host.entry(to)?.is_some()) {
        return Ok(Undone::Kept(format!(
            "someone changed it since, so it does not go back to {}",
            from.display()
        )));
    }
    act(options, || carry(host, to, from).and_then(|()| host.set_attributes(from, attributes)))
}

fn act(options: ResetOptions, act: impl FnOnce() -> io::Result<()>) -> io::Result<Undone> {
    if !options.dry_run {
        act()?;
    }
    Ok(Undone::Done)
}
