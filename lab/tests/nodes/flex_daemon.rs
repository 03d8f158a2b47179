//! A machine that joined stays a node: the daemon repairs it, and goes on with a join that lost its power.

use std::fs;
use std::path::PathBuf;
use std::sync::OnceLock;
use std::thread;
use std::time::Duration;

use rcgen::{CertificateParams, DistinguishedName, DnType, KeyPair, date_time_ymd};
use serde_json::Value;
use slipway_lab::{Ending, Machine, Progress, product};

use crate::flex::{BUNDLE, CONFIG, PROGRAM, bundle, config, flex, join, must, owned};
use crate::scene::{Scene, eventually, journal, json_of, said, scene};
use crate::state::State;

pub(crate) const DAEMON: &str = "/usr/local/bin/slipwayd";
pub(crate) const UNIT: &str = "slipway-flex.service";
const STATUS: &str = "/run/slipway/flex-status.json";
pub(crate) const CERTIFICATE: &str = "/var/lib/kubelet/pki/kubelet-client-current.pem";
const KUBELET_SETTINGS: &str = "/etc/default/kubeletconfig.json";
const CONTAINERD_SETTINGS: &str = "/etc/containerd/config.toml";
/// The machine's way to the API server.
const CUT: [&str; 3] = ["route", "add", "blackhole"];
const MEND: [&str; 3] = ["route", "delete", "blackhole"];
const API_SERVER: &str = "10.224.0.1/32";

/// Long enough for two looks at the machine and one at the Node.
const IDLE: Duration = Duration::from_secs(30);

pub(crate) fn daemon() -> &'static PathBuf {
    static PROGRAM: OnceLock<PathBuf> = OnceLock::new();
    PROGRAM.get_or_init(|| product::build("slipwayd", "SLIPWAYD", Progress::silent()).unwrap())
}

/// A machine with everything that it needs to join and to be kept.
fn prepared(scene: &Scene, name: &str) -> Machine {
    let machine = owned(scene, name);
    machine.put(BUNDLE, 0o600, bundle(scene)).unwrap();
    machine.put(DAEMON, 0o755, &fs::read(daemon()).unwrap()).unwrap();
    machine
}

pub(crate) fn status(machine: &Machine) -> Value {
    json_of(flex(machine).args(["status", "-o", "json"]))
}

pub(crate) fn daemons_log(machine: &Machine) -> String {
    let log = machine.run("journalctl", &["--no-pager", "--lines=40", "--unit", UNIT]).unwrap_or_default();
    format!("{log}\n{}\n{}", status(machine), journal(machine))
}

pub(crate) fn until(machine: &Machine, what: &str, mut holds: impl FnMut(&Value) -> bool) -> Value {
    eventually(what, || daemons_log(machine), || Some(status(machine)).filter(|status| holds(status)))
}

fn until_healthy(machine: &Machine, repairs: usize) -> Value {
    until(machine, "the machine to be well", |status| {
        let done = status["daemon"]["status"]["repairs"].as_array().map_or(0, Vec::len);
        status["healthy"] == true && done >= repairs
    })
}

/// Nanoseconds that the daemon's threads were on a processor, and its memory in kilobytes.
fn used(machine: &Machine) -> (u64, u64) {
    let pid = machine.run("systemctl", &["show", "--value", "--property=MainPID", UNIT]).unwrap();
    let pid = pid.trim();
    let times = machine.run("bash", &["-c", &format!("cat /proc/{pid}/task/*/schedstat")]).unwrap();
    let times = times.lines().map(|line| line.split(' ').next().unwrap().parse::<u64>().unwrap()).sum();
    let memory = machine.run("cat", &[&format!("/proc/{pid}/status")]).unwrap();
    let memory = memory.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
    (times, memory.trim().trim_end_matches(" kB").parse().unwrap())
}

/// Under 0.1 % of a processor and 20 MB while there is nothing to do.
fn idles(machine: &Machine) {
    let (before, _) = used(machine);
    thread::sleep(IDLE);
    let (after, memory) = used(machine);
    let share = Duration::from_nanos(after - before).as_secs_f64() / IDLE.as_secs_f64();
    eprintln!("the idle daemon: {memory} kB, {:.4} % of a processor", share * 100.0);
    assert!(memory < 20_000, "{memory} kB");
    assert!(share < 0.001, "{:.4} %", share * 100.0);
}

/// From here on the daemon looks every second, so that a test does not wait for it.
pub(crate) fn look_often(machine: &Machine) {
    let drop_in = format!("[Service]\nExecStart=\nExecStart={DAEMON} flex --every 1 --config {CONFIG}\n");
    machine.put("/run/systemd/system/slipway-flex.service.d/often.conf", 0o644, drop_in.as_bytes()).unwrap();
    machine.run("systemctl", &["daemon-reload"]).unwrap();
    machine.run("systemctl", &["restart", UNIT]).unwrap();
}

/// A certificate of this node's name that was good for a day of the year 2020.
fn expired(machine: &Machine) -> String {
    foreign(machine, 2020)
}

/// A certificate of this node's name until a year begins, which no cluster has signed.
pub(crate) fn foreign(machine: &Machine, year: i32) -> String {
    let mut parameters = CertificateParams::default();
    parameters.distinguished_name = DistinguishedName::new();
    parameters.distinguished_name.push(DnType::OrganizationName, "system:nodes");
    parameters.distinguished_name.push(DnType::CommonName, format!("system:node:{}", machine.name));
    (parameters.not_before, parameters.not_after) = (date_time_ymd(2020, 1, 1), date_time_ymd(year, 1, 2));
    let key = KeyPair::generate().unwrap();
    parameters.self_signed(&key).unwrap().pem() + &key.serialize_pem()
}

#[test]
fn what_breaks_on_a_machine_is_repaired_and_idle_the_daemon_is_small() {
    let scene = scene();
    let machine = prepared(scene, "flex-kept");
    let before = State::of_owned(&machine);
    must(&machine, &join(&machine, &["--bundle", BUNDLE]));
    let well = until_healthy(&machine, 0);
    assert_eq!(well["node"], machine.name.as_str(), "{well}");
    assert_eq!(well["kubernetes"], "1.34.3", "{well}");
    idles(&machine);
    look_often(&machine);

    let settings = machine.run("cat", &[KUBELET_SETTINGS]).unwrap();
    machine.remove_file(KUBELET_SETTINGS).unwrap();
    until_healthy(&machine, 1);
    assert_eq!(machine.run("cat", &[KUBELET_SETTINGS]).unwrap(), settings);

    machine.run("systemctl", &["stop", "kubelet"]).unwrap();
    until_healthy(&machine, 2);
    assert_eq!(machine.run("systemctl", &["is-active", "kubelet"]).unwrap(), "active\n");

    let containerd = machine.run("cat", &[CONTAINERD_SETTINGS]).unwrap();
    let edited = format!("{containerd}\n# somebody was here\n");
    machine.put(CONTAINERD_SETTINGS, 0o644, edited.as_bytes()).unwrap();
    until_healthy(&machine, 3);
    assert_eq!(machine.run("cat", &[CONTAINERD_SETTINGS]).unwrap(), containerd);

    let old = machine.run("readlink", &[CERTIFICATE]).unwrap();
    machine.put(old.trim(), 0o600, expired(&machine).as_bytes()).unwrap();
    until_healthy(&machine, 4);
    machine.run("openssl", &["x509", "-noout", "-checkend", "60", "-in", CERTIFICATE]).unwrap();
    let repairs = status(&machine)["daemon"]["status"]["repairs"].clone();
    let done: Vec<&str> =
        repairs.as_array().unwrap().iter().map(|it| it["repair"].as_str().unwrap()).collect();
    assert_eq!(done, ["restore-files", "start-unit", "restore-files", "renew-credential"], "{repairs}");
    assert!(repairs.as_array().unwrap().iter().all(|repair| repair["error"].is_null()), "{repairs}");

    survives_an_outage(&machine);
    follows_its_configuration(scene, &machine);
    tells(scene, &machine);

    machine.run("rm", &["--recursive", "/run/systemd/system/slipway-flex.service.d"]).unwrap();
    must(&machine, &flex(&machine).args(["leave", "--yes"]).output().unwrap());
    // The owner changed it, and not by Slipway.
    machine.put(CONFIG, 0o600, config(scene).to_string().as_bytes()).unwrap();
    assert_eq!(before.differences(&State::of_owned(&machine)), Vec::<String>::new());
    let gone = flex(&machine).arg("status").output().unwrap();
    assert_eq!(
        (gone.status.code(), said(&gone).as_str()),
        (Some(1), "this machine was not joined to a cluster\n")
    );
    scene.kubectl(&["delete", "node", &machine.name]);
}

/// Files are put back while nobody can ask the API server, and the daemon comes back to it.
fn survives_an_outage(machine: &Machine) {
    machine.run("ip", &[&CUT[..], &[API_SERVER]].concat()).unwrap();
    until(machine, "the outage to be noticed", |status| {
        status["daemon"]["status"]["node"]["ready"].is_null() && status["healthy"] == false
    });
    let settings = machine.run("cat", &[KUBELET_SETTINGS]).unwrap();
    machine.run("chmod", &["0666", KUBELET_SETTINGS]).unwrap();
    eventually(
        "the file to be put back",
        || daemons_log(machine),
        || {
            let mode = machine.run("stat", &["--format=%a", KUBELET_SETTINGS]).unwrap();
            (mode == "600\n").then_some(())
        },
    );
    assert_eq!(machine.run("cat", &[KUBELET_SETTINGS]).unwrap(), settings);
    machine.run("ip", &[&MEND[..], &[API_SERVER]].concat()).unwrap();
    until_healthy(machine, 5);
}

/// What the owner changes in the configuration is no drift but what the machine is to be.
fn follows_its_configuration(scene: &Scene, machine: &Machine) {
    let mut changed = config(scene);
    changed["node"]["maxPods"] = 43.into();
    machine.put(CONFIG, 0o600, changed.to_string().as_bytes()).unwrap();
    eventually(
        "the node to take another number of pods",
        || daemons_log(machine),
        || (scene.node(&machine.name)["status"]["capacity"]["pods"] == "43").then_some(()),
    );
    until_healthy(machine, 6);
}

/// What was done is told on the Node and in numbers, without secrets.
fn tells(scene: &Scene, machine: &Machine) {
    let selector = format!("--field-selector=involvedObject.name={},reason=Repaired", machine.name);
    let events = eventually(
        "events on the Node",
        || daemons_log(machine),
        || {
            let events = said(&scene.kubectl(&["get", "events", &selector, "--output=json"]));
            events.contains("config-changed").then_some(events)
        },
    );
    let numbers = machine.run("curl", &["--silent", "http://127.0.0.1:10270/metrics"]).unwrap();
    assert!(numbers.contains("slipway_flex_health{state=\"healthy\"} 1\n"), "{numbers}");
    assert!(numbers.contains("repair=\"join-again\",outcome=\"done\"} 1\n"), "{numbers}");
    let told = machine.run("cat", &[STATUS]).unwrap();
    let token = config(scene)["azure"]["bootstrapToken"]["token"].as_str().unwrap().to_owned();
    let log = machine.run("journalctl", &["--no-pager", "--unit", UNIT]).unwrap();
    for (what, text) in [("events", events), ("numbers", numbers), ("status", told), ("log", log)] {
        let secret = token.split('.').next_back().unwrap();
        assert!(!text.contains(secret), "{what}: {text}");
    }
    assert_eq!(machine.run("stat", &["--format=%a", STATUS]).unwrap(), "644\n");
}

#[test]
fn a_join_and_a_leave_that_lost_their_power_are_brought_to_their_end_by_the_daemon() {
    let scene = scene();
    let mut machine = prepared(scene, "flex-power");
    let begun = ["--quiet", "--collect", "--unit=flex", PROGRAM, "flex", "join", "--yes", "--bundle", BUNDLE];
    machine.run("systemd-run", &begun).unwrap();
    let enabled = format!("/etc/systemd/system/multi-user.target.wants/{UNIT}");
    eventually(
        "the join to be under way",
        || journal(&machine),
        || fs::symlink_metadata(machine.path(&enabled)).ok(),
    );
    machine.reboot(Ending::PowerLoss).unwrap();
    let well = until_healthy(&machine, 1);
    assert_eq!(well["daemon"]["status"]["repairs"][0]["reason"], "join-unfinished", "{well}");
    assert_eq!(well["daemon"]["status"]["node"]["ready"], true, "{well}");

    machine.run("systemd-run", &[&begun[..3], &[PROGRAM, "flex", "leave", "--yes"]].concat()).unwrap();
    let record = machine.path("/var/lib/slipway/flex.json");
    eventually(
        "the machine to be on its way out",
        || journal(&machine),
        || fs::read_to_string(&record).ok().filter(|record| record.contains("\"leaving\":true")),
    );
    machine.reboot(Ending::PowerLoss).unwrap();
    eventually(
        "the machine to have left",
        || daemons_log(&machine),
        || fs::symlink_metadata(machine.path(&enabled)).is_err().then_some(()),
    );
    // The power may have gone when there was nothing left but the record.
    eventually(
        "nothing to be left",
        || daemons_log(&machine),
        || {
            let left = flex(&machine).args(["leave", "--yes"]).output().unwrap();
            (left.status.success() && !machine.path("/var/lib/slipway").exists()).then_some(())
        },
    );
    for path in [&format!("/etc/systemd/system/{UNIT}"), KUBELET_SETTINGS, "/opt/bin/kubelet"] {
        assert!(fs::symlink_metadata(machine.path(path)).is_err(), "{path} is left");
    }
    let active = machine.command("systemctl").args(["is-active", "kubelet", UNIT]).output().unwrap();
    assert_eq!(said(&active), "inactive\ninactive\n");
    scene.kubectl(&["delete", "node", &machine.name]);
}
