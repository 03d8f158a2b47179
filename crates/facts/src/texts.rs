use std::path::Path;

use serde::de::IgnoredAny;
use slipway_host::Host;
use slipway_model::JsonText;

use crate::{Missing, text};

const COMPONENTS: &str = "/opt/azure/components.json";
/// Written last when an image is built.
const IMAGE_COMPLETE: &str = "/opt/azure/vhd-install.complete";
/// The kernel's own answer comes first: the file may be about the next boot.
const HOST_NAMES: [&str; 2] = ["/proc/sys/kernel/hostname", "/etc/hostname"];

/// The image's component manifest.
pub(crate) fn components(host: &dyn Host) -> Result<JsonText, Missing> {
    let manifest = text(host, COMPONENTS)?;
    match serde_json::from_str::<IgnoredAny>(&manifest) {
        Ok(_) => Ok(JsonText(manifest.trim().to_owned())),
        Err(_) => Err(Missing::Content(COMPONENTS.to_owned(), "it is not JSON")),
    }
}

/// The machine's name.
pub(crate) fn hostname(host: &dyn Host) -> Result<String, Missing> {
    let mut problem = Missing::NotAsked;
    for path in HOST_NAMES {
        match text(host, path) {
            Ok(name) if !name.trim().is_empty() => return Ok(name.trim().to_owned()),
            Ok(_) => problem = Missing::Content(path.to_owned(), "it is empty"),
            Err(error) => problem = error,
        }
    }
    Err(problem)
}

/// Whether the image has everything on it.
pub(crate) fn is_golden(host: &dyn Host) -> Result<bool, Missing> {
    let entry = host.entry(Path::new(IMAGE_COMPLETE));
    entry.map(|entry| entry.is_some()).map_err(|error| Missing::File(IMAGE_COMPLETE.to_owned(), error))
}
