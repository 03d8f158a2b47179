//! What the lab is doing, on standard error: one line per part, with the time it took.

use std::io::{IsTerminal as _, Write as _, stderr};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use crate::Error;

/// A display of progress. On a terminal the seconds of the present part are counted.
#[derive(Debug, Clone, Copy)]
pub struct Progress {
    shown: bool,
    live: bool,
}

impl Progress {
    /// For people.
    pub fn shown() -> Self {
        Self { shown: true, live: stderr().is_terminal() }
    }

    /// For tests.
    pub fn silent() -> Self {
        Self { shown: false, live: false }
    }

    /// Does a part of the work and says so.
    pub fn part<T>(self, title: &str, work: impl FnOnce() -> Result<T, Error>) -> Result<T, Error> {
        if !self.shown {
            return work();
        }
        if !self.live {
            let _ = writeln!(stderr(), "  {title} …");
        }
        let start = Instant::now();
        let (ended, ending) = channel::<()>();
        let result = thread::scope(|scope| {
            if self.live {
                scope.spawn(move || {
                    while ending.recv_timeout(Duration::from_millis(200)) == Err(RecvTimeoutError::Timeout) {
                        let _ = write!(stderr(), "\r  {title} … {:.0} s", start.elapsed().as_secs_f64());
                    }
                });
            }
            let result = work();
            drop(ended);
            result
        });
        let back = if self.live { "\r\x1b[K" } else { "" };
        let mark = if result.is_ok() { "✓" } else { "✗" };
        let _ = writeln!(stderr(), "{back}{mark} {title} ({:.2} s)", start.elapsed().as_secs_f64());
        result
    }

    /// Says something.
    pub fn note(self, text: &str) {
        if self.shown {
            let _ = writeln!(stderr(), "{text}");
        }
    }
}
