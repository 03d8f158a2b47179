//! The real machine, or a directory that is laid out like one.

mod kernel;
mod tree;
mod written;

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::child::Ended;
use crate::host::{Entry, Host, Modified, Mount, Program, UnitState, Writer};
use slipway_model::{Attributes, Verb};
use tree::Tree;

/// The machine that we run on, or a directory that stands for one.
#[derive(Debug)]
pub struct Machine {
    tree: Tree,
    live: bool,
}

impl Machine {
    /// The running system.
    pub fn live() -> io::Result<Self> {
        Ok(Self { tree: Tree::open(Path::new("/"))?, live: true })
    }

    /// The files below a directory, with no running system.
    pub fn below(directory: &Path) -> io::Result<Self> {
        Ok(Self { tree: Tree::open(directory)?, live: false })
    }

    /// The tree, if a running system belongs to it.
    fn running(&self) -> io::Result<&Tree> {
        if self.live {
            return Ok(&self.tree);
        }
        let reason =
            "below a root there is no running system: no units, settings, modules, mounts or processes";
        Err(io::Error::new(io::ErrorKind::Unsupported, reason))
    }
}

impl Host for Machine {
    fn is_live(&self) -> bool {
        self.live
    }

    fn entry(&self, path: &Path) -> io::Result<Option<Entry>> {
        self.tree.entry(path)
    }

    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        self.tree.read(path)
    }

    fn read_link(&self, path: &Path) -> io::Result<PathBuf> {
        self.tree.read_link(path)
    }

    fn list(&self, directory: &Path) -> io::Result<Vec<OsString>> {
        self.tree.list(directory)
    }

    fn create(&self, path: &Path, attributes: Attributes) -> io::Result<Box<dyn Writer>> {
        self.tree.create(path, attributes)
    }

    fn append(&self, path: &Path, attributes: Attributes) -> io::Result<Box<dyn Writer>> {
        self.tree.append(path, attributes)
    }

    fn make_directory(&self, path: &Path, attributes: Attributes) -> io::Result<()> {
        self.tree.make_directory(path, attributes)
    }

    fn make_link(&self, path: &Path, target: &Path) -> io::Result<()> {
        self.tree.make_link(path, target)
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.tree.rename(from, to)
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        self.tree.remove(path)
    }

    fn remove_directory(&self, path: &Path) -> io::Result<()> {
        self.tree.remove_directory(path)
    }

    fn set_attributes(&self, path: &Path, attributes: Attributes) -> io::Result<()> {
        self.tree.set_attributes(path, attributes)
    }

    fn set_modified(&self, path: &Path, modified: Modified) -> io::Result<()> {
        self.tree.set_modified(path, modified)
    }

    fn sync(&self) -> io::Result<()> {
        self.tree.sync()
    }

    fn setting(&self, path: &Path) -> io::Result<Option<String>> {
        kernel::setting(self.running()?, path)
    }

    fn set_setting(&self, path: &Path, value: &str) -> io::Result<()> {
        kernel::set_setting(self.running()?, path, value)
    }

    fn has_module(&self, _name: &str) -> io::Result<bool> {
        self.running()?;
        Err(io::ErrorKind::Unsupported.into())
    }

    fn load_module(&self, _name: &str) -> io::Result<()> {
        self.running()?;
        Err(io::ErrorKind::Unsupported.into())
    }

    fn is_mount_point(&self, path: &Path) -> io::Result<bool> {
        kernel::is_mount_point(self.running()?, path)
    }

    fn mount(&self, mount: &Mount) -> io::Result<()> {
        kernel::mount(self.running()?, mount)
    }

    fn unmount(&self, path: &Path) -> io::Result<()> {
        kernel::unmount(self.running()?, path)
    }

    fn unit(&self, _name: &str) -> io::Result<UnitState> {
        self.running()?;
        Err(io::ErrorKind::Unsupported.into())
    }

    fn reload_units(&self) -> io::Result<()> {
        self.running()?;
        Err(io::ErrorKind::Unsupported.into())
    }

    fn job(&self, _unit: &str, _verb: Verb, _wait: Option<Duration>) -> io::Result<()> {
        self.running()?;
        Err(io::ErrorKind::Unsupported.into())
    }

    fn run(&self, _program: &Program) -> io::Result<Ended> {
        self.running()?;
        Err(io::ErrorKind::Unsupported.into())
    }
}
