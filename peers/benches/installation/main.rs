//! What it brings to install a node's programs at the same time: from a mirror on this machine that lets every request
//! wait, against one after another in the same run. `cargo bench -p slipway-peers --bench installation`; fails where a
//! limit is passed.

#![expect(clippy::print_stdout, reason = "the product is a report")]
#![expect(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    clippy::format_push_string,
    dead_code,
    unreachable_pub,
    reason = "a benchmark opens sockets and may panic; the tests use more of the mirror"
)]

#[path = "../../../crates/slipway/tests/supply/mirror.rs"]
mod mirror;
#[path = "../../../crates/slipway/tests/supply/releases.rs"]
mod releases;

use std::num::NonZeroUsize;
use std::path::Path;
use std::time::{Duration, Instant};

use mirror::{Manner, Mirror};
use releases::Releases;
use slipway_apply::{Network, Options, Unwatched, apply};
use slipway_flex::supply::{STORE, stored};
use slipway_host::{Host, Recorded};
use slipway_model::Attributes;
use slipway_plan::Plan;

/// How long every request waits for its answer.
const LATENCY: Duration = Duration::from_millis(20);
/// Of each program.
const BYTES: usize = 1 << 18;
const RUNS: usize = 11;
/// At the same time against one after another.
const LEAST_GAIN: f64 = 2.0;
/// Air for a busy machine, over what unpacking and the largest file take.
const AIR: f64 = 1.25;

fn main() {
    // `cargo test --all-targets` starts benchmarks without asking for a measurement.
    if std::env::args().any(|argument| argument == "--bench") {
        report();
    }
}

fn report() {
    let releases = Releases::of(BYTES);
    let mirror = Mirror::open(releases.files.clone(), |_, _| Manner::Late(LATENCY));
    let whole = releases.plan(&mirror.url());
    let largest = releases.manifest.releases.iter().max_by_key(|release| release.size).unwrap();
    let largest = format!("install-{}", largest.component);
    let alone = whole.steps().iter().filter(|step| step.id.0 == largest).cloned().collect();
    let alone = Plan::new(alone, Vec::new()).unwrap();
    let mut times: [Vec<f64>; 4] = [const { Vec::new() }; 4];
    // In turns, so that a busy moment meets all of them.
    for _ in 0..RUNS {
        times[0].push(taken(&whole, &Recorded::live(), Some(NonZeroUsize::MIN)));
        times[1].push(taken(&whole, &Recorded::live(), None));
        times[2].push(taken(&whole, &holding(&releases), Some(NonZeroUsize::MIN)));
        times[3].push(taken(&alone, &Recorded::live(), None));
    }
    let [one_by_one, together, unpacking, largest] = times.map(median);
    println!("one after another   {one_by_one:>8.1} ms");
    println!("at the same time    {together:>8.1} ms");
    println!("unpacking alone     {unpacking:>8.1} ms");
    println!("largest file alone  {largest:>8.1} ms");
    let gain = one_by_one / together;
    assert!(gain >= LEAST_GAIN, "at the same time is {gain:.2} times faster, at least {LEAST_GAIN}");
    let bound = AIR * (unpacking + largest);
    assert!(together <= bound, "at the same time takes {together:.1} ms, at most {bound:.1}");
}

/// Milliseconds for an installation.
fn taken(plan: &Plan, host: &Recorded, workers: Option<NonZeroUsize>) -> f64 {
    let mut options = Options::within(Duration::from_mins(1)).downloading();
    options.workers = workers.unwrap_or(options.workers);
    let network = Network::new(host, None, Vec::new());
    let start = Instant::now();
    let attempt = apply(plan, host, &network, &options, &Unwatched, &|| false).unwrap();
    let taken = start.elapsed();
    assert!(attempt.failure.is_none(), "{:?}", attempt.failure);
    taken.as_secs_f64() * 1e3
}

/// A machine that holds every file already: what is left is to check and unpack them.
fn holding(releases: &Releases) -> Recorded {
    let host = Recorded::live().with_directory(STORE, 0o700);
    for release in &releases.manifest.releases {
        let content = &releases.files[&release.url.replacen("https:/", "", 1)];
        let path = stored(&release.sha256);
        put(&host, &path, content);
    }
    host
}

fn put(host: &Recorded, path: &Path, mut content: &[u8]) {
    let mut file = host.create(path, Attributes::root(0o600)).unwrap();
    while !content.is_empty() {
        let written = file.write(content).unwrap();
        content = &content[written..];
    }
}

fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}
