//! `slipway provision` and `slipway provision-wait`.

mod native;
mod scripts;

use slipway_model::Mode;
use slipway_scripts::Report;

use crate::cli::{Provision, ProvisionMode, ProvisionWait, StageChoice};
use crate::failure::Failure;
use crate::screen::Screen;
use crate::surroundings::root;
use crate::{Outcome, Surroundings};

pub(crate) use native::provision as natively;
pub(crate) use native::{Order, Told, failed, summary};

/// What `timeout` of coreutils exits with when time runs out.
const TIMED_OUT: u8 = 124;

pub(crate) fn run(
    arguments: Provision,
    around: &Surroundings<'_>,
    screen: &mut Screen,
) -> Result<Outcome, Failure> {
    let by_command = arguments.nbc_cmd.is_some();
    let mode =
        arguments.mode.unwrap_or(if by_command { ProvisionMode::Scripts } else { ProvisionMode::Native });
    let rooted = root(&arguments.place).is_some();
    let parts = arguments.stage != StageChoice::All || !arguments.skip.is_empty();
    match (mode, arguments.provision_config) {
        (ProvisionMode::Scripts, _) if rooted || parts => {
            Err(misuse("the image's scripts do all of their work, and on this machine only")
                .with_hint("--root, --stage and --skip are for --mode native"))
        }
        (ProvisionMode::Scripts, contract) => scripts::run(contract, arguments.nbc_cmd, arguments.dry_run),
        (ProvisionMode::Native, Some(contract)) if !by_command => {
            let told = Told::new(&arguments.telling);
            let order = Order {
                contract: &contract,
                facts: arguments.knowledge.facts.as_deref(),
                root: root(&arguments.place),
                stage: arguments.stage,
                skip: arguments.skip.into_iter().collect(),
            };
            if arguments.dry_run {
                native::rehearse(&order, around, screen)
            } else {
                native::provision(&order, told, around, screen)
            }
        }
        (ProvisionMode::Native, _) => {
            Err(misuse("a pre-rendered command is a command of the image's scripts")
                .with_hint("leave --mode out, or say --mode scripts"))
        }
    }
}

/// Options that do not go together.
fn misuse(found: &str) -> Failure {
    Failure { code: 2, ..Failure::input("wrong-usage", "cannot provision like this", found) }
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
