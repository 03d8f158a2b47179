//! Kernel settings that machines share with this one: saved before the first lab, put back after the last, also when
//! that is killed.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::Error;
use crate::command::Run as _;
use crate::error::At as _;

/// Settings outside network namespaces.
const SHARED: [&str; 3] = ["/proc/sys/fs", "/proc/sys/kernel", "/proc/sys/vm"];

/// The script that puts settings back, and what labs hold.
const SAVED: &str = "settings.sh";
const LOCK: &str = "lock";

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

/// Puts a setting back unless it is as it was, without a process for each. One that refuses its own earlier value is
/// none that can be put back.
const RESTORE: &str = r#"restore() {
    local now
    IFS= read -r -d '' now <"$1"
    [ "$now" = "$2" ] || printf %s "$2" >"$1"
} 2>/dev/null
"#;

/// Saves the settings unless they are saved, and gives what a lab has to hold open for as long as it lasts: when nobody
/// holds it any more, even if all were killed, the settings are put back.
pub(crate) fn hold(labs: &Path) -> Result<File, Error> {
    let lock = lock(labs)?;
    lock.lock_shared().at("lock", labs)?;
    let saved = labs.join(SAVED);
    if !saved.exists() {
        let unfinished = labs.join("settings.unfinished");
        fs::write(&unfinished, script(&settings())).at("write", &unfinished)?;
        fs::rename(&unfinished, &saved).at("rename to", &saved)?;
        // The guard waits until no lab holds the lock; a session of its own keeps signals of a terminal away from it.
        let mut guard = Command::new("setsid");
        guard.args(["--fork", "flock", "--exclusive"]).arg(labs.join(LOCK)).arg("bash").arg(&saved);
        guard.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        guard.status().map_err(|source| Error::Start { program: "setsid".to_owned(), source })?;
    }
    Ok(lock)
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

/// Puts back what has changed since it was saved, unless a lab still lasts.
pub(crate) fn restore(labs: &Path) -> Result<(), Error> {
    let saved = labs.join(SAVED);
    let lock = lock(labs)?;
    if lock.try_lock().is_ok() && saved.exists() {
        Command::new("bash").arg(&saved).printed()?;
    }
    Ok(())
}

fn lock(labs: &Path) -> Result<File, Error> {
    let path = labs.join(LOCK);
    fs::create_dir_all(labs).at("make", labs)?;
    File::options().create(true).append(true).open(&path).at("open", &path)
}

/// A shell script that puts settings back and goes.
fn script(settings: &BTreeMap<PathBuf, String>) -> String {
    let quoted = |text: &str| format!("'{}'", text.replace('\'', r"'\''"));
    let lines = settings
        .iter()
        .map(|(path, value)| format!("restore {} {}\n", quoted(&path.to_string_lossy()), quoted(value)));
    lines.fold(RESTORE.to_owned(), |script, line| script + &line) + "rm -f \"$0\"\n"
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_script_puts_back_what_has_changed_and_goes() {
        let directory = tempfile::tempdir().unwrap();
        let path = |name: &str| directory.path().join(name);
        let values = [("changed", "4096\t'4096'\n"), ("same", "1\n")];
        for (name, value) in values {
            fs::write(path(name), value).unwrap();
        }
        let saved = values.map(|(name, value)| (path(name), value.to_owned()));
        fs::write(path("saved"), script(&BTreeMap::from(saved))).unwrap();
        fs::write(path("changed"), "0\n").unwrap();
        Command::new("bash").arg(path("saved")).printed().unwrap();
        for (name, value) in values {
            assert_eq!(fs::read_to_string(path(name)).unwrap(), value);
        }
        assert!(!path("saved").exists());
    }

    #[test]
    fn nothing_is_put_back_while_somebody_holds_on() {
        let directory = tempfile::tempdir().unwrap();
        let held = lock(directory.path()).unwrap();
        held.lock_shared().unwrap();
        fs::write(directory.path().join(SAVED), "rm -f \"$0\"\n").unwrap();
        restore(directory.path()).unwrap();
        assert!(directory.path().join(SAVED).exists());
        drop(held);
        restore(directory.path()).unwrap();
        assert!(!directory.path().join(SAVED).exists());
    }
}
