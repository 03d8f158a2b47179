//! Staging: the installed binary beside the image's own, under the name that is preferred.

use std::path::Path;
use std::time::Duration;

use slipway_host::{self as host, Child, Exit, Staged};
use slipway_model::Mode;
use slipway_timeline::text;

use super::{Places, path_error};

/// A binary that does not say its version within this time is no use.
const ANSWERS_WITHIN: Duration = Duration::from_secs(10);

/// Copies the installed binary to where it is preferred, with the mode of the image's own. Under our name it has to
/// prove first that it runs and is what was asked for.
pub(super) fn stage(places: &Places, version: &str, mode: Mode) -> Result<(), String> {
    let binary =
        host::read(&places.installed).map_err(|error| path_error("open", &places.installed, &error))?;
    let baked = places.baked();
    let permissions = host::mode(&baked).map_err(|error| path_error("stat", &baked, &error))?;
    let target = places.staged();
    let failed = |error: std::io::Error| path_error("writing", &target, &error);
    let staged =
        Staged::write(&target, ".aks-node-controller-update-", &binary, permissions).map_err(failed)?;
    if mode == Mode::Ours {
        verify(staged.path(), version)
            .map_err(|problem| format!("the hotfix is not used: {} {problem}", places.installed.display()))?;
    }
    staged.commit().map_err(failed)
}

/// Whether a binary runs and reports this version.
pub(super) fn verify(binary: &Path, version: &str) -> Result<(), String> {
    let ended = Child::new(binary, ["version"]).within(ANSWERS_WITHIN).lingering(ANSWERS_WITHIN).run();
    let ended = ended.map_err(|error| format!("does not run: {}", host::os_text(&error)))?;
    let reported = text(&ended.stdout);
    match ended.exit {
        _ if ended.timed_out => Err(format!("does not tell its version within {ANSWERS_WITHIN:?}")),
        Exit::Code(0) if reported.trim() == version => Ok(()),
        Exit::Code(0) => Err(format!("reports version {:?}, not {version}", reported.trim())),
        Exit::Code(code) => Err(format!("does not run: exit status {code}")),
        Exit::Signal(signal, _) => Err(format!("does not run: {}", host::signal_name(signal))),
    }
}
