//! A machine: a clone of an image, booted by a real systemd in the lab.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use crate::cluster::{NAME, tail};
use crate::command::{Run as _, eventually};
use crate::error::At as _;
use crate::image::put;
use crate::space::{GATEWAY, PREFIX, children};
use crate::{Error, Image, LabName, Space, control_group};

const LONGEST: Duration = Duration::from_mins(1);

/// How a machine gets its files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Storage {
    /// An overlay in memory over the image: there in milliseconds.
    Overlay,
    /// A copy on disk: what is measured on it is not the overlay.
    Copy,
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
}

/// The arguments are the machine's directory in the area, its name, its address with prefix, the gateway, the image
/// or an empty word, then the control groups.
const PREPARE: &str = r#"set -e
area=$1 name=$2 address=$3 gateway=$4 image=$5
mkdir -p "$area"
if [ -n "$image" ]; then
    mkdir -p "$area/upper" "$area/work" "$area/root"
    mount -t overlay overlay -o "lowerdir=$image,upperdir=$area/upper,workdir=$area/work" "$area/root"
    # An overlay cannot hold the layers of another.
    if [ -d "$image/var/lib/containerd" ]; then cp -a "$image/var/lib/containerd" "$area/containerd"; fi
fi
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
    pub fn boot(
        space: &Space,
        lab: &LabName,
        directory: &Path,
        name: &str,
        image: &Image,
        storage: Storage,
    ) -> Result<Self, Error> {
        let files = directory.join("machines").join(name);
        let address = claim(directory, name, &files)?;
        let area = space.area().join(name);
        let root = match storage {
            Storage::Overlay => area.join("root"),
            Storage::Copy => files.join("root"),
        };
        if storage == Storage::Copy {
            Command::new("cp").args(["-a", "--reflink=auto"]).arg(&image.root).arg(&root).printed()?;
        }
        let overlaid = if storage == Storage::Overlay { image.root.as_path() } else { Path::new("") };
        space
            .command("bash")
            .args(["-c", PREPARE, "prepare"])
            .arg(&area)
            .args([name, &format!("{address}/{PREFIX}"), GATEWAY])
            .arg(overlaid)
            .printed()?;
        let seen = space.seen(&root);
        put(&seen, "/etc/hostname", 0o644, format!("{name}\n").as_bytes())?;
        let hosts = format!("127.0.0.1 localhost\n{address} {name}\n{GATEWAY} {NAME}\n");
        put(&seen, "/etc/hosts", 0o644, hosts.as_bytes())?;

        let start = Instant::now();
        let console = files.join("console.log");
        let groups = control_group::make(lab, name)?;
        let mut command = space.command("setsid");
        command.args(["--fork", "bash", "-c", BOOT, "boot"]).arg(&console);
        command.arg(groups.len().to_string()).args(&groups);
        command.args(["systemd-nspawn", "--quiet", "--register=no", "--keep-unit", "--boot"]);
        command.args(["--console=pipe", "--link-journal=no", "--capability=all", "--bind=/dev/kmsg"]);
        command.arg("--system-call-filter=add_key keyctl bpf perf_event_open");
        command.args([format!("--network-namespace-path=/run/netns/{name}"), argument(name)]);
        if storage == Storage::Overlay && image.root.join("var/lib/containerd").exists() {
            command.arg(format!("--bind={}:/var/lib/containerd", area.join("containerd").display()));
        }
        // Where the kernel has loadable modules, machines share them.
        if Path::new("/lib/modules").exists() {
            command.arg("--bind-ro=/lib/modules");
        }
        command.arg("--directory").arg(&root).printed()?;

        let leader =
            eventually("the machine's systemd", LONGEST, || tail(&console), || Ok(leader(space, name)))?;
        let mut machine = Self { name: name.to_owned(), address, booted_in: Duration::ZERO, leader };
        machine.wait_running(&console)?;
        machine.booted_in = start.elapsed();
        Ok(machine)
    }

    /// Finds a machine that was booted before.
    pub fn find(space: &Space, directory: &Path, name: &str) -> Option<Self> {
        let address = fs::read_to_string(directory.join("machines").join(name).join("address")).ok()?;
        let leader = leader(space, name)?;
        Some(Self { name: name.to_owned(), address, booted_in: Duration::ZERO, leader })
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

    fn wait_running(&self, console: &Path) -> Result<(), Error> {
        let state = eventually(
            "the machine to be running",
            LONGEST,
            || tail(console),
            || {
                // Exits with 1 for every state but "running", and fails while there is nothing to ask.
                let mut command = self.command("systemctl");
                let output = command.arg("is-system-running").output();
                let output =
                    output.map_err(|source| Error::Start { program: "nsenter".to_owned(), source })?;
                let state = String::from_utf8_lossy(&output.stdout).trim().to_owned();
                Ok(matches!(state.as_str(), "running" | "degraded" | "maintenance").then_some(state))
            },
        )?;
        if state == "running" {
            return Ok(());
        }
        let failed = self.run("systemctl", &["--failed", "--no-legend", "--plain"])?;
        Err(Error::refused(
            format!("{} is {state}\n{failed}", self.name),
            format!("see {}", console.display()),
        ))
    }
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
