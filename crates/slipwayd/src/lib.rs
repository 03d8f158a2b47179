//! The services of Slipway.
//!
//! `launch` answers requests over HTTP/1.1, plain or TLS, from the files that its arguments name: clusters, a token,
//! certificates, read again when they change. It never keeps anything between two requests, calls anyone, or holds a
//! secret of a node: the token of an answer is a placeholder that the client fills in.
//!
//! `flex` keeps a machine the node that it was made: it looks, decides with `slipway_flex::keep`, and repairs, the larger
//! things by its sibling `slipway`. It ends by its signal, at any moment: what it says is written whole or not at all.
//!
//! Both give metrics and one line of JSON on standard error for each thing worth knowing. Exit codes: 0 stopped when
//! asked, 1 failed or connections were cut off, 2 wrong usage.

mod bearer;
mod cli;
mod files;
mod flex;
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
        Command::Flex(arguments) => match flex::run(&arguments) {
            Ok(()) => ExitCode::SUCCESS,
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
