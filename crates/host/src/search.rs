//! Finding programs.

use std::env::split_paths;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;

/// The first executable file of a name in a list of directories such as `PATH`.
pub fn find_program(name: &str, directories: &OsStr) -> Option<PathBuf> {
    split_paths(directories)
        .filter(|directory| directory.is_absolute())
        .map(|directory| directory.join(name))
        .find(|path| {
            fs::metadata(path).is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
        })
}
