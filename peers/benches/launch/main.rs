//! What one launch costs, from a request to payload, launch template and body of its VM: instructions (callgrind),
//! allocations, and the time, which is reported. `cargo bench -p slipway-peers --bench launch`; needs `valgrind`. Fails
//! where a limit is passed.

#![expect(clippy::print_stdout, reason = "the product is a report")]

use std::hint::black_box;
use std::time::Instant;

use serde_json::Value;
use slipway_launch::arm::{self, Boot, Order};
use slipway_launch::{Bootstrapper, ContractForm, Fidelity, Request, VariablesScript, resolve};
use slipway_peers::instructions;

/// A recorded request.
const RECORDED: &str = include_str!("../../../crates/launch/tests/vectors/bootstrap/lt-000.json");

/// What is measured, and what it may cost at most: about a tenth more than when the limit was set.
struct Subject {
    name: &'static str,
    form: &'static dyn Bootstrapper,
    instructions: u64,
    allocations: u64,
}

const SUBJECTS: &[Subject] = &[
    Subject {
        name: "launch-variables",
        form: &VariablesScript { fidelity: Fidelity::Ours },
        instructions: 745_000,
        allocations: 530,
    },
    Subject {
        name: "launch-contract",
        form: &ContractForm { fidelity: Fidelity::Ours },
        instructions: 766_000,
        allocations: 710,
    },
];

/// A request to everything that its VM is created with.
fn launch(request: &Request, form: &dyn Bootstrapper) {
    let Ok(node) = resolve(black_box(request), Fidelity::Ours) else { return };
    let Ok(payload) = form.payload(&node) else { return };
    let order = Order { request, node: &node, boot: Boot::of(&payload) };
    black_box(arm::vm(&order));
}

fn main() {
    let recorded: Value = serde_json::from_str(RECORDED).unwrap_or_default();
    let request = Request::parse(&recorded["input"].to_string()).unwrap_or_default();
    assert!(resolve(&request, Fidelity::Ours).is_ok(), "the recorded request leads to no node");
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match &arguments[..] {
        [word, name, times] if word == instructions::MEASURED => {
            let times: usize = times.parse().unwrap_or_default();
            for subject in SUBJECTS.iter().filter(|subject| subject.name == name) {
                (0..times).for_each(|_| launch(&request, subject.form));
            }
        }
        _ if arguments.iter().any(|argument| argument == "--bench") => report(&request),
        // `cargo test --all-targets` starts benchmarks without asking for a measurement.
        _ => {}
    }
}

fn report(request: &Request) {
    let mut passed = Vec::new();
    println!("{:18} {:>12} {:>12} {:>12}", "", "instructions", "allocations", "microseconds");
    for Subject { name, form, instructions: most, allocations } in SUBJECTS {
        let memory = allocation_counter::measure(|| launch(request, *form));
        let instructions = instructions::count(name);
        let time = fastest(|| launch(request, *form));
        println!("{name:18} {instructions:>12} {:>12} {time:>12.1}", memory.count_total);
        if instructions > *most {
            passed.push(format!("{name}: {instructions} instructions, at most {most} allowed"));
        }
        if memory.count_total > *allocations {
            passed.push(format!("{name}: {} allocations, at most {allocations} allowed", memory.count_total));
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
