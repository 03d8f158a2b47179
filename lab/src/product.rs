//! The builds of Slipway's programs that the lab is about.

use std::path::PathBuf;
use std::process::Command;

use serde_json::Value;

use crate::command::Run as _;
use crate::{Error, Progress};

/// The build that `SLIPWAY` names, or this source's release build, which is brought up to date.
pub fn provide(progress: Progress) -> Result<PathBuf, Error> {
    build("slipway", "SLIPWAY", progress)
}

/// The build of a program that a variable names, or this source's release build.
pub fn build(program: &str, variable: &str, progress: Progress) -> Result<PathBuf, Error> {
    if let Some(given) = std::env::var_os(variable) {
        return Ok(given.into());
    }
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let messages = progress.part(&format!("building {program}"), || {
        let mut cargo = Command::new(cargo);
        // The same selection as everywhere, and without what Cargo tells a test about its own package: by either a
        // dependency would be built once more.
        for name in std::env::vars().map(|(name, _)| name) {
            if name.starts_with("CARGO_PKG_") || name.starts_with("CARGO_MANIFEST_") {
                cargo.env_remove(name);
            }
        }
        cargo
            .args(["build", "--release", "--quiet", "--bin", program, "--message-format=json"])
            .current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
            .printed()
    })?;
    let built = messages.lines().find_map(|line| {
        let message: Value = serde_json::from_str(line).ok()?;
        message["executable"].as_str().map(PathBuf::from)
    });
    built.ok_or_else(|| {
        let hint = format!("name a build with the variable {variable}");
        Error::refused(format!("cargo did not say where {program} is"), hint)
    })
}
