//! Any host, with one thing going wrong at a chosen moment.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use rustix::io::Errno;
use rustix::process::{Signal, getpid, kill_process};
use slipway_model::{Attributes, Verb};

use crate::child::Ended;
use crate::host::{BootMoments, Entry, Host, Modified, Mount, Pod, Program, Swap, UnitState, Writer};

/// What goes wrong, and at which operation, counted from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fault {
    /// The operation's number.
    pub at: u64,
    /// What happens to it.
    pub kind: FaultKind,
}

/// Ways in which an operation goes wrong, each once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FaultKind {
    /// The process is killed before it.
    Kill,
    /// Half of the bytes are written, then the process is killed; what is no write is not begun.
    KillInWrite,
    /// It fails with this number, and has no effect.
    Error(i32),
    /// Half of the bytes are written; what is no write goes well.
    ShortWrite,
}

const ERRORS: [(&str, Errno); 3] = [("EIO", Errno::IO), ("ENOSPC", Errno::NOSPC), ("EACCES", Errno::ACCESS)];

impl Fault {
    /// Reads `kill:17`, `kill-in-write:17`, `error:EIO:17` or `short:17`.
    pub fn parse(text: &str) -> Option<Self> {
        let (kind, at) = text.rsplit_once(':')?;
        let kind = match kind.split_once(':') {
            None if kind == "kill" => FaultKind::Kill,
            None if kind == "kill-in-write" => FaultKind::KillInWrite,
            None if kind == "short" => FaultKind::ShortWrite,
            Some(("error", name)) => {
                let (_, errno) = ERRORS.iter().find(|(known, _)| *known == name)?;
                FaultKind::Error(errno.raw_os_error())
            }
            _ => return None,
        };
        at.parse().ok().filter(|at| *at > 0).map(|at| Self { at, kind })
    }
}

/// A host whose operations are counted, and one of which goes wrong if so wished.
#[derive(Debug)]
pub struct Faulty<H> {
    host: H,
    meter: Arc<Meter>,
}

/// The operations of a [`Faulty`] host, for who has given the host away.
#[derive(Debug, Clone)]
pub struct Operations(Arc<Meter>);

impl Operations {
    /// The operations so far, in the order of their numbers.
    pub fn list(&self) -> Vec<String> {
        self.0.log.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

#[derive(Debug)]
struct Meter {
    fault: Option<Fault>,
    log: Mutex<Vec<String>>,
}

impl<H: Host> Faulty<H> {
    /// Counts the operations of a host, and lets one of them go wrong.
    pub fn new(host: H, fault: Option<Fault>) -> Self {
        Self { host, meter: Arc::new(Meter { fault, log: Mutex::default() }) }
    }

    /// The host itself.
    pub fn host(&self) -> &H {
        &self.host
    }

    /// The operations so far, in the order of their numbers.
    pub fn operations(&self) -> Vec<String> {
        self.record().list()
    }

    /// The record of operations, which goes on when the host is given away.
    pub fn record(&self) -> Operations {
        Operations(Arc::clone(&self.meter))
    }

    fn on(&self, name: &str, path: &Path) -> io::Result<&H> {
        self.meter.pass(format!("{name} {}", path.display())).map(|()| &self.host)
    }

    fn of(&self, name: &str, subject: &str) -> io::Result<&H> {
        self.meter.pass(format!("{name} {subject}").trim_end().to_owned()).map(|()| &self.host)
    }

    fn writer(&self, path: &Path, writer: io::Result<Box<dyn Writer>>) -> io::Result<Box<dyn Writer>> {
        Ok(Box::new(FaultyWriter { writer: writer?, path: path.to_owned(), meter: Arc::clone(&self.meter) }))
    }
}

impl Meter {
    /// Counts an operation and says what is to happen to it.
    fn meet(&self, operation: String) -> Option<FaultKind> {
        let mut log = self.log.lock().unwrap_or_else(PoisonError::into_inner);
        log.push(operation);
        let number = log.len() as u64;
        self.fault.filter(|fault| fault.at == number).map(|fault| fault.kind)
    }

    /// The same for an operation that is no write.
    fn pass(&self, operation: String) -> io::Result<()> {
        match self.meet(operation) {
            Some(FaultKind::Kill | FaultKind::KillInWrite) => die(),
            Some(FaultKind::Error(number)) => Err(io::Error::from_raw_os_error(number)),
            Some(FaultKind::ShortWrite) | None => Ok(()),
        }
    }
}

/// Ends as a power cut would have it: nothing is flushed, nothing is cleaned up.
fn die() -> ! {
    let _ = kill_process(getpid(), Signal::KILL);
    loop {
        std::thread::park();
    }
}

struct FaultyWriter {
    writer: Box<dyn Writer>,
    path: PathBuf,
    meter: Arc<Meter>,
}

impl Writer for FaultyWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let half = &bytes[..bytes.len() / 2];
        match self.meter.meet(format!("write {}", self.path.display())) {
            None => self.writer.write(bytes),
            Some(FaultKind::Kill) => die(),
            Some(FaultKind::KillInWrite) => {
                self.writer.write_all(half)?;
                die()
            }
            Some(FaultKind::Error(number)) => Err(io::Error::from_raw_os_error(number)),
            // A write of no bytes would not be a short one but the end of all writing.
            Some(FaultKind::ShortWrite) if half.is_empty() => self.writer.write(bytes),
            Some(FaultKind::ShortWrite) => self.writer.write(half),
        }
    }

    fn sync(&mut self) -> io::Result<()> {
        self.meter.pass(format!("sync {}", self.path.display()))?;
        self.writer.sync()
    }
}

impl<H: Host> Host for Faulty<H> {
    fn is_live(&self) -> bool {
        self.host.is_live()
    }

    fn entry(&self, path: &Path) -> io::Result<Option<Entry>> {
        self.on("entry", path)?.entry(path)
    }

    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        self.on("read", path)?.read(path)
    }

    fn read_link(&self, path: &Path) -> io::Result<PathBuf> {
        self.on("read-link", path)?.read_link(path)
    }

    fn list(&self, directory: &Path) -> io::Result<Vec<OsString>> {
        self.on("list", directory)?.list(directory)
    }

    fn create(&self, path: &Path, attributes: Attributes) -> io::Result<Box<dyn Writer>> {
        self.writer(path, self.on("create", path)?.create(path, attributes))
    }

    fn append(&self, path: &Path, attributes: Attributes) -> io::Result<Box<dyn Writer>> {
        self.writer(path, self.on("append", path)?.append(path, attributes))
    }

    fn make_directory(&self, path: &Path, attributes: Attributes) -> io::Result<()> {
        self.on("make-directory", path)?.make_directory(path, attributes)
    }

    fn make_link(&self, path: &Path, target: &Path) -> io::Result<()> {
        self.on("make-link", path)?.make_link(path, target)
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.of("rename", &format!("{} {}", from.display(), to.display()))?.rename(from, to)
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        self.on("remove", path)?.remove(path)
    }

    fn remove_directory(&self, path: &Path) -> io::Result<()> {
        self.on("remove-directory", path)?.remove_directory(path)
    }

    fn set_attributes(&self, path: &Path, attributes: Attributes) -> io::Result<()> {
        self.on("set-attributes", path)?.set_attributes(path, attributes)
    }

    fn set_modified(&self, path: &Path, modified: Modified) -> io::Result<()> {
        self.on("set-modified", path)?.set_modified(path, modified)
    }

    fn sync(&self) -> io::Result<()> {
        self.of("sync", "")?.sync()
    }

    fn setting(&self, path: &Path) -> io::Result<Option<String>> {
        self.on("setting", path)?.setting(path)
    }

    fn set_setting(&self, path: &Path, value: &str) -> io::Result<()> {
        self.on("set-setting", path)?.set_setting(path, value)
    }

    fn has_module(&self, name: &str) -> io::Result<bool> {
        self.of("has-module", name)?.has_module(name)
    }

    fn load_module(&self, name: &str) -> io::Result<()> {
        self.of("load-module", name)?.load_module(name)
    }

    fn is_mount_point(&self, path: &Path) -> io::Result<bool> {
        self.on("is-mount-point", path)?.is_mount_point(path)
    }

    fn mount(&self, mount: &Mount) -> io::Result<()> {
        let (Mount::Bind { at, .. } | Mount::Share { at }) = mount;
        self.on("mount", at)?.mount(mount)
    }

    fn unmount(&self, path: &Path) -> io::Result<()> {
        self.on("unmount", path)?.unmount(path)
    }

    fn unit(&self, name: &str) -> io::Result<UnitState> {
        self.of("unit", name)?.unit(name)
    }

    fn reload_units(&self) -> io::Result<()> {
        self.of("reload-units", "")?.reload_units()
    }

    fn job(&self, unit: &str, verb: Verb, wait: Option<Duration>) -> io::Result<()> {
        self.of("job", unit)?.job(unit, verb, wait)
    }

    fn pods(&self, socket: &Path) -> io::Result<Vec<Pod>> {
        self.on("pods", socket)?.pods(socket)
    }

    fn remove_pod(&self, socket: &Path, pod: &Pod) -> io::Result<()> {
        self.of("remove-pod", &pod.name)?.remove_pod(socket, pod)
    }

    fn has_image(&self, socket: &Path, name: &str) -> io::Result<bool> {
        self.of("has-image", name)?.has_image(socket, name)
    }

    fn import_image(&self, socket: &Path, name: &str, archive: &Path, within: Duration) -> io::Result<()> {
        self.of("import-image", name)?.import_image(socket, name, archive, within)
    }

    fn remove_image(&self, socket: &Path, name: &str) -> io::Result<()> {
        self.of("remove-image", name)?.remove_image(socket, name)
    }

    fn swaps(&self) -> io::Result<Vec<Swap>> {
        self.of("swaps", "")?.swaps()
    }

    fn swap_off(&self, area: &Path, within: Duration) -> io::Result<()> {
        self.on("swap-off", area)?.swap_off(area, within)
    }

    fn swap_on(&self, area: &Swap, within: Duration) -> io::Result<()> {
        self.on("swap-on", &area.path)?.swap_on(area, within)
    }

    fn boot_moments(&self) -> io::Result<BootMoments> {
        self.of("boot-moments", "")?.boot_moments()
    }

    fn run_keeping(&self, program: &Program, most: usize) -> io::Result<Ended> {
        self.on("run", &program.path)?.run_keeping(program, most)
    }
}
