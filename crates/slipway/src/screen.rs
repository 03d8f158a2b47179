//! Words on the screen: results on standard output, everything else on standard error.

use std::borrow::Cow;
use std::fmt::Display;
use std::io::{self, BufWriter, IsTerminal as _, Stdout, Write as _};
use std::sync::OnceLock;

use slipway_contract::{Issue, Severity};
use slipway_host::{Appender, now};

use crate::failure::Failure;

/// Both outputs, and whether they take colour.
pub(crate) struct Screen {
    out: BufWriter<Stdout>,
    /// The first failed write. A reader that went away is no failure of ours.
    failed: Option<io::Error>,
    colour: bool,
    error_colour: bool,
}

impl Screen {
    pub(crate) fn new() -> Self {
        let wanted = std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
        Self {
            out: BufWriter::new(io::stdout()),
            failed: None,
            colour: wanted && io::stdout().is_terminal(),
            error_colour: wanted && io::stderr().is_terminal(),
        }
    }

    /// A line of the result.
    pub(crate) fn line(&mut self, line: impl Display) {
        let written = writeln!(self.out, "{line}");
        logged(&line);
        self.keep(written);
    }

    /// A part of the result as it is, without a line end.
    pub(crate) fn raw(&mut self, bytes: &[u8]) {
        let written = self.out.write_all(bytes);
        self.keep(written);
    }

    /// A result for programs.
    pub(crate) fn json(&mut self, value: &impl serde::Serialize) {
        let written = serde_json::to_writer_pretty(&mut self.out, value).map_err(io::Error::from);
        self.keep(written);
        self.line("");
    }

    /// An issue as a result: `file:line:column: error: path: message [reason]`.
    pub(crate) fn issue(&mut self, file: &str, issue: &Issue, severity: Severity) {
        let text = issue_text(file, issue, severity, self.colour);
        self.line(text);
    }

    /// An issue beside the result.
    pub(crate) fn remark(&self, file: &str, issue: &Issue, severity: Severity) {
        aside(issue_text(file, issue, severity, self.error_colour));
    }

    /// A warning beside the result.
    pub(crate) fn warning(&self, text: impl Display) {
        aside(format_args!("{}: {text}", painted("warning", Severity::Warning, self.error_colour)));
    }

    /// One of several errors beside the result.
    pub(crate) fn error(&self, text: impl Display) {
        aside(format_args!("{}: {text}", painted("error", Severity::Error, self.error_colour)));
    }

    /// Why a command failed.
    pub(crate) fn failure(&self, failure: &Failure) {
        let Failure { reason, blame, doing, found, hint, .. } = failure;
        let error = painted("error", Severity::Error, self.error_colour);
        aside(format_args!("{error}: {doing}: {found} [{reason}, {blame}]"));
        if let Some(hint) = hint {
            aside(format_args!("  hint: {hint}"));
        }
    }

    /// Makes sure that the result has arrived.
    pub(crate) fn flush(&mut self) -> Result<(), Failure> {
        let written = self.out.flush();
        self.keep(written);
        match self.failed.take() {
            None => Ok(()),
            Some(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
            Some(error) => Err(Failure::machine("output-unwritable", "cannot write the result", error)),
        }
    }

    fn keep(&mut self, written: io::Result<()>) {
        if let Err(error) = written {
            self.failed.get_or_insert(error);
        }
    }
}

/// Where everything that is said is kept too, under a name whose program has a log.
static LOG: OnceLock<Appender> = OnceLock::new();

/// Keeps everything that is said from now on in a log.
pub(crate) fn keep(log: Appender) {
    let _ = LOG.set(log);
}

/// A line beside the result. Whether anybody hears it changes nothing.
pub(crate) fn aside(line: impl Display) {
    let _ = writeln!(io::stderr(), "{line}");
    logged(&line);
}

/// A line for the log, where there is one.
pub(crate) fn logged(line: &impl Display) {
    if let Some(log) = LOG.get() {
        let _ = log.add(format!("{} {line}\n", now().timestamp()).as_bytes());
    }
}

/// A text from a document, with nothing in it that a terminal would act on.
pub(crate) fn printable(text: &str) -> Cow<'_, str> {
    if !text.contains(char::is_control) {
        return Cow::Borrowed(text);
    }
    let escape = |letter: char| {
        if letter.is_control() { letter.escape_default().to_string() } else { letter.to_string() }
    };
    Cow::Owned(text.chars().map(escape).collect())
}

fn issue_text(file: &str, issue: &Issue, severity: Severity, colour: bool) -> String {
    let Issue { path, line, column, reason, message, .. } = issue;
    let place = if path.is_empty() { String::new() } else { format!("{path}: ") };
    let hint = issue.hint.as_ref().map_or(String::new(), |hint| format!("\n  hint: {hint}"));
    let severity = painted(&severity.to_string(), severity, colour);
    format!("{file}:{line}:{column}: {severity}: {place}{message} [{reason}]{hint}")
}

fn painted(word: &str, severity: Severity, colour: bool) -> String {
    let code = match severity {
        Severity::Error => "1;31",
        Severity::Warning => "1;33",
        Severity::Note => "1;36",
    };
    if colour { format!("\u{1b}[{code}m{word}\u{1b}[0m") } else { word.to_owned() }
}
