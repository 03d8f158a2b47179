//! Facts: read from a file, or gathered from the machine.

use std::path::Path;
use std::time::Duration;

use slipway_azure::imds;
use slipway_facts::{Fact, Gathered, gather};
use slipway_host::Host;
use slipway_model::Facts;

use crate::failure::Failure;
use crate::files;

/// How long the metadata service may take; machines that Azure did not make have none.
const METADATA: Duration = Duration::from_secs(5);

/// The facts in a file, or those of the machine.
pub(crate) fn facts(file: Option<&Path>, host: &dyn Host) -> Result<Facts, Failure> {
    file.map_or_else(|| Ok(gathered(host).facts), parsed)
}

/// The facts in a file.
pub(crate) fn parsed(file: &Path) -> Result<Facts, Failure> {
    let input = files::read(file)?;
    let text = String::from_utf8_lossy(&input.text);
    Facts::parse(&text)
        .map_err(|error| Failure::input("bad-facts", format!("cannot use {}", input.name), error))
}

/// The facts of the machine, and why some are missing. Below a root nobody is asked but the files.
pub(crate) fn gathered(host: &dyn Host) -> Gathered {
    gather(host, &Fact::ALL, host.is_live().then_some(imds::ADDRESS), METADATA)
}
