//! What can go wrong in a lab, with what to do about it.

use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitStatus;
use std::time::Duration;

/// Why the lab could not do something.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A file or directory of the lab could not be used.
    #[error("cannot {doing} {}: {source}", path.display())]
    File {
        /// What was being done, as a verb.
        doing: &'static str,
        /// Where.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A program could not be started at all.
    #[error(
        "cannot start {program}: {source}\nhint: `cargo lab setup` says what the lab needs and installs it"
    )]
    Start {
        /// The program's name.
        program: String,
        /// What the system said.
        source: io::Error,
    },
    /// A program ran and failed.
    #[error("{command}: {status}\n{output}")]
    Failed {
        /// The command line.
        command: String,
        /// How it ended.
        status: ExitStatus,
        /// Everything it printed.
        output: String,
    },
    /// Something did not happen in time.
    #[error("waited {} s in vain for {what}\n{evidence}", waited.as_secs())]
    Late {
        /// What was waited for.
        what: String,
        /// How long.
        waited: Duration,
        /// The end of the log that should say why.
        evidence: String,
    },
    /// The lab will not do this.
    #[error("{what}\nhint: {hint}")]
    Refused {
        /// What is the matter.
        what: String,
        /// The next thing to try.
        hint: String,
    },
    /// A certificate could not be made.
    #[error("cannot make a certificate: {0}")]
    Certificate(#[from] rcgen::Error),
}

impl Error {
    /// A file that could not be used, with what was being done, as a verb.
    pub fn file(doing: &'static str, path: &Path, source: io::Error) -> Self {
        Self::File { doing, path: path.to_owned(), source }
    }

    pub(crate) fn refused(what: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::Refused { what: what.into(), hint: hint.into() }
    }
}

/// Adds what was being done, and where, to an error of the system.
pub(crate) trait At<T> {
    fn at(self, doing: &'static str, path: &Path) -> Result<T, Error>;
}

impl<T, E: Into<io::Error>> At<T> for Result<T, E> {
    fn at(self, doing: &'static str, path: &Path) -> Result<T, Error> {
        self.map_err(|source| Error::File { doing, path: path.to_owned(), source: source.into() })
    }
}
