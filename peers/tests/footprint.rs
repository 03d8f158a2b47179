//! What the release binary costs: its size, its start, its memory.

#![expect(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "the test builds, runs and measures the binary"
)]

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use slipway_peers::binary::slipway;

fn run(command: &mut Command) -> Duration {
    let start = Instant::now();
    let status = command.stdout(Stdio::null()).status().unwrap();
    assert!(status.success());
    start.elapsed()
}

#[test]
fn the_release_binary_is_under_seven_megabytes() {
    let size = std::fs::metadata(slipway()).unwrap().len();
    println!("release binary: {size} bytes");
    assert!(size < 7_000_000, "{size} bytes");
}

#[test]
fn version_starts_within_one_and_seven_tenths_of_bin_true() {
    let binary = slipway();
    // Alternating rounds, so that load on the machine hits both; the median is robust against what remains.
    let mut rounds: Vec<(Duration, Duration)> = (0..400)
        .map(|_| (run(&mut Command::new("/bin/true")), run(Command::new(&binary).arg("version"))))
        .collect();
    let middle = rounds.len() / 2;
    rounds.sort_by_key(|(peer, _)| *peer);
    let peer = rounds[middle].0;
    rounds.sort_by_key(|(_, ours)| *ours);
    let ours = rounds[middle].1;
    println!(
        "slipway version {ours:?}, /bin/true {peer:?}, ratio {:.2}",
        ours.as_secs_f64() / peer.as_secs_f64()
    );
    assert!(ours < peer.mul_f64(1.7), "slipway version {ours:?}, /bin/true {peer:?}");
}

#[test]
fn version_needs_under_4_mb_of_memory() {
    let binary = slipway();
    // GNU time is small itself: a large parent's pages would count as its child's until the exec.
    let output = Command::new("/usr/bin/time").args(["-f", "%M"]).arg(&binary).arg("version").output();
    let output = output.expect("GNU time is missing: run ./test, which installs it");
    let peak: u64 = String::from_utf8(output.stderr).unwrap().trim().parse().unwrap();
    println!("peak memory of slipway version: {peak} KiB");
    assert!(peak < 4_096, "{peak} KiB");
}
