//! The binary under test, built when it is needed.

use std::path::{Path, PathBuf};
use std::process::Command;

/// Which build.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Profile {
    /// Fast to build.
    Dev,
    /// As it is shipped.
    Release,
}

/// Builds `slipway` in the workspace's target directory.
pub fn slipway(profile: Profile) -> PathBuf {
    let root = root();
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from);
    build(profile, &mut cargo(), &target)
}

/// Builds `slipway` with this version in a target directory of its own, so that the other builds keep theirs.
pub fn stamped(version: &str, target: &Path) -> PathBuf {
    let mut cargo = cargo();
    cargo.env("SLIPWAY_VERSION", version).env("CARGO_TARGET_DIR", target);
    build(Profile::Dev, &mut cargo, target)
}

fn build(profile: Profile, cargo: &mut Command, target: &Path) -> PathBuf {
    let directory = match profile {
        Profile::Dev => "debug",
        Profile::Release => {
            cargo.arg("--release");
            "release"
        }
    };
    assert!(cargo.status().unwrap().success(), "slipway does not build");
    target.join(directory).join("slipway")
}

fn cargo() -> Command {
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["build", "--quiet", "--package", "slipway"]).current_dir(root());
    cargo
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}
