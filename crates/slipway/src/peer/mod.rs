//! Slipway under the name `aks-node-controller`: that program's commands, flags, words and exit codes.

mod arguments;

use std::ffi::OsString;
use std::io::{self, Write as _};
use std::path::PathBuf;
use std::process::ExitCode;

use slipway_model::Mode;
use slipway_scripts::hotfix::{Patience, Places, Services, check_hotfix, download_hotfix};
use slipway_scripts::{Order, Report, provision, wait};

use arguments::Request;

/// The name that this persona answers to.
pub(crate) const NAME: &str = "aks-node-controller";

const HELP: &str = "\
aks-node-controller - turns a machine into a node, as its contract says

Usage: aks-node-controller COMMAND [flags]

Commands:
  provision        make this machine a node
      --provision-config FILE   the contract
      --nbc-cmd FILE            a pre-rendered command; it is what runs, the contract is compared with it
      --dry-run                 do everything but start the command
  provision-wait   wait for the result and print it
  check-hotfix     ask the live-patching service for a newer version of this program
  download-hotfix  fetch the version that the pointer file names
  version          print the version
  help [COMMAND]   print this

This is Slipway under the name of the program that it replaces; `slipway --help` lists everything it does.
";

/// Runs with the arguments behind the program's name.
pub(crate) fn run(arguments: impl Iterator<Item = OsString>, version: &str) -> ExitCode {
    // The log is opened whatever the command is, and no command runs without it.
    let report = match Report::open_as_peer() {
        Ok(report) => report,
        Err(problem) => {
            print(format!("{problem}\n").as_bytes());
            return ExitCode::FAILURE;
        }
    };
    let arguments = arguments.map(|argument| argument.to_string_lossy().into_owned()).collect();
    match arguments::read(arguments) {
        Request::Version => print(format!("{version}\n").as_bytes()),
        Request::VersionFlag => print(format!("{NAME} version {version}\n").as_bytes()),
        Request::Help(_) => print(HELP.as_bytes()),
        Request::NoSuchTopic => return ExitCode::from(3),
        // Not a word, as there; nor about arguments that are too many.
        Request::Nothing | Request::DownloadHotfix { words: 1.. } => return ExitCode::FAILURE,
        Request::Misused { problem, with_help } => {
            if with_help {
                print(HELP.as_bytes());
            }
            // Standard error is the last resort already.
            let _ = write!(io::stderr(), "Incorrect Usage: {problem}\n\n");
            return ExitCode::FAILURE;
        }
        Request::Provision { contract, command, dry_run } => {
            let given = |path: String| (!path.is_empty()).then(|| PathBuf::from(path));
            let order =
                Order { contract: given(contract), command: given(command), dry_run, mode: Mode::Compat };
            if let Err(failure) = provision(&order, &report) {
                return ExitCode::from(failure.code);
            }
        }
        Request::ProvisionWait => {
            let verdict = wait(None, Mode::Compat, &report);
            print(&[verdict.result.as_slice(), b"\n"].concat());
            if verdict.failure.is_some() {
                return ExitCode::FAILURE;
            }
        }
        Request::CheckHotfix => {
            let (places, services) = (Places::default(), Services::default());
            check_hotfix(version, Mode::Compat, &places, &services, &report);
        }
        Request::DownloadHotfix { .. } => {
            let (places, patience) = (Places::default(), Patience::default());
            if let Err(failure) = download_hotfix(version, Mode::Compat, &places, patience, &report) {
                return ExitCode::from(u8::try_from(failure.exit_code).unwrap_or(u8::MAX));
            }
        }
    }
    ExitCode::SUCCESS
}

fn print(bytes: &[u8]) {
    // As there: whether anybody reads it does not change the exit code.
    let _ = io::stdout().write_all(bytes).and_then(|()| io::stdout().flush());
}
