//! Waiting for something in a directory to change.

use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::Path;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::inotify::{self, CreateFlags, WatchFlags};

/// Files that are completed or moved into a directory.
#[derive(Debug)]
pub struct Changes(OwnedFd);

impl Changes {
    /// Starts watching the directory of a file.
    pub fn beside(file: &Path) -> io::Result<Self> {
        let directory = file.parent().ok_or_else(|| io::Error::from(io::ErrorKind::InvalidInput))?;
        let events = inotify::init(CreateFlags::CLOEXEC | CreateFlags::NONBLOCK)?;
        inotify::add_watch(&events, directory, WatchFlags::CLOSE_WRITE | WatchFlags::MOVED_TO)?;
        Ok(Self(events))
    }

    /// Waits for the next change, or for one of these files to report a change of its own, or for the time to be over.
    pub fn wait_with(&self, others: &[BorrowedFd<'_>], left: Duration) -> io::Result<()> {
        let mut watched: Vec<PollFd<'_>> =
            others.iter().map(|other| PollFd::from_borrowed_fd(*other, PollFlags::PRI)).collect();
        watched.push(PollFd::from_borrowed_fd(self.0.as_fd(), PollFlags::IN));
        match poll(&mut watched, Timespec::try_from(left).ok().as_ref()) {
            Ok(_) | Err(rustix::io::Errno::INTR) => self.drain(),
            Err(error) => Err(error.into()),
        }
    }

    /// Forgets what has happened so far.
    fn drain(&self) -> io::Result<()> {
        let mut buffer = [const { MaybeUninit::uninit() }; 4096];
        let mut reader = inotify::Reader::new(&self.0, &mut buffer);
        loop {
            match reader.next() {
                Ok(_) | Err(rustix::io::Errno::INTR) => {}
                Err(rustix::io::Errno::AGAIN) => return Ok(()),
                Err(error) => return Err(error.into()),
            }
        }
    }
}
