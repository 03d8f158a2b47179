//! A throw-away copy of this machine: an overlay of its root, in a mount namespace of its own.

use std::collections::BTreeSet;
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// Changes to the copy are kept in memory and vanish with it.
pub(crate) struct Machine {
    area: PathBuf,
    /// Holds the mount namespace open.
    keeper: Child,
    booted: Option<(Child, String)>,
}

impl Machine {
    pub(crate) fn new() -> Self {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let user = printed(Command::new("id").arg("-u"));
        assert_eq!(user.trim(), "0", "an overlay of this machine needs root");
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        // An overlay cannot lie upon an overlay, which the file system of a container often is.
        let area = PathBuf::from(format!("/dev/shm/slipway-machine-{}-{count}", std::process::id()));
        let script = r#"
            set -e
            mkdir -p "$1/upper" "$1/work" "$1/root"
            mount -t overlay overlay -o "lowerdir=/,upperdir=$1/upper,workdir=$1/work" "$1/root"
            for name in proc dev sys; do mount --rbind "/$name" "$1/root/$name"; done
            mount -t tmpfs tmpfs "$1/root/run"
            mount -t tmpfs tmpfs "$1/root/tmp"
            echo ready
            exec sleep infinity"#;
        let mut keeper = Command::new("unshare")
            .args(["--mount", "--propagation", "private", "sh", "-c", script, "sh"])
            .arg(&area)
            .stdout(Stdio::piped())
            .spawn()
            .expect("unshare is missing: run ./test, which installs it");
        let mut line = String::new();
        BufReader::new(keeper.stdout.take().unwrap()).read_line(&mut line).unwrap();
        assert_eq!(line, "ready\n", "the overlay could not be mounted");
        let machine = Self { area, keeper, booted: None };
        // What an installation of Slipway on this very machine would have left.
        machine
            .shell("rm -rf /opt/azure /usr/bin/slipway /usr/bin/slipwayd /usr/bin/aks-node-controller /usr/bin/aks-flex-node");
        machine
    }

    fn root(&self) -> PathBuf {
        self.area.join("root")
    }

    /// A command inside the machine: of its systemd if it is booted, or else in its root.
    fn command(&self, program: &str) -> Command {
        let mut command = Command::new("nsenter");
        if let Some((_, init)) = &self.booted {
            command.args(["-t", init, "-m", "-u", "-i", "-n", "-p", program]);
        } else {
            let keeper = self.keeper.id().to_string();
            command.args(["-t", &keeper, "-m", "chroot"]).arg(self.root()).arg(program);
        }
        command.stdin(Stdio::null()).env("PATH", "/usr/sbin:/usr/bin:/sbin:/bin").env("LC_ALL", "C.UTF-8");
        command
    }

    /// Runs a program inside, whatever comes of it.
    pub(crate) fn run(&self, program: &str, arguments: &[&str]) -> Output {
        finished(self.command(program).args(arguments))
    }

    /// Runs a script inside, which must succeed, and gives what it printed, without the last line end.
    pub(crate) fn shell(&self, script: &str) -> String {
        printed(self.command("sh").args(["-ec", script])).trim_end().to_owned()
    }

    /// Copies a file of ours to `/tmp` inside and gives its path there.
    pub(crate) fn bring(&self, file: &Path) -> String {
        let inside = format!("/tmp/{}", file.file_name().unwrap().to_str().unwrap());
        let content = std::fs::File::open(file).unwrap();
        printed(self.command("sh").args(["-ec", &format!("cat >{inside}")]).stdin(content));
        inside
    }

    /// Every path of the places where packages put files.
    pub(crate) fn listing(&self) -> BTreeSet<String> {
        let script = r"find /usr /opt /etc -xdev \( -type l -printf '%p -> %l\n' -o -printf '%p %m\n' \)";
        self.shell(script).lines().map(str::to_owned).collect()
    }

    /// Fails with the paths that came or went since.
    pub(crate) fn assert_unchanged(&self, before: &BTreeSet<String>) {
        let after = self.listing();
        let changed: Vec<&String> = before.symmetric_difference(&after).collect();
        assert!(changed.is_empty(), "{changed:#?}");
    }

    /// Starts systemd inside, as far as basic.target.
    pub(crate) fn boot(&mut self) {
        let keeper = self.keeper.id().to_string();
        // No journal of this machine, and nothing of it that is started by the units of others.
        self.shell("rm -rf /etc/systemd/system/*.wants /etc/machine-id /var/log/journal");
        // There is no network inside to wait for.
        for unit in ["systemd-networkd-wait-online", "NetworkManager-wait-online", "ifupdown-wait-online"] {
            self.shell(&format!("ln -sf /dev/null /etc/systemd/system/{unit}.service"));
        }
        let root = self.root();
        let mounts = ["proc", "dev", "sys", "run", "tmp"].map(|name| root.join(name));
        printed(Command::new("nsenter").args(["-t", &keeper, "-m", "umount", "--recursive"]).args(mounts));
        let name = self.area.file_name().unwrap().to_str().unwrap();
        let child = Command::new("nsenter")
            .args(["-t", &keeper, "-m", "systemd-nspawn", "--quiet", "--register=no", "--keep-unit"])
            .args([
                "--private-network",
                "--link-journal=no",
                "--console=pipe",
                "--machine",
                name,
                "--directory",
            ])
            .arg(&root)
            .args(["/usr/lib/systemd/systemd", "systemd.unit=basic.target"])
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("nsenter is missing: run ./test, which installs it");
        let found = finished(Command::new("sh").args(["-c", "command -v systemd-nspawn"]));
        assert!(found.status.success(), "systemd-nspawn is missing: run ./test, which installs it");
        let init = eventually("systemd inside", || init_of(child.id()));
        self.booted = Some((child, init));
        eventually("basic.target", || {
            let state = self.run("systemctl", &["is-active", "basic.target"]);
            (state.stdout == b"active\n").then_some(())
        });
    }
}

impl Drop for Machine {
    fn drop(&mut self) {
        if let Some((mut child, init)) = self.booted.take() {
            let _ = Command::new("kill").args(["-KILL", &init]).status();
            let _ = child.wait();
        }
        let _ = self.keeper.kill();
        let _ = self.keeper.wait();
        let _ = std::fs::remove_dir_all(&self.area);
    }
}

/// The first process of a container: the first descendant that is process 1 of its own namespace.
fn init_of(nspawn: u32) -> Option<String> {
    let mut candidates = vec![nspawn.to_string()];
    while let Some(process) = candidates.pop() {
        let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
        let numbers = status.lines().find_map(|line| line.strip_prefix("NSpid:")).unwrap_or_default();
        if numbers.split_whitespace().count() > 1 && numbers.split_whitespace().last() == Some("1") {
            return Some(process);
        }
        let children = std::fs::read_to_string(format!("/proc/{process}/task/{process}/children"));
        candidates.extend(children.unwrap_or_default().split_whitespace().map(str::to_owned));
    }
    None
}

/// Looks again and again until there is an answer.
pub(crate) fn eventually<T>(what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    let start = Instant::now();
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(start.elapsed() < Duration::from_mins(1), "{what} did not come");
        std::thread::sleep(Duration::from_millis(50));
    }
}

/// Runs a command to its end; a program that is not there is named together with who installs it.
fn finished(command: &mut Command) -> Output {
    let program = command.get_program().to_string_lossy().into_owned();
    match command.output() {
        Ok(output) => output,
        Err(error) => panic!("{program} cannot be run ({error}): run ./test, which installs it"),
    }
}

/// What a command printed; its failure is ours.
pub(crate) fn printed(command: &mut Command) -> String {
    let output = finished(command);
    let complaint = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}: {}\n{complaint}", String::from_utf8_lossy(&output.stdout));
    String::from_utf8(output.stdout).unwrap()
}
