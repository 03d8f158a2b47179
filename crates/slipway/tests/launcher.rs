//! What AKS images expect of their launcher, asked of `slipway boot` with a binary that records how it is called.

#![expect(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "the tests run the binary and fail by panicking"
)]

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;
use std::process::{Child, Command, Output, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// A node's files in a directory of its own.
struct Node {
    area: PathBuf,
}

impl Node {
    /// A node whose host name has settled, with a binary that records each call and exits with the code in `CODE_<command>`.
    fn new() -> Self {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let area = std::env::temp_dir().join(format!("slipway-launcher-{}-{count}", std::process::id()));
        fs::create_dir_all(&area).unwrap();
        let node = Self { area };
        node.binary("bin", "baked");
        let name = fs::read("/proc/sys/kernel/hostname").unwrap();
        node.file("hostname", &name);
        node
    }

    fn path(&self, name: &str) -> PathBuf {
        self.area.join(name)
    }

    fn file(&self, name: &str, text: &[u8]) {
        fs::write(self.path(name), text).unwrap();
    }

    /// A binary that writes its name, its arguments and its environment down.
    fn binary(&self, name: &str, label: &str) {
        let area = self.area.display();
        let script = format!(
            "#!/bin/sh\n\
             echo \"{label} $*\" >>{area}/calls\n\
             env -0 >{area}/environment-$1\n\
             [ ! -e {area}/script-$1 ] || . {area}/script-$1\n"
        );
        self.file(name, script.as_bytes());
        fs::set_permissions(self.path(name), fs::Permissions::from_mode(0o755)).unwrap();
    }

    fn command(&self) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_slipway"));
        command.arg("boot").env_remove("ENABLE_PROVISIONING_HOTFIX").stdin(Stdio::null());
        for (variable, name) in [
            ("BIN_PATH", "bin"),
            ("HOTFIX_JSON", "hotfix.json"),
            ("CONFIG_PATH", "config.json"),
            ("NBC_CMD_PATH", "nbc-cmd.sh"),
            ("FEATURES_PATH", "features"),
            ("HOSTNAME_PATH", "hostname"),
        ] {
            command.env(variable, self.path(name));
        }
        command
    }

    fn boot(&self) -> Output {
        self.command().output().unwrap()
    }

    fn start(&self) -> Child {
        self.command().stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    }

    /// The calls so far, with the node's directory left out of paths.
    fn calls(&self) -> Vec<String> {
        let text = fs::read_to_string(self.path("calls")).unwrap_or_default();
        text.lines().map(|line| line.replace(&format!("{}/", self.area.display()), "")).collect()
    }

    fn wait_for_call(&self) {
        let start = Instant::now();
        while self.calls().is_empty() {
            assert!(start.elapsed() < Duration::from_secs(20), "nothing was called");
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// A variable as a command saw it.
    fn variable(&self, command: &str, name: &str) -> Option<Vec<u8>> {
        let text = fs::read(self.path(&format!("environment-{command}"))).unwrap();
        let prefix = format!("{name}=").into_bytes();
        text.split(|byte| *byte == 0).find_map(|line| line.strip_prefix(&prefix[..]).map(<[u8]>::to_vec))
    }
}

impl Drop for Node {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.area);
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

const CONFIG: &str = "--provision-config=config.json";
const COMMAND: &str = "--nbc-cmd=nbc-cmd.sh";

#[test]
fn the_files_that_exist_are_handed_over_the_contract_first() {
    for (files, expected) in [
        (&["config.json"][..], format!("baked provision {CONFIG}")),
        (&["nbc-cmd.sh"], format!("baked provision {COMMAND}")),
        (&["config.json", "nbc-cmd.sh"], format!("baked provision {CONFIG} {COMMAND}")),
    ] {
        let node = Node::new();
        for file in files {
            node.file(file, b"{}");
        }
        let output = node.boot();
        assert_eq!(
            (output.status.code(), node.calls()),
            (Some(0), vec![expected]),
            "{}",
            text(&output.stdout)
        );
    }
}

#[test]
fn without_contract_and_command_nothing_is_run_and_all_is_well() {
    let node = Node::new();
    node.file("features", b"ENABLE_PROVISIONING_HOTFIX=true\n");
    node.file("hotfix.json", b"{}");
    let output = node.boot();
    assert_eq!((output.status.code(), node.calls()), (Some(0), vec![]));
    assert!(text(&output.stdout).starts_with("Nothing to provision"), "{}", text(&output.stdout));
}

#[test]
fn features_reach_every_command_and_are_never_executed() {
    let node = Node::new();
    node.file("config.json", b"{}");
    let marker = node.path("executed");
    let attack = format!("touch {}", marker.display());
    let features = format!(
        "# comment\n\nPLAIN=yes\nSPACED= a  b \nSUBSTITUTION=$({attack})\nTICKS=`{attack}`\nCHAIN=x; {attack}\n\
         QUOTES=\"'x'\"\nEQUALS=a=b=\n{attack}\n$({attack})=1\nbad-key=1\n1ST=1\nexport EXPORTED=1\nEMPTY=\n\
         ENABLE_PROVISIONING_HOTFIX=true\nLAST=no newline"
    );
    node.file("features", features.as_bytes());
    let output = node.boot();
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(node.calls(), ["baked check-hotfix", &format!("baked provision {CONFIG}")]);
    assert!(!marker.exists(), "a feature was executed");
    for command in ["check-hotfix", "provision"] {
        for (name, expected) in [
            ("PLAIN", Some("yes")),
            ("SPACED", Some(" a  b ")),
            ("SUBSTITUTION", Some(&*format!("$({attack})"))),
            ("TICKS", Some(&*format!("`{attack}`"))),
            ("CHAIN", Some(&*format!("x; {attack}"))),
            ("QUOTES", Some("\"'x'\"")),
            ("EQUALS", Some("a=b=")),
            ("EMPTY", Some("")),
            ("LAST", Some("no newline")),
            ("EXPORTED", None),
            ("1ST", None),
        ] {
            let found = node.variable(command, name).map(|value| text(&value));
            assert_eq!(found.as_deref(), expected, "{name} of {command}");
        }
    }
    for line in [10, 11, 12, 13, 14] {
        let warning = format!("Warning: line {line} of ");
        assert!(text(&output.stdout).contains(&warning), "{}", text(&output.stdout));
    }
}

#[test]
fn features_with_the_line_ends_of_windows_mean_the_same() {
    let node = Node::new();
    node.file("config.json", b"{}");
    node.file("features", b"A=1\r\nENABLE_PROVISIONING_HOTFIX=true\r\n");
    node.boot();
    assert_eq!(node.calls()[0], "baked check-hotfix");
    assert_eq!(node.variable("provision", "A").unwrap(), b"1");
}

#[test]
fn a_hotfix_is_checked_then_downloaded_then_used() {
    let node = Node::new();
    node.file("config.json", b"{}");
    node.file("features", b"ENABLE_PROVISIONING_HOTFIX=true\n");
    let area = node.area.display();
    node.binary("staged", "hotfix");
    node.file("script-check-hotfix", format!("echo {{}} >{area}/hotfix.json\n").as_bytes());
    node.file("script-download-hotfix", format!("mv {area}/staged {area}/bin-hotfix\n").as_bytes());
    let output = node.boot();
    let provision = format!("hotfix provision {CONFIG}");
    assert_eq!(node.calls(), ["baked check-hotfix", "baked download-hotfix", &provision]);
    assert!(text(&output.stdout).contains("Using hotfix binary"), "{}", text(&output.stdout));
}

#[test]
fn a_pointer_alone_is_downloaded_and_anything_but_true_is_not_checked() {
    for value in ["false", "TRUE", "1", "true "] {
        let node = Node::new();
        node.file("nbc-cmd.sh", b"true\n");
        node.file("features", format!("ENABLE_PROVISIONING_HOTFIX={value}\n").as_bytes());
        node.file("hotfix.json", b"{}");
        node.boot();
        let provision = format!("baked provision {COMMAND}");
        assert_eq!(node.calls(), ["baked download-hotfix", &provision], "{value}");
    }
}

#[test]
fn failed_hotfix_steps_do_not_keep_the_node_from_being_provisioned() {
    let node = Node::new();
    node.file("config.json", b"{}");
    node.file("features", b"ENABLE_PROVISIONING_HOTFIX=true\n");
    node.file("hotfix.json", b"{}");
    node.file("script-check-hotfix", b"echo from the check; exit 3\n");
    node.file("script-download-hotfix", b"kill -KILL $$\n");
    let output = node.boot();
    assert_eq!(node.calls().last().unwrap(), &format!("baked provision {CONFIG}"));
    assert_eq!(output.status.code(), Some(0));
    for words in
        ["from the check", "check-hotfix failed with exit code 3", "download-hotfix was ended by a signal"]
    {
        assert!(text(&output.stdout).contains(words), "{words}: {}", text(&output.stdout));
    }
}

#[test]
fn a_staged_binary_that_cannot_be_executed_gives_way_to_the_baked_one() {
    let node = Node::new();
    node.file("config.json", b"{}");
    node.file("bin-hotfix", b"#!/bin/sh\nexit 9\n");
    assert_eq!(node.boot().status.code(), Some(0), "without its mode it is not preferred");
    fs::set_permissions(node.path("bin-hotfix"), fs::Permissions::from_mode(0o755)).unwrap();
    assert_eq!(node.boot().status.code(), Some(9), "with its mode it is");
    node.file("bin-hotfix", b"\x7fELF of another machine");
    let output = node.boot();
    assert_eq!(output.status.code(), Some(0));
    assert!(
        text(&output.stdout).contains("The hotfix binary cannot be executed"),
        "{}",
        text(&output.stdout)
    );
}

#[test]
fn the_exit_code_of_provision_is_passed_on() {
    let node = Node::new();
    node.file("config.json", b"{}");
    node.file("script-provision", b"echo to stdout; echo to stderr >&2; exit 52\n");
    let output = node.boot();
    assert_eq!(output.status.code(), Some(52));
    assert!(text(&output.stdout).ends_with("to stdout\n"));
    assert_eq!(text(&output.stderr), "to stderr\n");
}

#[test]
fn a_host_name_that_does_not_settle_is_waited_for_then_warned_about() {
    let node = Node::new();
    node.file("config.json", b"{}");
    node.file("hostname", b"another-name\n");
    let start = Instant::now();
    let output = node.command().args(["--hostname-timeout", "1"]).output().unwrap();
    assert!(start.elapsed() >= Duration::from_secs(1));
    assert!(
        text(&output.stdout).contains("Warning: the host name has not settled in 1 s"),
        "{}",
        text(&output.stdout)
    );
    assert_eq!(node.calls(), [format!("baked provision {CONFIG}")]);
}

#[test]
fn a_host_name_that_settles_late_is_noticed_at_once() {
    let node = Node::new();
    node.file("config.json", b"{}");
    node.file("hostname", b"another-name\n");
    let child = node.start();
    std::thread::sleep(Duration::from_millis(300));
    assert!(node.calls().is_empty(), "it did not wait");
    let start = Instant::now();
    node.file("hostname", &fs::read("/proc/sys/kernel/hostname").unwrap());
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success() && start.elapsed() < Duration::from_secs(5));
    assert!(!text(&output.stdout).contains("Warning"), "{}", text(&output.stdout));
}

#[test]
fn a_contract_that_is_still_being_written_is_waited_for() {
    let node = Node::new();
    node.file("config.json", br#"{"version":"v1","clust"#);
    let child = node.start();
    std::thread::sleep(Duration::from_millis(300));
    assert!(node.calls().is_empty(), "it did not wait");
    node.file("config.json", br#"{"version":"v1"}"#);
    let output = child.wait_with_output().unwrap();
    assert_eq!(node.calls(), [format!("baked provision {CONFIG}")]);
    assert!(!text(&output.stdout).contains("Warning"), "{}", text(&output.stdout));
}

#[test]
fn a_signal_ends_a_boot_wherever_it_stands() {
    // Waiting for the host name, in a hotfix step, and after the hand-over.
    for (case, script) in
        [("host name", ""), ("hotfix", "script-check-hotfix"), ("provision", "script-provision")]
    {
        let node = Node::new();
        node.file("config.json", b"{}");
        node.file("features", b"ENABLE_PROVISIONING_HOTFIX=true\n");
        if script.is_empty() {
            node.file("hostname", b"another-name\n");
        } else {
            node.file(script, format!("echo $1 >{}/here\nexec sleep 30\n", node.area.display()).as_bytes());
        }
        let start = Instant::now();
        let child = node.start();
        if script.is_empty() {
            std::thread::sleep(Duration::from_millis(200));
        } else {
            node.wait_for_call();
            while !node.path("here").exists() {
                std::thread::sleep(Duration::from_millis(5));
            }
        }
        let killed = Command::new("kill").arg(child.id().to_string()).status().unwrap();
        assert!(killed.success());
        let output = child.wait_with_output().unwrap();
        assert!(!output.status.success() && start.elapsed() < Duration::from_secs(20), "{case}");
        if script != "script-provision" {
            assert!(
                !node.calls().iter().any(|call| call.contains("provision ")),
                "{case}: {:?}",
                node.calls()
            );
        }
    }
}
