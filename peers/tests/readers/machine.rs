//! A machine to boot a script on: empty `/opt` and `/var/log` in a mount namespace, a search path that has the
//! tools the script may use and nothing else, and programs that record what happens to them.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Everything that the scripts use of an image, besides bash itself.
const TOOLS: &[&str] = &[
    "bash",
    "base64",
    "mktemp",
    "mkdir",
    "chmod",
    "rm",
    "nohup",
    "sha256sum",
    "cp",
    "sleep",
    "readlink",
    "timeout",
    "stat",
];

/// Records the mode of the file it is about to write, before the first byte.
const CAT: &str = "stat -Lc 'write %a' /proc/$$/fd/1 >>/opt/modes; exec /bin/cat \"$@\"";
/// Records the mode of the complete file, before it gets its name.
const MV: &str =
    "for file; do :; done; stat -Lc 'rename %a' \"${@: -2:1}\" >>/opt/modes; exec /bin/mv \"$@\"";
const LOGGER: &str = "echo \"$*\" >>/opt/syslog";
const SYSTEMCTL: &str = "echo \"systemctl $*\" >>/opt/started";

/// What a program under test does when it is started: it says so, and is still there a while later.
pub(super) const PROGRAM: &str =
    "echo \"$0 $*, umask $(umask), stdin $(readlink /proc/self/fd/0)\" >>/opt/started
echo output; sleep 1; echo done >>/opt/done";

/// What a boot left behind.
pub(super) struct Booted {
    /// Whether the script succeeded.
    pub(super) success: bool,
    /// What came out of its pipes until the last process let go of them.
    pub(super) output: String,
    /// Files under `/opt` and `/var/log`, with mode and content.
    pub(super) files: BTreeMap<String, (u32, Vec<u8>)>,
    /// Whether a background program had ended before the script's pipes were closed.
    pub(super) held: bool,
}

impl Booted {
    pub(super) fn text(&self, path: &str) -> &str {
        self.files.get(path).map_or("", |(_, content)| std::str::from_utf8(content).unwrap())
    }

    /// What was started, in any order.
    pub(super) fn started(&self) -> Vec<&str> {
        let mut started: Vec<&str> = self.text("/opt/started").lines().collect();
        started.sort_unstable();
        started
    }
}

/// A machine that is being prepared.
pub(super) struct Machine {
    directory: PathBuf,
    setup: String,
    boots: usize,
    wait: usize,
}

impl Machine {
    /// An image without anything of ours.
    pub(super) fn new(name: &str) -> Self {
        let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("machines").join(name);
        let _ = fs::remove_dir_all(&directory);
        fs::create_dir_all(directory.join("bin")).unwrap();
        let machine = Self { directory, setup: String::new(), boots: 1, wait: 1 };
        for tool in TOOLS {
            let path =
                ["/usr/bin", "/bin"].iter().map(|bin| Path::new(bin).join(tool)).find(|path| path.exists());
            std::os::unix::fs::symlink(path.unwrap(), machine.directory.join("bin").join(tool)).unwrap();
        }
        machine.tool("cat", CAT).tool("mv", MV).tool("logger", LOGGER).tool("systemctl", SYSTEMCTL)
    }

    /// With another program on the search path.
    pub(super) fn tool(self, name: &str, body: &str) -> Self {
        let path = self.directory.join("bin").join(name);
        fs::write(&path, format!("#!/bin/bash\n{body}\n")).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        self
    }

    /// With one of the real programs of this machine on the search path.
    pub(super) fn real_tool(self, name: &str) -> Self {
        std::os::unix::fs::symlink(Path::new("/usr/bin").join(name), self.directory.join("bin").join(name))
            .unwrap();
        self
    }

    /// With a program at an absolute path.
    pub(super) fn program(self, path: &str, body: &str) -> Self {
        let file = self.directory.join(path.rsplit('/').next().unwrap());
        fs::write(&file, format!("#!/bin/bash\n{body}\n")).unwrap();
        let (parent, _) = path.rsplit_once('/').unwrap();
        self.setup(&format!("mkdir -p {parent}; cp {} {path}; chmod 755 {path}", file.display()))
    }

    /// After a command.
    pub(super) fn setup(mut self, command: &str) -> Self {
        self.setup.push_str(command);
        self.setup.push('\n');
        self
    }

    /// Started several times.
    pub(super) fn boots(mut self, times: usize) -> Self {
        self.boots = times;
        self
    }

    /// Watched until this many things were started.
    pub(super) fn expecting(mut self, starts: usize) -> Self {
        self.wait = starts;
        self
    }

    /// Boots with a script, under a umask that hides nothing by itself.
    pub(super) fn boot(self, script: &str) -> Booted {
        let directory = self.directory.display();
        fs::write(self.directory.join("hook"), script).unwrap();
        let (boots, wait, setup) = (self.boots, self.wait, &self.setup);
        let harness = format!(
            "set -e\nmount -t tmpfs none /opt\nmount -t tmpfs none /var/log\n{setup}
for boot in $(seq {boots}); do
  result=0
  (umask 000; PATH={directory}/bin exec bash {directory}/hook) <{directory}/hook 2>&1 | cat >{directory}/output; result=${{PIPESTATUS[0]}}
  [ ! -e /opt/done ] || touch {directory}/held
done
for try in $(seq 100); do
  [ $(cat /opt/started 2>/dev/null | wc -l) -lt {wait} ] || break; sleep 0.1
done
sleep 0.2
mkdir -p {directory}/left/var
cp -a /opt {directory}/left
cp -a /var/log {directory}/left/var
exit $result\n"
        );
        let run = unshare().args(["bash", "-c", &harness]).output().unwrap();
        let left = self.directory.join("left");
        assert!(left.exists(), "{}", String::from_utf8_lossy(&run.stderr));
        let mut files = BTreeMap::new();
        collect(&left, &left, &mut files);
        Booted {
            success: run.status.success(),
            output: fs::read_to_string(self.directory.join("output")).unwrap(),
            files,
            held: self.directory.join("held").exists(),
        }
    }
}

/// Runs a command in a mount namespace of its own, where it is root.
pub(super) fn unshare() -> Command {
    let mut command = Command::new("unshare");
    // Only root can look into root's home.
    command.arg(if fs::metadata("/root/.").is_ok() { "-m" } else { "-rm" });
    command
}

fn collect(root: &Path, directory: &Path, files: &mut BTreeMap<String, (u32, Vec<u8>)>) {
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect(root, &path, files);
        } else {
            let mode = fs::metadata(&path).unwrap().permissions().mode() & 0o7777;
            let name = format!("/{}", path.strip_prefix(root).unwrap().display());
            files.insert(name, (mode, fs::read(&path).unwrap()));
        }
    }
}
