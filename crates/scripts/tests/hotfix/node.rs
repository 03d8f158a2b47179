//! A node in a directory of its own.

use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde_json::Value;
use slipway_scripts::Report;
use slipway_scripts::hotfix::{Patience, Places};

/// A program that is written while another thread forks cannot be run until that thread has executed something:
/// tests that run programs take turns.
static RUNS_PROGRAMS: Mutex<()> = Mutex::new(());

pub(crate) struct Node {
    pub(crate) root: PathBuf,
    pub(crate) places: Places,
    pub(crate) report: Report,
    turn: Option<MutexGuard<'static, ()>>,
}

pub(crate) const RUNNING: &str = "202601.15.0";

pub(crate) const HASTE: Patience =
    Patience { attempts: 3, limit: Duration::from_secs(20), pause: Duration::from_millis(10) };

impl Node {
    pub(crate) fn new() -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let root = std::env::temp_dir().join(format!("slipway-hotfix-{}-{number}", std::process::id()));
        let _ = fs::remove_dir_all(&root);
        for directory in ["containers", "sources", "bin", "usr"] {
            fs::create_dir_all(root.join(directory)).unwrap();
        }
        let places = Places {
            containers: root.join("containers"),
            os_release: root.join("os-release"),
            apt_sources: root.join("sources"),
            installed: root.join("usr/aks-node-controller"),
            search_path: OsString::from(root.join("bin")),
        };
        let report = Report::at(&root.join("log"), &root.join("events")).unwrap();
        Self { root, places, report, turn: None }
    }

    pub(crate) fn that_runs_programs() -> Self {
        let turn = RUNS_PROGRAMS.lock().unwrap_or_else(PoisonError::into_inner);
        let mut node = Self::new();
        node.turn = Some(turn);
        node
    }

    pub(crate) fn pointer(&self) -> Option<String> {
        fs::read_to_string(self.places.pointer()).ok()
    }

    pub(crate) fn records(&self) -> Vec<Value> {
        let log = fs::read_to_string(self.root.join("log")).unwrap();
        log.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    pub(crate) fn messages(&self) -> Vec<String> {
        self.records().iter().map(|record| record["msg"].as_str().unwrap().to_owned()).collect()
    }

    pub(crate) fn events(&self) -> Vec<Value> {
        let Ok(directory) = fs::read_dir(self.root.join("events")) else { return Vec::new() };
        directory
            .map(|entry| serde_json::from_slice(&fs::read(entry.unwrap().path()).unwrap()).unwrap())
            .collect()
    }

    /// The names in the containers directory, where temporaries would be left.
    pub(crate) fn containers(&self) -> Vec<String> {
        let directory = fs::read_dir(&self.places.containers).unwrap();
        let mut names: Vec<_> =
            directory.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }
}

impl Drop for Node {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.root);
    }
}

pub(crate) fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o7777
}

pub(crate) fn put(path: &Path, content: &str, mode: u32) {
    fs::write(path, content).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}
