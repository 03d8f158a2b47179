//! A directory that stands for a machine, and the commands on it.

use std::path::{Path, PathBuf};
use std::process::Output;
use std::sync::atomic::{AtomicU32, Ordering};

use crate::run;

pub(crate) const CONTRACT: &str = "examples/contract.json";
pub(crate) const FACTS: &str = "examples/facts.json";

/// A directory that is gone when the test is.
pub(crate) struct Root(PathBuf);

impl Root {
    pub(crate) fn new() -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let name = format!("slipway-root-{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        let path = std::env::temp_dir().join(name);
        std::fs::create_dir(&path).unwrap();
        Self(path)
    }

    /// The file that a node would have at this path.
    pub(crate) fn at(&self, path: &str) -> PathBuf {
        self.0.join(path.trim_start_matches('/'))
    }

    pub(crate) fn read(&self, path: &str) -> String {
        std::fs::read_to_string(self.at(path)).unwrap()
    }

    pub(crate) fn write(&self, path: &str, text: &str) {
        std::fs::create_dir_all(self.at(path).parent().unwrap()).unwrap();
        std::fs::write(self.at(path), text).unwrap();
    }

    /// Runs a command that takes a contract, facts and a root.
    pub(crate) fn planned(&self, command: &str, more: &[&str]) -> Output {
        self.with(command, CONTRACT, more)
    }

    /// The same with another contract.
    pub(crate) fn with(&self, command: &str, contract: &str, more: &[&str]) -> Output {
        let root = self.0.to_str().unwrap();
        let given = [command, "--provision-config", contract, "--facts", FACTS, "--root", root];
        run(&[&given[..], more].concat(), "")
    }

    /// Runs a command that takes a root only.
    pub(crate) fn plain(&self, command: &str, more: &[&str]) -> Output {
        run(&[&[command, "--root", self.0.to_str().unwrap()][..], more].concat(), "")
    }

    /// Everything below the root: path, mode, what is there. Logs and the record of attempts do not count.
    pub(crate) fn tree(&self) -> Vec<String> {
        let mut found = Vec::new();
        walk(&self.0, &self.0, &mut found);
        found.retain(|line| {
            !["/var ", "/var/log", "/var/lib/slipway"].iter().any(|path| line.starts_with(path))
        });
        found.sort();
        found
    }
}

impl Drop for Root {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn walk(root: &Path, directory: &Path, found: &mut Vec<String>) {
    use std::os::unix::fs::PermissionsExt as _;
    for entry in std::fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        let about = std::fs::symlink_metadata(&path).unwrap();
        let shown = format!("/{}", path.strip_prefix(root).unwrap().display());
        let content = if about.is_symlink() {
            std::fs::read_link(&path).unwrap().display().to_string()
        } else if about.is_dir() {
            walk(root, &path, found);
            "directory".to_owned()
        } else {
            String::from_utf8_lossy(&std::fs::read(&path).unwrap()).into_owned()
        };
        found.push(format!("{shown} {:o} {content}", about.permissions().mode()));
    }
}

pub(crate) fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// What a successful run printed.
pub(crate) fn told(output: &Output) -> String {
    assert!(output.status.success(), "{}", text(&output.stderr));
    text(&output.stdout)
}

pub(crate) fn json(output: &Output) -> serde_json::Value {
    serde_json::from_slice(&output.stdout).unwrap()
}
