//! What holds for a contract that asks for everything: all of it is explained, and no secret of it is told.

#![expect(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "the tests run the binary and fail by panicking"
)]

mod contract;
mod explain;
mod names;
mod secrets;
mod sown;

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};

use serde_json::Value;

/// A directory that stands for a machine, with a contract and facts beside it; gone when the test is.
struct Machine {
    directory: PathBuf,
}

impl Machine {
    fn new(contract: &Value) -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let name = format!("slipway-fullest-{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        let directory = std::env::temp_dir().join(name);
        std::fs::create_dir_all(directory.join("root")).unwrap();
        std::fs::write(directory.join("contract.json"), contract.to_string()).unwrap();
        std::fs::write(directory.join("facts.json"), contract::FACTS).unwrap();
        Self { directory }
    }

    fn root(&self) -> PathBuf {
        self.directory.join("root")
    }

    /// The file that a node would have at this path.
    fn at(&self, path: impl AsRef<Path>) -> PathBuf {
        let path = path.as_ref();
        self.root().join(path.strip_prefix("/").unwrap_or(path))
    }

    /// Runs a command that takes a contract, facts and a root.
    fn planned(&self, command: &str, more: &[&str]) -> Output {
        let [contract, facts] = ["contract.json", "facts.json"].map(|name| self.directory.join(name));
        let given =
            ["--provision-config".as_ref(), contract.as_os_str(), "--facts".as_ref(), facts.as_os_str()];
        self.slipway(command).args(given).args(more).output().unwrap()
    }

    /// Runs a command that takes a root only.
    fn plain(&self, command: &str, more: &[&str]) -> Output {
        self.slipway(command).args(more).output().unwrap()
    }

    fn slipway(&self, command: &str) -> Command {
        let mut slipway = Command::new(env!("CARGO_BIN_EXE_slipway"));
        slipway.arg(command).arg("--root").arg(self.root()).stdin(Stdio::null());
        slipway
    }
}

impl Drop for Machine {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.directory);
    }
}
