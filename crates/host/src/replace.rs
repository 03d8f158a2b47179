//! Replacing files: one beside its name, several all or none.

use std::fs::{self, OpenOptions, Permissions};
use std::io::{self, Write as _};
use std::os::unix::fs::{OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use crate::make_directory;

/// The permission bits of what is at a path, links followed.
pub fn mode(path: &Path) -> io::Result<u32> {
    Ok(fs::metadata(path)?.permissions().mode() & 0o7777)
}

/// Writes a file in place: the one that is there keeps its mode, and readers may see half of it. For those who must
/// do as others did; everyone else has [`publish`](crate::publish).
pub fn overwrite(path: &Path, content: &[u8], mode: u32) -> io::Result<()> {
    let mut file = OpenOptions::new().write(true).create(true).truncate(true).mode(mode).open(path)?;
    file.write_all(content)
}

/// A file that is complete, durable and has its mode, beside the name that it is meant for. It is gone again unless
/// it is [committed](Self::commit).
#[derive(Debug)]
pub struct Staged {
    temporary: PathBuf,
    target: PathBuf,
}

impl Staged {
    /// Writes it in the target's directory, under a name that starts with `prefix`.
    pub fn write(target: &Path, prefix: &str, content: &[u8], mode: u32) -> io::Result<Self> {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let temporary = target.with_file_name(format!("{prefix}{}{number}", std::process::id()));
        // What a killed process of the same number left behind.
        let _ = fs::remove_file(&temporary);
        // From here on the value cleans up behind itself.
        let staged = Self { temporary, target: target.to_owned() };
        let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&staged.temporary)?;
        file.write_all(content)?;
        // The mode is exactly the one asked for, whatever the umask.
        file.set_permissions(Permissions::from_mode(mode))?;
        file.sync_all()?;
        Ok(staged)
    }

    /// Where it is until then.
    pub fn path(&self) -> &Path {
        &self.temporary
    }

    /// Takes the target's place.
    pub fn commit(self) -> io::Result<()> {
        fs::rename(&self.temporary, &self.target)
    }
}

impl Drop for Staged {
    fn drop(&mut self) {
        // After a commit there is nothing left under this name.
        let _ = fs::remove_file(&self.temporary);
    }
}

/// A file to be put in place of another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Replacement {
    /// Where; a link stands for what it points to.
    pub path: PathBuf,
    /// What.
    pub content: Vec<u8>,
    /// Its permission bits.
    pub mode: u32,
}

/// Puts files in place, all of them or none: everything is written before anything is renamed, and a rename that
/// fails takes back those before it. Paths must differ from one another. The error names its path.
pub fn replace_all(files: &[Replacement]) -> Result<(), (PathBuf, io::Error)> {
    let mut undo = Undo::default();
    let mut staged = Vec::with_capacity(files.len());
    for file in files {
        let at = |error| (file.path.clone(), error);
        let target = fs::canonicalize(&file.path).unwrap_or_else(|_| file.path.clone());
        undo.make_directories(&target).map_err(at)?;
        staged.push((
            file,
            Staged::write(&target, ".slipway-override-", &file.content, file.mode).map_err(at)?,
        ));
    }
    for (file, staged) in staged {
        let at = |error| (file.path.clone(), error);
        undo.remember(&staged.target).map_err(at)?;
        staged.commit().map_err(at)?;
    }
    undo.forget();
    Ok(())
}

/// How to get back to where things were; done when dropped, unless it was told to forget.
#[derive(Debug, Default)]
struct Undo {
    directories: Vec<PathBuf>,
    /// A target, and a second name of what was there.
    before: Vec<(PathBuf, Option<PathBuf>)>,
}

impl Undo {
    fn make_directories(&mut self, target: &Path) -> io::Result<()> {
        let Some(directory) = target.parent() else { return Ok(()) };
        let missing: Vec<_> = directory.ancestors().take_while(|above| !above.exists()).collect();
        self.directories.extend(missing.into_iter().rev().map(Path::to_owned));
        make_directory(directory)
    }

    fn remember(&mut self, target: &Path) -> io::Result<()> {
        let Ok(found) = fs::symlink_metadata(target) else {
            self.before.push((target.to_owned(), None));
            return Ok(());
        };
        if !found.is_file() {
            return Err(io::Error::other("something other than a file is in its place"));
        }
        let name = format!(".slipway-before-{}{}", std::process::id(), self.before.len());
        let kept = target.with_file_name(name);
        let _ = fs::remove_file(&kept);
        // A second name for the same file keeps its owner, its mode and everything else.
        fs::hard_link(target, &kept)?;
        self.before.push((target.to_owned(), Some(kept)));
        Ok(())
    }

    fn forget(mut self) {
        for (_, kept) in self.before.drain(..) {
            let _ = kept.map(fs::remove_file);
        }
        self.directories.clear();
    }
}

impl Drop for Undo {
    fn drop(&mut self) {
        // Taking back is best effort: the error that led here is the one that is told.
        for (target, kept) in self.before.drain(..).rev() {
            let _ = match kept {
                // Renaming a file onto another name of itself does nothing, and leaves both names.
                Some(kept) => fs::rename(&kept, &target).and_then(|()| fs::remove_file(&kept)),
                None => fs::remove_file(&target),
            };
        }
        for directory in self.directories.drain(..).rev() {
            let _ = fs::remove_dir(directory);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn area(name: &str) -> PathBuf {
        let area = std::env::temp_dir().join(format!("slipway-replace-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&area);
        fs::create_dir_all(&area).unwrap();
        area
    }

    fn file(path: PathBuf, content: &str, mode: u32) -> Replacement {
        Replacement { path, content: content.as_bytes().to_vec(), mode }
    }

    fn names(area: &Path) -> Vec<String> {
        let mut names: Vec<_> = fs::read_dir(area)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn files_are_replaced_with_their_modes_and_links_stay_links() {
        let area = area("all");
        fs::write(area.join("old"), "old").unwrap();
        std::os::unix::fs::symlink("old", area.join("link")).unwrap();
        let files = [file(area.join("link"), "new", 0o4751), file(area.join("a/b/c"), "deep", 0o600)];
        replace_all(&files).unwrap();
        assert_eq!(fs::read_to_string(area.join("old")).unwrap(), "new");
        assert_eq!(mode(&area.join("old")).unwrap(), 0o4751);
        assert_eq!(mode(&area.join("a/b/c")).unwrap(), 0o600);
        assert_eq!(names(&area), ["a", "link", "old"]);
        fs::remove_dir_all(area).unwrap();
    }

    #[test]
    fn one_file_that_cannot_be_replaced_leaves_everything_as_it_was() {
        let area = area("none");
        fs::write(area.join("old"), "old").unwrap();
        fs::set_permissions(area.join("old"), Permissions::from_mode(0o640)).unwrap();
        fs::create_dir(area.join("directory")).unwrap();
        for obstacle in ["directory", "old/below"] {
            let files = [
                file(area.join("old"), "new", 0o755),
                file(area.join("a/b"), "new", 0o755),
                file(area.join(obstacle), "new", 0o755),
            ];
            assert_eq!(replace_all(&files).unwrap_err().0, area.join(obstacle));
            assert_eq!(fs::read_to_string(area.join("old")).unwrap(), "old");
            assert_eq!(mode(&area.join("old")).unwrap(), 0o640);
            assert_eq!(names(&area), ["directory", "old"]);
        }
        fs::remove_dir_all(area).unwrap();
    }
}
