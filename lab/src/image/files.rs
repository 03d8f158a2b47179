//! Writing below a root.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};

use crate::Error;
use crate::error::At as _;

/// Text files of an image: path, mode and content.
pub(super) type Texts = &'static [(&'static str, u32, &'static str)];

/// A path of a machine below its root.
pub(super) fn below(root: &Path, path: &str) -> PathBuf {
    root.join(path.trim_start_matches('/'))
}

/// Writes text files.
pub(super) fn texts(root: &Path, texts: Texts) -> Result<(), Error> {
    texts.iter().try_for_each(|(path, mode, text)| put(root, path, *mode, text.as_bytes()))
}

/// Writes a file below a root.
pub(crate) fn put(root: &Path, path: &str, mode: u32, content: &[u8]) -> Result<(), Error> {
    let path = below(root, path);
    if let Some(parent) = path.parent() {
        fs::create_dir_all(parent).at("make", parent)?;
    }
    fs::write(&path, content).at("write", &path)?;
    fs::set_permissions(&path, fs::Permissions::from_mode(mode)).at("set the mode of", &path)
}

/// Copies a file with its mode.
pub(super) fn copy(from: &Path, to: &Path) -> Result<(), Error> {
    if let Some(parent) = to.parent() {
        fs::create_dir_all(parent).at("make", parent)?;
    }
    fs::copy(from, to).at("copy to", to).map(drop)
}

/// Makes a symbolic link, in the place of what is there.
pub(super) fn link(target: &str, path: &Path) -> Result<(), Error> {
    if let Some(parent) = path.parent() {
        fs::create_dir_all(parent).at("make", parent)?;
    }
    let _ = fs::remove_file(path);
    symlink(target, path).at("link", path)
}

/// Lets a target want a unit.
pub(super) fn enable(root: &Path, target: &str, unit: &str) -> Result<(), Error> {
    let wants = below(root, &format!("/etc/systemd/system/{target}.wants"));
    fs::create_dir_all(&wants).at("make", &wants)?;
    let name = Path::new(unit).file_name().unwrap_or_default();
    link(unit, &wants.join(name))
}
