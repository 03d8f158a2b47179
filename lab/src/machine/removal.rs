//! The end of a machine, while its lab goes on.

use std::fs;

use super::{Ending, Machine};
use crate::command::Run as _;
use crate::error::At as _;
use crate::{Error, Space};

/// The arguments are the machine's name and its directory in the area.
const REMOVE: &str = r#"name=$1 area=$2
ip link delete "v-$name"
ip netns delete "$name"
if mountpoint -q "$area/root"; then umount "$area/root"; fi
if mountpoint -q "$area"; then umount "$area"; fi
rm -rf "$area""#;

impl Machine {
    /// Ends the machine and removes all that it has; its name and its address are free again.
    pub fn remove(self, space: &Space) -> Result<(), Error> {
        self.end(Ending::PowerLoss)?;
        let area = space.area().join(&self.name);
        space.command("bash").args(["-c", REMOVE, "remove", &self.name]).arg(area).printed()?;
        let files = self.directory.join("machines").join(&self.name);
        fs::remove_dir_all(&files).at("remove", &files)?;
        let claim = self.directory.join("addresses").join(&self.address);
        fs::remove_file(&claim).at("remove", &claim)
    }
}
