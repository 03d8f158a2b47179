//! Facts: read from a file, or gathered from the machine.

use std::path::Path;

use slipway_host::Host;
use slipway_model::Facts;

use crate::failure::Failure;
use crate::files;

/// The facts in a file, or those of the machine.
pub(crate) fn facts(file: Option<&Path>, host: &dyn Host) -> Result<Facts, Failure> {
    file.map_or_else(|| Ok(gathered(host)), parsed)
}

/// The facts in a file.
pub(crate) fn parsed(file: &Path) -> Result<Facts, Failure> {
    let input = files::read(file)?;
    let text = String::from_utf8_lossy(&input.text);
    Facts::parse(&text)
        .map_err(|error| Failure::input("bad-facts", format!("cannot use {}", input.name), error))
}

/// The facts of the machine.
pub(crate) fn gathered(_host: &dyn Host) -> Facts {
    Facts::default()
}
