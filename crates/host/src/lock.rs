//! One attempt at a time.

use std::fs::{File, OpenOptions};
use std::io::{self, Read as _, Seek as _, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;

use rustix::fs::{FlockOperation, flock};

/// A lock that is held until it is dropped, or until the process ends in whatever way.
#[derive(Debug)]
pub struct Lock {
    _file: File,
}

/// Why a lock was not had.
#[derive(Debug)]
pub enum Held {
    /// Another process has it; this is what it wrote about itself.
    By(String),
    /// It could not be tried.
    Error(io::Error),
}

impl Lock {
    /// What whoever changes this machine holds meanwhile.
    pub const MACHINE: &str = "/run/slipway-provision.lock";

    /// Takes the lock and leaves a line about who holds it.
    pub fn take(path: &Path, holder: &str) -> Result<Self, Held> {
        let mut file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .mode(0o600)
            .open(path)
            .map_err(Held::Error)?;
        match flock(&file, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => {}
            Err(rustix::io::Errno::WOULDBLOCK) => {
                let mut other = String::new();
                // Not knowing who holds it does not make it free.
                let _ = file.read_to_string(&mut other);
                return Err(Held::By(other.trim().to_owned()));
            }
            Err(error) => return Err(Held::Error(error.into())),
        }
        let written = file.set_len(0).and_then(|()| file.rewind()).and_then(|()| writeln!(file, "{holder}"));
        written.map_err(Held::Error)?;
        Ok(Self { _file: file })
    }

    /// Takes the lock on a directory; nothing is written, so nothing tells who holds it.
    pub fn directory(path: &Path) -> Result<Self, Held> {
        let file = File::open(path).map_err(Held::Error)?;
        match flock(&file, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => Ok(Self { _file: file }),
            Err(rustix::io::Errno::WOULDBLOCK) => Err(Held::By(String::new())),
            Err(error) => Err(Held::Error(error.into())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_second_taker_learns_who_holds_it() {
        let path = std::env::temp_dir().join(format!("slipway-lock-{}", std::process::id()));
        let lock = Lock::take(&path, "the first").unwrap();
        assert!(matches!(Lock::take(&path, "the second"), Err(Held::By(holder)) if holder == "the first"));
        drop(lock);
        assert!(Lock::take(&path, "the third").is_ok());
        let directory = std::env::temp_dir().join(format!("slipway-lock-{}.d", std::process::id()));
        std::fs::create_dir(&directory).unwrap();
        let lock = Lock::directory(&directory).unwrap();
        assert!(matches!(Lock::directory(&directory), Err(Held::By(holder)) if holder.is_empty()));
        drop(lock);
        std::fs::remove_dir(&directory).unwrap();
        std::fs::remove_file(path).unwrap();
    }
}
