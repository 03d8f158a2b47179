//! The files that say how an attempt ended: events, the result, and last the sentinel that makes it valid.

use std::io;
use std::path::{Path, PathBuf};

use slipway_apply::{lower_sentinel, raise_sentinel};
use slipway_host::{Host, now, os_text};
use slipway_model::Attributes;
use slipway_scripts::paths;
use slipway_timeline::NativeResult;

/// What an attempt made: a node, or an image.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Product {
    Node,
    Image,
}

impl Product {
    const fn sentinel(self) -> &'static str {
        match self {
            Self::Node => paths::COMPLETE,
            Self::Image => paths::PREPARED,
        }
    }
}

/// A file of the result that could not be written, and why.
pub(crate) type Unpublished = (PathBuf, String);

/// Takes an earlier attempt's sentinel away: until this attempt has ended, nobody knows how it will.
pub(crate) fn sweep(host: &dyn Host, product: Product) -> Result<(), Unpublished> {
    let path = Path::new(product.sentinel());
    lower_sentinel(host, path).map_err(|error| (path.to_owned(), os_text(&error)))
}

/// Writes events and result, then the sentinel. An event that cannot be written is not worth a failure; a result is.
pub(crate) fn publish(host: &dyn Host, product: Product, result: &NativeResult) -> Result<(), Unpublished> {
    sweep(host, product)?;
    let first = now().timestamp().as_nanosecond();
    for (number, event) in (0_i128..).zip(result.events()) {
        let path = Path::new(paths::EVENTS).join(format!("{}.json", first + number));
        if place(host, &path, event.json().as_bytes(), 0o644, false).is_err() {
            break;
        }
    }
    let path = Path::new(paths::RESULT);
    place(host, path, result.json().as_bytes(), 0o600, true)
        .map_err(|error| (path.to_owned(), os_text(&error)))?;
    let path = Path::new(product.sentinel());
    raise_sentinel(host, path, Attributes::root(0o600)).map_err(|error| (path.to_owned(), os_text(&error)))
}

/// Puts a file in place, complete or not at all.
fn place(host: &dyn Host, path: &Path, content: &[u8], mode: u32, durable: bool) -> io::Result<()> {
    let parent = path.parent().unwrap_or(Path::new("/"));
    directories(host, parent)?;
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let temporary = parent.join(format!(".{name}.slipway-new"));
    removed(host, &temporary)?;
    let mut file = host.create(&temporary, Attributes::root(mode))?;
    file.write_all(content)?;
    if durable {
        file.sync()?;
    }
    host.rename(&temporary, path)
}

fn directories(host: &dyn Host, path: &Path) -> io::Result<()> {
    if host.entry(path)?.is_some() {
        return Ok(());
    }
    if let Some(parent) = path.parent() {
        directories(host, parent)?;
    }
    match host.make_directory(path, Attributes::root(0o755)) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        other => other,
    }
}

fn removed(host: &dyn Host, path: &Path) -> io::Result<()> {
    match host.remove(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        other => other,
    }
}
