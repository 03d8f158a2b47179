//! A machine to provision: an overlay of this one's root in namespaces of its own, without network. What is written
//! stays in memory and goes with it.

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead as _, BufReader, Read};
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use serde_json::Value;

/// The contract's place.
pub const CONTRACT: &str = "/opt/azure/containers/aks-node-controller-config.json";
/// The scripts' entrance.
pub const START: &str = "/opt/azure/containers/provision_start.sh";
/// The result's place.
pub const RESULT: &str = "/var/log/azure/aks/provision.json";
/// The sentinel's place.
pub const COMPLETE: &str = "/opt/azure/containers/provision.complete";
/// Where events are left.
pub const EVENTS: &str = "/var/log/azure/Microsoft.Azure.Extensions.CustomScript/events";

/// Longer than anything here takes.
const LONGEST: Duration = Duration::from_mins(1);

const SET_UP: &str = "set -e
mount -t tmpfs none /mnt
mkdir /mnt/upper /mnt/work /mnt/root
mount -t overlay overlay -o lowerdir=/,upperdir=/mnt/upper,workdir=/mnt/work /mnt/root
for directory in proc dev sys; do mount --rbind /$directory /mnt/root/$directory; done
hostname test-node
rm -rf /mnt/root/opt/azure /mnt/root/var/log/azure /mnt/root/run/slipway-provision.lock
rm -f /mnt/root/usr/bin/containerd /mnt/root/usr/local/bin/containerd
mkdir -p /mnt/root/opt/azure/containers /mnt/root/var/log/azure /mnt/root/usr/lib/slipway
echo ready
exec cat";

/// The machine. It is gone when this is dropped, with everything that runs on it and holds its namespaces.
#[derive(Debug)]
pub struct Node {
    /// Lives as long as its standard input is open, and the namespaces with it.
    holder: Child,
}

/// A program that runs on the machine.
#[derive(Debug)]
pub struct Run {
    /// The process itself: whatever starts it gives way to it.
    pub child: Child,
    stdout: JoinHandle<Vec<u8>>,
    stderr: JoinHandle<Vec<u8>>,
}

/// A program that ran.
#[derive(Debug)]
pub struct Ended {
    /// Its exit code, or the negative of the signal that killed it.
    pub code: i32,
    /// What it printed.
    pub stdout: String,
    /// What it complained.
    pub stderr: String,
}

impl Ended {
    /// The log records with this level, as lines.
    pub fn records(&self, level: &str) -> Vec<&str> {
        let level = format!("\"level\":\"{level}\"");
        self.stderr.lines().filter(|line| line.contains(&level)).collect()
    }
}

impl Node {
    /// A machine with this binary, under both of its names.
    pub fn new(binary: &Path) -> Self {
        let mut holder = Command::new("unshare")
            .args(["-m", "-n", "-u", "--propagation", "private", "bash", "-c", SET_UP])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("a machine needs unshare, of util-linux");
        let mut ready = String::new();
        BufReader::new(holder.stdout.take().unwrap()).read_line(&mut ready).unwrap();
        assert_eq!(ready, "ready\n", "the machine could not be made: this needs root and overlayfs");
        let node = Self { holder };
        fs::copy(binary, node.path("/usr/lib/slipway/slipway")).unwrap();
        std::os::unix::fs::symlink("slipway", node.path("/usr/lib/slipway/aks-node-controller")).unwrap();
        node
    }

    /// Where a file of the machine is for us.
    pub fn path(&self, path: &str) -> PathBuf {
        PathBuf::from(format!("/proc/{}/root/mnt/root{path}", self.holder.id()))
    }

    /// Writes a file.
    pub fn put(&self, path: &str, content: impl AsRef<[u8]>, mode: u32) {
        let path = self.path(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, content).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
    }

    /// Reads a file, if it is there.
    pub fn read(&self, path: &str) -> Option<Vec<u8>> {
        fs::read(self.path(path)).ok()
    }

    /// Removes a file, if it is there.
    pub fn remove(&self, path: &str) {
        let _ = fs::remove_file(self.path(path));
    }

    /// The result, as JSON.
    pub fn result(&self) -> Value {
        serde_json::from_slice(&self.read(RESULT).expect("a result")).expect("a result in JSON")
    }

    /// What the events say, oldest first.
    pub fn events(&self) -> Vec<String> {
        let files = fs::read_dir(self.path(EVENTS)).unwrap();
        let mut names: Vec<PathBuf> = files.map(|file| file.unwrap().path()).collect();
        names.sort();
        let message =
            |path| serde_json::from_slice::<Value>(&fs::read(path).unwrap()).unwrap()["Message"].clone();
        names.iter().map(|path| message(path).as_str().unwrap().to_owned()).collect()
    }

    /// Every file that was written since the machine was made, with mode and content.
    pub fn written(&self) -> BTreeMap<String, (u32, Vec<u8>)> {
        let top = PathBuf::from(format!("/proc/{}/root/mnt/upper", self.holder.id()));
        let mut files = BTreeMap::new();
        collect(&top, &top, &mut files);
        files
    }

    /// Runs a shell command beside the machine's root, which is `/mnt/root` there: for mounts.
    pub fn shell(&self, command: &str) {
        let status = self.enter().args(["bash", "-ec", command]).status().unwrap();
        assert!(status.success(), "{command}");
    }

    /// Starts Slipway under one of its names.
    pub fn start(&self, name: &str, arguments: &[&str], environment: &[(&str, &str)]) -> Run {
        let mut command = self.enter();
        command.args(["chroot", "/mnt/root", "env", "-i", "PATH=/usr/bin:/bin"]);
        command.args(environment.iter().map(|(name, value)| format!("{name}={value}")));
        command.arg(format!("/usr/lib/slipway/{name}")).args(arguments);
        let command = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let stdout = gather(child.stdout.take().unwrap());
        let stderr = gather(child.stderr.take().unwrap());
        Run { child, stdout, stderr }
    }

    /// Runs Slipway under one of its names.
    pub fn run(&self, name: &str, arguments: &[&str]) -> Ended {
        self.start(name, arguments, &[]).end()
    }

    /// Runs `slipway provision` with the contract at its place.
    pub fn provision(&self) -> Ended {
        self.run("slipway", &["provision", "--mode", "scripts", "--provision-config", CONTRACT])
    }

    /// A command line that goes on inside the machine's namespaces.
    pub fn enter(&self) -> Command {
        let mut command = Command::new("nsenter");
        command.arg(format!("--target={}", self.holder.id())).args(["--mount", "--net", "--uts", "--"]);
        command
    }

    /// Waits until a file is there.
    pub fn await_file(&self, path: &str) {
        let start = Instant::now();
        while !self.path(path).exists() {
            assert!(start.elapsed() < LONGEST, "{path} did not appear");
            thread::sleep(Duration::from_millis(2));
        }
    }
}

impl Drop for Node {
    fn drop(&mut self) {
        drop(self.holder.stdin.take());
        let _ = self.holder.wait();
    }
}

impl Run {
    /// Sends a signal.
    pub fn signal(&self, name: &str) {
        let status = Command::new("kill").args(["-s", name, &self.child.id().to_string()]).status().unwrap();
        assert!(status.success());
    }

    /// Waits for its end.
    pub fn end(mut self) -> Ended {
        let start = Instant::now();
        let status = loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                break status;
            }
            if start.elapsed() > LONGEST {
                let _ = self.child.kill();
            }
            thread::sleep(Duration::from_micros(500));
        };
        let text =
            |gathered: JoinHandle<Vec<u8>>| String::from_utf8_lossy(&gathered.join().unwrap()).into_owned();
        let code = status.code().unwrap_or_else(|| -status.signal().unwrap_or_default());
        Ended { code, stdout: text(self.stdout), stderr: text(self.stderr) }
    }
}

fn gather(mut stream: impl Read + Send + 'static) -> JoinHandle<Vec<u8>> {
    thread::spawn(move || {
        let mut all = Vec::new();
        let _ = stream.read_to_end(&mut all);
        all
    })
}

fn collect(top: &Path, directory: &Path, files: &mut BTreeMap<String, (u32, Vec<u8>)>) {
    for entry in fs::read_dir(directory).unwrap() {
        let entry = entry.unwrap();
        let (path, kind) = (entry.path(), entry.file_type().unwrap());
        if kind.is_dir() {
            collect(top, &path, files);
        } else if kind.is_file() {
            let mode = entry.metadata().unwrap().permissions().mode() & 0o7777;
            files.insert(
                format!("/{}", path.strip_prefix(top).unwrap().display()),
                (mode, fs::read(&path).unwrap()),
            );
        }
    }
}
