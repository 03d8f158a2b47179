//! A machine: a clone of an image, booted by a real systemd in the lab.

mod order;
pub(crate) mod unfinished;

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

use crate::cluster::{NAME, tail};
use crate::command::{Run as _, eventually};
use crate::error::At as _;
use crate::image::put;
use crate::space::{GATEWAY, PREFIX, children};
use crate::{Error, Image, LabName, Space, control_group};

pub use order::{Order, Storage};

const LONGEST: Duration = Duration::from_mins(1);

/// How a machine ends before it boots again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// As if somebody pulled the plug: no process gets to do anything more.
    PowerLoss,
    /// systemd stops everything in its order.
    Orderly,
}

/// A booted machine.
#[derive(Debug)]
pub struct Machine {
    /// Its host name.
    pub name: String,
    /// Its address.
    pub address: String,
    /// How long it took until its systemd had started everything.
    pub booted_in: Duration,
    /// Process 1 of the machine.
    leader: u32,
    lab: LabName,
    /// The lab's directory.
    directory: PathBuf,
}

/// The arguments are the machine's directory in the area, the image, and how much fits, if not all of memory.
const OVERLAY: &str = r#"set -e
area=$1 image=$2 size=$3
mkdir -p "$area"
if [ -n "$size" ]; then mount -t tmpfs -o "mode=0755,size=$size" slipway-lab "$area"; fi
mkdir -p "$area/upper" "$area/work" "$area/root"
mount -t overlay overlay -o "lowerdir=$image,upperdir=$area/upper,workdir=$area/work" "$area/root"
# An overlay cannot hold the layers of another.
if [ -d "$image/var/lib/containerd" ]; then cp -a "$image/var/lib/containerd" "$area/containerd"; fi"#;

/// The arguments are the machine's name, its address with prefix, and the gateway. A machine that boots again finds
/// nothing of its former network.
const NETWORK: &str = r#"set -e
name=$1 address=$2 gateway=$3
if [ -e "/run/netns/$name" ]; then ip link delete "v-$name"; ip netns delete "$name"; fi
ip netns add "$name"
ip link add "v-$name" type veth peer name eth0 netns "$name"
ip link set "v-$name" master lab0 up
ip -n "$name" link set lo up
ip -n "$name" address add "$address" dev eth0
ip -n "$name" link set eth0 up
ip -n "$name" route add default via "$gateway""#;

/// The arguments are the log, how many control groups there are, the groups, and the command.
const BOOT: &str = r#"log=$1 count=$2
shift 2
while [ "$count" -gt 0 ]; do echo 0 >"$1/cgroup.procs" || exit 1; shift; count=$((count - 1)); done
exec "$@" >>"$log" 2>&1 </dev/null"#;

impl Machine {
    /// Boots a clone of an image and waits until its systemd has started everything.
    pub(crate) fn boot(
        space: &Space,
        lab: &LabName,
        directory: &Path,
        name: &str,
        image: &Image,
        order: &Order,
    ) -> Result<Self, Error> {
        let files = directory.join("machines").join(name);
        let address = claim(directory, name, &files)?;
        let root = clone(space, name, &files, image, order)?;
        let seen = space.seen(&root);
        put(&seen, "/etc/hostname", 0o644, format!("{name}\n").as_bytes())?;
        let hosts = format!("127.0.0.1 localhost\n{address} {name}\n{GATEWAY} {NAME}\n");
        put(&seen, "/etc/hosts", 0o644, hosts.as_bytes())?;
        let mut machine = Self {
            name: name.to_owned(),
            address,
            booted_in: Duration::ZERO,
            leader: 0,
            lab: lab.clone(),
            directory: directory.to_owned(),
        };
        machine.start(space)?;
        machine.wait_running()?;
        Ok(machine)
    }

    /// Ends the machine and boots it again with its name, its address and its files; gives back control as soon as
    /// its systemd starts services, which may not all succeed.
    pub fn reboot(&mut self, ending: Ending) -> Result<(), Error> {
        let space = Space::find(&self.directory)
            .ok_or_else(|| Error::refused(format!("the lab {} is not up", self.lab), "cargo lab up"))?;
        if ending == Ending::Orderly {
            // The answer may not come any more.
            let _ = self.run("systemctl", &["poweroff"]);
        } else if let Some(leader) = Pid::from_raw(self.leader.cast_signed()) {
            kill_process(leader, Signal::KILL).at("end", &self.console())?;
        }
        eventually(
            "the machine to end",
            LONGEST,
            || tail(&self.console()),
            || Ok(space.started_with(&argument(&self.name)).is_empty().then_some(())),
        )?;
        control_group::remove_machine(&self.lab, &self.name);
        self.start(&space)?;
        self.wait_state(&["starting", "running", "degraded"]).map(drop)
    }

    /// Finds a machine that was booted before.
    pub(crate) fn find(space: &Space, lab: &LabName, directory: &Path, name: &str) -> Option<Self> {
        let address = fs::read_to_string(directory.join("machines").join(name).join("address")).ok()?;
        let (lab, directory) = (lab.clone(), directory.to_owned());
        let leader = leader(space, name)?;
        Some(Self { name: name.to_owned(), address, booted_in: Duration::ZERO, leader, lab, directory })
    }

    fn console(&self) -> PathBuf {
        self.directory.join("machines").join(&self.name).join("console.log")
    }

    /// Starts systemd over the machine's files, wherever they are.
    fn start(&mut self, space: &Space) -> Result<(), Error> {
        let (name, area) = (&self.name, space.area().join(&self.name));
        let address = format!("{}/{PREFIX}", self.address);
        space.command("bash").args(["-c", NETWORK, "network", name, &address, GATEWAY]).printed()?;
        let start = Instant::now();
        let groups = control_group::make(&self.lab, name)?;
        let mut command = space.command("setsid");
        command.args(["--fork", "bash", "-c", BOOT, "boot"]).arg(self.console());
        command.arg(groups.len().to_string()).args(&groups);
        command.args(["systemd-nspawn", "--quiet", "--register=no", "--keep-unit", "--boot"]);
        command.args(["--console=pipe", "--link-journal=no", "--capability=all", "--bind=/dev/kmsg"]);
        command.arg("--system-call-filter=add_key keyctl bpf perf_event_open");
        command.args([format!("--network-namespace-path=/run/netns/{name}"), argument(name)]);
        let containerd = area.join("containerd");
        if space.seen(&containerd).exists() {
            command.arg(format!("--bind={}:/var/lib/containerd", containerd.display()));
        }
        // Where the kernel has loadable modules, machines share them.
        if Path::new("/lib/modules").exists() {
            command.arg("--bind-ro=/lib/modules");
        }
        let overlay = area.join("root");
        let copy = self.directory.join("machines").join(name).join("root");
        let root = if space.seen(&overlay).exists() { overlay } else { copy };
        command.arg("--directory").arg(&root).printed()?;
        let said = || tail(&self.console());
        self.leader = eventually("the machine's systemd", LONGEST, said, || Ok(leader(space, name)))?;
        self.booted_in = start.elapsed();
        Ok(())
    }

    /// A command that runs in the machine.
    pub fn command(&self, program: &str) -> Command {
        let mut command = Command::new("nsenter");
        command.arg(format!("--target={}", self.leader));
        command.args(["--mount", "--uts", "--ipc", "--net", "--pid", "--cgroup", "--", program]);
        command
            .env_clear()
            .env("PATH", "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:/opt/bin");
        command
    }

    /// Runs a program in the machine and gives what it printed.
    pub fn run(&self, program: &str, arguments: &[&str]) -> Result<String, Error> {
        self.command(program).args(arguments).printed()
    }

    /// Where a path of the machine is for us.
    pub fn path(&self, path: &str) -> PathBuf {
        PathBuf::from(format!("/proc/{}/root{path}", self.leader))
    }

    /// Writes a file in the machine.
    pub fn put(&self, path: &str, mode: u32, content: &[u8]) -> Result<(), Error> {
        put(&self.path("/"), path, mode, content)
    }

    /// Waits until its systemd has started everything.
    pub fn wait_running(&mut self) -> Result<(), Error> {
        let start = Instant::now();
        let state = self.wait_state(&["running", "degraded", "maintenance"])?;
        self.booted_in += start.elapsed();
        if state == "running" {
            return Ok(());
        }
        let failed = self.run("systemctl", &["--failed", "--no-legend", "--plain"])?;
        Err(Error::refused(
            format!("{} is {state}\n{failed}", self.name),
            format!("see {}", self.console().display()),
        ))
    }

    fn wait_state(&self, wanted: &[&str]) -> Result<String, Error> {
        let said = || tail(&self.console());
        eventually("the machine to be running", LONGEST, said, || {
            // Exits with 1 for every state but "running", and fails while there is nothing to ask.
            let mut command = self.command("systemctl");
            let output = command.arg("is-system-running").output();
            let output = output.map_err(|source| Error::Start { program: "nsenter".to_owned(), source })?;
            let state = String::from_utf8_lossy(&output.stdout).trim().to_owned();
            Ok(wanted.contains(&state.as_str()).then_some(state))
        })
    }
}

/// Gives a machine its files, and says where the lab has them.
fn clone(space: &Space, name: &str, files: &Path, image: &Image, order: &Order) -> Result<PathBuf, Error> {
    let area = space.area().join(name);
    if order.storage == Storage::Copy {
        if order.disk.is_some() {
            return Err(Error::refused("a copy on disk has no size of its own", "limit an overlay instead"));
        }
        let root = files.join("root");
        Command::new("cp").args(["-a", "--reflink=auto"]).arg(&image.root).arg(&root).printed()?;
        return Ok(root);
    }
    let size = order.disk.map(|octets| octets.to_string()).unwrap_or_default();
    space.command("bash").args(["-c", OVERLAY, "overlay"]).arg(&area).arg(&image.root).arg(size).printed()?;
    Ok(area.join("root"))
}

fn argument(name: &str) -> String {
    format!("--machine={name}")
}

/// Process 1 of a machine: the child of nspawn that is first in a namespace below the lab's.
fn leader(space: &Space, name: &str) -> Option<u32> {
    let is_first = |id: &u32| {
        let status = fs::read_to_string(format!("/proc/{id}/status")).unwrap_or_default();
        let numbers = status.lines().find_map(|line| line.strip_prefix("NSpid:")).unwrap_or_default();
        numbers.split_whitespace().count() > 2 && numbers.split_whitespace().last() == Some("1")
    };
    space.started_with(&argument(name)).into_iter().flat_map(children).find(is_first)
}

/// Takes an address that no other machine of the lab has.
fn claim(directory: &Path, name: &str, files: &Path) -> Result<String, Error> {
    if files.exists() {
        return Err(Error::refused(format!("there is a machine {name} already"), "choose another name"));
    }
    fs::create_dir_all(files).at("make", files)?;
    let claims = directory.join("addresses");
    fs::create_dir_all(&claims).at("make", &claims)?;
    // Azure keeps the first addresses of a network for itself.
    let address = (4..=254)
        .map(|last| format!("10.224.0.{last}"))
        .find(|address| File::create_new(claims.join(address)).is_ok())
        .ok_or_else(|| Error::refused("the lab's addresses are used up", "cargo lab down, then up"))?;
    let record = files.join("address");
    fs::write(&record, &address).at("write", &record)?;
    Ok(address)
}
