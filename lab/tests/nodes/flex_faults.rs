//! What fails a machine that joins, and only a machine shows: the cluster that does not answer, the disk that is full.

use std::process::Output;
use std::thread;
use std::time::{Duration, Instant};

use slipway_lab::Machine;

use crate::crash::is_full;
use crate::flex::{BUNDLE, CONFIG, PROGRAM, bundle, config, configured, flex, must};
use crate::scene::{Scene, said, scene};
use crate::state::State;

/// How long the API server stays away.
fn away() -> Duration {
    Duration::from_secs(if is_full() { 60 } else { 25 })
}

fn join(machine: &Machine, flags: &[&str]) -> Output {
    let mut command = flex(machine);
    command.args(["join", "--yes", "--progress", "plain", "--bundle", BUNDLE]).args(flags).output().unwrap()
}

/// A join that must fail with this, whoever reads it.
fn refused(output: &Output, parts: &[&str]) {
    assert_eq!(output.status.code(), Some(1), "{}", said(output));
    for part in parts {
        assert!(said(output).contains(part), "no {part} in {}", said(output));
    }
}

#[test]
fn a_join_that_cannot_be_says_why_and_leaves_nothing_and_one_that_can_waits() {
    let bytes = bundle(scene());
    let scene = Scene::of_its_own("flex-faults");
    let mut nameless = config(&scene);
    let right = nameless.to_string();
    nameless["node"]["kubelet"]["clusterFQDN"] = "api.gone.invalid".into();
    let machine = configured(&scene, "flex-faults", &nameless);
    machine.put(BUNDLE, 0o600, bytes).unwrap();
    let before = State::of_owned(&machine);

    refused(&join(&machine, &[]), &["api.gone.invalid", "hint:"]);
    assert_eq!(before.differences(&State::of_owned(&machine)), Vec::<String>::new());

    machine.put(CONFIG, 0o600, right.as_bytes()).unwrap();
    machine.run("mkdir", &["-p", "/opt/bin"]).unwrap();
    let before = State::of_owned(&machine);
    disk_is_full(&machine);
    machine.run(PROGRAM, &["flex", "leave", "--yes"]).unwrap();
    assert_eq!(before.differences(&State::of_owned(&machine)), Vec::<String>::new());

    scene.lab.stop_api_server().unwrap();
    let start = Instant::now();
    refused(&join(&machine, &[]), &["api-server", "hint:"]);
    assert_eq!(before.differences(&State::of_owned(&machine)), Vec::<String>::new());
    let joined = thread::scope(|scope| {
        let joining = scope.spawn(|| join(&machine, &["--ignore", "api-server", "--ignore", "credential"]));
        thread::sleep(away().saturating_sub(start.elapsed()));
        scene.lab.start_api_server().unwrap();
        joining.join().unwrap()
    });
    must(&machine, &joined);
    assert!(start.elapsed() >= away());
    let left = flex(&machine).args(["leave", "--yes"]).output().unwrap();
    must(&machine, &left);
    assert_eq!(before.differences(&State::of_owned(&machine)), Vec::<String>::new());
}

/// Programs do not fit where they belong.
fn disk_is_full(machine: &Machine) {
    machine.run("mount", &["-t", "tmpfs", "-o", "size=8m", "none", "/opt/bin"]).unwrap();
    refused(&join(machine, &[]), &["no space left on device", "free some space"]);
    assert_eq!(machine.run("ls", &["-A", "/opt/bin"]).unwrap(), "", "half of a program is there");
    machine.run("umount", &["/opt/bin"]).unwrap();
}
