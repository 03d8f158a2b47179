//! Files, directories and links: what is there, what should be, and the way from one to the other in one instant.

use std::borrow::Cow;
use std::io;
use std::path::{Path, PathBuf};

use sha2::{Digest as _, Sha256};
use slipway_host::{EntryKind, Host, Modified, Writer};
use slipway_model::Attributes;

use crate::ledger::State;

/// The directories above a file that have to be made for it.
pub(crate) const ABOVE: Attributes = Attributes::root(0o755);

/// What should be at a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Wanted<'a> {
    Absent,
    Directory(Attributes),
    Link(Cow<'a, Path>),
    File { attributes: Attributes, content: Cow<'a, [u8]> },
}

/// What is at a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum There {
    Absent,
    Directory { attributes: Attributes },
    Link { target: PathBuf, attributes: Attributes, modified: Modified },
    File { attributes: Attributes, modified: Modified, content: Vec<u8> },
    Other,
}

/// A path and what should be there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Edit<'a> {
    pub(crate) path: Cow<'a, Path>,
    pub(crate) wanted: Wanted<'a>,
    /// Whether the content may be shown.
    pub(crate) secret: bool,
}

/// The name under which something comes into being before it takes its place: known to whoever cleans up after a crash.
pub(crate) fn beside(path: &Path) -> PathBuf {
    let mut name = std::ffi::OsString::from(".");
    name.push(path.file_name().unwrap_or_default());
    name.push(".slipway-new");
    path.with_file_name(name)
}

/// The SHA-256 of a content.
pub(crate) fn digest(content: &[u8]) -> String {
    hexadecimal(&Sha256::digest(content))
}

/// Bytes in lower-case digits.
pub(crate) fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().fold(String::with_capacity(2 * bytes.len()), |mut text, byte| {
        text.extend([byte >> 4, byte & 15].map(|half| char::from_digit(half.into(), 16).unwrap_or_default()));
        text
    })
}

pub(crate) fn look(host: &dyn Host, path: &Path) -> io::Result<There> {
    let Some(entry) = host.entry(path)? else { return Ok(There::Absent) };
    let (attributes, modified) = (entry.attributes, entry.modified);
    Ok(match entry.kind {
        EntryKind::File => There::File { attributes, modified, content: host.read(path)? },
        EntryKind::Directory => There::Directory { attributes },
        EntryKind::Link => There::Link { target: host.read_link(path)?, attributes, modified },
        EntryKind::Other => There::Other,
    })
}

impl There {
    pub(crate) fn state(&self) -> State {
        match self {
            Self::Absent => State::Absent,
            Self::Directory { attributes } => State::Directory { attributes: *attributes },
            Self::Link { target, .. } => State::Link { target: target.clone() },
            Self::File { attributes, content, .. } => {
                State::File { attributes: *attributes, sha256: digest(content) }
            }
            Self::Other => State::Other,
        }
    }
}

impl Wanted<'_> {
    pub(crate) fn state(&self) -> State {
        match self {
            Self::Absent => State::Absent,
            Self::Directory(attributes) => State::Directory { attributes: *attributes },
            Self::Link(target) => State::Link { target: target.to_path_buf() },
            Self::File { attributes, content } => {
                State::File { attributes: *attributes, sha256: digest(content) }
            }
        }
    }

    /// Whether there is nothing to do.
    pub(crate) fn is(&self, there: &There) -> bool {
        match (self, there) {
            (Self::Absent, There::Absent) => true,
            (Self::Directory(wanted), There::Directory { attributes }) => wanted == attributes,
            (Self::Link(wanted), There::Link { target, .. }) => wanted == target,
            (Self::File { attributes: wanted, content: text }, There::File { attributes, content, .. }) => {
                wanted == attributes && **text == **content
            }
            _ => false,
        }
    }
}

/// The directories above a path that are not there, the highest first.
pub(crate) fn missing_above(host: &dyn Host, path: &Path) -> io::Result<Vec<PathBuf>> {
    let mut missing = Vec::new();
    for above in path.ancestors().skip(1) {
        if above.parent().is_none() || host.entry(above)?.is_some() {
            break;
        }
        missing.push(above.to_owned());
    }
    missing.reverse();
    Ok(missing)
}

/// Makes a directory that another thread may be making as well.
pub(crate) fn make_directory(host: &dyn Host, path: &Path, attributes: Attributes) -> io::Result<()> {
    match host.make_directory(path, attributes) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        other => other,
    }
}

/// Puts a file in its place.
pub(crate) fn put_file(
    host: &dyn Host,
    path: &Path,
    attributes: Attributes,
    content: &[u8],
    modified: Option<Modified>,
) -> io::Result<()> {
    let new = beside(path);
    let made = open_new(host, &new, attributes)
        .and_then(|mut writer| writer.write_all(content))
        .and_then(|()| modified.map_or(Ok(()), |modified| host.set_modified(&new, modified)))
        .and_then(|()| host.rename(&new, path));
    cleaned(host, &new, made)
}

/// Puts a link in its place.
pub(crate) fn put_link(
    host: &dyn Host,
    path: &Path,
    target: &Path,
    owner: Option<(Attributes, Modified)>,
) -> io::Result<()> {
    let new = beside(path);
    let made = afresh(host, &new, || host.make_link(&new, target))
        .and_then(|()| match owner {
            None => Ok(()),
            Some((attributes, modified)) => {
                host.set_attributes(&new, attributes).and_then(|()| host.set_modified(&new, modified))
            }
        })
        .and_then(|()| host.rename(&new, path));
    cleaned(host, &new, made)
}

/// A new file under a name that only Slipway uses.
pub(crate) fn open_new(host: &dyn Host, new: &Path, attributes: Attributes) -> io::Result<Box<dyn Writer>> {
    afresh(host, new, || host.create(new, attributes))
}

/// What a crash left under the name goes first.
fn afresh<T>(host: &dyn Host, new: &Path, make: impl Fn() -> io::Result<T>) -> io::Result<T> {
    match make() {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            host.remove(new)?;
            make()
        }
        other => other,
    }
}

fn cleaned(host: &dyn Host, new: &Path, made: io::Result<()>) -> io::Result<()> {
    if made.is_err() {
        // The error that matters is the first one; a reset finds the rest.
        let _ = host.remove(new);
    }
    made
}
