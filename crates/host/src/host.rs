//! What can be done to a machine, as small operations that either happen or do not.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use slipway_model::{Attributes, Secret, Verb};

use crate::child::Ended;

/// A machine, or a directory that stands for one.
///
/// Paths are absolute as the node sees them; an implementation takes them below its root and never leaves it, whatever
/// links are on the way. Each method is one operation: faults are injected between them.
pub trait Host: Send + Sync {
    /// Whether there is a running system: units, kernel settings, modules, mounts and processes. Below a root there is
    /// none, and whoever applies a plan records such operations instead of asking for them.
    fn is_live(&self) -> bool;

    /// What is at a path, links not followed at its end.
    fn entry(&self, path: &Path) -> io::Result<Option<Entry>>;
    /// A file's content.
    fn read(&self, path: &Path) -> io::Result<Vec<u8>>;
    /// A part of a file, shorter where the file ends; for those who want little of something large.
    fn read_part(&self, path: &Path, from: u64, length: usize) -> io::Result<Vec<u8>> {
        let content = self.read(path)?;
        let from = usize::try_from(from).unwrap_or(usize::MAX).min(content.len());
        Ok(content[from..].iter().copied().take(length).collect())
    }
    /// Where a link points.
    fn read_link(&self, path: &Path) -> io::Result<PathBuf>;
    /// The names in a directory, sorted.
    fn list(&self, directory: &Path) -> io::Result<Vec<OsString>>;
    /// Makes an empty file that was not there, with its mode and owner before its first byte.
    fn create(&self, path: &Path, attributes: Attributes) -> io::Result<Box<dyn Writer>>;
    /// Opens a file at its end, or makes it.
    fn append(&self, path: &Path, attributes: Attributes) -> io::Result<Box<dyn Writer>>;
    /// Makes a directory; those above it exist.
    fn make_directory(&self, path: &Path, attributes: Attributes) -> io::Result<()>;
    /// Makes a symbolic link that was not there.
    fn make_link(&self, path: &Path, target: &Path) -> io::Result<()>;
    /// Gives a file, link or directory another name, in one instant; what had the name before is gone.
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()>;
    /// Removes a file or a link.
    fn remove(&self, path: &Path) -> io::Result<()>;
    /// Removes an empty directory.
    fn remove_directory(&self, path: &Path) -> io::Result<()>;
    /// Sets mode and owner.
    fn set_attributes(&self, path: &Path, attributes: Attributes) -> io::Result<()>;
    /// Sets when a file was last changed.
    fn set_modified(&self, path: &Path, modified: Modified) -> io::Result<()>;
    /// Makes everything that was written so far survive a power cut.
    fn sync(&self) -> io::Result<()>;

    /// A kernel setting by its file below `/proc/sys` or `/sys`; `None` where this kernel has none.
    fn setting(&self, path: &Path) -> io::Result<Option<String>>;
    /// Changes a kernel setting.
    fn set_setting(&self, path: &Path, value: &str) -> io::Result<()>;
    /// Whether a kernel module is loaded or built in.
    fn has_module(&self, name: &str) -> io::Result<bool>;
    /// Loads a kernel module and what it needs.
    fn load_module(&self, name: &str) -> io::Result<()>;
    /// Whether a path is a mount point.
    fn is_mount_point(&self, path: &Path) -> io::Result<bool>;
    /// Mounts.
    fn mount(&self, mount: &Mount) -> io::Result<()>;
    /// Unmounts.
    fn unmount(&self, path: &Path) -> io::Result<()>;

    /// The state of a unit; one that does not exist has [`UnitState::exists`] false.
    fn unit(&self, name: &str) -> io::Result<UnitState>;
    /// Whether a unit does its work or is about to, asked so that it costs the service manager little; one that does not
    /// exist does not.
    fn runs(&self, name: &str) -> io::Result<bool> {
        self.unit(name).map(|state| state.runs())
    }
    /// Lets the service manager read its unit files again.
    fn reload_units(&self) -> io::Result<()>;
    /// Asks for a job on a unit and, with a time, waits that long for its end.
    fn job(&self, unit: &str, verb: Verb, wait: Option<Duration>) -> io::Result<()>;

    /// The pods that the container runtime at a socket has, running or not.
    fn pods(&self, socket: &Path) -> io::Result<Vec<Pod>>;
    /// Ends a pod, its network included, and lets the runtime forget it.
    fn remove_pod(&self, socket: &Path, pod: &Pod) -> io::Result<()>;
    /// Whether the container runtime at a socket has an image under this whole name, as kubelet would be told.
    fn has_image(&self, socket: &Path, name: &str) -> io::Result<bool>;
    /// Gives the container runtime at a socket the images of an archive, of which one has this name and stays however
    /// full the disk is.
    fn import_image(&self, socket: &Path, name: &str, archive: &Path, within: Duration) -> io::Result<()>;
    /// Takes an image's name from the container runtime at a socket, and the image with its last one.
    fn remove_image(&self, socket: &Path, name: &str) -> io::Result<()>;

    /// The swap areas that are in use.
    fn swaps(&self) -> io::Result<Vec<Swap>>;
    /// Lets the kernel use a swap area no more; what is in it goes into memory.
    fn swap_off(&self, area: &Path, within: Duration) -> io::Result<()>;
    /// Lets the kernel use a swap area.
    fn swap_on(&self, area: &Swap, within: Duration) -> io::Result<()>;

    /// When the system booted, as far as the service manager knows.
    fn boot_moments(&self) -> io::Result<BootMoments> {
        Err(io::ErrorKind::Unsupported.into())
    }

    /// Runs a program to its end. Most answer in a few lines: more than [`MOST_OUTPUT`] of what it prints is not kept.
    fn run(&self, program: &Program) -> io::Result<Ended> {
        self.run_keeping(program, MOST_OUTPUT)
    }
    /// Runs a program to its end, and keeps as many bytes of each of its two streams; [`Ended::cut`] says whether it
    /// printed more.
    fn run_keeping(&self, program: &Program, most: usize) -> io::Result<Ended>;
}

/// As much is kept of each stream of a program of which nobody expects more.
pub const MOST_OUTPUT: usize = 1 << 20;

/// A file that is being written.
pub trait Writer: Send {
    /// Writes some of the bytes and says how many.
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize>;
    /// Makes what was written survive a power cut.
    fn sync(&mut self) -> io::Result<()>;
}

impl dyn Writer {
    /// Writes all of the bytes.
    pub fn write_all(&mut self, mut bytes: &[u8]) -> io::Result<()> {
        while !bytes.is_empty() {
            match self.write(bytes) {
                Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
                Ok(written) => bytes = bytes.get(written..).unwrap_or_default(),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }
}

/// When a file was last changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Modified {
    /// Seconds since 1970.
    pub seconds: i64,
    /// And nanoseconds.
    pub nanoseconds: u32,
}

/// What is at a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Entry {
    /// What kind of thing it is.
    pub kind: EntryKind,
    /// Its mode and owner.
    pub attributes: Attributes,
    /// Its size in bytes.
    pub size: u64,
    /// When it was last changed.
    pub modified: Modified,
}

/// Kinds of things at paths.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EntryKind {
    /// A regular file.
    File,
    /// A directory.
    Directory,
    /// A symbolic link.
    Link,
    /// A device, a pipe, a socket.
    Other,
}

/// A mount to make.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Mount {
    /// One directory also under another name.
    Bind {
        /// Where the directory is.
        from: PathBuf,
        /// Where it is to be as well.
        at: PathBuf,
    },
    /// Mounts below this mount point are seen by all who see it.
    Share {
        /// The mount point.
        at: PathBuf,
    },
}

/// What is done to a unit, as a noun and as a verb.
pub(crate) fn word(verb: Verb) -> &'static str {
    match verb {
        Verb::Start => "start",
        Verb::Restart => "restart",
        Verb::Stop => "stop",
        Verb::Reload => "reload",
    }
}

/// What the service manager says of a unit.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct UnitState {
    /// Whether the manager knows it.
    pub exists: bool,
    /// `active`, `inactive`, `activating`, `deactivating`, `failed`, `reloading`.
    pub active: String,
    /// More exactly, such as `running`, `dead`, `exited`, `auto-restart`.
    pub sub: String,
    /// Its result, `success` unless something went wrong.
    pub result: String,
    /// When its main process started, in microseconds since 1970; 0 never.
    pub main_started: u64,
    /// When it became active, in microseconds since 1970; 0 never.
    pub became_active: u64,
}

impl UnitState {
    /// Whether it does its work or is about to.
    pub fn runs(&self) -> bool {
        runs(&self.active)
    }
}

pub(crate) fn runs(active: &str) -> bool {
    matches!(active, "active" | "activating" | "reloading")
}

/// A pod, as the container runtime knows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pod {
    /// The runtime's name for it.
    pub id: String,
    /// Its namespace and name, as `namespace/name`.
    pub name: String,
}

/// A swap area that is in use.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Swap {
    /// Its file or device.
    pub path: PathBuf,
    /// Which of several is used first, where somebody said it: the highest. The kernel's own choice is below zero.
    pub priority: i32,
}

/// Moments of a boot, in microseconds since 1970; 0 where there was none.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct BootMoments {
    /// The kernel began.
    pub kernel: u64,
    /// The initial RAM disk's first process began.
    pub initrd: u64,
    /// The service manager began.
    pub userspace: u64,
    /// Everything that is started at boot was.
    pub finished: u64,
}

/// A program to run: an absolute path and arguments, never a command line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Program {
    /// Where it is.
    pub path: PathBuf,
    /// Its arguments, without its name. No secrets: everyone can read them.
    pub arguments: Vec<String>,
    /// What it reads from standard input.
    pub input: Option<Secret<String>>,
    /// How long it may take.
    pub within: Duration,
}
