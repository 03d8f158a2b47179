//! Kernel settings and mounts.

use std::fs::File;
use std::io::{self, Write as _};
use std::path::Path;

use rustix::fs::{AtFlags, OFlags, StatxAttributes, StatxFlags, statx};
use rustix::mount::{
    MountPropagationFlags, MoveMountFlags, OpenTreeFlags, UnmountFlags, mount_change, move_mount, open_tree,
};

use super::tree::Tree;
use crate::host::Mount;

/// What a setting's file says, without the line end.
pub(super) fn setting(tree: &Tree, path: &Path) -> io::Result<Option<String>> {
    match tree.read(path) {
        Ok(value) => Ok(Some(String::from_utf8_lossy(&value).trim_end().to_owned())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// The kernel takes each write as a whole value, so that there is exactly one.
pub(super) fn set_setting(tree: &Tree, path: &Path, value: &str) -> io::Result<()> {
    let written = File::from(tree.resolve(path, OFlags::WRONLY)?).write(value.as_bytes())?;
    if written == value.len() { Ok(()) } else { Err(io::ErrorKind::WriteZero.into()) }
}

pub(super) fn is_mount_point(tree: &Tree, path: &Path) -> io::Result<bool> {
    let found = match tree.resolve(path, OFlags::PATH) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
        other => other?,
    };
    let found = statx(&found, "", AtFlags::EMPTY_PATH, StatxFlags::TYPE)?;
    if found.stx_attributes_mask.contains(StatxAttributes::MOUNT_ROOT) {
        return Ok(found.stx_attributes.contains(StatxAttributes::MOUNT_ROOT));
    }
    let reason = "this kernel does not tell mount points: Slipway needs Linux 5.8 or later";
    Err(io::Error::new(io::ErrorKind::Unsupported, reason))
}

pub(super) fn mount(tree: &Tree, mount: &Mount) -> io::Result<()> {
    match mount {
        Mount::Bind { from, at } => {
            let (from, at) = (tree.resolve(from, OFlags::PATH)?, tree.resolve(at, OFlags::PATH)?);
            let flags = OpenTreeFlags::OPEN_TREE_CLONE
                | OpenTreeFlags::OPEN_TREE_CLOEXEC
                | OpenTreeFlags::AT_EMPTY_PATH;
            let copy = open_tree(&from, "", flags)?;
            let both = MoveMountFlags::MOVE_MOUNT_F_EMPTY_PATH | MoveMountFlags::MOVE_MOUNT_T_EMPTY_PATH;
            Ok(move_mount(&copy, "", &at, "", both)?)
        }
        Mount::Share { at } => Ok(mount_change(at, MountPropagationFlags::SHARED)?),
    }
}

pub(super) fn unmount(tree: &Tree, path: &Path) -> io::Result<()> {
    // What is remembered to be synced keeps a file system busy.
    tree.sync()?;
    Ok(rustix::mount::unmount(path, UnmountFlags::NOFOLLOW)?)
}
