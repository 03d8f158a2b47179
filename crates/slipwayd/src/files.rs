//! Files that the service is told of: read at the start, and again when they change.
//!
//! Secrets and config maps of Kubernetes change under a running service. What cannot be read or understood leaves
//! the last good content in force: a half-written file must not end a service that works.

#![expect(clippy::disallowed_methods, reason = "reading its configuration is the service's business")]

use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, RwLock};

/// Why the content of a file cannot be used.
#[derive(Debug, thiserror::Error)]
pub(crate) enum FileError {
    /// It cannot be read.
    #[error("{}: {problem}", path.display())]
    Unreadable {
        /// Which file.
        path: PathBuf,
        /// What the system says.
        problem: std::io::Error,
    },
    /// It was read, and is not what it should be.
    #[error("{}: {problem}", path.display())]
    Unusable {
        /// Which file.
        path: PathBuf,
        /// What is wrong with it, without its content.
        problem: String,
    },
}

/// What tells one version of a file from the next: device, inode, length, and when it was written.
type Stamp = (u64, u64, u64, i64, i64);

/// What was made of some files, kept current.
pub(crate) struct Watched<T> {
    files: Vec<PathBuf>,
    read: Reader<T>,
    current: RwLock<Arc<T>>,
    seen: Mutex<Vec<Option<Stamp>>>,
}

/// Makes a value of the contents of the files, in their order, and of the value before; an error names the file by its
/// place.
type Reader<T> = Box<dyn Fn(&[Vec<u8>], Option<&T>) -> Result<T, (usize, String)> + Send + Sync>;

/// Something that follows its files.
pub(crate) trait Refresh: Send + Sync {
    /// Looks whether the files changed. `None` when they did not, otherwise whether the new content is in force.
    fn refresh(&self) -> Option<Result<(), FileError>>;
    /// The first of the files, to speak of all of them.
    fn name(&self) -> &Path;
}

impl<T> Watched<T> {
    /// Reads the files for the first time.
    pub(crate) fn open(
        files: Vec<PathBuf>,
        read: impl Fn(&[Vec<u8>], Option<&T>) -> Result<T, (usize, String)> + Send + Sync + 'static,
    ) -> Result<Self, FileError> {
        let seen = files.iter().map(|path| stamp(path)).collect();
        let read: Reader<T> = Box::new(read);
        let first = load(&files, &read, None)?;
        Ok(Self { files, read, current: RwLock::new(Arc::new(first)), seen: Mutex::new(seen) })
    }

    /// The last good content.
    pub(crate) fn current(&self) -> Arc<T> {
        Arc::clone(&self.current.read().unwrap_or_else(PoisonError::into_inner))
    }
}

impl<T: Send + Sync> Refresh for Watched<T> {
    fn refresh(&self) -> Option<Result<(), FileError>> {
        let stamps: Vec<_> = self.files.iter().map(|path| stamp(path)).collect();
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        if *seen == stamps {
            return None;
        }
        *seen = stamps;
        Some(load(&self.files, &self.read, Some(self.current().as_ref())).map(|value| {
            *self.current.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(value);
        }))
    }

    fn name(&self) -> &Path {
        self.files.first().map_or(Path::new(""), PathBuf::as_path)
    }
}

fn load<T>(files: &[PathBuf], read: &Reader<T>, before: Option<&T>) -> Result<T, FileError> {
    let contents = files.iter().map(|path| {
        std::fs::read(path).map_err(|problem| FileError::Unreadable { path: path.clone(), problem })
    });
    let contents = contents.collect::<Result<Vec<_>, _>>()?;
    read(&contents, before).map_err(|(at, problem)| FileError::Unusable {
        path: files.get(at).cloned().unwrap_or_default(),
        problem,
    })
}

fn stamp(path: &Path) -> Option<Stamp> {
    let file = std::fs::metadata(path).ok()?;
    Some((file.dev(), file.ino(), file.len(), file.mtime(), file.mtime_nsec()))
}
