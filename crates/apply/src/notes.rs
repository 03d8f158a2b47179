//! Texts that are kept beside the record of what was done, and go with it.

use std::io;
use std::path::{Path, PathBuf};

use slipway_host::Host;
use slipway_model::{Attributes, Secret};

use crate::home;
use crate::tree::{beside, open_new};

/// Keeps a text under a name, for root alone. A reset removes it.
pub fn keep_note(host: &dyn Host, name: &str, text: &Secret<String>) -> io::Result<()> {
    home::sweep(host)?;
    home::make(host)?;
    let path = place(name);
    let new = beside(&path);
    let mut file = open_new(host, &new, Attributes::root(0o600))?;
    file.write_all(text.expose().as_bytes())?;
    file.sync()?;
    drop(file);
    host.rename(&new, &path)
}

/// The text that is kept under a name, if there is one.
pub fn note(host: &dyn Host, name: &str) -> io::Result<Option<Secret<String>>> {
    let path = place(name);
    if host.entry(&path)?.is_none() {
        return Ok(None);
    }
    let text = String::from_utf8(host.read(&path)?);
    text.map(|text| Some(Secret::new(text))).map_err(|_| io::ErrorKind::InvalidData.into())
}

/// Removes the text that is kept under a name, if there is one.
pub fn drop_note(host: &dyn Host, name: &str) -> io::Result<()> {
    home::clear(host, &place(name))
}

fn place(name: &str) -> PathBuf {
    Path::new(home::STATE).join(name)
}
