//! The end of a machine, while its lab goes on.

use super::{Ending, Machine, unfinished};
use crate::{Error, Space};

impl Machine {
    /// Ends the machine and removes all that it has; its name and its address are free again.
    pub fn remove(self, space: &Space) -> Result<(), Error> {
        self.end(Ending::PowerLoss)?;
        unfinished::clear(space, &self.lab, &self.directory, &self.name)
    }
}
