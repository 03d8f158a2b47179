//! Which file systems were written to: a machine's tree is seldom on one only.

use std::collections::BTreeMap;
use std::io;
use std::os::fd::OwnedFd;
use std::sync::{Mutex, PoisonError};

use rustix::fs::{Mode, OFlags, fstat, openat, syncfs};

/// A directory of each file system that has changes, by device.
#[derive(Debug, Default)]
pub(super) struct Written(Mutex<BTreeMap<u64, OwnedFd>>);

impl Written {
    /// Remembers the file system of a directory that is about to be changed.
    pub(super) fn note(&self, directory: &OwnedFd) -> io::Result<()> {
        let device = fstat(directory)?.st_dev;
        let mut devices = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let std::collections::btree_map::Entry::Vacant(free) = devices.entry(device) {
            // A descriptor that only stands for a path cannot be synced.
            let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
            free.insert(openat(directory, ".", flags, Mode::empty())?);
        }
        Ok(())
    }

    /// Makes all changes durable, and holds none of the file systems any longer.
    pub(super) fn sync(&self) -> io::Result<()> {
        let mut devices = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        while let Some(device) = devices.first_entry() {
            syncfs(device.get())?;
            device.remove();
        }
        Ok(())
    }
}
