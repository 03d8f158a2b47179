//! A lab's life: a node joins, and nothing of the lab is left when it is down or was killed.

#![expect(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "the tests run a lab and fail by panicking"
)]

use std::fs;
use std::process::{Command, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::sleep;
use std::time::{Duration, Instant};

use slipway_lab::image::{Kind, POD};
use slipway_lab::{Ending, Lab, LabName, Lifetime, Machine, Order, Progress};

/// Everything of this machine that a lab could leave behind: processes, mounts, links and network namespaces.
fn footprint(name: &LabName) -> Vec<String> {
    let mut found = Vec::new();
    let mark = format!("/lab/labs/{name}/");
    for entry in fs::read_dir("/proc").unwrap().flatten() {
        let line = fs::read(entry.path().join("cmdline")).unwrap_or_default();
        let line = String::from_utf8_lossy(&line).replace('\0', " ");
        if line.contains(&mark) {
            found.push(format!("process: {line}"));
        }
    }
    let mounts = fs::read_to_string("/proc/self/mounts").unwrap();
    found.extend(mounts.lines().filter(|line| line.contains(&mark)).map(|line| format!("mount: {line}")));
    for entry in fs::read_dir("/sys/class/net").unwrap().flatten() {
        let link = entry.file_name().into_string().unwrap();
        if link == "lab0" || link.starts_with("v-node") {
            found.push(format!("link: {link}"));
        }
    }
    let spaces = fs::read_dir("/run/netns").into_iter().flatten().flatten();
    let spaces = spaces.filter(|entry| entry.file_name() == "node-1");
    found.extend(spaces.map(|entry| format!("network namespace: {}", entry.file_name().display())));
    found.extend(Lab::remains(name).unwrap().iter().map(|path| format!("left: {}", path.display())));
    found
}

/// One test at a time: kernel settings are put back when the last lab is down.
fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

fn plain() -> Order {
    Order { kind: Kind::Plain, ..Order::default() }
}

fn kill(signal: &str, process: u32) {
    let killed = Command::new("kill").args([&format!("-{signal}"), &process.to_string()]).status();
    assert!(killed.unwrap().success());
}

/// `cargo lab` for a lab of this name.
fn cargo_lab(name: &LabName, words: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_slipway-lab"));
    command.args(["--name", &name.to_string()]).args(words);
    command
}

fn setting(name: &str) -> String {
    fs::read_to_string(format!("/proc/sys/{name}")).unwrap()
}

#[test]
fn a_node_joins_and_a_pod_answers_and_nothing_is_left_when_the_lab_is_down() {
    let _alone = alone();
    let name: LabName = format!("life-{}", std::process::id()).parse().unwrap();
    let before = (setting("vm/overcommit_memory"), setting("kernel/panic"));
    let lab = Lab::up(&name, Lifetime::WithCaller, Progress::silent()).unwrap();
    assert!(!footprint(&name).is_empty(), "a lab that is up can be seen");
    let machine = lab.boot("node-1", &Order::default(), Progress::silent()).unwrap();
    slipway_lab::floor::provision(&lab, &machine).unwrap();
    let address = lab.cluster.run_pod(&lab.space, "hello", "node-1", POD).unwrap();
    let answer = machine.run("curl", &["--silent", "--fail", &format!("http://{address}:8080/")]).unwrap();
    assert_eq!(answer, "hello\n");
    drop(lab);
    assert_eq!(footprint(&name), Vec::<String>::new());
    assert_eq!((setting("vm/overcommit_memory"), setting("kernel/panic")), before, "is another lab up?");
}

#[test]
fn nothing_leaves_the_network_of_a_lab_that_runs_beside_another() {
    let _alone = alone();
    let up = |name: &str| {
        let name: LabName = format!("{name}-{}", std::process::id()).parse().unwrap();
        Lab::up(&name, Lifetime::WithCaller, Progress::silent()).unwrap()
    };
    let (_other, lab) = (up("other"), up("alone"));
    let machine = lab.boot("node-1", &plain(), Progress::silent()).unwrap();
    let links = lab.space.command("ip").args(["-oneline", "link"]).output().unwrap();
    let links = String::from_utf8(links.stdout).unwrap();
    let known = |line: &str| ["lo:", "lab0:", "v-node-1@"].iter().any(|link| line.contains(link));
    assert!(links.lines().all(known), "{links}");
    let routes = lab.space.command("ip").args(["route", "show", "default"]).output().unwrap();
    assert_eq!(String::from_utf8(routes.stdout).unwrap(), "");
    assert!(machine.run("ls", &["/opt/azure"]).is_err(), "a plain machine has nothing of Azure");
}

#[test]
fn a_machine_that_reboots_keeps_its_name_address_and_files_and_has_new_processes() {
    let _alone = alone();
    let name: LabName = format!("reboot-{}", std::process::id()).parse().unwrap();
    let lab = Lab::up(&name, Lifetime::WithCaller, Progress::silent()).unwrap();
    let mut machine = lab.boot("node-1", &plain(), Progress::silent()).unwrap();
    let read = |machine: &Machine, path: &str| machine.run("cat", &[path]).unwrap();
    let address = machine.address.clone();
    for ending in [Ending::PowerLoss, Ending::Orderly] {
        machine.run("touch", &["/etc/kept", "/run/lost"]).unwrap();
        machine.run("ip", &["link", "add", "lost", "type", "bridge"]).unwrap();
        let id = read(&machine, "/etc/machine-id");
        machine.reboot(ending).unwrap();
        assert_eq!(read(&machine, "/etc/hostname"), "node-1\n");
        assert_eq!(read(&machine, "/etc/machine-id"), id);
        assert_eq!(machine.address, address);
        let addresses = machine.run("ip", &["-oneline", "address", "show", "eth0"]).unwrap();
        assert!(addresses.contains(&address), "{addresses}");
        assert!(machine.run("ls", &["/etc/kept"]).is_ok());
        assert!(machine.run("ls", &["/run/lost"]).is_err());
        assert!(machine.run("ip", &["link", "show", "lost"]).is_err());
    }
    assert_eq!(lab.machine("node-1").unwrap().address, address, "it is found as before");
}

#[test]
fn a_machine_with_a_small_disk_fills_up() {
    let _alone = alone();
    let name: LabName = format!("full-{}", std::process::id()).parse().unwrap();
    let lab = Lab::up(&name, Lifetime::WithCaller, Progress::silent()).unwrap();
    let order = Order { disk: Some(32 << 20), ..plain() };
    let machine = lab.boot("node-1", &order, Progress::silent()).unwrap();
    assert!(machine.run("fallocate", &["--length", "8M", "/var/fits"]).is_ok());
    let full = machine.run("dd", &["if=/dev/zero", "of=/var/full", "bs=1M", "count=64"]).unwrap_err();
    assert!(full.to_string().contains("No space left on device"), "{full}");
}

#[test]
fn a_join_that_was_interrupted_does_not_keep_its_name() {
    let _alone = alone();
    let name: LabName = format!("half-{}", std::process::id()).parse().unwrap();
    let lab = Lab::up(&name, Lifetime::WithCaller, Progress::silent()).unwrap();
    let join = || cargo_lab(&name, &["join", "node-1"]);
    for pause in [50, 400] {
        let mut joining = join().stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        sleep(Duration::from_millis(pause));
        kill("INT", joining.id());
        joining.wait().unwrap();
    }
    let joined = join().output().unwrap();
    assert!(joined.status.success(), "{}", String::from_utf8_lossy(&joined.stderr));
    drop(lab);
    assert_eq!(footprint(&name), Vec::<String>::new());
}

#[test]
fn a_second_join_takes_less_than_half_a_minute_and_shows_timeline_node_and_pod() {
    let _alone = alone();
    let name: LabName = format!("again-{}", std::process::id()).parse().unwrap();
    let run = |arguments: &[&str]| {
        let output = cargo_lab(&name, arguments).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    };
    run(&["join"]);
    run(&["down"]);
    let start = Instant::now();
    let shown = run(&["join"]);
    let took = start.elapsed();
    for part in ["start-kubelet", "node-ready", "node-1 is Ready", "pod on-node-1 answers at"] {
        assert!(shown.contains(part), "{part} is not in\n{shown}");
    }
    assert!(took < Duration::from_secs(30), "{took:?}");
    let facts = run(&["run", "node-1", "slipway", "facts"]);
    assert!(facts.contains("privateIpAddress"), "Azure is there for who asks: {facts}");
    assert!(run(&["logs"]).contains("console.log <=="));
    run(&["down"]);
    assert_eq!(footprint(&name), Vec::<String>::new());
}

#[test]
fn a_lab_whose_start_was_killed_is_started_anew() {
    let _alone = alone();
    let name: LabName = format!("cut-{}", std::process::id()).parse().unwrap();
    let command = |words: &[&str]| {
        let mut command = cargo_lab(&name, words);
        command.stdout(Stdio::null()).stderr(Stdio::null());
        command
    };
    for pause in [150, 1500, 4000] {
        let mut starting = command(&["up"]).spawn().unwrap();
        sleep(Duration::from_millis(pause));
        // It may be up by then, which does not matter.
        let _ = starting.kill();
        starting.wait().unwrap();
        let half = Lab::find(&name).is_err();
        assert!(command(&["up"]).status().unwrap().success(), "killed after {pause} ms");
        let account = command(&["kubectl", "get", "serviceaccount", "default"]).status().unwrap();
        assert!(account.success(), "killed after {pause} ms: {half}");
        assert!(command(&["down"]).status().unwrap().success());
        assert_eq!(footprint(&name), Vec::<String>::new(), "killed after {pause} ms");
    }
}

#[test]
fn a_killed_lab_is_swept_up_by_the_next_one_of_its_name() {
    let _alone = alone();
    let name: LabName = format!("killed-{}", std::process::id()).parse().unwrap();
    let run = |command: &str| cargo_lab(&name, &[command]).output().unwrap();
    let up = run("up");
    assert!(up.status.success(), "{}", String::from_utf8_lossy(&up.stderr));
    let keeper = Lab::find(&name).unwrap().space.keeper();
    // What a machine of the lab would have changed.
    let before = setting("kernel/panic");
    fs::write("/proc/sys/kernel/panic", "77").unwrap();
    kill("KILL", keeper);
    let put_back = (0..600).any(|_| {
        sleep(Duration::from_millis(100));
        setting("kernel/panic") == before
    });
    assert!(put_back, "is another lab up?");
    let again = run("up");
    assert!(again.status.success(), "{}", String::from_utf8_lossy(&again.stderr));
    let down = run("down");
    assert!(down.status.success(), "{}", String::from_utf8_lossy(&down.stderr));
    assert_eq!(footprint(&name), Vec::<String>::new());
}
