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
use std::process::Command;
use std::sync::OnceLock;

use machine::printed;

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
