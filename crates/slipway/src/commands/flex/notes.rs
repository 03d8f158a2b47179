//! What earlier commands wrote down about this machine.

use std::fmt::Display;

use slipway_apply::note;
use slipway_host::{Host, os_text};
use slipway_model::Secret;

use crate::failure::Failure;

/// A note, if there is one, by whoever knows its form.
pub(super) fn read<T, E: Display>(
    host: &dyn Host,
    name: &str,
    parse: fn(&Secret<String>) -> Result<T, E>,
) -> Result<Option<T>, Failure> {
    let text = note(host, name).map_err(|error| unreadable(&os_text(&error)))?;
    text.map(|text| parse(&text)).transpose().map_err(|error| unreadable(&error))
}

pub(super) fn unreadable(error: &dyn Display) -> Failure {
    Failure::machine("records-unreadable", "cannot read the records of earlier attempts", error)
}
