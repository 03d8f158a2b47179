//! The service manager from the command line, for tests on a machine that has one: `unit NAME`, `reload-units`,
//! `boot`, or a verb with a unit and the seconds to wait for it.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "this is a program")]

use std::process::ExitCode;
use std::time::Duration;

use slipway_host::{Host as _, Machine};
use slipway_model::Verb;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match run(&arguments) {
        Ok(answer) => {
            println!("{answer}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("{:?}: {error}", error.kind());
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &[&str]) -> std::io::Result<String> {
    let machine = Machine::live()?;
    let (verb, unit, seconds) = match *arguments {
        ["unit", unit] => return Ok(format!("{:#?}", machine.unit(unit)?)),
        ["reload-units"] => return machine.reload_units().map(|()| "reloaded".to_owned()),
        ["boot"] => return Ok(format!("{:#?}", machine.boot_moments()?)),
        ["start", unit, ref seconds @ ..] => (Verb::Start, unit, seconds.first()),
        ["restart", unit, ref seconds @ ..] => (Verb::Restart, unit, seconds.first()),
        ["stop", unit, ref seconds @ ..] => (Verb::Stop, unit, seconds.first()),
        ["reload", unit, ref seconds @ ..] => (Verb::Reload, unit, seconds.first()),
        _ => return Err(std::io::ErrorKind::InvalidInput.into()),
    };
    let wait = seconds.map(|seconds| seconds.parse().map(Duration::from_secs_f64)).transpose();
    machine.job(unit, verb, wait.map_err(std::io::Error::other)?)?;
    Ok(machine.unit(unit)?.active)
}
