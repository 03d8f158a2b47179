//! Script overrides: files of `nodecustomdata.yml` in place of the image's.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use slipway_host::{self as host, Replacement};
use slipway_model::Mode;

use super::path_error;
use super::write_files::{WrittenFile, write_files};

/// Applies the overrides, if there are any, and says how many files they had.
///
/// As the peer does it, files are written in place one after the other, and the first that fails ends it. As we do
/// it, everything is read and written before anything is replaced, and a failure leaves the image's scripts.
pub(super) fn apply(path: &Path, mode: Mode) -> Result<usize, String> {
    let text = match host::read_text(path) {
        Ok(text) => text,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(0),
        Err(error) => return Err(path_error("open", path, &error)),
    };
    let files = write_files(&text).map_err(|problem| format!("parsing {}: {problem}", path.display()))?;
    let count = files.len();
    match mode {
        Mode::Compat => files.into_iter().try_for_each(|file| in_place(&file?))?,
        Mode::Ours => all_or_none(files.into_iter().collect::<Result<_, _>>()?)?,
    }
    Ok(count)
}

fn in_place(file: &WrittenFile) -> Result<(), String> {
    let path = Path::new(&file.path);
    if let Some(directory) = path.parent().filter(|directory| !directory.as_os_str().is_empty()) {
        host::make_directory(directory).map_err(|error| path_error("mkdir", directory, &error))?;
    }
    // Go's file modes have the special bits elsewhere, so that they get lost there.
    host::overwrite(path, &file.content, file.permissions & 0o777)
        .map_err(|error| path_error("open", path, &error))
}

fn all_or_none(files: Vec<WrittenFile>) -> Result<(), String> {
    let mut replacements: Vec<Replacement> = Vec::with_capacity(files.len());
    for file in files {
        let path = PathBuf::from(&file.path);
        if !path.is_absolute() {
            return Err(format!("{:?} is not an absolute path", file.path));
        }
        // Of two entries for one path the later counts.
        replacements.retain(|earlier| earlier.path != path);
        replacements.push(Replacement { path, content: file.content, mode: file.permissions & 0o7777 });
    }
    host::replace_all(&replacements)
        .map_err(|(path, error)| format!("{}; no file was changed", path_error("replacing", &path, &error)))
}
