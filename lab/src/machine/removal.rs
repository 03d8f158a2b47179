//! The end of a machine, while its lab goes on.

use std::fs;

use rustix::process::{Pid, Signal, kill_process};

use super::{LONGEST, Machine, argument};
use crate::cluster::tail;
use crate::command::{Run as _, eventually};
use crate::error::At as _;
use crate::{Error, Space, control_group};

/// The arguments are the machine's name and its directory in the area.
const REMOVE: &str = r#"name=$1 area=$2
ip link delete "v-$name"
ip netns delete "$name"
if mountpoint -q "$area/root"; then umount "$area/root"; fi
if mountpoint -q "$area"; then umount "$area"; fi
rm -rf "$area""#;

impl Machine {
    /// Ends the machine and removes all that it has; its name and its address are free again.
    pub fn discard(self, space: &Space) -> Result<(), Error> {
        if let Some(leader) = self.leader.and_then(|leader| Pid::from_raw(leader.cast_signed())) {
            kill_process(leader, Signal::KILL).at("end", &self.console())?;
        }
        let said = || tail(&self.console());
        eventually("the machine to end", LONGEST, said, || {
            Ok(space.started_with(&argument(&self.name)).is_empty().then_some(()))
        })?;
        control_group::remove_machine(&self.lab, &self.name);
        let area = space.area().join(&self.name);
        space.command("bash").args(["-c", REMOVE, "remove", &self.name]).arg(area).printed()?;
        let files = self.directory.join("machines").join(&self.name);
        fs::remove_dir_all(&files).at("remove", &files)?;
        let claim = self.directory.join("addresses").join(&self.address);
        fs::remove_file(&claim).at("remove", &claim)
    }
}
