//! The log of `aks-flex-node`, where people look for it: everything that is said is kept there too.

use std::io;
use std::path::{Path, PathBuf};

use slipway_host::{Appender, make_directory, read};

use crate::cli::Place;
use crate::screen;
use crate::surroundings::root;

const DIRECTORY: &str = "/var/log/aks-flex-node";
const NAME: &str = "aks-flex-node.log";

/// Keeps what is said from now on in the log that a configuration names; root alone reads it.
pub(super) fn open(config: &Path) -> io::Result<()> {
    let mut directory = directory(&read(config).unwrap_or_default());
    if let Some(root) = root(&Place { root: None }) {
        directory = root.join(directory.strip_prefix("/").unwrap_or(&directory));
    }
    make_directory(&directory)?;
    screen::keep(Appender::open(&directory.join(NAME), 0o600)?);
    Ok(())
}

/// Where a configuration wants the log; the usual place for one that cannot be read, since that has to be said too.
fn directory(config: &[u8]) -> PathBuf {
    // Whatever the machine is called, its log is where the file says.
    let config = slipway_flex::read(config, "machine").config;
    config.map_or_else(|| DIRECTORY.into(), |config| config.agent.log_dir)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_log_is_where_the_configuration_says() {
        let cluster = "/subscriptions/11111111-2222-3333-4444-555555555555/resourceGroups/g/providers/Microsoft.ContainerService/managedClusters/c";
        let config = format!(
            r#"{{"azure": {{"managedIdentity": {{}}, "targetCluster": {{"resourceId": "{cluster}"}}}}, "agent": {{"logDir": "/srv/log"}}}}"#
        );
        assert_eq!(directory(config.as_bytes()), Path::new("/srv/log"));
        assert_eq!(directory(b"nonsense"), Path::new(DIRECTORY));
    }
}
