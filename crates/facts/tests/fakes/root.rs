use std::ffi::OsString;
use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use slipway_host::{Ended, Entry, EntryKind, Host, Modified, Mount, Program, UnitState, Writer};
use slipway_model::{Attributes, Verb};

/// A temporary directory that stands for a machine. It can be looked at; whoever changes anything or starts a program
/// fails.
pub struct Root(PathBuf);

impl Root {
    pub fn new(files: &[(&str, &[u8])]) -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let root = Self(std::env::temp_dir().join(format!("slipway-facts-{}-{number}", std::process::id())));
        for (path, content) in files {
            let path = root.at(Path::new(path));
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, content).unwrap();
        }
        root
    }

    fn at(&self, path: &Path) -> PathBuf {
        self.0.join(path.strip_prefix("/").unwrap())
    }
}

impl Drop for Root {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn refused<T>() -> io::Result<T> {
    Err(ErrorKind::PermissionDenied.into())
}

impl Host for Root {
    fn is_live(&self) -> bool {
        false
    }
    fn entry(&self, path: &Path) -> io::Result<Option<Entry>> {
        Ok(fs::symlink_metadata(self.at(path)).ok().map(|found| Entry {
            kind: EntryKind::File,
            attributes: Attributes::root(0o644),
            size: found.len(),
            modified: Modified { seconds: 0, nanoseconds: 0 },
        }))
    }
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        fs::read(self.at(path))
    }
    fn read_link(&self, path: &Path) -> io::Result<PathBuf> {
        fs::read_link(self.at(path))
    }
    fn list(&self, directory: &Path) -> io::Result<Vec<OsString>> {
        let mut names: Vec<_> = fs::read_dir(self.at(directory))?
            .map(|entry| entry.map(|entry| entry.file_name()))
            .collect::<Result<_, _>>()?;
        names.sort();
        Ok(names)
    }
    fn create(&self, _: &Path, _: Attributes) -> io::Result<Box<dyn Writer>> {
        refused()
    }
    fn append(&self, _: &Path, _: Attributes) -> io::Result<Box<dyn Writer>> {
        refused()
    }
    fn make_directory(&self, _: &Path, _: Attributes) -> io::Result<()> {
        refused()
    }
    fn make_link(&self, _: &Path, _: &Path) -> io::Result<()> {
        refused()
    }
    fn rename(&self, _: &Path, _: &Path) -> io::Result<()> {
        refused()
    }
    fn remove(&self, _: &Path) -> io::Result<()> {
        refused()
    }
    fn remove_directory(&self, _: &Path) -> io::Result<()> {
        refused()
    }
    fn set_attributes(&self, _: &Path, _: Attributes) -> io::Result<()> {
        refused()
    }
    fn set_modified(&self, _: &Path, _: Modified) -> io::Result<()> {
        refused()
    }
    fn sync(&self) -> io::Result<()> {
        refused()
    }
    fn setting(&self, _: &Path) -> io::Result<Option<String>> {
        refused()
    }
    fn set_setting(&self, _: &Path, _: &str) -> io::Result<()> {
        refused()
    }
    fn has_module(&self, _: &str) -> io::Result<bool> {
        refused()
    }
    fn load_module(&self, _: &str) -> io::Result<()> {
        refused()
    }
    fn is_mount_point(&self, _: &Path) -> io::Result<bool> {
        refused()
    }
    fn mount(&self, _: &Mount) -> io::Result<()> {
        refused()
    }
    fn unmount(&self, _: &Path) -> io::Result<()> {
        refused()
    }
    fn unit(&self, _: &str) -> io::Result<UnitState> {
        refused()
    }
    fn reload_units(&self) -> io::Result<()> {
        refused()
    }
    fn job(&self, _: &str, _: Verb, _: Option<Duration>) -> io::Result<()> {
        refused()
    }
    fn run(&self, _: &Program) -> io::Result<Ended> {
        refused()
    }
}
