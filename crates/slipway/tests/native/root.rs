//! A machine below a directory, as its image left it, and the binary run on it.

use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::atomic::{AtomicU32, Ordering};

use crate::case::Case;

/// What the image holds.
const IMAGE: &str = include_str!("image.txt");

/// A root, with the contract and the facts beside it; all gone when the test is.
pub(crate) struct Root {
    area: PathBuf,
}

impl Root {
    /// An empty root for a case.
    pub(crate) fn empty(case: &Case) -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let name = format!("slipway-native-{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        let root = Self { area: std::env::temp_dir().join(name) };
        std::fs::create_dir_all(root.path()).unwrap();
        std::fs::write(root.area.join("contract.json"), case.contract.to_string()).unwrap();
        std::fs::write(root.area.join("facts.json"), case.facts.to_string()).unwrap();
        root
    }

    /// A root that holds what the image holds.
    pub(crate) fn imaged(case: &Case) -> Self {
        let root = Self::empty(case);
        for line in IMAGE.lines().filter(|line| !line.starts_with('#')) {
            let mut words = line.split(' ');
            let (mode, path) = (words.next().unwrap(), words.next().unwrap());
            let file = root.path().join(path.trim_start_matches('/'));
            std::fs::create_dir_all(file.parent().unwrap()).unwrap();
            if mode == "link" {
                std::os::unix::fs::symlink(words.next().unwrap(), &file).unwrap();
                continue;
            }
            let text = match words.next() {
                Some(wanted_by) => format!("[Install]\nWantedBy={wanted_by}\n"),
                None => content(path).to_owned(),
            };
            std::fs::write(&file, text).unwrap();
            let mode = std::fs::Permissions::from_mode(u32::from_str_radix(mode, 8).unwrap());
            std::fs::set_permissions(&file, mode).unwrap();
        }
        root
    }

    /// The root itself.
    pub(crate) fn path(&self) -> PathBuf {
        self.area.join("root")
    }

    /// The text of a file of the node's.
    pub(crate) fn read(&self, path: &str) -> Option<String> {
        std::fs::read_to_string(self.path().join(path.trim_start_matches('/'))).ok()
    }

    /// Runs a command that takes the contract and the facts.
    pub(crate) fn run(&self, command: &str, more: &[&str]) -> Output {
        Command::new(env!("CARGO_BIN_EXE_slipway"))
            .arg(command)
            .arg("--root")
            .arg(self.path())
            .args(["--provision-config", "contract.json", "--facts", "facts.json"])
            .args(more)
            .current_dir(&self.area)
            .output()
            .unwrap()
    }

    /// Provisions, which has to succeed.
    pub(crate) fn provision(&self) {
        let output = self.run("provision", &["--progress", "none"]);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }
}

impl Drop for Root {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.area);
    }
}

/// What is in the files of the image that provisioning reads.
fn content(path: &str) -> &str {
    match Path::new(path).file_name().and_then(|name| name.to_str()) {
        Some("10-azure.conflist") => {
            "{\"name\":\"azure\",\"plugins\":[{\"type\":\"azure-vnet\",\"mode\":\"bridge\"}]}\n"
        }
        Some("sshd_config") => "Port 22\nMatch User backup\n  PubkeyAuthentication yes\n",
        Some("environment") => "PATH=\"/usr/sbin:/usr/bin\"\n",
        _ => path,
    }
}
