//! The lab's own namespaces for processes, mounts and network, and the process that holds them.
//!
//! The keeper is process 1 of the lab: when it ends, the kernel ends every process below it, and with the last one go
//! the mounts, the bridge and every address. So there is nothing to sweep up after a kill but directories.

use std::fs::{self, File};
use std::io::{BufRead as _, BufReader};
use std::net::Ipv4Addr;
use std::os::fd::AsFd as _;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};
use rustix::thread::{LinkNameSpaceType, move_into_link_name_space};

use crate::Error;
use crate::azure;
use crate::command::{Run as _, eventually};
use crate::error::At as _;

/// The lab's end of its network; machines have it as their gateway, and the API server listens there.
pub(crate) const GATEWAY: &str = "10.224.0.1";
/// The network's prefix length.
pub(crate) const PREFIX: u8 = 16;

/// The arguments are the area's directory, the gateway, the prefix length, and pairs of an address and its name.
const KEEPER: &str = r#"set -e
area=$1 gateway=$2 prefix=$3
shift 3
mount -t tmpfs -o mode=0755 slipway-lab "$area"
mkdir -p /run/netns
mount -t tmpfs -o mode=0755 slipway-lab /run/netns
ip link set lo up
ip link add lab0 type bridge
ip address add "$gateway/$prefix" dev lab0
for azure in 169.254.169.254 168.63.129.16; do ip address add "$azure/32" dev lab0; done
cat /etc/hosts >"$area/hosts"
while [ $# -gt 0 ]; do ip address add "$1/32" dev lab0; echo "$1 $2" >>"$area/hosts"; shift 2; done
mount --bind "$area/hosts" /etc/hosts
ip link set lab0 up
echo ready
exec >/dev/null
while :; do sleep 86400 & wait; done"#;

/// What the world outside has, and the lab and its machines find under the same names.
pub(crate) const PUBLIC: [(Ipv4Addr, &str); 2] =
    [(azure::ENTRA, azure::SIGN_IN), (azure::ARM, azure::MANAGEMENT)];

/// How long a lab's namespaces last.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lifetime {
    /// Until they are destroyed, whoever made them.
    UntilDown,
    /// At most as long as the thread that made them, even if that is killed.
    WithCaller,
}

/// The namespaces of a lab.
#[derive(Debug)]
pub struct Space {
    directory: PathBuf,
    keeper: Process,
    /// The keeper's parent, if it is our child.
    parent: Option<Child>,
}

/// A process that cannot be mistaken for a later one with its number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Process {
    pub(crate) id: u32,
    started: u64,
}

impl Space {
    /// Makes namespaces whose files are below the directory, and which hold something open for as long as they last.
    pub(crate) fn create(directory: &Path, lifetime: Lifetime, held: File) -> Result<Self, Error> {
        let area = directory.join("area");
        fs::create_dir_all(&area).at("make", &area)?;
        let log = directory.join("keeper.log");
        let mut command = Command::new("setsid");
        if lifetime == Lifetime::WithCaller {
            command.args(["setpriv", "--pdeathsig", "KILL"]);
        }
        let mut parent = command
            .args(["unshare", "--mount", "--net", "--pid", "--fork", "--mount-proc", "--kill-child"])
            .args(["--propagation", "private", "bash", "-c", KEEPER, "slipway-lab"])
            .arg(&area)
            .args([GATEWAY, &PREFIX.to_string()])
            .args(PUBLIC.iter().flat_map(|(address, name)| [address.to_string(), (*name).to_owned()]))
            // Nothing reads it; it is the one file that goes through all the programs on the way.
            .stdin(held)
            .stdout(Stdio::piped())
            .stderr(File::create(&log).at("make", &log)?)
            .spawn()
            .map_err(|source| Error::Start { program: "setsid".to_owned(), source })?;
        let mut line = String::new();
        if let Some(stdout) = parent.stdout.take() {
            BufReader::new(stdout).read_line(&mut line).at("read", &log)?;
        }
        let keeper = (line == "ready\n").then(|| children(parent.id()).first().copied()).flatten();
        let Some(keeper) = keeper.and_then(Process::find) else {
            let _ = parent.kill();
            let _ = parent.wait();
            let said = fs::read_to_string(&log).unwrap_or_default();
            return Err(Error::refused(
                format!("the lab's namespaces could not be made\n{said}"),
                "this needs root, and a kernel with namespaces, tmpfs and bridges",
            ));
        };
        Ok(Self { directory: directory.to_owned(), keeper, parent: Some(parent) })
    }

    /// Finds the namespaces that were made for this directory, if they still are. The keeper is known by its arguments: who
    /// made it may have been killed before it could write anything down.
    pub fn find(directory: &Path) -> Option<Self> {
        let area = directory.join("area");
        let is_keeper = |id: &u32| {
            let line = fs::read(format!("/proc/{id}/cmdline")).unwrap_or_default();
            let mut words = line.split(|octet| *octet == 0).skip(2);
            words.next() == Some(KEEPER.as_bytes())
                && words.nth(1) == Some(area.as_os_str().as_bytes())
                && is_first(*id)
        };
        let processes = fs::read_dir("/proc").into_iter().flatten().flatten();
        let mut ids = processes.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
        let keeper = ids.find(is_keeper).and_then(Process::find)?;
        Some(Self { directory: directory.to_owned(), keeper, parent: None })
    }

    /// Process 1 of the lab, by its number outside.
    pub fn keeper(&self) -> u32 {
        self.keeper.id
    }

    /// A directory in memory that only the lab sees, under this path.
    pub(crate) fn area(&self) -> PathBuf {
        self.directory.join("area")
    }

    /// Where a path of the lab is for us.
    pub(crate) fn seen(&self, path: &Path) -> PathBuf {
        let mut seen = PathBuf::from(format!("/proc/{}/root", self.keeper.id)).into_os_string();
        seen.push(path);
        seen.into()
    }

    /// A command that runs in the lab's namespaces.
    pub fn command(&self, program: impl AsRef<std::ffi::OsStr>) -> Command {
        let mut command = Command::new("nsenter");
        command.arg(format!("--target={}", self.keeper.id));
        command.args(["--mount", "--net", "--pid", "--"]).arg(program);
        // There is no way out, so there is no proxy on it either.
        for name in ["http_proxy", "https_proxy", "no_proxy"] {
            command.env_remove(name).env_remove(name.to_uppercase());
        }
        command
    }

    /// Does something on the lab's network: sockets that are opened in the work, and by threads that it starts, are
    /// the lab's.
    pub fn on_network<T: Send>(&self, work: impl FnOnce() -> T + Send) -> Result<T, Error> {
        on_network_of(self.keeper.id, work)
    }

    /// Starts a program that stays; what it prints goes to the log.
    pub(crate) fn start(&self, log: &Path, program: &Path, arguments: &[String]) -> Result<(), Error> {
        self.command("setsid")
            .args(["--fork", "bash", "-c", r#"exec "$@" >>"$0" 2>&1 </dev/null"#])
            .arg(log)
            .arg(program)
            .args(arguments)
            .printed()
            .map(drop)
    }

    /// The processes that were started to stay and have this argument.
    pub(crate) fn started_with(&self, argument: &str) -> Vec<u32> {
        let has = |id: &u32| {
            let line = fs::read(format!("/proc/{id}/cmdline")).unwrap_or_default();
            line.split(|octet| *octet == 0).any(|word| word == argument.as_bytes())
        };
        children(self.keeper.id).into_iter().filter(has).collect()
    }

    /// Ends everything that runs in the lab, and waits until it is gone.
    pub(crate) fn destroy(&mut self) -> Result<(), Error> {
        let keeper = self.keeper;
        if let Some(id) = keeper.is_there().then(|| Pid::from_raw(keeper.id.cast_signed())).flatten() {
            // The keeper may end by itself in this very moment.
            let _ = kill_process(id, Signal::KILL);
        }
        if let Some(mut parent) = self.parent.take() {
            let _ = parent.wait();
        }
        // The kernel lets process 1 of a namespace go when every other process of it is gone.
        let stuck = || format!("process {} does not end; what it waits for is in /proc/{0}/stack", keeper.id);
        eventually("the end of the lab's processes", Duration::from_mins(2), stuck, || {
            Ok((!keeper.is_there()).then_some(()))
        })
    }
}

impl Process {
    fn find(id: u32) -> Option<Self> {
        let stat = fs::read_to_string(format!("/proc/{id}/stat")).ok()?;
        // The name in parentheses may hold anything; the start is the 20th field behind it.
        let started = stat.rsplit_once(')')?.1.split_whitespace().nth(19)?.parse().ok()?;
        Some(Self { id, started })
    }

    fn is_there(self) -> bool {
        Self::find(self.id) == Some(self)
    }
}

/// Does something on the network of a process.
pub(crate) fn on_network_of<T: Send>(id: u32, work: impl FnOnce() -> T + Send) -> Result<T, Error> {
    let path = PathBuf::from(format!("/proc/{id}/ns/net"));
    let network = File::open(&path).at("open", &path)?;
    let entered = std::thread::scope(|scope| {
        let entering = scope.spawn(|| {
            move_into_link_name_space(network.as_fd(), Some(LinkNameSpaceType::Network))?;
            Ok::<T, rustix::io::Errno>(work())
        });
        entering.join()
    });
    match entered {
        Ok(done) => done.at("enter", &path),
        Err(panic) => std::panic::resume_unwind(panic),
    }
}

/// Whether a process is the first of its namespace.
pub(crate) fn is_first(id: u32) -> bool {
    let status = fs::read_to_string(format!("/proc/{id}/status")).unwrap_or_default();
    let numbers = status.lines().find_map(|line| line.strip_prefix("NSpid:")).unwrap_or_default();
    numbers.split_whitespace().last() == Some("1")
}

/// The children of a process.
pub(crate) fn children(id: u32) -> Vec<u32> {
    let text = fs::read_to_string(format!("/proc/{id}/task/{id}/children")).unwrap_or_default();
    text.split_whitespace().filter_map(|child| child.parse().ok()).collect()
}
