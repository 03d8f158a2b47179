//! The hotfix commands as a program of their own, in the real paths: `hotfix check|download VERSION peer|ours`.
//!
//! Exits as the commands do: 0 after a check, whatever came of it; 0 or the package manager's code after a download.

use std::process::ExitCode;

use slipway_model::Mode;
use slipway_scripts::Report;
use slipway_scripts::hotfix::{Patience, Places, Services, check_hotfix, download_hotfix};

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [command, running, mode] = &arguments[..] else { return ExitCode::from(2) };
    let mode = if mode == "peer" { Mode::Compat } else { Mode::Ours };
    let (places, report) = (Places::default(), Report::open());
    match command.as_str() {
        "check" => {
            check_hotfix(running, mode, &places, &Services::default(), &report);
            ExitCode::SUCCESS
        }
        "download" => match download_hotfix(running, mode, &places, Patience::default(), &report) {
            Ok(()) => ExitCode::SUCCESS,
            Err(failure) => ExitCode::from(u8::try_from(failure.exit_code).unwrap_or(1)),
        },
        _ => ExitCode::from(2),
    }
}
