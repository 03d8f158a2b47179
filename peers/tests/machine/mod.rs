//! A machine to break: this one's files under an overlay, without a network. What happens there stays there.

use std::fs;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// The machine. Its changes live in a directory in memory and go away with it.
pub struct Machine {
    area: PathBuf,
}

const MOUNT: &str = r#"
mount -t overlay overlay -o "lowerdir=/,upperdir=$AREA/changes,workdir=$AREA/work" "$AREA/root"
for directory in proc dev sys; do mount --rbind "/$directory" "$AREA/root/$directory"; done
exec chroot "$AREA/root" /bin/sh -euc "$1"
"#;

impl Machine {
    /// A machine on which these programs are needed.
    pub fn new(name: &str, programs: &[&str]) -> Self {
        assert_eq!(
            fs::metadata("/proc/self").unwrap().uid(),
            0,
            "mounting an overlay needs root: run ./test"
        );
        for program in programs.iter().chain(&["unshare", "gpg"]) {
            let found =
                ["/usr/bin", "/bin", "/usr/sbin"].iter().any(|at| Path::new(at).join(program).exists());
            assert!(found, "{program} is missing: run ./test, which installs it");
        }
        let area = PathBuf::from(format!("/dev/shm/slipway-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&area);
        for directory in ["changes", "work", "root"] {
            fs::create_dir_all(area.join(directory)).unwrap();
        }
        let machine = Self { area };
        machine.put("/usr/lib/slipway-hotfix", &fs::read(env!("CARGO_BIN_EXE_hotfix")).unwrap(), 0o755);
        machine.put("/opt/azure/containers/aks-node-controller", b"the image's own", 0o755);
        machine
    }

    /// Puts a file there.
    pub fn put(&self, path: &str, content: &[u8], mode: u32) {
        let path = self.changed(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, content).unwrap();
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    }

    /// Where a file that was put there, or changed there, can be looked at from outside.
    pub fn changed(&self, path: &str) -> PathBuf {
        self.area.join("changes").join(path.trim_start_matches('/'))
    }

    /// Runs a script there.
    pub fn run(&self, script: &str) -> Output {
        let flags = ["--mount", "--net", "--propagation", "private", "/bin/sh", "-euc", MOUNT, "sh", script];
        let environment = [("AREA", self.area.to_str().unwrap()), ("PATH", "/usr/sbin:/usr/bin:/sbin:/bin")];
        Command::new("unshare").args(flags).env_clear().envs(environment).output().unwrap()
    }

    /// Runs a script there that must succeed, and returns what it printed.
    pub fn must(&self, script: &str) -> String {
        let output = self.run(script);
        let text =
            [&output.stdout[..], &output.stderr].map(|bytes| String::from_utf8_lossy(bytes).into_owned());
        assert!(output.status.success(), "{script}\n{}\n{}", text[0], text[1]);
        text.concat()
    }

    /// Runs `download-hotfix` there, by the peer's rules or by ours.
    pub fn download(&self, rules: &str) -> Output {
        self.run(&format!("exec /usr/lib/slipway-hotfix download 202601.15.0 {rules}"))
    }

    /// What the staged binary says there of its version.
    pub fn staged_version(&self) -> String {
        self.must("/opt/azure/containers/aks-node-controller-hotfix version").trim().to_owned()
    }
}

impl Drop for Machine {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.area);
    }
}
