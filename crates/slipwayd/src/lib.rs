//! The services of Slipway.
//!
//! Comes in: requests over HTTP/1.1, plain or TLS, and the files that the arguments name: clusters, a token,
//! certificates, read again when they change. Goes out: answers, metrics, one line of JSON on standard error for each
//! request. Exit codes: 0 stopped when asked, 1 failed or connections were cut off, 2 wrong usage.
//! Never does: keep anything between two requests, call anyone, hold a secret of a node: the token of an answer is a
//! placeholder that the client fills in.

mod bearer;
mod cli;
mod files;
mod launch;
mod log;
mod metrics;
mod server;
mod service;

use std::ffi::OsString;
use std::io::Write as _;
use std::process::ExitCode;

use clap::Parser as _;
use clap::error::ErrorKind;

use cli::{Cli, Command};

/// The version of this build.
pub const VERSION: &str = match option_env!("SLIPWAY_VERSION") {
    Some(version) => version,
    None => env!("CARGO_PKG_VERSION"),
};

/// Runs the program with these arguments, the first of which is its name.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    let cli = match Cli::try_parse_from(arguments) {
        Ok(cli) => cli,
        Err(error) => {
            let _ = error.print();
            return match error.kind() {
                ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => ExitCode::SUCCESS,
                _ => ExitCode::from(2),
            };
        }
    };
    match cli.command {
        Command::Launch(arguments) => match launch::run(*arguments) {
            Ok(0) => ExitCode::SUCCESS,
            Ok(_) => ExitCode::FAILURE,
            Err(error) => {
                let _ = writeln!(std::io::stderr(), "slipwayd: {error}");
                ExitCode::FAILURE
            }
        },
        Command::Version => {
            let _ = writeln!(std::io::stdout(), "{VERSION}");
            ExitCode::SUCCESS
        }
    }
}
