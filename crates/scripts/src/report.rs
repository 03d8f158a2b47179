//! Where a run says what it does: the log, and the guest agent's events.

use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use jiff::Zoned;
use slipway_host::{self as host, Appender};
use slipway_timeline::{Event, EventLevel, Record};

use crate::paths;

/// The log and the events of one run.
#[derive(Debug)]
pub struct Report {
    log: Option<Appender>,
    events: PathBuf,
    echoes: bool,
}

impl Report {
    /// Opens the log as the Go program does: in its directory, or in the working directory where there can be none.
    ///
    /// # Errors
    /// The sentence that the Go program prints before it gives up.
    pub fn open_as_peer() -> Result<Self, String> {
        let path = Path::new(paths::LOG);
        let directory = path.parent().unwrap_or(path);
        let path = match host::make_directory(directory) {
            Ok(()) => path,
            Err(_) => Path::new("aks-node-controller.log"),
        };
        Ok(Self { echoes: true, ..Self::at(path, Path::new(paths::EVENTS))? })
    }

    /// Opens a log that is not echoed on standard error, and leaves events in a directory.
    ///
    /// # Errors
    /// The sentence that the Go program prints before it gives up.
    pub fn at(log: &Path, events: &Path) -> Result<Self, String> {
        let appender = Appender::open(log, 0o644).map_err(|error| {
            format!("failed to open log file: open {}: {}", log.display(), host::os_text(&error))
        })?;
        Ok(Self { log: Some(appender), events: events.to_owned(), echoes: false })
    }

    /// Opens the log, or does without: a log that cannot be written is no reason not to provision.
    pub fn open() -> Self {
        match Self::open_as_peer() {
            Ok(report) => report,
            Err(problem) => {
                let report = Self { log: None, events: PathBuf::from(paths::EVENTS), echoes: true };
                report.log(
                    &Record::warn("the log cannot be written; records go to standard error only")
                        .with("error", problem),
                );
                report
            }
        }
    }

    /// Writes a record to the log and to standard error.
    pub fn log(&self, record: &Record) {
        let mut line = record.line(&host::now());
        line.push('\n');
        // There is nowhere left to complain to.
        if self.echoes {
            let _ = io::stderr().write_all(line.as_bytes());
        }
        if let Some(log) = &self.log {
            let _ = log.add(line.as_bytes());
        }
    }

    /// Leaves an event for the guest agent. Failing to is logged, and no more.
    pub fn event(&self, task: &'static str, level: EventLevel, text: &str, start: &Zoned) {
        let now = host::now();
        let start = start.clone();
        let event = Event { task, level, text: text.to_owned(), start, end: now.clone() };
        let directory = self.events.as_path();
        if let Err(error) = host::make_directory(directory) {
            let problem = format!("mkdir {}: {}", directory.display(), host::os_text(&error));
            self.log(
                &Record::error("failed to create events logging directory")
                    .with("path", directory.display().to_string())
                    .with("error", problem),
            );
            return;
        }
        let file = directory.join(Event::file_name(&now));
        if let Err(error) = host::place(&file, event.json().as_bytes(), 0o644) {
            let problem = format!("open {}: {}", file.display(), host::os_text(&error));
            self.log(
                &Record::error("failed to write event file")
                    .with("path", file.display().to_string())
                    .with("error", problem),
            );
        }
    }
}
