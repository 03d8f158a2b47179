//! How an attempt goes, told on standard error while it does.

mod bars;
mod json;
mod plain;

use std::io::{self, IsTerminal as _, Write as _};
use std::sync::{Mutex, PoisonError};

use slipway_apply::{Event, Watcher};
use slipway_host::now;

use crate::cli;
use crate::screen::logged;
use bars::Bars;

/// How much is told, and in which form.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Told {
    form: Form,
    amount: Amount,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    Bars,
    Plain,
    Json,
    None,
}

/// How much is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Amount {
    /// What goes wrong.
    Little,
    /// Each step that did something.
    Usual,
    /// Everything that changes.
    All,
}

impl Told {
    /// As the user wants it, or as the terminal allows.
    pub(crate) fn new(telling: &cli::Telling) -> Self {
        let form = match telling.progress {
            cli::Progress::Auto if io::stderr().is_terminal() && !telling.quiet => Form::Bars,
            cli::Progress::Auto | cli::Progress::Plain => Form::Plain,
            cli::Progress::Json => Form::Json,
            cli::Progress::None => Form::None,
        };
        let amount = match (telling.quiet, telling.verbose) {
            (true, _) => Amount::Little,
            (_, true) => Amount::All,
            _ => Amount::Usual,
        };
        Self { form, amount }
    }

    /// Tells what is being waited for, where nobody reads the lines by program.
    pub(crate) fn remark(self, text: &str) {
        if self.amount > Amount::Little && matches!(self.form, Form::Bars | Form::Plain) {
            // Whether anybody looks changes nothing.
            let _ = writeln!(io::stderr(), "{text}");
        }
    }

    /// Whether a summary on standard output is wanted.
    pub(crate) fn summarises(self) -> bool {
        self.amount > Amount::Little
    }
}

/// Tells one attempt.
pub(crate) struct Progress {
    told: Told,
    bars: Mutex<Bars>,
}

impl Progress {
    pub(crate) fn new(told: Told) -> Self {
        Self { told, bars: Mutex::new(Bars::default()) }
    }
}

impl Watcher for Progress {
    fn saw(&self, event: &Event<'_>) {
        let text = match self.told.form {
            Form::None => None,
            Form::Json => Some(json::line(event, now().timestamp()) + "\n"),
            Form::Plain => plain::line(event, self.told.amount).map(|line| line + "\n"),
            Form::Bars => {
                let mut bars = self.bars.lock().unwrap_or_else(PoisonError::into_inner);
                let width = terminal_size::terminal_size_of(io::stderr())
                    .map_or(80, |(terminal_size::Width(width), _)| usize::from(width));
                Some(bars.saw(event, self.told.amount, width))
            }
        };
        if let Some(line) = plain::line(event, self.told.amount) {
            logged(&line);
        }
        if let Some(text) = text {
            // Whether anybody looks changes nothing.
            let _ = io::stderr().write_all(text.as_bytes());
        }
    }
}
