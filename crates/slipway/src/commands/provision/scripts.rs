//! Provisioning by the image's scripts.

use std::path::PathBuf;

use slipway_model::Mode;
use slipway_scripts::{Order, Report};

use crate::Outcome;
use crate::failure::Failure;
use crate::native::lock;

pub(super) fn run(
    contract: Option<PathBuf>,
    command: Option<PathBuf>,
    dry_run: bool,
) -> Result<Outcome, Failure> {
    let _lock = lock::take(None, "provision")?;
    let order = Order { contract, command, dry_run, mode: Mode::Ours };
    // What went wrong is in the log, which is on the screen already.
    Ok(match slipway_scripts::provision(&order, &Report::open()) {
        Ok(()) => Outcome::Done,
        Err(failure) => Outcome::Code(failure.code),
    })
}
