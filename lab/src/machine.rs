//! A machine: a clone of an image, booted by a real systemd in the lab.

mod clone;
mod order;
mod removal;
pub(crate) mod unfinished;

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

use crate::cluster::{NAME, tail};
use crate::command::{Run as _, eventually};
use crate::error::At as _;
use crate::image::{Image, put};
use crate::space::{GATEWAY, PREFIX, PUBLIC, children, is_first};
use crate::{Error, LabName, Space, control_group};

pub(crate) use order::check_name;
pub use order::{Order, Storage};

const LONGEST: Duration = Duration::from_mins(3);

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
    /// Process 1 of the machine, unless it is off.
    leader: Option<u32>,
    /// Its files while it is off.
    files: PathBuf,
    lab: LabName,
    /// The lab's directory.
    directory: PathBuf,
}

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
    /// A clone of an image that is not switched on yet.
    pub(crate) fn prepare(
        space: &Space,
        lab: &LabName,
        directory: &Path,
        name: &str,
        image: &Image,
        order: &Order,
    ) -> Result<Self, Error> {
        let files = directory.join("machines").join(name);
        let address = clone::claim(directory, name, &files)?;
        let record = files.join("image");
        fs::write(&record, image.lower()).at("write", &record)?;
        let root = clone::clone(space, name, &files, image, order)?;
        let machine = Self {
            name: name.to_owned(),
            address,
            booted_in: Duration::ZERO,
            leader: None,
            files: space.seen(&root),
            lab: lab.clone(),
            directory: directory.to_owned(),
        };
        machine.put("/etc/hostname", 0o644, format!("{name}\n").as_bytes())?;
        let mut hosts = format!("127.0.0.1 localhost\n{} {name}\n{GATEWAY} {NAME}\n", machine.address);
        hosts.extend(PUBLIC.iter().map(|(address, name)| format!("{address} {name}\n")));
        machine.put("/etc/hosts", 0o644, hosts.as_bytes())?;
        Ok(machine)
    }

    /// Switches the machine on and waits until its systemd has started everything.
    pub fn boot(&mut self) -> Result<(), Error> {
        self.switch_on()?;
        self.wait_running()
    }

    /// Ends the machine and boots it again with its name, its address and its files; gives back control as soon as
    /// its systemd starts services, which may not all succeed.
    pub fn reboot(&mut self, ending: Ending) -> Result<(), Error> {
        self.end(ending)?;
        self.switch_on()?;
        self.wait_started()
    }

    fn end(&self, ending: Ending) -> Result<(), Error> {
        let space = self.space()?;
        if ending == Ending::Orderly {
            // The answer may not come any more.
            let _ = self.run("systemctl", &["poweroff"]);
        } else if let Some(leader) = self.leader.and_then(|leader| Pid::from_raw(leader.cast_signed())) {
            kill_process(leader, Signal::KILL).at("end", &self.console())?;
        }
        eventually(
            "the machine to end",
            LONGEST,
            || tail(&self.console()),
            || Ok(space.started_with(&argument(&self.name)).is_empty().then_some(())),
        )?;
        control_group::remove_machine(&self.lab, &self.name);
        Ok(())
    }

    /// Waits until its systemd starts services, some of which may go on or fail.
    pub fn wait_started(&self) -> Result<(), Error> {
        self.wait_state(&["starting", "running", "degraded"]).map(drop)
    }

    /// Finds a machine that was booted before.
    pub(crate) fn find(space: &Space, lab: &LabName, directory: &Path, name: &str) -> Option<Self> {
        let address = fs::read_to_string(directory.join("machines").join(name).join("address")).ok()?;
        Some(Self {
            name: name.to_owned(),
            address,
            booted_in: Duration::ZERO,
            leader: Some(leader(space, name)?),
            files: PathBuf::new(),
            lab: lab.clone(),
            directory: directory.to_owned(),
        })
    }

    fn console(&self) -> PathBuf {
        self.directory.join("machines").join(&self.name).join("console.log")
    }

    fn space(&self) -> Result<Space, Error> {
        Space::find(&self.directory)
            .ok_or_else(|| Error::refused(format!("the lab {} is not up", self.lab), "cargo lab up"))
    }

    /// Where the lab has the machine's files.
    fn root(&self, space: &Space) -> PathBuf {
        let overlay = space.area().join(&self.name).join("root");
        let copy = self.directory.join("machines").join(&self.name).join("root");
        if space.seen(&overlay).exists() { overlay } else { copy }
    }

    /// Starts the machine's systemd and waits for nothing more than that.
    pub fn switch_on(&mut self) -> Result<(), Error> {
        let space = &self.space()?;
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
        command.arg("--directory").arg(self.root(space)).printed()?;
        let said = || tail(&self.console());
        let leader = eventually("the machine's systemd", LONGEST, said, || Ok(leader(space, name)))?;
        self.leader = Some(leader);
        self.booted_in = start.elapsed();
        Ok(())
    }

    /// Process 1 of the machine, by its number outside, while it is on.
    pub(crate) fn leader(&self) -> Option<u32> {
        self.leader
    }

    /// How long the machine's processes have been on a processor so far.
    pub(crate) fn processor_time(&self) -> Duration {
        control_group::processor_time(&self.lab, &self.name)
    }

    /// A command that runs in the machine.
    pub fn command(&self, program: &str) -> Command {
        let mut command = Command::new("nsenter");
        // Nothing has this number: a machine that is off runs nothing.
        command.arg(format!("--target={}", self.leader.unwrap_or(u32::MAX)));
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
        let root = match self.leader {
            Some(leader) => PathBuf::from(format!("/proc/{leader}/root")),
            None => self.files.clone(),
        };
        root.join(path.trim_start_matches('/'))
    }

    /// Writes a file in the machine, which may be off.
    pub fn put(&self, path: &str, mode: u32, content: &[u8]) -> Result<(), Error> {
        put(&self.path("/"), path, mode, content)
    }

    /// Removes a file of the machine, which may be off, if it is there.
    pub fn remove_file(&self, path: &str) -> Result<(), Error> {
        let path = self.path(path);
        match fs::remove_file(&path) {
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
            removed => removed.at("remove", &path),
        }
    }

    /// Waits until systemd has started everything, with success.
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

fn argument(name: &str) -> String {
    format!("--machine={name}")
}

/// Process 1 of a machine: the child of nspawn that is first in a namespace below the lab's.
fn leader(space: &Space, name: &str) -> Option<u32> {
    space.started_with(&argument(name)).into_iter().flat_map(children).find(|id| is_first(*id))
}
