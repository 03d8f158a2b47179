//! What the contract's codec costs: instructions (callgrind), allocations, and time beside Go's protojson in the
//! same run. `cargo bench -p slipway-peers`; needs `valgrind` and `go`. Fails where a limit is passed.

#![expect(clippy::print_stdout, reason = "the product is a report")]

mod go;

use std::hint::black_box;
use std::time::Instant;

use go::{Peer, Work};
use slipway_contract::Contract;
use slipway_contract::codec::{Decoded, Options, Policy, decode, encode};
use slipway_contract::custom_data::{Form, Order, render};
use slipway_peers::instructions;

/// The contract with every field set, as Go's library writes it.
const POPULATED: &str = include_str!("../../../crates/contract/tests/data/populated.json");

/// Everything has to be this many times faster than with Go's libraries.
const TIMES_FASTER: f64 = 5.0;

/// What is measured, and what it may cost at most: about a tenth more than when the limit was set.
struct Subject {
    name: &'static str,
    run: fn(&Input),
    instructions: u64,
    allocations: u64,
    peak_bytes: u64,
}

/// Made once, outside the measurement.
struct Input {
    contract: Contract,
}

const SUBJECTS: &[Subject] = &[
    Subject {
        name: "decode-careful",
        run: |_| read(Policy::Careful),
        instructions: 345_000,
        allocations: 220,
        peak_bytes: 17_100,
    },
    Subject {
        name: "decode-compatible",
        run: |_| read(Policy::Compatible),
        instructions: 345_000,
        allocations: 220,
        peak_bytes: 17_100,
    },
    Subject {
        name: "encode-file",
        run: |input| write(input, Options::FILE),
        instructions: 204_000,
        allocations: 26,
        peak_bytes: 27_000,
    },
    Subject {
        name: "encode-embedded",
        run: |input| write(input, Options::EMBEDDED),
        instructions: 244_000,
        allocations: 26,
        peak_bytes: 27_100,
    },
    Subject { name: "custom-data", run: ship, instructions: 476_000, allocations: 51, peak_bytes: 49_800 },
];

fn read(policy: Policy) {
    let decoded: Decoded<Contract> = decode(black_box(POPULATED.as_bytes()), policy);
    black_box(decoded);
}

fn write(input: &Input, options: Options) {
    black_box(encode(black_box(&input.contract), options));
}

fn ship(input: &Input) {
    let order = Order { contract: black_box(&input.contract), form: Form::Boothook, bring: None };
    black_box(render(&order).map(|made| made.base64()).is_ok());
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let decoded: Decoded<Contract> = decode(POPULATED.as_bytes(), Policy::Careful);
    assert!(decoded.issues.is_empty(), "the populated contract has issues");
    let input = Input { contract: decoded.message };
    match &arguments[..] {
        [word, name, times] if word == instructions::MEASURED => repeat(name, times, &input),
        _ if arguments.iter().any(|argument| argument == "--bench") => report(&input),
        // `cargo test --all-targets` starts benchmarks without asking for a measurement.
        _ => {}
    }
}

/// What runs under callgrind.
fn repeat(name: &str, times: &str, input: &Input) {
    let times: usize = times.parse().unwrap_or_default();
    for subject in SUBJECTS.iter().filter(|subject| subject.name == name) {
        (0..times).for_each(|_| (subject.run)(input));
    }
}

fn report(input: &Input) {
    let mut passed = Vec::new();
    println!("{:18} {:>12} {:>12} {:>12}", "", "instructions", "allocations", "peak bytes");
    for subject in SUBJECTS {
        let memory = allocation_counter::measure(|| (subject.run)(input));
        let instructions = instructions::count(subject.name);
        println!(
            "{:18} {instructions:>12} {:>12} {:>12}",
            subject.name, memory.count_total, memory.bytes_max
        );
        for (what, measured, limit) in [
            ("instructions", instructions, subject.instructions),
            ("allocations", memory.count_total, subject.allocations),
            ("peak bytes", memory.bytes_max, subject.peak_bytes),
        ] {
            if measured > limit {
                passed.push(format!("{}: {measured} {what}, at most {limit} allowed", subject.name));
            }
        }
    }
    let mut go = Peer::start();
    passed.extend(beside_go("decode", &mut go, Work::Decode, input, |_| read(Policy::Careful)));
    passed.extend(beside_go("custom-data", &mut go, Work::CustomData, input, ship));
    assert!(passed.is_empty(), "limits passed:\n{}", passed.join("\n"));
}

/// Alternating rounds of ours and Go's; gives what is wrong with the outcome.
fn beside_go(name: &str, go: &mut Peer, work: Work, input: &Input, run: fn(&Input)) -> Option<String> {
    const ROUNDS: usize = 15;
    const TIMES: u32 = 400;
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    let mut last = go.round(work, TIMES);
    // The first round warms up.
    for round in 0..=ROUNDS {
        let start = Instant::now();
        (0..TIMES).for_each(|_| run(input));
        let spent = start.elapsed().as_secs_f64() * 1e6 / f64::from(TIMES);
        last = go.round(work, TIMES);
        if round > 0 {
            ours.push(spent);
            theirs.push(last.microseconds);
        }
    }
    let (our_time, their_time) = (median(&mut ours), median(&mut theirs));
    let memory = allocation_counter::measure(|| run(input));
    println!("\n{name:18} {:>12} {:>12} {:>12}", "ours", "Go", "Go / ours");
    row("microseconds", our_time, their_time);
    if let (Ok(our_count), Ok(our_bytes)) =
        (u32::try_from(memory.count_total), u32::try_from(memory.bytes_total))
    {
        row("allocations", f64::from(our_count), last.allocations);
        row("bytes allocated", f64::from(our_bytes), last.bytes);
    }
    let ratio = their_time / our_time;
    (ratio < TIMES_FASTER).then(|| format!("{name} is {ratio:.1} x as fast as Go, not {TIMES_FASTER} x"))
}

fn row(what: &str, ours: f64, theirs: f64) {
    println!("{what:18} {ours:>12.1} {theirs:>12.1} {:>12.1}", theirs / ours);
}

fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
