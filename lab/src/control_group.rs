//! Control groups of the lab: one per machine, below one per lab, in every hierarchy that this machine has.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::error::At as _;
use crate::{Error, LabName};

const MOUNTED: &str = "/sys/fs/cgroup";
const TOP: &str = "slipway-lab";

/// Makes the groups for a machine and gives their directories.
pub(crate) fn make(lab: &LabName, machine: &str) -> Result<Vec<PathBuf>, Error> {
    let make = |hierarchy: PathBuf| {
        let mut group = hierarchy;
        for name in [TOP, &lab.to_string(), machine] {
            hand_down(&group)?;
            let parent = group.clone();
            group.push(name);
            if !group.exists() {
                fs::create_dir(&group).at("make", &group)?;
            }
            inherit(&parent, &group)?;
        }
        Ok(group)
    };
    hierarchies().into_iter().map(make).collect()
}

/// Removes the groups of a lab, in which nothing runs any more.
pub(crate) fn remove(lab: &LabName) {
    for hierarchy in hierarchies() {
        remove_tree(&hierarchy.join(TOP).join(lab.to_string()));
        // The last lab takes the top with it; others keep it from going.
        let _ = fs::remove_dir(hierarchy.join(TOP));
    }
}

/// Removes the groups of a machine that has ended.
pub(crate) fn remove_machine(lab: &LabName, machine: &str) {
    for hierarchy in hierarchies() {
        remove_tree(&hierarchy.join(TOP).join(lab.to_string()).join(machine));
    }
}

/// How long a machine's processes have been on a processor so far.
pub(crate) fn processor_time(lab: &LabName, machine: &str) -> Duration {
    let found = hierarchies().into_iter().find_map(|hierarchy| {
        let group = hierarchy.join(TOP).join(lab.to_string()).join(machine);
        if let Ok(nanoseconds) = fs::read_to_string(group.join("cpuacct.usage")) {
            return nanoseconds.trim().parse().ok().map(Duration::from_nanos);
        }
        let statistics = fs::read_to_string(group.join("cpu.stat")).ok()?;
        let microseconds = statistics.lines().find_map(|line| line.strip_prefix("usage_usec "))?;
        microseconds.parse().ok().map(Duration::from_micros)
    });
    found.unwrap_or_default()
}

/// The groups of a lab that are still there.
pub(crate) fn remaining(lab: &LabName) -> Vec<PathBuf> {
    let groups = hierarchies().into_iter().map(|hierarchy| hierarchy.join(TOP).join(lab.to_string()));
    groups.filter(|group| group.exists()).collect()
}

fn remove_tree(group: &Path) {
    let entries = fs::read_dir(group).into_iter().flatten().flatten();
    for entry in entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir())) {
        remove_tree(&entry.path());
    }
    let _ = fs::remove_dir(group);
}

/// The unified hierarchy alone, or each of the old ones.
fn hierarchies() -> Vec<PathBuf> {
    let mounted = Path::new(MOUNTED);
    if mounted.join("cgroup.controllers").exists() {
        return vec![mounted.to_owned()];
    }
    let entries = fs::read_dir(mounted).into_iter().flatten().flatten().map(|entry| entry.path());
    // Symbolic links are second names, such as cpu for cpu,cpuacct.
    let mut found: Vec<PathBuf> =
        entries.filter(|path| !path.is_symlink() && path.join("cgroup.procs").exists()).collect();
    found.sort();
    found
}

/// The unified hierarchy has controllers below a group only when the group says so.
fn hand_down(group: &Path) -> Result<(), Error> {
    let (available, chosen) = (group.join("cgroup.controllers"), group.join("cgroup.subtree_control"));
    let Ok(controllers) = fs::read_to_string(&available) else {
        return Ok(());
    };
    let already = fs::read_to_string(&chosen).unwrap_or_default();
    let missing =
        controllers.split_whitespace().filter(|name| !already.split_whitespace().any(|it| it == *name));
    let wanted: Vec<String> = missing.map(|name| format!("+{name}")).collect();
    if wanted.is_empty() {
        return Ok(());
    }
    fs::write(&chosen, wanted.join(" ")).at("write", &chosen)
}

/// A new group of the old cpuset hierarchy has no processors and no memory until it is told.
fn inherit(parent: &Path, group: &Path) -> Result<(), Error> {
    if group.join("cgroup.controllers").exists() {
        return Ok(());
    }
    for name in ["cpuset.cpus", "cpuset.mems"] {
        let (from, to) = (parent.join(name), group.join(name));
        if to.exists() {
            let value = fs::read_to_string(&from).at("read", &from)?;
            fs::write(&to, value.trim()).at("write", &to)?;
        }
    }
    let clone = group.join("cgroup.clone_children");
    if clone.exists() {
        fs::write(&clone, "1").at("write", &clone)?;
    }
    Ok(())
}
