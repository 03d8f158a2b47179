//! What the benchmarks promise. Runs alternate, and ratios of medians are asserted, not times.

#![expect(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "the tests run a lab and fail by panicking"
)]

use std::fs;
use std::path::PathBuf;
use std::process::Command;
use std::sync::{Mutex, OnceLock, PoisonError};
use std::thread;
use std::time::Duration;

use serde_json::Value;
use slipway_lab::bench::{self, Bench, Contender, Form, Run, Spread, ratio, ready, table};
use slipway_lab::{Error, Lab, LabName, Lifetime, Progress, Storage, native, product};

/// Measures in a lab of its own, one at a time.
fn in_a_lab<T: Send>(work: impl FnOnce(&Lab) -> Result<T, Error> + Send) -> T {
    static ALONE: Mutex<()> = Mutex::new(());
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    // A lab ends with the thread that made it.
    thread::scope(|scope| {
        let measuring = scope.spawn(|| {
            let name: LabName = format!("bench-{}", std::process::id()).parse().unwrap();
            let lab = Lab::up(&name, Lifetime::WithCaller, Progress::silent()).unwrap();
            work(&lab).unwrap_or_else(|error| panic!("{error}"))
        });
        measuring.join().unwrap()
    })
}

fn slipway() -> PathBuf {
    product::provide(Progress::silent()).unwrap()
}

/// Runs of both floors and of Slipway from both starts, or what is made of that.
fn measured(change: impl FnOnce(&mut Bench)) -> Vec<Run> {
    let mut bench = Bench {
        contenders: vec![
            Contender::floor(),
            Contender::floor_cold(),
            Contender::slipway(),
            Contender::slipway_warm(),
        ],
        runs: 5,
        files: None,
        busy: vec![false],
        nodes: 1,
        storage: Storage::Overlay,
        slipway: slipway(),
        delay: None,
        quiet_only: false,
    };
    change(&mut bench);
    in_a_lab(|lab| bench.run(lab, Progress::silent()))
}

/// The runs without load, which several tests look at.
fn idle() -> &'static [Run] {
    static RUNS: OnceLock<Vec<Run>> = OnceLock::new();
    RUNS.get_or_init(|| measured(|bench| bench.runs = 10))
}

fn of_slipway(runs: &[Run]) -> impl Iterator<Item = &Run> {
    runs.iter().filter(|run| run.contender.starts_with("slipway"))
}

/// Where something else goes on on this machine, a few runs can deceive: then there are more, and all of them count.
fn measured_until(
    mut runs: Vec<Run>,
    change: impl Fn(&mut Bench),
    holds: impl Fn(&[Run]) -> bool,
) -> Vec<Run> {
    for _ in 0..2 {
        if !holds(&runs) {
            runs.extend(measured(&change));
        }
    }
    runs
}

/// Asserts that Slipway takes at most so many times as long as the floors.
#[track_caller]
fn assert_near_the_floor(runs: Vec<Run>, busy: bool, most: f64) {
    let over = |runs: &[Run]| {
        ["slipway", "slipway-warm"].into_iter().find(|contender| ratio(runs, contender, busy).unwrap() > most)
    };
    let runs = measured_until(runs, |bench| bench.busy = vec![busy], |runs| over(runs).is_none());
    assert_eq!(over(&runs), None, "more than {most} times the floor\n{}", table(&runs));
}

#[test]
fn a_node_is_ready_within_a_tenth_of_the_floor_from_the_same_start() {
    assert_near_the_floor(idle().to_vec(), false, 1.10);
}

#[test]
fn with_busy_processors_a_node_is_ready_within_a_quarter_of_the_floor() {
    assert_near_the_floor(measured(|bench| bench.busy = vec![true]), true, 1.25);
}

#[test]
fn slow_approval_and_a_slow_containerd_overlap() {
    let delayed = |bench: &mut Bench| {
        bench.contenders = vec![Contender::floor_cold(), Contender::slipway()];
        bench.delay = Some(Duration::from_secs(1));
        bench.runs = 3;
    };
    let earlier = |runs: &[Run]| {
        let ready = |contender| ready(runs, contender, false).unwrap().median;
        ready("floor-cold") - ready("slipway")
    };
    let runs = measured_until(measured(delayed), delayed, |runs| earlier(runs) >= 0.8);
    assert!(earlier(&runs) >= 0.8, "{:.2} s earlier\n{}", earlier(&runs), table(&runs));
}

#[test]
fn slipway_costs_little_and_starts_nothing_but_services() {
    for run in of_slipway(idle()) {
        assert!(run.command_cpu < Duration::from_millis(100), "{}", table(idle()));
        assert!(run.by_command <= 1, "at most one batch for the firewall\n{}", table(idle()));
    }
}

#[test]
fn the_service_manager_is_reloaded_at_most_once_and_not_at_all_on_a_baked_image() {
    assert!(of_slipway(idle()).all(|run| run.reloads == 0), "{}", table(idle()));
    let unbaked = measured(|bench| {
        bench.contenders = vec![Contender::slipway_unbaked()];
        bench.runs = 1;
    });
    assert_eq!(unbaked[0].reloads, 1, "{}", table(&unbaked));
}

/// By the medians: on a machine that is busy otherwise, it is at times the watch that hears of it late.
#[test]
fn the_anatomy_agrees_with_what_the_api_server_says() {
    let accounts = || of_slipway(idle()).map(|run| run.account.as_ref().unwrap());
    let registered = Spread::of(accounts().map(|account| account.registered.unwrap().abs())).unwrap();
    let ready = Spread::of(accounts().map(|account| account.ready.unwrap().abs())).unwrap();
    assert!(registered.median < 0.05 && ready.median < 0.05, "{registered:?} {ready:?}");
}

#[test]
fn a_users_command_is_measured_on_several_machines_at_once_and_every_run_is_written_down() {
    let scratch = tempfile::tempdir().unwrap();
    let (files, json) = (scratch.path().join("files"), scratch.path().join("runs.json"));
    let script = files.join("opt/peer/run");
    fs::create_dir_all(script.parent().unwrap()).unwrap();
    fs::write(
        &script,
        format!("exec {} provision --provision-config {}\n", native::PROGRAM, native::CONTRACT),
    )
    .unwrap();
    let output = in_a_lab(|lab| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_slipway-lab"));
        command.args([
            "--name",
            &lab.name.to_string(),
            "bench",
            "--runs=1",
            "--idle",
            "--overlay",
            "--nodes=2",
        ]);
        command.arg("--slipway").arg(slipway()).arg("--files").arg(&files).arg("--json").arg(&json);
        Ok(command.args(["--contender", "peer=sh /opt/peer/run"]).output().unwrap())
    });
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let shown = String::from_utf8(output.stdout).unwrap();
    let runs: Vec<Value> = serde_json::from_slice(&fs::read(&json).unwrap()).unwrap();
    let names: Vec<&str> = runs.iter().map(|run| run["contender"].as_str().unwrap()).collect();
    assert_eq!(names, ["floor", "slipway-warm", "floor-cold", "slipway", "peer"]);
    for (name, run) in names.iter().zip(&runs) {
        assert!(shown.contains(name) && run["seconds"]["ready"].as_f64().unwrap() > 0.0, "{run}\n{shown}");
    }
}

#[test]
fn provisioning_begins_earlier_by_a_boothook_than_by_runcmd() {
    let boots = in_a_lab(|lab| bench::boots(lab, &slipway(), 2, Progress::silent()));
    let [boothook, runcmd] =
        [Form::Boothook, Form::Runcmd].map(|form| bench::provisioning(&boots, form).unwrap());
    assert!(boothook.greatest < runcmd.least, "{}", bench::boot_table(&boots));
}
