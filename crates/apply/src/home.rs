//! Where the record of what was done lives. It appears whole and goes whole, together with the directories above it that
//! had to be made for it, so that a crash leaves nothing behind that the next attempt or reset would not know.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};

use slipway_host::{EntryKind, Host};
use slipway_model::Attributes;

use crate::ledger::Entry;
use crate::tree::beside;

pub(crate) const STATE: &str = "/var/lib/slipway";

/// Attempts, steps, changes.
pub(crate) const JOURNAL: &str = "/var/lib/slipway/journal.jsonl";
/// What was there before.
pub(crate) const LEDGER: &str = "/var/lib/slipway/ledger";
/// The ledger's entries; the contents of files are beside them.
pub(crate) const ENTRIES: &str = "/var/lib/slipway/ledger/entries.jsonl";

/// The key that a certificate was asked for with.
pub(crate) const BOOTSTRAP_KEY: &str = "/var/lib/slipway/bootstrap.key";

const CHAIN: [(&str, u32); 3] = [("/var", 0o755), ("/var/lib", 0o755), (STATE, 0o700)];

/// Whether there is a record.
pub(crate) fn exists(host: &dyn Host) -> io::Result<bool> {
    Ok(host.entry(Path::new(LEDGER))?.is_some())
}

/// Removes what a crash left of a record that was being made or removed.
pub(crate) fn sweep(host: &dyn Host) -> io::Result<()> {
    for (path, _) in CHAIN {
        clear(host, &beside(Path::new(path)))?;
    }
    Ok(())
}

/// Makes the record's place if there is none.
pub(crate) fn make(host: &dyn Host) -> io::Result<()> {
    if exists(host)? {
        return Ok(());
    }
    let mut missing = CHAIN.len();
    for (at, (path, _)) in CHAIN.iter().enumerate() {
        if host.entry(Path::new(path))?.is_none() {
            missing = at;
            break;
        }
    }
    let Some((top, _)) = CHAIN.get(missing) else {
        return host.make_directory(Path::new(LEDGER), Attributes::root(0o700));
    };
    let newborn = beside(Path::new(top));
    let born = fill(host, &newborn, &CHAIN[missing..]).and_then(|()| host.rename(&newborn, Path::new(top)));
    if born.is_err() {
        // The error that matters is the first one; the next attempt sweeps the rest.
        let _ = clear(host, &newborn);
    }
    born
}

/// Makes the last links of the chain, the first of them under another name, and the ledger with its first entry.
fn fill(host: &dyn Host, newborn: &Path, chain: &[(&str, u32)]) -> io::Result<()> {
    let top = chain.first().map_or(STATE, |(path, _)| path);
    let within = |path: &str| match Path::new(path).strip_prefix(top) {
        Ok(rest) if rest.as_os_str().is_empty() => newborn.to_owned(),
        Ok(rest) => newborn.join(rest),
        Err(_) => PathBuf::from(path),
    };
    for (path, mode) in chain {
        host.make_directory(&within(path), Attributes::root(*mode))?;
    }
    host.make_directory(&within(LEDGER), Attributes::root(0o700))?;
    let made = chain.iter().map(|(path, _)| PathBuf::from(path)).collect();
    let mut line = serde_json::to_vec(&Entry::Home { made })?;
    line.push(b'\n');
    let mut entries = host.create(&within(ENTRIES), Attributes::root(0o600))?;
    entries.write_all(&line)?;
    entries.sync()
}

/// Removes the record, and of the directories above it those that were made for it and hold nothing else.
pub(crate) fn remove(host: &dyn Host, made: &[PathBuf]) -> io::Result<()> {
    let mut top = PathBuf::from(STATE);
    while let (Some(above), Some(name)) = (top.parent(), top.file_name()) {
        let only: Vec<OsString> = vec![name.to_owned()];
        if !made.iter().any(|path| path == above) || host.list(above)? != only {
            break;
        }
        top = above.to_owned();
    }
    let gone = beside(&top);
    host.rename(&top, &gone)?;
    host.sync()?;
    clear(host, &gone)?;
    host.sync()
}

/// Removes a tree that is ours.
pub(crate) fn clear(host: &dyn Host, path: &Path) -> io::Result<()> {
    match host.entry(path)?.map(|entry| entry.kind) {
        None => Ok(()),
        Some(EntryKind::Directory) => {
            for name in host.list(path)? {
                clear(host, &path.join(name))?;
            }
            host.remove_directory(path)
        }
        Some(_) => host.remove(path),
    }
}
