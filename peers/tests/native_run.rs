//! A native run below a root: what it starts, and that plans depend on nothing but the contract and the facts.

#![expect(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "the test runs the binary and reads what the kernel saw of it"
)]

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use slipway_peers::binary::slipway;

/// A directory that is gone when the test is.
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("slipway-native-{name}-{}", std::process::id()));
        std::fs::create_dir_all(path.join("root")).unwrap();
        Self(path)
    }

    fn root(&self) -> PathBuf {
        self.0.join("root")
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// The arguments of a command that plans the example.
fn planning(command: &str, root: &Path) -> Vec<String> {
    let example = |name: &str| format!("{}/../examples/{name}", env!("CARGO_MANIFEST_DIR"));
    let [contract, facts] = ["contract.json", "facts.json"].map(example);
    let root = root.to_str().unwrap();
    [command, "--provision-config", &contract, "--facts", &facts, "--root", root].map(str::to_owned).to_vec()
}

fn succeeded(output: Output) -> Output {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    output
}

#[test]
fn a_native_run_starts_no_process() {
    let scratch = Scratch::new("processes");
    let trace = scratch.0.join("trace");
    let mut command = Command::new("strace");
    command.args(["-f", "-qq", "-e", "trace=execve,execveat,fork,vfork", "-e", "signal=none", "-o"]);
    command.arg(&trace).arg(slipway()).args(planning("provision", &scratch.root()));
    succeeded(command.output().expect("strace is missing: run ./test, which installs it"));
    let trace = std::fs::read_to_string(trace).unwrap();
    // The one is the program itself.
    assert_eq!(trace.lines().count(), 1, "{trace}");
    assert!(trace.contains("execve("), "{trace}");
    assert!(scratch.root().join("etc/default/kubelet").exists());
}

#[test]
fn two_machines_with_the_same_facts_have_the_same_plan() {
    let binary = slipway();
    let [one, other] = ["one", "other"].map(Scratch::new);
    let plan = |scratch: &Scratch, surroundings: &[(&str, &str)]| {
        let mut arguments = planning("plan", &scratch.root());
        arguments.extend(["-o".to_owned(), "json".to_owned()]);
        let mut command = Command::new(&binary);
        command.args(arguments).env_clear().envs(surroundings.iter().copied()).current_dir(&scratch.0);
        succeeded(command.output().unwrap()).stdout
    };
    // What is on the other machine, when and where it is, make no difference.
    std::fs::create_dir_all(other.root().join("etc")).unwrap();
    std::fs::write(other.root().join("etc/hostname"), "another\n").unwrap();
    let elsewhere = [("TZ", "Asia/Tokyo"), ("LANG", "de_DE.UTF-8"), ("HOSTNAME", "another"), ("HOME", "/")];
    let first = plan(&one, &[]);
    assert!(!first.is_empty());
    assert_eq!(String::from_utf8(first).unwrap(), String::from_utf8(plan(&other, &elsewhere)).unwrap());
}

/// Runs the commands of the firewall's unit as systemd would, in a network of their own, and says which rules there are.
fn rules_after(root: &Path, keys: &[&str]) -> Vec<String> {
    let unit = std::fs::read_to_string(root.join("etc/systemd/system/slipway-firewall.service")).unwrap();
    let mut script = String::from("exec </dev/null\n");
    for key in keys {
        let line = unit.lines().find_map(|line| line.strip_prefix(&format!("{key}="))).unwrap();
        script += &line.replace("/etc/slipway", &format!("{}/etc/slipway", root.display()));
        script += " || exit 9\n";
    }
    script += "/usr/sbin/iptables-save";
    let output = Command::new("unshare").args(["--net", "sh", "-c", &script]).output().unwrap();
    let rules = String::from_utf8(succeeded(output).stdout).unwrap();
    rules.lines().filter(|line| line.contains("SLIPWAY")).map(str::to_owned).collect()
}

#[test]
fn the_firewalls_unit_puts_its_rules_in_once_and_takes_them_out() {
    let scratch = Scratch::new("firewall");
    let root = scratch.root();
    succeeded(Command::new(slipway()).args(planning("provision", &root)).output().unwrap());
    let start = rules_after(&root, &["ExecStart"]);
    assert_eq!(
        start.iter().filter(|rule| rule.contains("-A FORWARD -j SLIPWAY-FORWARD")).count(),
        2,
        "{start:?}"
    );
    assert_eq!(
        start.iter().filter(|rule| rule.contains("168.63.129.16") && rule.contains("DROP")).count(),
        2
    );
    assert_eq!(rules_after(&root, &["ExecStart", "ExecStopPost", "ExecStart"]), start);
    assert_eq!(rules_after(&root, &["ExecStart", "ExecStopPost"]), Vec::<String>::new());
}
