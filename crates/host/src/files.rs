//! Files, written so that no reader ever sees half of one.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

/// A file's content.
pub fn read(path: &Path) -> io::Result<Vec<u8>> {
    fs::read(path)
}

/// A file's content as text.
pub fn read_text(path: &Path) -> io::Result<String> {
    fs::read_to_string(path)
}

/// Whether something is at a path, links followed.
pub fn exists(path: &Path) -> bool {
    fs::metadata(path).is_ok()
}

/// Whether two paths lead to the same file.
pub fn is_same_file(one: &Path, other: &Path) -> bool {
    let identity = |path: &Path| fs::metadata(path).ok().map(|found| (found.dev(), found.ino()));
    identity(one).is_some_and(|found| identity(other) == Some(found))
}

/// Whether there is certainly nothing at a path. A path that leads through a file is not known to be absent.
pub fn is_absent(path: &Path) -> bool {
    fs::metadata(path).is_err_and(|error| error.kind() == io::ErrorKind::NotFound)
}

/// Whether a regular file is at a path, links followed.
pub fn is_regular(path: &Path) -> io::Result<bool> {
    Ok(fs::metadata(path)?.is_file())
}

/// Removes a file; one that is not there is removed already.
pub fn remove(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        // A read-only disk complains before it looks.
        Err(_) if fs::symlink_metadata(path).is_err_and(|error| error.kind() == io::ErrorKind::NotFound) => {
            Ok(())
        }
        other => other,
    }
}

/// Makes a directory and those above it, 0755.
pub fn make_directory(path: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o755).create(path)
}

/// Makes an empty file; `Ok(false)` where something is there already.
pub fn touch_new(path: &Path, mode: u32) -> io::Result<bool> {
    match OpenOptions::new().write(true).create_new(true).mode(mode).open(path) {
        Ok(_) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(false),
        Err(error) => Err(error),
    }
}

/// Puts a file in place, complete or not at all: written beside its name, made durable, then renamed. It has its mode
/// before it has its content.
pub fn publish(path: &Path, content: &[u8], mode: u32) -> io::Result<()> {
    put(path, content, mode, File::sync_all)
}

/// The same without waiting for the disk, for what a power cut may take with it.
pub fn place(path: &Path, content: &[u8], mode: u32) -> io::Result<()> {
    put(path, content, mode, |_| Ok(()))
}

fn put(path: &Path, content: &[u8], mode: u32, settle: fn(&File) -> io::Result<()>) -> io::Result<()> {
    let temporary = beside(path)?;
    let written = (|| {
        let mut file = OpenOptions::new().write(true).create_new(true).mode(mode).open(&temporary)?;
        file.write_all(content)?;
        settle(&file)?;
        fs::rename(&temporary, path)
    })();
    if written.is_err() {
        // The error that matters is the first one.
        let _ = fs::remove_file(&temporary);
    }
    written
}

/// A file that lines are added to.
#[derive(Debug)]
pub struct Appender(File);

impl Appender {
    /// Opens the file, or makes it with this mode.
    pub fn open(path: &Path, mode: u32) -> io::Result<Self> {
        OpenOptions::new().append(true).create(true).mode(mode).open(path).map(Self)
    }

    /// Adds a line, its end included, in one piece.
    pub fn add(&self, line: &[u8]) -> io::Result<()> {
        (&self.0).write_all(line)
    }
}

/// A name beside a path that nobody else uses: one process writes one file at a time under it.
fn beside(path: &Path) -> io::Result<PathBuf> {
    let name = path.file_name().ok_or_else(|| io::Error::from(io::ErrorKind::InvalidInput))?;
    let mut hidden = std::ffi::OsString::from(".");
    hidden.push(name);
    hidden.push(format!(".{}", std::process::id()));
    let temporary = path.with_file_name(hidden);
    // What a killed process of the same number left behind.
    match fs::remove_file(&temporary) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(temporary),
    }
}
