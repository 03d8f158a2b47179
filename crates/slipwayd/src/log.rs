//! One line of JSON for each thing worth knowing, on standard error.
//!
//! A reader that stops reading must not stop the service: lines wait in a bounded queue for a thread that writes
//! them, and are counted instead of kept when the queue is full.

use std::io::Write as _;
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::JoinHandle;

use jiff::Timestamp;

/// Lines that wait to be written: at 300 bytes each, 600 kB.
const QUEUE: usize = 2048;

/// How important a line is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Level {
    Debug,
    Info,
    Warning,
    Error,
}

impl Level {
    /// The level that a configuration names.
    pub(crate) fn named(name: &str) -> Self {
        match name.to_ascii_lowercase().as_str() {
            "debug" => Self::Debug,
            "warning" => Self::Warning,
            "error" => Self::Error,
            _ => Self::Info,
        }
    }
}

/// Where lines go.
pub(crate) struct Log {
    lines: SyncSender<String>,
    dropped: AtomicU64,
    /// The least important level that is kept, as a number.
    least: AtomicU8,
}

/// The thread that writes; joined so that the last lines are written.
pub(crate) struct Writer(JoinHandle<()>);

impl Log {
    /// A log that keeps lines from `least` on, and the thread behind it.
    pub(crate) fn start(least: Level) -> std::io::Result<(Self, Writer)> {
        let (lines, queue) = sync_channel(QUEUE);
        let thread = std::thread::Builder::new().name("log".into()).stack_size(128 * 1024);
        let writer = thread.spawn(move || write_all(&queue))?;
        Ok((Self { lines, dropped: AtomicU64::new(0), least: AtomicU8::new(least as u8) }, Writer(writer)))
    }

    /// From here on lines are kept from `least` on.
    pub(crate) fn keep_from(&self, least: Level) {
        self.least.store(least as u8, Ordering::Relaxed);
    }

    /// Begins a line.
    pub(crate) fn line(&self, level: Level, message: &str) -> Line<'_> {
        let wanted = level as u8 >= self.least.load(Ordering::Relaxed);
        let mut text = String::new();
        if wanted {
            text.reserve(320);
            text.push_str("{\"time\":\"");
            text.push_str(&Timestamp::now().to_string());
            text.push_str("\",\"level\":\"");
            text.push_str(match level {
                Level::Debug => "debug",
                Level::Info => "info",
                Level::Warning => "warning",
                Level::Error => "error",
            });
            text.push('"');
        }
        Line { log: self, wanted, text }.with("message", message)
    }

    /// How many lines were not kept.
    pub(crate) fn dropped(&self) -> u64 {
        self.dropped.load(Ordering::Relaxed)
    }
}

impl Writer {
    /// Waits until every line is written; the log must be gone.
    pub(crate) fn finish(self) {
        let _ = self.0.join();
    }
}

/// A line that is being put together.
#[must_use = "a line is written by `end`"]
pub(crate) struct Line<'a> {
    log: &'a Log,
    wanted: bool,
    text: String,
}

impl Line<'_> {
    /// Adds a member; text is quoted, numbers are not.
    pub(crate) fn with(mut self, name: &str, value: impl Into<serde_json::Value>) -> Self {
        if self.wanted {
            self.text.push_str(",\"");
            self.text.push_str(name);
            self.text.push_str("\":");
            self.text.push_str(&value.into().to_string());
        }
        self
    }

    /// Adds a member if there is a value.
    pub(crate) fn with_some(self, name: &str, value: Option<String>) -> Self {
        match value {
            Some(value) => self.with(name, value),
            None => self,
        }
    }

    /// Hands the line over.
    pub(crate) fn end(mut self) {
        if self.wanted {
            self.text.push_str("}\n");
            if self.log.lines.try_send(self.text).is_err() {
                self.log.dropped.fetch_add(1, Ordering::Relaxed);
            }
        }
    }
}

/// Writes what is there in one go, so that a busy service needs few system calls.
fn write_all(queue: &Receiver<String>) {
    let mut error = std::io::stderr();
    while let Ok(mut text) = queue.recv() {
        while text.len() < 32 * 1024 {
            match queue.try_recv() {
                Ok(more) => text.push_str(&more),
                Err(_) => break,
            }
        }
        // Nobody is left to tell.
        let _ = error.write_all(text.as_bytes());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_configuration_says_from_which_level_on_lines_are_kept() {
        let (lines, queue) = sync_channel(8);
        let log = Log { lines, dropped: AtomicU64::new(0), least: AtomicU8::new(Level::Info as u8) };
        for (level, kept) in [("debug", 4), ("Info", 3), ("warning", 2), ("error", 1)] {
            log.keep_from(Level::named(level));
            for level in [Level::Debug, Level::Info, Level::Warning, Level::Error] {
                log.line(level, "m").end();
            }
            assert_eq!(queue.try_iter().count(), kept, "{level}");
        }
    }
}
