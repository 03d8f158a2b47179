//! The files that say how an attempt ended: events, the result, and last the sentinel that makes it valid.

use std::io;
use std::path::{Path, PathBuf};

use slipway_apply::{lower_sentinel, raise_sentinel};
use slipway_host::{Host, Writer, now, os_text};
use slipway_model::Attributes;
use slipway_scripts::paths;
use slipway_timeline::NativeResult;

/// What an attempt made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Product {
    Node,
    /// A machine whose contract asks for preparation only; whoever ordered it waits for the result.
    Prepared,
    /// An image, because the command said so. It gets no events and no result, which every node made from it would have
    /// before it began; the sentinel says that it is prepared.
    Image,
}

impl Product {
    const fn sentinel(self) -> &'static str {
        match self {
            Self::Node => paths::COMPLETE,
            Self::Prepared | Self::Image => paths::PREPARED,
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
    if product != Product::Image {
        // Events explain; who waits for the result does not wait for them.
        let _ = leave_events(host, result);
        let path = Path::new(paths::RESULT);
        leave_result(host, path, result).map_err(|error| (path.to_owned(), os_text(&error)))?;
    } else if result.failure.is_some() {
        return Ok(());
    }
    let path = Path::new(product.sentinel());
    raise_sentinel(host, path, Attributes::root(0o600)).map_err(|error| (path.to_owned(), os_text(&error)))
}

fn leave_events(host: &dyn Host, result: &NativeResult) -> io::Result<()> {
    let directory = Path::new(paths::EVENTS);
    directories(host, directory)?;
    // One name for all, so that a crash leaves nothing that the next attempt does not find.
    let new = directory.join(".slipway-new");
    let first = now().timestamp().as_nanosecond();
    let mut left = Ok(());
    for (number, event) in (0_i128..).zip(result.events()) {
        let path = directory.join(format!("{}.json", first + number));
        let written = fresh(host, &new, 0o644).and_then(|mut file| file.write_all(event.json().as_bytes()));
        // One that cannot be written does not take the others along.
        left = left.and(renamed(host, &new, &path, written));
    }
    left
}

fn leave_result(host: &dyn Host, path: &Path, result: &NativeResult) -> io::Result<()> {
    let directory = path.parent().unwrap_or(Path::new("/"));
    directories(host, directory)?;
    let new = directory.join(".provision.json.slipway-new");
    let written = fresh(host, &new, 0o600).and_then(|mut file| {
        file.write_all(result.json().as_bytes())?;
        file.sync()
    });
    renamed(host, &new, path, written)
}

/// Gives a file its name once it is written; what could not be written goes.
fn renamed(host: &dyn Host, new: &Path, path: &Path, written: io::Result<()>) -> io::Result<()> {
    let placed = written.and_then(|()| host.rename(new, path));
    if placed.is_err() {
        // The error that matters is the first one.
        let _ = host.remove(new);
    }
    placed
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
