//! A machine whose boot was interrupted: what there is of it goes, so that its name is free again.

use std::fs;
use std::path::Path;

use rustix::process::{Pid, Signal, kill_process};

use super::{LONGEST, argument, leader};
use crate::command::{Run as _, eventually};
use crate::error::At as _;
use crate::{Error, LabName, Space, control_group};

/// The arguments are the machine's name and its directory in the area. Any part may be missing.
const CLEAR: &str = r#"name=$1 area=$2
ip link delete "v-$name" 2>/dev/null
ip netns delete "$name" 2>/dev/null
for mounted in "$area/root" "$area"; do
    if mountpoint -q "$mounted"; then umount "$mounted" || exit 1; fi
done
rm -rf "$area""#;

/// Removes what is there of a machine that does not run.
pub(crate) fn clear(space: &Space, lab: &LabName, directory: &Path, name: &str) -> Result<(), Error> {
    let files = directory.join("machines").join(name);
    if !files.exists() || leader(space, name).is_some() {
        return Ok(());
    }
    for id in space.started_with(&argument(name)) {
        if let Some(id) = Pid::from_raw(id.cast_signed()) {
            // It may end by itself in this very moment.
            let _ = kill_process(id, Signal::KILL);
        }
    }
    eventually("the machine to end", LONGEST, String::new, || {
        Ok(space.started_with(&argument(name)).is_empty().then_some(()))
    })?;
    control_group::remove_machine(lab, name);
    let area = space.area().join(name);
    space.command("bash").args(["-c", CLEAR, "clear", name]).arg(area).printed()?;
    if let Ok(address) = fs::read_to_string(files.join("address")) {
        let _ = fs::remove_file(directory.join("addresses").join(address));
    }
    fs::remove_dir_all(&files).at("remove", &files)
}
