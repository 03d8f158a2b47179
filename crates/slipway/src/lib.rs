//! The commands of Slipway: arguments in, words on the screen and an exit code out.
//!
//! Everything that a command knows comes from the crates below; this one reads files, prints, and decides the
//! exit code: 0 done, 1 failed, 2 wrong usage, 3 different (for commands that compare).

pub mod cli;
mod commands;
mod failure;
mod files;
mod flex_node;
mod native;
mod peer;
mod screen;
mod surroundings;
mod unified;

use std::ffi::{OsStr, OsString};
use std::path::Path;
use std::process::ExitCode;

use clap::Parser as _;
use clap::error::ErrorKind;

use cli::{Cli, Command};
use failure::Failure;
use screen::Screen;

pub use surroundings::{Machines, Surroundings};

/// The version of this build.
pub const VERSION: &str = match option_env!("SLIPWAY_VERSION") {
    Some(version) => version,
    None => env!("CARGO_PKG_VERSION"),
};

/// How a command ended, when it did not fail.
pub(crate) enum Outcome {
    /// All is well.
    Done,
    /// What was asked about does not hold: exit code 1, already explained.
    Negative,
    /// The two sides of a comparison differ.
    Different,
    /// This code, already explained.
    Code(u8),
}

/// Runs the program with these arguments, the first of which is its name.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    run_in(arguments, &Surroundings::real())
}

/// The same, on whatever machine the surroundings give.
pub fn run_in(arguments: impl IntoIterator<Item = OsString>, around: &Surroundings<'_>) -> ExitCode {
    let arguments: Vec<OsString> = arguments.into_iter().collect();
    // The name decides: under a peer's, everything is the peer's.
    let name = arguments.first().and_then(|program| Path::new(program).file_name()).and_then(OsStr::to_str);
    match name {
        Some(peer::NAME) => peer::run(arguments.into_iter().skip(1), around.version),
        // Kubelet calls the file that the machine was joined with by its own words, whatever the file is called.
        Some(flex_node::NAME) if arguments.get(1).is_none_or(|word| word != "flex") => {
            flex_node::run(arguments.into_iter().skip(1), around)
        }
        _ => ExitCode::from(code_of(arguments, around)),
    }
}

/// Runs a command of Slipway's own, and gives its exit code.
fn code_of(arguments: Vec<OsString>, around: &Surroundings<'_>) -> u8 {
    let mut screen = Screen::new();
    // What images and launchers ask most is answered without the description of every command in memory.
    let answer = if arguments.get(1..).is_some_and(|rest| rest == ["version"]) {
        Ok(version(&mut screen))
    } else {
        match Cli::try_parse_from(arguments) {
            Ok(cli) => dispatch(cli, around, &mut screen),
            Err(error) => {
                // Help that was asked for is a result, usage errors are not.
                let _ = error.print();
                return match error.kind() {
                    ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => 0,
                    _ => 2,
                };
            }
        }
    };
    match answer.and_then(|outcome| screen.flush().map(|()| outcome)) {
        Ok(Outcome::Done) => 0,
        Ok(Outcome::Negative) => 1,
        Ok(Outcome::Different) => 3,
        Ok(Outcome::Code(code)) => code,
        Err(failure) => {
            screen.failure(&failure);
            failure.code
        }
    }
}

fn version(screen: &mut Screen) -> Outcome {
    screen.line(VERSION);
    Outcome::Done
}

fn dispatch(cli: Cli, around: &Surroundings<'_>, screen: &mut Screen) -> Result<Outcome, Failure> {
    match cli.command {
        Command::Config(command) => commands::config::run(&command, screen),
        Command::Provision(arguments) => commands::provision::run(arguments.0, around, screen),
        Command::Plan(arguments) => commands::plan::print(&arguments, around, screen),
        Command::Diff(arguments) => commands::diff::print(&arguments, around, screen),
        Command::Explain(arguments) => commands::explain::print(&arguments, around, screen),
        Command::Status(arguments) => commands::status::print(&arguments, around, screen),
        Command::Anatomy(arguments) => commands::anatomy::print(&arguments, around, screen),
        Command::Collect(arguments) => commands::collect::run(&arguments, around, screen),
        Command::Reset(arguments) => commands::reset::run(&arguments, around, screen),
        Command::Doctor(arguments) => commands::doctor::run(&arguments, around, screen),
        Command::Facts(arguments) => commands::facts::print(&arguments, around, screen),
        Command::Try(arguments) => commands::try_it::run(&arguments, around, screen),
        Command::ProvisionWait(arguments) => Ok(commands::provision::wait(&arguments, screen)),
        Command::CustomData(arguments) => commands::custom_data::run(&arguments, screen),
        Command::Launch(command) => commands::launch::run(&command, screen),
        Command::Flex(command) => commands::flex::run(&command, around, screen),
        Command::Boot(arguments) => commands::boot::run(&arguments),
        Command::Result(arguments) => commands::result::explain(&arguments, screen),
        Command::ExitCode(arguments) => commands::result::exit_code(&arguments, screen),
        Command::Version => Ok(version(screen)),
    }
}
