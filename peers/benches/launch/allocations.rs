//! How often one launch allocates. `cargo bench -p slipway-peers --bench launch-allocations`. Fails where a limit is
//! passed.

#![expect(clippy::print_stdout, reason = "the product is a report")]

mod subject;

use subject::{SUBJECTS, request};

/// How often a launch may allocate at most, in the order of the subjects.
const MOST: [u64; 2] = [385, 555];

fn main() {
    if !std::env::args().any(|argument| argument == "--bench") {
        // `cargo test --all-targets` starts benchmarks without asking for a measurement.
        return;
    }
    let request = request();
    for (subject, most) in SUBJECTS.iter().zip(MOST) {
        let name = subject.name;
        let allocations = allocation_counter::measure(|| subject.launch(&request)).count_total;
        println!("{name:18} {allocations:>12} allocations");
        assert!(allocations <= most, "{name}: {allocations} allocations, at most {most} allowed");
    }
}
