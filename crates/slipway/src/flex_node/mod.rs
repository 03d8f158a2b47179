//! Slipway under the name `aks-flex-node`: the commands of that program's versions, with its configuration's path, its
//! log and its exit codes, 0 and 1. Everything else is Slipway's: each command is one of `slipway flex`'s.

mod arguments;
mod log;
mod table;

use std::ffi::OsString;
use std::fmt::{Display, Write as _};
use std::io::{self, Write as _};
use std::path::Path;
use std::process::ExitCode;

use slipway_flex::CONFIG;
use slipway_host::{become_program, os_text};

use crate::Surroundings;
use crate::failure::Failure;
use crate::screen::Screen;
use arguments::Request;
use table::{Becomes, COMMANDS};

/// The name that this persona answers to.
pub(crate) const NAME: &str = "aks-flex-node";

/// Runs with the arguments behind the program's name.
pub(crate) fn run(arguments: impl Iterator<Item = OsString>, around: &Surroundings<'_>) -> ExitCode {
    let arguments: Vec<String> = arguments.map(|argument| argument.to_string_lossy().into_owned()).collect();
    match arguments::read(&arguments) {
        Request::Help => {
            print(help());
            ExitCode::SUCCESS
        }
        Request::Refused(found, hint) => {
            let failure = Failure::input("unknown-command", "cannot do this", found).with_hint(hint);
            Screen::new().failure(&failure);
            failed()
        }
        Request::Run { becomes, flags, config } => {
            let config = config.unwrap_or_else(|| CONFIG.to_owned());
            match becomes {
                Becomes::Version => {
                    print(version(around.version));
                    ExitCode::SUCCESS
                }
                Becomes::Slipway(words) => {
                    if let Err(error) = log::open(Path::new(&config)) {
                        // A machine without its log is still a machine.
                        Screen::new().warning(format_args!("there will be no log: {error}"));
                    }
                    slipway(words, &flags, around)
                }
                Becomes::Product(words) => slipway(words, &flags, around),
                Becomes::Service(words) => serve(words, &config),
                Becomes::Nothing(..) => failed(),
            }
        }
    }
}

fn slipway(words: &[&str], flags: &[String], around: &Surroundings<'_>) -> ExitCode {
    let program = std::iter::once(OsString::from("slipway"));
    let words = words.iter().map(OsString::from).chain(flags.iter().map(OsString::from));
    match crate::code_of(program.chain(words).collect(), around) {
        0 => ExitCode::SUCCESS,
        _ => failed(),
    }
}

/// The service takes this process's place, so that whoever started this one has it.
fn serve(words: &[&str], config: &str) -> ExitCode {
    let beside = std::env::current_exe().ok().and_then(|own| Some(own.parent()?.join("slipwayd")));
    let program = beside.unwrap_or_else(|| "slipwayd".into());
    let arguments = words.iter().copied().chain(["--config", config]).map(OsString::from);
    let error = become_program(&program, arguments, std::env::vars_os());
    let doing = format!("cannot start {}", program.display());
    let failure = Failure::machine("no-service", doing, os_text(&error))
        .with_hint("it is a program of its own, beside slipway");
    Screen::new().failure(&failure);
    failed()
}

/// The line by which scripts know that a command has failed, and the code.
fn failed() -> ExitCode {
    crate::screen::aside("Command execution failed");
    ExitCode::FAILURE
}

fn print(text: impl Display) {
    // Whether anybody reads it changes nothing.
    let _ = write!(io::stdout(), "{text}");
}

/// Scripts take the version from the second line. What else is there names a build of the other program.
fn version(version: &str) -> String {
    format!("AKS Flex Node Agent\nVersion: {version}\nGit Commit: unknown\nBuild Time: unknown\n")
}

fn help() -> String {
    let mut text = format!(
        "{NAME} - this machine as a node of an AKS cluster\n\nUsage: {NAME} COMMAND [--config FILE]\n\nCommands:\n"
    );
    for command in COMMANDS {
        let what = match command.becomes {
            Becomes::Slipway(words) | Becomes::Product(words) => format!("slipway {}", words.join(" ")),
            Becomes::Service(words) => format!("slipwayd {}", words.join(" ")),
            Becomes::Version => "print the version".to_owned(),
            Becomes::Nothing(..) => continue,
        };
        let _ = writeln!(text, "  {:<16} {what}  ({})", command.words.join(" "), command.versions);
    }
    let _ = writeln!(
        text,
        "\nThe configuration is {CONFIG} unless --config says another one.\n\
         This is Slipway under the name of the program that it replaces; `slipway flex --help` lists everything it does."
    );
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The table of commands as the page for owners of machines has it.
    fn page() -> String {
        let mut text = format!("| `{NAME}` | Versions | Here |\n|---|---|---|\n");
        for command in COMMANDS {
            let here = match command.becomes {
                Becomes::Slipway(words) | Becomes::Product(words) => format!("`slipway {}`", words.join(" ")),
                Becomes::Service(words) => format!("`slipwayd {}`", words.join(" ")),
                Becomes::Version => {
                    "four lines: name, version, commit and build time, both unknown".to_owned()
                }
                Becomes::Nothing(reason, instead) => format!("an error: {reason}; {instead}"),
            };
            let _ = writeln!(text, "| `{}` | {} | {here} |", command.words.join(" "), command.versions);
        }
        text
    }

    #[test]
    fn the_page_has_every_command() {
        let page = page();
        let there = include_str!("../../../../docs/flex.md");
        assert!(
            there.contains(&page),
            "the table of commands in docs/flex.md is out of date; it has to be:\n{page}"
        );
    }

    #[test]
    fn what_the_commands_become_is_understood() {
        use clap::Parser as _;
        for command in COMMANDS {
            let (Becomes::Slipway(words) | Becomes::Product(words)) = command.becomes else { continue };
            let flags = command.flags.iter().filter_map(|flag| match flag.to {
                table::To::Flag("--output") => Some(["--output", "json"]),
                table::To::Flag(to) | table::To::Each(to) => Some([to, "x"]),
                table::To::Nothing(_) => None,
            });
            let line = std::iter::once("slipway").chain(words.iter().copied()).chain(flags.flatten());
            crate::cli::Cli::try_parse_from(line).unwrap_or_else(|error| panic!("{command:?}: {error}"));
        }
    }
}
