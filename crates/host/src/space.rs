//! How full a disk is.

use std::io;
use std::path::Path;

use rustix::fs::statvfs;

/// What is left on the file system of a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Space {
    /// Bytes that are free for everyone.
    pub free: u64,
    /// All bytes.
    pub size: u64,
    /// Files that can still be made; `None` where the file system does not count them.
    pub free_files: Option<u64>,
}

/// What is left on the file system of a path.
pub fn space(path: &Path) -> io::Result<Space> {
    let found = statvfs(path)?;
    Ok(Space {
        free: found.f_bavail.saturating_mul(found.f_frsize),
        size: found.f_blocks.saturating_mul(found.f_frsize),
        free_files: (found.f_files > 0).then_some(found.f_favail),
    })
}
