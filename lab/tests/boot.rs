//! A machine's way from its first moment to Ready: an image that was baked, cloud-init, the extension.

#![expect(clippy::unwrap_used, reason = "the tests run a lab and fail by panicking")]

use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use jiff::Timestamp;
use serde_json::Value;
use slipway_lab::boot::{self, CustomData};
use slipway_lab::{Ending, Lab, LabName, Lifetime, Machine, Order, Progress, native, product};

/// One lab at a time is enough for two processors.
fn lab(name: &str) -> (MutexGuard<'static, ()>, Lab, PathBuf) {
    static ALONE: Mutex<()> = Mutex::new(());
    let alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let name: LabName = format!("{name}-{}", std::process::id()).parse().unwrap();
    let slipway = product::provide(Progress::silent()).unwrap();
    (alone, Lab::up(&name, Lifetime::WithCaller, Progress::silent()).unwrap(), slipway)
}

/// How often the machine's service manager has read its unit files again since it booted.
fn reloads(machine: &Machine) -> usize {
    let journal = machine.run("journalctl", &["--no-pager", "--boot", "_PID=1"]).unwrap();
    journal.lines().filter(|line| line.ends_with(": Reloading.")).count()
}

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

/// Asserts that a machine's anatomy has Registered and Ready when the API server has them, and that the way to Ready has no
/// break: what ran on it and its gaps are all of it.
#[track_caller]
fn assert_true_to_the_api_server(lab: &Lab, machine: &Machine) {
    let told = json(&machine.run("slipway", &["anatomy", "--output", "json"]).unwrap());
    assert_eq!(told["problems"], Value::Array(Vec::new()), "{told:#}");
    let recorded = lab.cluster.recorded(&machine.name).unwrap();
    for (moment, server) in [("node-registered", recorded.registered), ("node-ready", recorded.ready)] {
        let apart = time(&told["milestones"][moment]).duration_since(server).as_secs_f64();
        assert!(apart.abs() < 0.05, "{moment}: {apart} s after the API server had it, {server}\n{told:#}");
    }
    let parts = told["path"].as_array().unwrap();
    for pair in parts.windows(2) {
        assert_eq!(pair[0]["end"], pair[1]["start"], "{told:#}");
    }
    assert_eq!(time(&parts.last().unwrap()["end"]), time(&told["milestones"]["node-ready"]));
    let seconds = |part: &Value| time(&part["end"]).duration_since(time(&part["start"])).as_secs_f64();
    let ran: f64 = parts.iter().filter(|part| !part["interval"].is_null()).map(seconds).sum();
    let gaps: f64 = told["gaps"].as_array().unwrap().iter().map(seconds).sum();
    let total = told["total_seconds"].as_f64().unwrap();
    assert!((ran + gaps - total).abs() < 1e-6, "{ran} s and gaps of {gaps} s in {total} s\n{told:#}");
}

fn time(value: &Value) -> Timestamp {
    value.as_str().unwrap().parse().unwrap()
}

#[test]
fn a_baked_machine_becomes_a_node_without_a_reload_and_another_one_with_one() {
    let (_alone, lab, slipway) = lab("baked");
    let baked = Order { slipway: Some(slipway.clone()), ..Order::default() };
    for (name, order, expected) in [("baked", baked, 0), ("bare", Order::default(), 1)] {
        let machine = lab.boot(name, &order, Progress::silent()).unwrap();
        native::provision(&lab, &machine, &slipway).unwrap();
        assert_true_to_the_api_server(&lab, &machine);
        assert_eq!(reloads(&machine), expected, "{name}");
        let result = json(&machine.run("cat", &["/var/log/azure/aks/provision.json"]).unwrap());
        let steps = result["Steps"].to_string();
        let is_baked = steps.contains(r#""id":"kubelet-unit","outcome":"unchanged""#);
        assert_eq!(is_baked, expected == 0, "{steps}");
    }
}

/// A time of the machine's journal, in microseconds since its start, of the first line that has these words.
fn moment(machine: &Machine, tag: &str, words: &str) -> u64 {
    let lines = machine.run("journalctl", &["--boot", "--no-pager", "--output=json", "-t", tag]).unwrap();
    let found = lines.lines().map(json).find(|line| line["MESSAGE"].as_str().unwrap().contains(words));
    let found = found.unwrap_or_else(|| panic!("{tag} does not say {words:?}: {lines}"));
    found["__MONOTONIC_TIMESTAMP"].as_str().unwrap().parse().unwrap()
}

/// When a unit ended what it does at boot, on the same clock.
fn ended(machine: &Machine, unit: &str) -> u64 {
    let property = "--property=ExecMainExitTimestampMonotonic";
    let shown = machine.run("systemctl", &["show", "--value", property, unit]).unwrap();
    shown.trim().parse().unwrap()
}

#[test]
fn custom_data_makes_a_node_before_cloud_init_is_done_and_the_extension_hears_of_it() {
    let (_alone, lab, slipway) = lab("boot");
    let order = Order { slipway: Some(slipway.clone()), ..Order::default() };
    let mut machine = lab.prepare("node-1", &order, Progress::silent()).unwrap();
    let _azure = native::azure(&lab, &[&machine]).unwrap();
    let data = CustomData::of(&slipway, &native::contract(&lab.cluster).unwrap()).unwrap();
    boot::join(&lab, &mut machine, &data).unwrap();

    let report = boot::extension(&machine).unwrap();
    assert_eq!(report.code, Some(0), "{}", report.output);
    let result = json(&report.output);
    assert_eq!((&result["ExitCode"], &result["Mode"]), (&"0".into(), &"native".into()));
    assert!(result["Steps"].to_string().contains(r#""id":"await-ready","outcome":"unchanged""#), "{result}");

    let began = moment(&machine, "aks-node-controller-launcher", "Using binary");
    let network = ended(&machine, "cloud-init.service");
    assert!(began < network, "Slipway began at {began} µs, cloud-init's network stage ended at {network} µs");
    assert_eq!(reloads(&machine), 0);

    let anatomy = machine.run("slipway", &["anatomy"]).unwrap();
    for part in ["userspace", "cloud-init", "boothook", "start-kubelet", "await-ready", "node-ready"] {
        assert!(anatomy.contains(part), "{part} is not in\n{anatomy}");
    }
    assert_true_to_the_api_server(&lab, &machine);

    machine.reboot(Ending::Orderly).unwrap();
    let boot = machine.run("cat", &["/proc/sys/kernel/random/boot_id"]).unwrap();
    until("kubelet reports this boot", || {
        let output = "--output=jsonpath={.status.nodeInfo.bootID}";
        let reported = lab.cluster.kubectl(&lab.space, &["get", "node", "node-1", output]).output().unwrap();
        String::from_utf8(reported.stdout).unwrap() == boot.trim()
    });
    let again = json(&boot::extension(&machine).unwrap().output);
    assert_ne!(again["AttemptId"], result["AttemptId"], "custom data is run at every boot");
    let changed = again["Steps"].as_array().unwrap().iter().filter(|step| step["changed"] != 0);
    let changed: Vec<&str> = changed.map(|step| step["id"].as_str().unwrap()).collect();
    let services = ["firewall", "start-containerd", "start-kubelet", "accounts"];
    assert!(changed.iter().all(|step| services.contains(step)), "a boot starts services: {changed:?}");
    assert_eq!(reloads(&machine), 0);
}

fn until(what: &str, mut is_so: impl FnMut() -> bool) {
    let start = Instant::now();
    while !is_so() {
        assert!(start.elapsed() < Duration::from_mins(3), "waited in vain: {what}");
        thread::sleep(Duration::from_millis(200));
    }
}
