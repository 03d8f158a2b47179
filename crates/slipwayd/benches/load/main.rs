//! The service under load: 2,000 requests per second, eight times as many callers as it takes, and a kill.
//!
//!     cargo bench -p slipwayd [-- SECONDS]
//!
//! Every phase takes SECONDS, by default 5. Counts, refusals and memory are asserted; latencies are reported,
//! because machines are noisy and caller and service share this one.

#![expect(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    clippy::print_stdout,
    reason = "a benchmark runs the program, fails by panicking and prints what it found"
)]

mod callers;
#[expect(dead_code, reason = "the tests use more of it")]
#[path = "../../tests/service/running.rs"]
mod running;

use std::time::{Duration, Instant};

use callers::{Callers, Tally};
use running::{Area, Running, clusters};

/// What the service promises: requests per second, and memory in kB.
const RATE: u32 = 2000;
const MEMORY: u64 = 64 * 1024;
/// Callers at a time that it is told to take.
const CALLERS: usize = 128;
/// How long a killed service may be away.
const BACK_WITHIN: Duration = Duration::from_millis(200);

fn main() {
    let seconds = std::env::args().skip(1).find_map(|argument| argument.parse().ok()).unwrap_or(5);
    let time = Duration::from_secs(seconds);
    // Whoever hangs up and calls again is two callers for a moment.
    let limit = (CALLERS + CALLERS / 4).to_string();
    let area = Area::new();
    let config = area.write("clusters.json", clusters().to_string());
    let config = config.to_str().unwrap();
    let start = |listen: &str| {
        let limits = ["--max-connections", &limit, "--max-requests", &limit];
        let arguments = [&["--listen", listen, "--config", config][..], &limits[..]].concat();
        Running::start_in(Area::new(), &arguments)
    };
    let mut service = start("127.0.0.1:0");
    let callers = Callers::new(service.address);

    let steady = callers.at_rate(RATE, CALLERS, time);
    report("steady", &steady, time, service.peak_memory());
    assert_eq!((steady.refused, steady.failed), (0, 0), "nobody is turned away at the promised rate");
    let wanted = u64::from(RATE) * seconds;
    assert!(steady.answered >= wanted * 95 / 100, "{} of {wanted} answered in time", steady.answered);

    let most = callers.at_full_speed(CALLERS, time);
    report("full speed", &most, time, service.peak_memory());
    assert_eq!((most.refused, most.failed), (0, 0));

    // The first time shows what overload takes, the second that it takes no more.
    let overload = callers.at_full_speed(8 * CALLERS, time);
    let before = service.peak_memory();
    report("8 x the callers", &overload, time, before);
    assert!(overload.answered > 0 && overload.refused > 0, "some are served and some refused");
    assert_eq!(overload.failed, 0, "everybody gets an answer");
    let again = callers.at_full_speed(8 * CALLERS, time);
    let after = service.peak_memory();
    report("and again", &again, time, after);
    assert_eq!(again.failed, 0, "everybody gets an answer");
    assert!(after <= MEMORY, "{after} kB");
    assert!(after <= before + before / 8 + 2048, "memory grows under overload: {before} kB, then {after} kB");

    let away = killed_under_load(&callers, &mut service, &start);
    println!("killed under load      back after {:.1} ms", away.as_secs_f64() * 1e3);
    assert!(away < BACK_WITHIN, "{away:?}");
}

/// Kills the service while it works, starts it again at the same address, and waits for its first answer.
fn killed_under_load(callers: &Callers, service: &mut Running, start: &dyn Fn(&str) -> Running) -> Duration {
    let address = service.address.to_string();
    // Half of what it takes, so that there is room for the one who asks whether it is back.
    let load = callers.in_background(CALLERS / 2, Duration::from_secs(2));
    std::thread::sleep(Duration::from_millis(500));
    service.kill();
    let restart = Instant::now();
    *service = start(&address);
    while !callers.once() {
        assert!(restart.elapsed() < Duration::from_secs(10), "it does not come back");
    }
    let away = restart.elapsed();
    let tally = load.join().unwrap();
    assert!(tally.answered > 0, "the restarted service took the load again");
    away
}

fn report(phase: &str, tally: &Tally, time: Duration, memory: u64) {
    let per_second = |count: u64| Duration::from_secs(count).div_duration_f64(time);
    let [median, p99, longest] = tally.latencies();
    println!(
        "{phase:<20} {:>8.0} answered/s {:>8.0} refused/s {:>4} failed   median {:.2} ms, 99 % {:.2} ms, longest {:.2} ms   {:.1} MB",
        per_second(tally.answered),
        per_second(tally.refused),
        tally.failed,
        median.as_secs_f64() * 1e3,
        p99.as_secs_f64() * 1e3,
        longest.as_secs_f64() * 1e3,
        Duration::from_secs(memory).div_duration_f64(Duration::from_secs(1024)),
    );
}
