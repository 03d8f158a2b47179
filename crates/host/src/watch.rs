//! Waiting for a file to appear, without polling and without a gap in which it could be missed.

use std::ffi::OsStr;
use std::io;
use std::mem::MaybeUninit;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::inotify;
use rustix::io::Errno;

use crate::files;

/// How waiting ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Waited {
    /// The file is there.
    Appeared,
    /// Time ran out first.
    TimedOut,
}

/// A watch for one file.
#[derive(Debug)]
pub struct Watch {
    events: OwnedFd,
    path: PathBuf,
    follows_path: bool,
}

impl Watch {
    /// Watches the file's directory, as it is now. What appears in it from now on is seen, so a look at the file after
    /// this call misses nothing; a directory that takes its place is not seen.
    pub fn on(path: &Path) -> io::Result<Self> {
        let watch = Self::new(path, false)?;
        let directory = path.parent().ok_or_else(|| io::Error::from(io::ErrorKind::InvalidInput))?;
        watch.add(directory)?;
        Ok(watch)
    }

    /// Watches the whole way to the file: its directory may be removed and made again, or not be there yet.
    pub fn along(path: &Path) -> io::Result<Self> {
        let watch = Self::new(path, true)?;
        watch.add_way()?;
        Ok(watch)
    }

    /// Waits until the file is there or the time is over.
    pub fn wait(&self, timeout: Option<Duration>) -> io::Result<Waited> {
        let deadline = timeout.map(|timeout| Instant::now() + timeout);
        if files::exists(&self.path) {
            return Ok(Waited::Appeared);
        }
        loop {
            let left = deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
            if left.is_some_and(|left| left.is_zero()) {
                return Ok(Waited::TimedOut);
            }
            let left = left.and_then(|left| Timespec::try_from(left).ok());
            match poll(&mut [PollFd::new(&self.events, PollFlags::IN)], left.as_ref()) {
                Ok(_) => {}
                Err(Errno::INTR) => continue,
                Err(error) => return Err(error.into()),
            }
            let named = self.drain()?;
            let appeared = if self.follows_path {
                self.add_way()?;
                files::exists(&self.path)
            } else {
                named
            };
            if appeared {
                return Ok(Waited::Appeared);
            }
        }
    }

    fn new(path: &Path, follows_path: bool) -> io::Result<Self> {
        let events = inotify::init(inotify::CreateFlags::CLOEXEC | inotify::CreateFlags::NONBLOCK)?;
        Ok(Self { events, path: path.to_owned(), follows_path })
    }

    /// Watches a directory; one that is watched already stays so.
    fn add(&self, directory: &Path) -> Result<(), Errno> {
        let mut what = inotify::WatchFlags::CREATE | inotify::WatchFlags::MOVED_TO;
        if self.follows_path {
            what |= inotify::WatchFlags::DELETE_SELF | inotify::WatchFlags::MOVE_SELF;
        }
        inotify::add_watch(&self.events, directory, what).map(|_| ())
    }

    /// Watches every directory on the way that is there, from the top, so that one that appears meanwhile is met below
    /// a watch that stands already.
    fn add_way(&self) -> io::Result<()> {
        let above: Vec<&Path> = self.path.ancestors().skip(1).collect();
        for directory in above.into_iter().rev() {
            match self.add(directory) {
                Ok(()) => {}
                Err(Errno::NOENT | Errno::NOTDIR) => break,
                Err(error) => return Err(error.into()),
            }
        }
        Ok(())
    }

    /// Reads what has happened so far; whether our name was among it. Events that were lost because there were too
    /// many make us look for ourselves.
    fn drain(&self) -> io::Result<bool> {
        let name = self.path.file_name().map(OsStr::as_bytes);
        let mut buffer = [const { MaybeUninit::uninit() }; 4096];
        let mut reader = inotify::Reader::new(&self.events, &mut buffer);
        let mut saw = false;
        loop {
            match reader.next() {
                Ok(event) => {
                    let overflow = event.events().contains(inotify::ReadFlags::QUEUE_OVERFLOW);
                    saw |= event.file_name().map(std::ffi::CStr::to_bytes) == name;
                    saw |= overflow && files::exists(&self.path);
                }
                Err(Errno::AGAIN) => return Ok(saw),
                Err(Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
        }
    }
}
