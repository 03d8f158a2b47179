//! The files that say how an attempt ended: events, the result, and last the sentinel that makes it valid.

use std::io;
use std::path::{Path, PathBuf};

use slipway_apply::{lower_sentinel, raise_sentinel};
use slipway_host::{Host, Writer, now, os_text};
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
    // Events explain; who waits for the result does not wait for them.
    let _ = leave_events(host, result);
    let path = Path::new(paths::RESULT);
    leave_result(host, path, result).map_err(|error| (path.to_owned(), os_text(&error)))?;
    let path = Path::new(product.sentinel());
    raise_sentinel(host, path, Attributes::root(0o600)).map_err(|error| (path.to_owned(), os_text(&error)))
}

fn leave_events(host: &dyn Host, result: &NativeResult) -> io::Result<()> {
    let directory = Path::new(paths::EVENTS);
    directories(host, directory)?;
    let first = now().timestamp().as_nanosecond();
    for (number, event) in (0_i128..).zip(result.events()) {
        // One name for all, so that a crash leaves nothing that the next attempt does not find.
        let new = directory.join(".slipway-new");
        fresh(host, &new, 0o644)?.write_all(event.json().as_bytes())?;
        host.rename(&new, &directory.join(format!("{}.json", first + number)))?;
    }
    Ok(())
}

fn leave_result(host: &dyn Host, path: &Path, result: &NativeResult) -> io::Result<()> {
    let directory = path.parent().unwrap_or(Path::new("/"));
    directories(host, directory)?;
    let new = directory.join(".provision.json.slipway-new");
    let mut file = fresh(host, &new, 0o600)?;
    file.write_all(result.json().as_bytes())?;
    file.sync()?;
    host.rename(&new, path)
}

/// A new file; what a crash left under its name goes.
fn fresh(host: &dyn Host, path: &Path, mode: u32) -> io::Result<Box<dyn Writer>> {
    match host.create(path, Attributes::root(mode)) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            host.remove(path)?;
            host.create(path, Attributes::root(mode))
        }
        other => other,
    }
}

fn directories(host: &dyn Host, path: &Path) -> io::Result<()> {
    if host.entry(path)?.is_some() {
        return Ok(());
    }
    if let Some(parent) = path.parent() {
        directories(host, parent)?;
    }
    host.make_directory(path, Attributes::root(0o755))
}
