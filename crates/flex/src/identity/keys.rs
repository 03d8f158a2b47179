//! The key files of the Azure Arc agent.

use std::io;
use std::path::{Path, PathBuf};

use slipway_azure::credential::{KEY_DIRECTORY, KeyFiles};
use slipway_host::{EntryKind, Host as _, Machine};
use slipway_model::Secret;

/// The agent's directory of keys. Nothing outside of it is read, whatever is in it.
#[derive(Debug)]
pub struct AgentKeys {
    directory: PathBuf,
}

impl Default for AgentKeys {
    fn default() -> Self {
        Self::below(Path::new("/"))
    }
}

impl AgentKeys {
    /// The directory below a root.
    pub fn below(root: &Path) -> Self {
        Self { directory: root.join(KEY_DIRECTORY.trim_start_matches('/')) }
    }
}

impl KeyFiles for AgentKeys {
    fn read(&self, name: &str, most: usize) -> io::Result<Secret<Vec<u8>>> {
        // The directory is a root of its own: no link in it leads out. It may appear after we were made.
        let directory = Machine::below(&self.directory)?;
        let path = Path::new("/").join(name);
        match directory.entry(&path)?.map(|entry| entry.kind) {
            Some(EntryKind::File) => directory.read_part(&path, 0, most).map(Secret::new),
            Some(_) => Err(io::Error::new(io::ErrorKind::InvalidInput, "it is no regular file")),
            None => Err(io::ErrorKind::NotFound.into()),
        }
    }
}
