//! The build of Slipway that the lab is about.

use std::path::PathBuf;
use std::process::Command;

use serde_json::Value;

use crate::command::Run as _;
use crate::{Error, Progress};

/// The build that `SLIPWAY` names, or this source's release build, which is brought up to date.
pub fn provide(progress: Progress) -> Result<PathBuf, Error> {
    if let Some(given) = std::env::var_os("SLIPWAY") {
        return Ok(given.into());
    }
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let messages = progress.part("building Slipway", || {
        Command::new(cargo)
            .args(["build", "--release", "--quiet", "--package", "slipway", "--message-format=json"])
            .current_dir(env!("CARGO_MANIFEST_DIR"))
            .printed()
    })?;
    let program = messages.lines().find_map(|line| {
        let message: Value = serde_json::from_str(line).ok()?;
        message["executable"].as_str().map(PathBuf::from)
    });
    program.ok_or_else(|| {
        Error::refused("cargo did not say where Slipway is", "name a build with the variable SLIPWAY")
    })
}
