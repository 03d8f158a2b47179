//! Layers: archives of the files that they add.

use std::collections::BTreeSet;
use std::io;

use tar::{Builder, EntryType, Header};

/// A file of a layer, owned by root.
#[derive(Clone, Copy, Debug)]
pub struct LayerFile<'a> {
    /// Its absolute path in the container.
    pub path: &'a str,
    /// Its permissions.
    pub mode: u32,
    /// What is in it.
    pub content: &'a [u8],
}

/// A layer of an image.
#[derive(Clone, Debug)]
pub struct Layer {
    archive: Vec<u8>,
}

impl Layer {
    /// A layer of these files and the directories that they are in.
    pub fn of(files: &[LayerFile<'_>]) -> io::Result<Self> {
        let mut archive = Builder::new(Vec::new());
        let relative = |path: &str| path.trim_start_matches('/').to_owned();
        let parents: BTreeSet<String> = files.iter().flat_map(|file| parents(&relative(file.path))).collect();
        for directory in parents {
            let mut header = header(EntryType::Directory, 0o755, 0);
            archive.append_data(&mut header, format!("{directory}/"), io::empty())?;
        }
        for file in files {
            let mut header = header(EntryType::Regular, file.mode, file.content.len() as u64);
            archive.append_data(&mut header, relative(file.path), file.content)?;
        }
        Ok(Self { archive: archive.into_inner()? })
    }

    /// The archive.
    pub fn bytes(&self) -> &[u8] {
        &self.archive
    }
}

/// A header that says nothing about when or by whom, so that archives of the same files are equal.
pub(super) fn header(kind: EntryType, mode: u32, size: u64) -> Header {
    let mut header = Header::new_gnu();
    header.set_entry_type(kind);
    header.set_mode(mode);
    header.set_size(size);
    header.set_uid(0);
    header.set_gid(0);
    header.set_mtime(0);
    header
}

/// The directories above a path, the highest first.
fn parents(path: &str) -> Vec<String> {
    path.match_indices('/').map(|(slash, _)| path[..slash].to_owned()).collect()
}
