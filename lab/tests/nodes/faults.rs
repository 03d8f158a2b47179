//! What others fail a node with: the API server, the metadata service, the disk.

use std::fs;
use std::process::Output;
use std::thread;
use std::time::{Duration, Instant};

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use serde_json::Value;
use slipway_lab::azure::{Fault, Route, Service, Times};
use slipway_lab::{Machine, Order, Progress, native};

use crate::scene::{Scene, journal, scene, slipway};
use crate::state::State;

const RESULT: &str = "/var/log/azure/aks/provision.json";

/// Provisions a machine that has all it needs for it, however that ends.
fn provision(machine: &Machine) -> Output {
    let mut command = machine.command(native::PROGRAM);
    command.args(["provision", "--provision-config", native::CONTRACT]).output().unwrap()
}

fn assert_provisioned(machine: &Machine, how: &str) {
    let output = provision(machine);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(0), "{how}: {said}\n{}", journal(machine));
}

fn result(machine: &Machine) -> Value {
    serde_json::from_slice(&fs::read(machine.path(RESULT)).unwrap()).unwrap()
}

fn status(machine: &Machine) -> Value {
    let status = machine.run("slipway", &["status", "--output=json"]).unwrap();
    serde_json::from_str(&status).unwrap()
}

#[test]
fn a_node_waits_for_an_api_server_that_is_down_and_says_so_meanwhile() {
    let scene = Scene::of_its_own("patient");
    let machine = scene.machine("patient");
    native::install(&machine, slipway(), &scene.contract()).unwrap();
    scene.lab.stop_api_server().unwrap();
    let start = Instant::now();
    let output = thread::scope(|scope| {
        let provisioning = scope.spawn(|| provision(&machine));
        thread::sleep(Duration::from_secs(15));
        let status = status(&machine);
        let open: Vec<&str> = status["last"]["steps"]
            .as_array()
            .unwrap()
            .iter()
            .filter(|step| step["outcome"].is_null())
            .map(|step| step["id"].as_str().unwrap())
            .collect();
        assert!(open.contains(&"await-ready"), "{status}");
        assert!(!machine.path(RESULT).exists(), "there is no result before the end");
        thread::sleep(Duration::from_secs(30).saturating_sub(start.elapsed()));
        scene.lab.start_api_server().unwrap();
        provisioning.join().unwrap()
    });
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(0), "{said}\n{}", journal(&machine));
    assert!(start.elapsed() > Duration::from_secs(30));
    let conditions = scene.node("patient")["status"]["conditions"].clone();
    let ready = |condition: &Value| condition["type"] == "Ready" && condition["status"] == "True";
    assert!(conditions.as_array().unwrap().iter().any(ready), "{conditions}");
}

#[test]
fn a_metadata_service_that_fails_for_a_while_costs_time_and_nothing_else() {
    let scene = Scene::of_its_own("metadata");
    let machine = scene.machine("metadata");
    native::install(&machine, slipway(), &scene.contract()).unwrap();
    let lab = &scene.lab;
    scene.azure.close(Service::Imds);
    thread::scope(|scope| {
        let provisioning = scope.spawn(|| assert_provisioned(&machine, "refused for 5 s"));
        thread::sleep(Duration::from_secs(5));
        lab.space.on_network(|| scene.azure.open(Service::Imds)).unwrap().unwrap();
        provisioning.join().unwrap();
    });
    // What follows provisions a node: it asks all the same, and changes nothing.
    for fault in [
        Fault::Refuse,
        Fault::Throttle(Duration::from_secs(1)),
        Fault::Status(500),
        Fault::Slow(Duration::from_secs(3)),
        Fault::Truncate,
        Fault::Garbage,
        Fault::Drop,
    ] {
        let before = scene.azure.requests().len();
        scene.azure.fault(Route::INSTANCE, fault.clone(), Times::First(2));
        assert_provisioned(&machine, &format!("{fault:?}"));
        scene.azure.heal(&Route::INSTANCE);
        let struck = scene.azure.requests()[before..].iter().any(|it| it.fault.as_ref() == Some(&fault));
        assert!(struck, "{fault:?} was not met");
    }
}

#[test]
fn without_the_metadata_service_nothing_of_the_machine_is_touched() {
    let scene = Scene::of_its_own("unknown");
    let machine = scene.machine("unknown");
    native::install(&machine, slipway(), &scene.contract()).unwrap();
    scene.azure.fault(Route::INSTANCE, Fault::Garbage, Times::Always);
    let before = State::of(&machine);
    let start = Instant::now();
    let output = provision(&machine);
    assert_eq!(output.status.code(), Some(234), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(start.elapsed() < Duration::from_secs(75), "{:?}", start.elapsed());
    let result = result(&machine);
    assert_eq!(result["ExitCode"], "234", "{result}");
    assert!(result["Error"].as_str().unwrap().contains("instance metadata service"), "{result}");
    let differences = before.differences(&State::of(&machine));
    // Somebody waits for the sentinel, and a reset must know of it.
    let known = [" /opt/azure/containers/provision.complete", " /var/lib/slipway"];
    let unknown = |line: &&String| !known.iter().any(|known| line.contains(known));
    assert_eq!(differences.iter().filter(unknown).collect::<Vec<_>>(), Vec::<&String>::new());
}

#[test]
fn a_full_disk_is_named_and_leaves_nothing_half_written() {
    let scene = scene();
    let order = Order { disk: Some(768 << 20), ..Order::default() };
    let machine = scene.lab.boot("full", &order, Progress::silent()).unwrap();
    scene.azure.admit(native::metadata(&machine).unwrap());
    // The CA's file is larger than what is left; everything else is small.
    let padded = format!(
        "{}{}",
        "a line before the certificate\n".repeat(100_000),
        scene.lab.cluster.authority().unwrap()
    );
    let mut contract = scene.contract();
    contract["kubernetes_ca_cert"] = BASE64_STANDARD.encode(padded).into();
    native::install(&machine, slipway(), &contract).unwrap();
    let fill = "cat /dev/zero >/filler 2>/dev/null; truncate --size=-2M /filler";
    machine.run("bash", &["-c", fill]).unwrap();
    let output = provision(&machine);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_ne!(output.status.code(), Some(0), "{said}");
    let result = result(&machine);
    // Steps run side by side: what else was to be written meanwhile had no room either, and one of them was first.
    let (error, output) = (result["Error"].as_str().unwrap(), result["Output"].as_str().unwrap());
    assert!(error.ends_with(": no space left on device"), "{result}");
    assert!(output.contains("/etc/kubernetes/certs/ca.crt: no space left on device"), "{result}");
    let left = machine.run("find", &["/etc", "/opt", "/var/lib", "-xdev", "-name", "*.slipway-new"]).unwrap();
    assert_eq!(left, "");
    fs::remove_file(machine.path("/filler")).unwrap();
    assert_provisioned(&machine, "with space again");
}
