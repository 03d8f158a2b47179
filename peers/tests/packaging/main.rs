//! The packages, installed and removed with the real package managers; the units, run by a real systemd.

#![expect(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "the tests build, install and run, and fail by panicking"
)]

mod machine;
mod packages;
mod units;

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;

/// Runs a command to its end; a program that is not there is named together with who installs it.
fn finished(command: &mut Command) -> Output {
    let program = command.get_program().to_string_lossy().into_owned();
    match command.output() {
        Ok(output) => output,
        Err(error) => panic!("{program} cannot be run ({error}): run ./test, which installs it"),
    }
}

/// What a command printed; its failure is ours.
fn printed(command: &mut Command) -> String {
    let output = finished(command);
    let complaint = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}: {}\n{complaint}", String::from_utf8_lossy(&output.stdout));
    String::from_utf8(output.stdout).unwrap()
}

/// The packages as `packaging/build` makes them.
struct Packages {
    deb: PathBuf,
    rpm: PathBuf,
}

fn packages() -> &'static Packages {
    static PACKAGES: OnceLock<Packages> = OnceLock::new();
    PACKAGES.get_or_init(|| {
        let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("packages");
        let build = Path::new(env!("CARGO_MANIFEST_DIR")).join("../packaging/build");
        let paths = printed(Command::new(build).arg(directory));
        let package = |kind: &str| PathBuf::from(paths.lines().find(|path| path.ends_with(kind)).unwrap());
        Packages { deb: package(".deb"), rpm: package(".rpm") }
    })
}
