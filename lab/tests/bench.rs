//! What the benchmarks promise. Runs alternate, and ratios of medians are asserted, not times.

#![expect(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "the tests run a lab and fail by panicking"
)]

use std::path::PathBuf;
use std::process::Command;
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::Duration;
use std::{env, thread};

use slipway_lab::bench::{Bench, Contender, Run, ratio, ready, table};
use slipway_lab::{Lab, LabName, Lifetime, Progress, Storage};

/// Measures in a lab of its own, one bench at a time.
fn measured(change: impl FnOnce(&mut Bench) + Send) -> Vec<Run> {
    static ALONE: Mutex<()> = Mutex::new(());
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let mut bench = Bench {
        contenders: vec![
            Contender::floor(),
            Contender::floor_cold(),
            Contender::slipway(),
            Contender::slipway_warm(),
        ],
        runs: 5,
        busy: vec![false],
        nodes: 1,
        storage: Storage::Overlay,
        slipway: Some(slipway()),
        delay: None,
        quiet_only: false,
    };
    change(&mut bench);
    // A lab ends with the thread that made it.
    thread::scope(|scope| {
        let measuring = scope.spawn(|| {
            let name: LabName = format!("bench-{}", std::process::id()).parse().unwrap();
            let lab = Lab::up(&name, Lifetime::WithCaller, Progress::silent()).unwrap();
            bench.run(&lab, Progress::silent()).unwrap_or_else(|error| panic!("{error}"))
        });
        measuring.join().unwrap()
    })
}

/// The runs without load, which several tests look at.
fn idle() -> &'static [Run] {
    static RUNS: OnceLock<Vec<Run>> = OnceLock::new();
    RUNS.get_or_init(|| measured(|_| {}))
}

/// The build of Slipway that is measured: `SLIPWAY`, or this source's release build.
fn slipway() -> PathBuf {
    if let Some(given) = env::var_os("SLIPWAY") {
        return given.into();
    }
    let built = Command::new(env!("CARGO"))
        .args(["build", "--release", "--quiet", "--package", "slipway"])
        .status()
        .unwrap();
    assert!(built.success(), "Slipway does not build");
    PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("../release/slipway")
}

fn of_slipway(runs: &[Run]) -> impl Iterator<Item = &Run> {
    runs.iter().filter(|run| run.contender.starts_with("slipway"))
}

#[track_caller]
fn assert_near_the_floor(runs: &[Run], busy: bool, most: f64) {
    for contender in ["slipway", "slipway-warm"] {
        let ratio = ratio(runs, contender, busy).unwrap();
        assert!(ratio <= most, "{contender} takes {ratio:.2} times as long as the floor\n{}", table(runs));
    }
}

#[test]
fn a_node_is_ready_within_a_tenth_of_the_floor_from_the_same_start() {
    assert_near_the_floor(idle(), false, 1.10);
}

#[test]
fn with_busy_processors_a_node_is_ready_within_a_quarter_of_the_floor() {
    assert_near_the_floor(&measured(|bench| bench.busy = vec![true]), true, 1.25);
}

#[test]
fn slow_approval_and_a_slow_containerd_overlap() {
    let runs = measured(|bench| {
        bench.contenders = vec![Contender::floor_cold(), Contender::slipway()];
        bench.delay = Some(Duration::from_secs(1));
        bench.runs = 3;
    });
    let ready = |contender| ready(&runs, contender, false).unwrap().median;
    let earlier = ready("floor-cold") - ready("slipway");
    assert!(earlier >= 0.8, "{earlier:.2} s earlier\n{}", table(&runs));
}

#[test]
fn slipway_costs_little_and_starts_nothing_but_services() {
    for run in of_slipway(idle()) {
        assert!(run.command_cpu < Duration::from_millis(100), "{run:?}");
        assert!(run.by_command <= 1, "at most one batch for the firewall: {run:?}");
    }
}

#[test]
fn the_service_manager_is_reloaded_at_most_once_and_not_at_all_on_a_baked_image() {
    assert!(of_slipway(idle()).all(|run| run.reloads == 0), "{}", table(idle()));
    let unbaked = measured(|bench| {
        bench.contenders = vec![Contender::slipway_unbaked()];
        bench.runs = 1;
    });
    assert_eq!(unbaked[0].reloads, 1, "{unbaked:?}");
}

#[test]
fn the_anatomy_agrees_with_what_the_api_server_says() {
    for run in of_slipway(idle()) {
        let account = run.account.unwrap();
        for difference in [account.registered, account.ready] {
            assert!(difference.unwrap().abs() < 0.05, "{run:?}");
        }
    }
}
