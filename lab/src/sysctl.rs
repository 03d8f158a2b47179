//! Kernel settings that machines share with this one: saved before the first lab, put back after the last.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use crate::Error;
use crate::error::At as _;

/// Settings outside network namespaces.
const SHARED: [&str; 3] = ["/proc/sys/fs", "/proc/sys/kernel", "/proc/sys/vm"];

/// What is an action, a counter or the machine's own.
const LEFT_ALONE: [&str; 8] = [
    "/proc/sys/fs/binfmt_misc",
    "/proc/sys/kernel/domainname",
    "/proc/sys/kernel/hostname",
    "/proc/sys/kernel/ns_last_pid",
    "/proc/sys/kernel/random",
    "/proc/sys/vm/compact_memory",
    "/proc/sys/vm/drop_caches",
    "/proc/sys/vm/stat_refresh",
];

/// Saves the settings, unless they were saved before.
pub(crate) fn save(file: &Path) -> Result<(), Error> {
    if file.exists() {
        return Ok(());
    }
    let text = serde_json::to_string(&settings()).unwrap_or_default();
    fs::write(file, text).at("write", file)
}

/// Makes room for machines: each one's systemd and kubelet need a dozen of what the kernel gives a user 128 of.
pub(crate) fn make_room() -> Result<(), Error> {
    const INSTANCES: (&str, u32) = ("/proc/sys/fs/inotify/max_user_instances", 4096);
    let path = Path::new(INSTANCES.0);
    let present = fs::read_to_string(path).at("read", path)?;
    if present.trim().parse().is_ok_and(|present: u32| present >= INSTANCES.1) {
        return Ok(());
    }
    fs::write(path, INSTANCES.1.to_string()).at("write", path)
}

/// Puts back what has changed since it was saved.
pub(crate) fn restore(file: &Path) -> Result<(), Error> {
    let Ok(text) = fs::read_to_string(file) else {
        return Ok(());
    };
    let saved: BTreeMap<PathBuf, String> = serde_json::from_str(&text).unwrap_or_default();
    let now = settings();
    for (path, value) in saved {
        if now.get(&path).is_some_and(|present| *present != value) {
            // A setting that refuses its own earlier value is none that can be restored.
            let _ = fs::write(&path, value);
        }
    }
    fs::remove_file(file).at("remove", file)
}

fn settings() -> BTreeMap<PathBuf, String> {
    let mut found = BTreeMap::new();
    for directory in SHARED {
        collect(Path::new(directory), &mut found);
    }
    found
}

fn collect(directory: &Path, found: &mut BTreeMap<PathBuf, String>) {
    for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
        let path = entry.path();
        let Ok(metadata) = entry.metadata() else { continue };
        if LEFT_ALONE.iter().any(|left| path == Path::new(left)) {
            continue;
        }
        if metadata.is_dir() {
            collect(&path, found);
        } else if metadata.permissions().mode() & 0o600 == 0o600
            && let Ok(value) = fs::read_to_string(&path)
        {
            found.insert(path, value);
        }
    }
}
