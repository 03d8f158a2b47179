//! The real machine, or a directory that is laid out like one.

mod kernel;
mod modules;
mod tree;
mod written;

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::child::{Child, Ended};
use crate::host::{BootMoments, Entry, Host, Modified, Mount, Pod, Program, Swap, UnitState, Writer};
use crate::successor::check_program;
use crate::systemd::Systemd;
use crate::{images, runtime, swap};
use slipway_model::{Attributes, Verb};
use tree::Tree;

/// What programs find in their environment: the same on every machine.
const ENVIRONMENT: [(&str, &str); 2] =
    [("PATH", "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"), ("LANG", "C.UTF-8")];

/// How long what a program left behind may hold its output open.
const LINGER: Duration = Duration::from_millis(500);

/// The machine that we run on, or a directory that stands for one.
#[derive(Debug)]
pub struct Machine {
    tree: Tree,
    systemd: Systemd,
    live: bool,
    /// Who stands in for root below a directory, where it is not root: what it owns counts as root's.
    stand_in: Option<(u32, u32)>,
}

impl Machine {
    /// The running system.
    pub fn live() -> io::Result<Self> {
        Ok(Self {
            tree: Tree::open(Path::new("/"))?,
            systemd: Systemd::default(),
            live: true,
            stand_in: None,
        })
    }

    /// The files below a directory, with no running system.
    pub fn below(directory: &Path) -> io::Result<Self> {
        Ok(Self {
            tree: Tree::open(directory)?,
            systemd: Systemd::default(),
            live: false,
            stand_in: stand_in(),
        })
    }

    fn shown(&self, entry: Entry) -> Entry {
        let Some((uid, gid)) = self.stand_in else { return entry };
        let root = |id, own| if id == own { 0 } else { id };
        let Attributes { mode, uid: user, gid: group } = entry.attributes;
        Entry { attributes: Attributes { mode, uid: root(user, uid), gid: root(group, gid) }, ..entry }
    }

    fn given(&self, attributes: Attributes) -> Attributes {
        let Some((uid, gid)) = self.stand_in else { return attributes };
        let own = |id, own| if id == 0 { own } else { id };
        Attributes { uid: own(attributes.uid, uid), gid: own(attributes.gid, gid), ..attributes }
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

fn stand_in() -> Option<(u32, u32)> {
    let (uid, gid) = (rustix::process::geteuid(), rustix::process::getegid());
    (!uid.is_root()).then(|| (uid.as_raw(), gid.as_raw()))
}

impl Host for Machine {
    fn is_live(&self) -> bool {
        self.live
    }

    fn entry(&self, path: &Path) -> io::Result<Option<Entry>> {
        Ok(self.tree.entry(path)?.map(|entry| self.shown(entry)))
    }

    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        self.tree.read(path)
    }

    fn read_part(&self, path: &Path, from: u64, length: usize) -> io::Result<Vec<u8>> {
        self.tree.read_part(path, from, length)
    }

    fn read_link(&self, path: &Path) -> io::Result<PathBuf> {
        self.tree.read_link(path)
    }

    fn list(&self, directory: &Path) -> io::Result<Vec<OsString>> {
        self.tree.list(directory)
    }

    fn create(&self, path: &Path, attributes: Attributes) -> io::Result<Box<dyn Writer>> {
        self.tree.create(path, self.given(attributes))
    }

    fn append(&self, path: &Path, attributes: Attributes) -> io::Result<Box<dyn Writer>> {
        self.tree.append(path, self.given(attributes))
    }

    fn make_directory(&self, path: &Path, attributes: Attributes) -> io::Result<()> {
        self.tree.make_directory(path, self.given(attributes))
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
        self.tree.set_attributes(path, self.given(attributes))
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

    fn has_module(&self, name: &str) -> io::Result<bool> {
        modules::has(self.running()?, name)
    }

    fn load_module(&self, name: &str) -> io::Result<()> {
        modules::load(self.running()?, name)
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

    fn runs(&self, name: &str) -> io::Result<bool> {
        self.systemd.runs(name)
    }

    fn unit(&self, name: &str) -> io::Result<UnitState> {
        self.running()?;
        self.systemd.unit(name)
    }

    fn reload_units(&self) -> io::Result<()> {
        self.running()?;
        self.systemd.reload()
    }

    fn job(&self, unit: &str, verb: Verb, wait: Option<Duration>) -> io::Result<()> {
        self.running()?;
        self.systemd.job(unit, verb, wait)
    }

    fn pods(&self, socket: &Path) -> io::Result<Vec<Pod>> {
        self.running()?;
        runtime::pods(socket)
    }

    fn remove_pod(&self, socket: &Path, pod: &Pod) -> io::Result<()> {
        self.running()?;
        runtime::remove(socket, pod)
    }

    fn has_image(&self, socket: &Path, name: &str) -> io::Result<bool> {
        self.running()?;
        images::has(socket, name)
    }

    fn import_image(&self, socket: &Path, name: &str, archive: &Path, within: Duration) -> io::Result<()> {
        images::import(self, socket, name, archive, within)
    }

    fn remove_image(&self, socket: &Path, name: &str) -> io::Result<()> {
        images::remove(self, socket, name)
    }

    fn swaps(&self) -> io::Result<Vec<Swap>> {
        self.running()?;
        swap::areas(self)
    }

    fn swap_off(&self, area: &Path, within: Duration) -> io::Result<()> {
        swap::off(self, area, within)
    }

    fn swap_on(&self, area: &Swap, within: Duration) -> io::Result<()> {
        swap::on(self, area, within)
    }

    fn boot_moments(&self) -> io::Result<BootMoments> {
        self.running()?;
        self.systemd.boot_moments()
    }

    fn run_keeping(&self, program: &Program, most: usize) -> io::Result<Ended> {
        self.running()?;
        let Program { path, arguments, input, within } = program;
        if !path.is_absolute() {
            let reason = format!("{} is not the absolute path of a program", path.display());
            return Err(io::Error::new(io::ErrorKind::InvalidInput, reason));
        }
        check_program(path)?;
        let mut child = Child::new(path, arguments)
            .environment(ENVIRONMENT.map(|(name, value)| (name.into(), value.into())))
            .within(*within)
            .keeping(most)
            .lingering(LINGER);
        if let Some(input) = input {
            child = child.reading(input.clone()).hiding(vec![input.clone()]);
        }
        child.run()
    }
}
