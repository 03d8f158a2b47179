//! A machine in memory, which writes down what is done to it.

mod seed;
mod system;
mod tree;

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use slipway_model::{Attributes, Verb};

use crate::child::Ended;
use crate::host::{BootMoments, Entry, Host, Modified, Mount, Pod, Program, Swap, UnitState, Writer, word};
use system::{System, module_name};
use tree::{Open, Tree};

/// A machine in memory for tests: it behaves as the kernel and the service manager do, and keeps a line about every
/// operation, such as `create /etc/x 0600 0:0`, `rename /a /b` or `job kubelet.service restart`.
#[derive(Debug, Default)]
pub struct Recorded {
    inner: Arc<Mutex<Inner>>,
    live: bool,
}

#[derive(Debug, Default)]
struct Inner {
    tree: Tree,
    system: System,
    calls: Vec<Call>,
}

/// An operation as a line.
#[derive(Debug)]
struct Call {
    line: String,
    changes: bool,
}

impl Recorded {
    /// Every operation so far, reads included.
    pub fn calls(&self) -> Vec<String> {
        self.lock().calls.iter().map(|call| call.line.clone()).collect()
    }

    /// Every operation so far that changes the machine.
    pub fn changes(&self) -> Vec<String> {
        self.lock().calls.iter().filter(|call| call.changes).map(|call| call.line.clone()).collect()
    }

    /// Forgets the operations so far.
    pub fn forget_calls(&self) {
        self.lock().calls.clear();
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn looking(&self, line: String) -> MutexGuard<'_, Inner> {
        self.noting(line, false)
    }

    fn changing(&self, line: String) -> MutexGuard<'_, Inner> {
        self.noting(line, true)
    }

    fn noting(&self, line: String, changes: bool) -> MutexGuard<'_, Inner> {
        let mut inner = self.lock();
        inner.calls.push(Call { line, changes });
        inner
    }

    fn running(&self) -> io::Result<()> {
        if self.live { Ok(()) } else { Err(io::ErrorKind::Unsupported.into()) }
    }

    fn writer(&self, path: &Path, open: Open) -> Box<dyn Writer> {
        Box::new(Pen { open, path: path.to_owned(), inner: Arc::clone(&self.inner) })
    }
}

/// Writes to a file in memory.
struct Pen {
    open: Open,
    path: PathBuf,
    inner: Arc<Mutex<Inner>>,
}

impl Pen {
    fn note(&self, line: String) {
        let mut inner = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        inner.calls.push(Call { line, changes: true });
    }
}

impl Writer for Pen {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        // Not what is written: it may be a secret.
        self.note(format!("write {} {}", self.path.display(), bytes.len()));
        self.open.write(bytes);
        Ok(bytes.len())
    }

    fn sync(&mut self) -> io::Result<()> {
        self.note(format!("sync {}", self.path.display()));
        Ok(())
    }
}

fn described(attributes: Attributes) -> String {
    let Attributes { mode, uid, gid } = attributes;
    format!("{mode:04o} {uid}:{gid}")
}

impl Host for Recorded {
    fn is_live(&self) -> bool {
        self.live
    }

    fn entry(&self, path: &Path) -> io::Result<Option<Entry>> {
        Ok(self.looking(format!("entry {}", path.display())).tree.entry(path)?)
    }

    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        Ok(self.looking(format!("read {}", path.display())).tree.read(path)?)
    }

    fn read_link(&self, path: &Path) -> io::Result<PathBuf> {
        Ok(self.looking(format!("read-link {}", path.display())).tree.read_link(path)?)
    }

    fn list(&self, directory: &Path) -> io::Result<Vec<OsString>> {
        Ok(self.looking(format!("list {}", directory.display())).tree.list(directory)?)
    }

    fn create(&self, path: &Path, attributes: Attributes) -> io::Result<Box<dyn Writer>> {
        let line = format!("create {} {}", path.display(), described(attributes));
        let open = self.changing(line).tree.create(path, attributes)?;
        Ok(self.writer(path, open))
    }

    fn append(&self, path: &Path, attributes: Attributes) -> io::Result<Box<dyn Writer>> {
        let line = format!("append {} {}", path.display(), described(attributes));
        let open = self.changing(line).tree.append(path, attributes)?;
        Ok(self.writer(path, open))
    }

    fn make_directory(&self, path: &Path, attributes: Attributes) -> io::Result<()> {
        let line = format!("make-directory {} {}", path.display(), described(attributes));
        Ok(self.changing(line).tree.make_directory(path, attributes)?)
    }

    fn make_link(&self, path: &Path, target: &Path) -> io::Result<()> {
        let line = format!("make-link {} {}", path.display(), target.display());
        Ok(self.changing(line).tree.make_link(path, target)?)
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        let line = format!("rename {} {}", from.display(), to.display());
        Ok(self.changing(line).tree.rename(from, to)?)
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        Ok(self.changing(format!("remove {}", path.display())).tree.remove(path)?)
    }

    fn remove_directory(&self, path: &Path) -> io::Result<()> {
        Ok(self.changing(format!("remove-directory {}", path.display())).tree.remove_directory(path)?)
    }

    fn set_attributes(&self, path: &Path, attributes: Attributes) -> io::Result<()> {
        let line = format!("set-attributes {} {}", path.display(), described(attributes));
        Ok(self.changing(line).tree.set_attributes(path, attributes)?)
    }

    fn set_modified(&self, path: &Path, modified: Modified) -> io::Result<()> {
        let Modified { seconds, nanoseconds } = modified;
        let line = format!("set-modified {} {seconds}.{nanoseconds:09}", path.display());
        Ok(self.changing(line).tree.set_modified(path, modified)?)
    }

    fn sync(&self) -> io::Result<()> {
        drop(self.changing("sync".into()));
        Ok(())
    }

    fn setting(&self, path: &Path) -> io::Result<Option<String>> {
        self.running()?;
        Ok(self.looking(format!("setting {}", path.display())).system.settings.get(path).cloned())
    }

    fn set_setting(&self, path: &Path, value: &str) -> io::Result<()> {
        self.running()?;
        self.changing(format!("set-setting {} {value}", path.display())).system.set_setting(path, value)
    }

    fn has_module(&self, name: &str) -> io::Result<bool> {
        self.running()?;
        let inner = self.looking(format!("has-module {name}"));
        Ok(inner.system.modules.get(&module_name(name)).is_some_and(|loaded| *loaded))
    }

    fn load_module(&self, name: &str) -> io::Result<()> {
        self.running()?;
        self.changing(format!("load-module {name}")).system.load_module(name)
    }

    fn is_mount_point(&self, path: &Path) -> io::Result<bool> {
        self.running()?;
        Ok(self.looking(format!("is-mount-point {}", path.display())).system.mounts.contains(path))
    }

    fn mount(&self, mount: &Mount) -> io::Result<()> {
        self.running()?;
        let line = match mount {
            Mount::Bind { from, at } => format!("mount bind {} {}", from.display(), at.display()),
            Mount::Share { at } => format!("mount share {}", at.display()),
        };
        let inner = &mut *self.changing(line);
        inner.system.mount(mount, &inner.tree)
    }

    fn unmount(&self, path: &Path) -> io::Result<()> {
        self.running()?;
        self.changing(format!("unmount {}", path.display())).system.unmount(path)
    }

    fn unit(&self, name: &str) -> io::Result<UnitState> {
        self.running()?;
        let inner = self.looking(format!("unit {name}"));
        Ok(inner.system.unit(name, &inner.tree))
    }

    fn reload_units(&self) -> io::Result<()> {
        self.running()?;
        drop(self.changing("reload-units".into()));
        Ok(())
    }

    fn job(&self, unit: &str, verb: Verb, _wait: Option<Duration>) -> io::Result<()> {
        self.running()?;
        let inner = &mut *self.changing(format!("job {unit} {}", word(verb)));
        inner.system.job(unit, verb, &inner.tree)
    }

    fn pods(&self, socket: &Path) -> io::Result<Vec<Pod>> {
        self.running()?;
        self.looking(format!("pods {}", socket.display())).system.pods(socket)
    }

    fn remove_pod(&self, socket: &Path, pod: &Pod) -> io::Result<()> {
        self.running()?;
        self.changing(format!("remove-pod {}", pod.name)).system.remove_pod(socket, pod)
    }

    fn has_image(&self, socket: &Path, name: &str) -> io::Result<bool> {
        self.running()?;
        self.looking(format!("has-image {name}")).system.has_image(socket, name)
    }

    fn import_image(&self, socket: &Path, name: &str, archive: &Path, _within: Duration) -> io::Result<()> {
        self.running()?;
        let inner = &mut *self.changing(format!("import-image {name} {}", archive.display()));
        inner.tree.entry(archive)?.ok_or(io::ErrorKind::NotFound)?;
        inner.system.import_image(socket, name)
    }

    fn remove_image(&self, socket: &Path, name: &str) -> io::Result<()> {
        self.running()?;
        self.changing(format!("remove-image {name}")).system.remove_image(socket, name)
    }

    fn swaps(&self) -> io::Result<Vec<Swap>> {
        self.running()?;
        Ok(self.looking("swaps".into()).system.swaps.clone())
    }

    fn swap_off(&self, area: &Path, _within: Duration) -> io::Result<()> {
        self.running()?;
        self.changing(format!("swap-off {}", area.display())).system.swap_off(area)
    }

    fn swap_on(&self, area: &Swap, _within: Duration) -> io::Result<()> {
        self.running()?;
        self.changing(format!("swap-on {}", area.path.display())).system.swap_on(area)
    }

    fn boot_moments(&self) -> io::Result<BootMoments> {
        self.running()?;
        Ok(self.looking("boot-moments".into()).system.boot)
    }

    fn run_keeping(&self, program: &Program, most: usize) -> io::Result<Ended> {
        self.running()?;
        let line = format!("run {} {}", program.path.display(), program.arguments.join(" "));
        self.changing(line.trim_end().to_owned()).system.run(program, most)
    }
}
