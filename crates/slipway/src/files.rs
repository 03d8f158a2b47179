//! The edge where commands meet files: names on the command line become texts.

#![expect(clippy::disallowed_methods, clippy::disallowed_types, reason = "this is the edge of the binary")]

use std::fs::{File, Permissions};
use std::io::{self, Read as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use crate::failure::Failure;

/// A file that the user named, with its text.
pub(crate) struct Input {
    /// How the file is called in messages.
    pub(crate) name: String,
    pub(crate) text: Vec<u8>,
}

/// Reads a file; `-` is standard input.
pub(crate) fn read(path: &Path) -> Result<Input, Failure> {
    if path.as_os_str() == "-" {
        let mut text = Vec::new();
        return match std::io::stdin().lock().read_to_end(&mut text) {
            Ok(_) => Ok(Input { name: "standard input".to_owned(), text }),
            Err(error) => Err(Failure::machine("file-unreadable", "cannot read standard input", error)),
        };
    }
    let name = path.display().to_string();
    match std::fs::read(path) {
        Ok(text) => Ok(Input { name, text }),
        Err(error) => Err(Failure::input("file-unreadable", format!("cannot read {name}"), error)
            .with_hint("check the path and your permissions; - reads standard input")),
    }
}

/// Opens a file to read it piece by piece.
pub(crate) fn open(path: &Path) -> Result<File, Failure> {
    File::open(path).map_err(|error| {
        Failure::input("file-unreadable", format!("cannot read {}", path.display()), error)
            .with_hint("check the path and your permissions")
    })
}

/// Whether there is something at a path.
pub(crate) fn exists(path: &Path) -> bool {
    path.symlink_metadata().is_ok()
}

/// A new file; one that is there is emptied.
pub(crate) fn create(path: &Path) -> Result<File, Failure> {
    File::create(path).map_err(|error| unwritable(path, &error))
}

/// Writes a file under another name, and gives it its own when all of it is there.
pub(crate) fn publish(path: &Path, write: impl FnOnce(&mut File) -> io::Result<()>) -> Result<(), Failure> {
    let mut new = path.as_os_str().to_owned();
    new.push(".new");
    let new = Path::new(&new);
    let mut file = create(new)?;
    let written = write(&mut file).and_then(|()| file.sync_all()).and_then(|()| std::fs::rename(new, path));
    written.map_err(|error| {
        discard(new);
        unwritable(path, &error)
    })
}

/// The same for what is its owner's alone, from its first byte.
pub(crate) fn publish_private(
    path: &Path,
    write: impl FnOnce(&mut File) -> io::Result<()>,
) -> Result<(), Failure> {
    publish(path, |file| {
        file.set_permissions(Permissions::from_mode(0o600))?;
        write(file)
    })
}

/// Removes a file that is of no use any more; one that cannot be removed is in nobody's way.
pub(crate) fn discard(path: &Path) {
    let _ = std::fs::remove_file(path);
}

fn unwritable(path: &Path, error: &io::Error) -> Failure {
    Failure::machine("file-unwritable", format!("cannot write {}", path.display()), error)
}
