//! Moving things, also from one file system to another.

use std::io;
use std::path::Path;

use slipway_host::Host;

use crate::home::clear;
use crate::tree::{There, beside, look, make_directory, put_file, put_link};

/// Moves a file, a link or a tree. Across file systems it is copied first; at each moment one of the two is whole.
pub(crate) fn carry(host: &dyn Host, from: &Path, to: &Path) -> io::Result<()> {
    match host.rename(from, to) {
        Err(error) if error.kind() == io::ErrorKind::CrossesDevices => {}
        other => return other,
    }
    let new = beside(to);
    clear(host, &new)?;
    copy(host, from, &new)?;
    host.sync()?;
    host.rename(&new, to)?;
    clear(host, from)
}

fn copy(host: &dyn Host, from: &Path, to: &Path) -> io::Result<()> {
    match look(host, from)? {
        There::Absent => Ok(()),
        There::File { attributes, modified, content } => {
            put_file(host, to, attributes, &content, Some(modified))
        }
        There::Link { target, attributes, modified } => {
            put_link(host, to, &target, Some((attributes, modified)))
        }
        There::Directory { attributes } => {
            make_directory(host, to, attributes)?;
            for name in host.list(from)? {
                copy(host, &from.join(&name), &to.join(&name))?;
            }
            let modified = host.entry(from)?.map(|entry| entry.modified);
            modified.map_or(Ok(()), |modified| host.set_modified(to, modified))
        }
        There::Other => {
            let reason = format!("{} is a device, a pipe or a socket", from.display());
            Err(io::Error::new(io::ErrorKind::Unsupported, reason))
        }
    }
}
