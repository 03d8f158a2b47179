//! What one launch costs: instructions (callgrind), and the time, which is reported. Allocations are counted by another
//! benchmark, since counting them costs too. `cargo bench -p slipway-peers --bench launch`; needs `valgrind`. Fails
//! where a limit is passed.

#![expect(clippy::print_stdout, reason = "the product is a report")]

mod subject;

use std::time::Instant;

use slipway_launch::Request;
use slipway_peers::instructions;
use subject::{SUBJECTS, request};

/// Instructions that a launch may take at most, in the order of the subjects: a twentieth more than when the limit was
/// set.
const MOST: [u64; 2] = [788_000, 787_000];

fn main() {
    let request = request();
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match &arguments[..] {
        [word, name, times] if word == instructions::MEASURED => {
            let times: usize = times.parse().unwrap_or_default();
            for subject in SUBJECTS.iter().filter(|subject| subject.name == name) {
                (0..times).for_each(|_| subject.launch(&request));
            }
        }
        _ if arguments.iter().any(|argument| argument == "--bench") => report(&request),
        // `cargo test --all-targets` starts benchmarks without asking for a measurement.
        _ => {}
    }
}

fn report(request: &Request) {
    let mut passed = Vec::new();
    println!("{:18} {:>12} {:>12}", "", "instructions", "microseconds");
    for (subject, most) in SUBJECTS.iter().zip(MOST) {
        let name = subject.name;
        let instructions = instructions::count(name);
        let time = fastest(|| subject.launch(request));
        println!("{name:18} {instructions:>12} {time:>12.1}");
        if instructions > most {
            passed.push(format!("{name}: {instructions} instructions, at most {most} allowed"));
        }
    }
    assert!(passed.is_empty(), "limits passed:\n{}", passed.join("\n"));
}

/// Microseconds of one run, in the best of many rounds: what the machine does beside it only adds.
fn fastest(run: impl Fn()) -> f64 {
    const ROUNDS: usize = 50;
    const TIMES: u32 = 200;
    let round = || {
        let start = Instant::now();
        (0..TIMES).for_each(|_| run());
        start.elapsed().as_secs_f64() * 1e6 / f64::from(TIMES)
    };
    (0..ROUNDS).map(|_| round()).fold(f64::INFINITY, f64::min)
}
