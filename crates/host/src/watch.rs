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

use crate::files;

/// How waiting ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Waited {
    /// The file is there.
    Appeared,
    /// Time ran out first.
    TimedOut,
}

/// A watch on a directory for one name.
#[derive(Debug)]
pub struct Watch {
    events: OwnedFd,
    path: PathBuf,
}

impl Watch {
    /// Starts watching. What appears from now on is seen, so a look at the file after this call misses nothing.
    pub fn on(path: &Path) -> io::Result<Self> {
        let directory = path.parent().ok_or_else(|| io::Error::from(io::ErrorKind::InvalidInput))?;
        let events = inotify::init(inotify::CreateFlags::CLOEXEC | inotify::CreateFlags::NONBLOCK)?;
        inotify::add_watch(&events, directory, inotify::WatchFlags::CREATE | inotify::WatchFlags::MOVED_TO)?;
        Ok(Self { events, path: path.to_owned() })
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
                Err(rustix::io::Errno::INTR) => continue,
                Err(error) => return Err(error.into()),
            }
            if self.saw_it()? {
                return Ok(Waited::Appeared);
            }
        }
    }

    /// Reads what has happened so far; whether our name was among it. Events that were lost because there were too
    /// many make us look for ourselves.
    fn saw_it(&self) -> io::Result<bool> {
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
                Err(rustix::io::Errno::AGAIN) => return Ok(saw),
                Err(rustix::io::Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
        }
    }
}
