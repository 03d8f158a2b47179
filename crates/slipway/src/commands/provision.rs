//! `slipway provision` and `slipway provision-wait`.

use std::path::Path;

use slipway_host::{Held, Lock};
use slipway_model::Mode;
use slipway_scripts::{Order, Report, paths};

use crate::Outcome;
use crate::cli::{Provision, ProvisionMode, ProvisionWait};
use crate::failure::Failure;
use crate::screen::Screen;

/// What `timeout` of coreutils exits with when time runs out.
const TIMED_OUT: u8 = 124;

pub(crate) fn run(arguments: Provision) -> Result<Outcome, Failure> {
    let ProvisionMode::Scripts = arguments.mode;
    let holder = format!("slipway provision, process {}", std::process::id());
    let _lock = Lock::take(Path::new(paths::LOCK), &holder).map_err(|held| match held {
        Held::By(other) => {
            Failure::machine("already-running", "cannot provision", format!("{other} is at it"))
                .with_hint("wait for it: slipway provision-wait")
        }
        Held::Error(error) => Failure::machine("no-lock", format!("cannot lock {}", paths::LOCK), error)
            .with_hint("provisioning needs root"),
    })?;
    let order = Order {
        contract: arguments.provision_config,
        command: arguments.nbc_cmd,
        dry_run: arguments.dry_run,
        mode: Mode::Ours,
    };
    // What went wrong is in the log, which is on the screen already.
    Ok(match slipway_scripts::provision(&order, &Report::open()) {
        Ok(()) => Outcome::Done,
        Err(failure) => Outcome::Code(failure.code),
    })
}

pub(crate) fn wait(arguments: &ProvisionWait, screen: &mut Screen) -> Outcome {
    let verdict = slipway_scripts::wait(arguments.timeout, Mode::Ours, &Report::open());
    screen.raw(&verdict.result);
    screen.line("");
    match verdict.failure {
        None => Outcome::Done,
        Some(failure) if failure.timed_out => Outcome::Code(TIMED_OUT),
        Some(failure) if arguments.exit_code => {
            let code = failure.exit_code.and_then(|code| u8::try_from(code).ok()).filter(|code| *code != 0);
            Outcome::Code(code.unwrap_or(1))
        }
        Some(_) => Outcome::Negative,
    }
}
