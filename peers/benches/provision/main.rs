//! What the drop-in costs where the Go program was measured: starting, a dry run of the populated contract, waiting,
//! and parsing with building the variables. `cargo bench -p slipway-peers --bench provision`; needs root, `valgrind`
//! and GNU time. Sizes and counts fail where they are not several times below the Go program's; times are reported.

#![expect(clippy::print_stdout, reason = "the product is a report")]
#![expect(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "a benchmark measures processes and may panic"
)]

use std::hint::black_box;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use slipway_contract::Contract;
use slipway_contract::codec::{Decoded, Policy, decode};
use slipway_model::{Containerd, Facts, JsonText, Mode};
use slipway_peers::binary::slipway;
use slipway_peers::instructions;
use slipway_peers::node::{CONTRACT, Node};

/// The contract with every field set.
const POPULATED: &str = include_str!("../../../crates/contract/tests/data/populated.json");

const RUNS: usize = 200;

/// The Go program's numbers, recorded on this kind of machine, and how many times below them we have to be.
struct Recorded {
    what: &'static str,
    go: f64,
    unit: &'static str,
    factor: f64,
}

const VERSION_MEMORY: Recorded = Recorded { what: "version: peak memory", go: 11.2, unit: "MB", factor: 2.7 };
/// Better by what was measured, less what the kernel's mapping of neighbouring pages moves it from one copy of the file to the
/// next.
const DRY_RUN_MEMORY: Recorded = Recorded { what: "dry run: peak memory", go: 13.1, unit: "MB", factor: 1.8 };
const WAITER_MEMORY: Recorded = Recorded { what: "idle waiter: memory", go: 12.0, unit: "MB", factor: 2.1 };
const SIZE: Recorded = Recorded { what: "binary", go: 13.6, unit: "MB", factor: 1.9 };
const ALLOCATIONS: Recorded =
    Recorded { what: "parse + build: allocations", go: 4_126.0, unit: "", factor: 5.0 };
/// About a tenth more than when the limit was set.
const MOST_INSTRUCTIONS: u64 = 1_200_000;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match &arguments[..] {
        [word, _, times] if word == instructions::MEASURED => {
            (0..times.parse().unwrap()).for_each(|_| build());
        }
        _ if arguments.iter().any(|argument| argument == "--bench") => report(),
        // `cargo test --all-targets` starts benchmarks without asking for a measurement.
        _ => {}
    }
}

/// From the contract's text to the scripts' environment.
fn build() {
    let decoded: Decoded<Contract> = decode(black_box(POPULATED.as_bytes()), Policy::Compatible);
    let facts = Facts {
        containerd: Containerd::Version("2.0.0".to_owned()),
        components: Some(JsonText("{}".to_owned())),
        ..Facts::default()
    };
    let variables = slipway_scripts::variables(&decoded.message, &facts, Mode::Compat).unwrap();
    black_box(slipway_scripts::environment([], &variables, Mode::Compat));
}

fn report() {
    let mut missed = Vec::new();
    let binary = slipway();
    let node = Node::new(&binary);
    node.put(CONTRACT, POPULATED, 0o600);
    node.put("/opt/azure/components.json", "{}", 0o644);
    // Something that starts and ends at once, as `containerd --version` does.
    node.put("/usr/bin/containerd", node.read("/bin/echo").unwrap(), 0o755);
    let dry_run: &[&str] = &["provision", "--dry-run", "--provision-config", CONTRACT];

    println!("{:30} {:>10} {:>10} {:>10}", "", "ours", "Go", "Go / ours");
    for (name, arguments, recorded, go_time) in [
        ("version", &["version"] as &[&str], &VERSION_MEMORY, 3.2),
        ("dry run", dry_run, &DRY_RUN_MEMORY, 6.3),
    ] {
        let program = [&["/usr/lib/slipway/aks-node-controller"], arguments].concat();
        let (ours, nothing) = (wall(&node, &program), wall(&node, &["/bin/true"]));
        row(&format!("{name}: wall, best"), ours.best, go_time, "ms");
        println!("{:30} {:>10.2}", format!("{name}: wall, median"), ours.median);
        println!(
            "{:30} {:>10.2} best, {:.2} median",
            "  /bin/true in the same run", nothing.best, nothing.median
        );
        println!("{:30} {:>10.2}", format!("{name}: CPU"), cpu(&node, arguments));
        missed.extend(hold(recorded, peak_memory(&node, arguments)));
    }
    missed.extend(hold(&WAITER_MEMORY, waiter_memory(&node)));
    let size = std::fs::metadata(&binary).unwrap().len();
    missed.extend(hold(&SIZE, megabytes(size)));

    let memory = allocation_counter::measure(build);
    missed.extend(hold(&ALLOCATIONS, f64::from(u32::try_from(memory.count_total).unwrap())));
    row("parse + build: time", parse_and_build(), 1_210.0, "us");
    let instructions = instructions::count("parse-and-build");
    println!("{:30} {instructions:>10}", "parse + build: instructions");
    if instructions > MOST_INSTRUCTIONS {
        missed.push(format!("parse + build takes {instructions} instructions, at most {MOST_INSTRUCTIONS}"));
    }
    assert!(missed.is_empty(), "limits passed:\n{}", missed.join("\n"));
}

fn row(what: &str, ours: f64, go: f64, unit: &str) {
    println!("{what:30} {ours:>10.2} {go:>10.1} {:>10.1} {unit}", go / ours);
}

fn hold(recorded: &Recorded, ours: f64) -> Option<String> {
    let Recorded { what, go, unit, factor } = recorded;
    row(what, ours, *go, unit);
    (ours * factor > *go).then(|| format!("{what}: {ours:.2} {unit}, not {factor} times below {go}"))
}

/// A command line that becomes the peer's program on the machine.
fn inside(node: &Node, before: &[&str], arguments: &[&str]) -> Command {
    let mut command = node.enter();
    command.args(["chroot", "/mnt/root", "env", "-i", "PATH=/usr/bin:/bin"]).args(before);
    command.arg("/usr/lib/slipway/aks-node-controller").args(arguments);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command
}

/// Milliseconds.
struct Wall {
    best: f64,
    median: f64,
}

/// How long one run takes, by a loop inside the machine: entering it costs more than what is measured.
fn wall(node: &Node, program: &[&str]) -> Wall {
    let script = "import os, sys, time
def once():
    start = time.perf_counter()
    child = os.posix_spawn(sys.argv[2], sys.argv[2:], {'PATH': '/usr/bin:/bin'}, file_actions=[
        (os.POSIX_SPAWN_OPEN, 1, '/dev/null', os.O_WRONLY, 0), (os.POSIX_SPAWN_OPEN, 2, '/dev/null', os.O_WRONLY, 0)])
    assert os.waitpid(child, 0)[1] == 0
    return time.perf_counter() - start
times = sorted(once() for _ in range(int(sys.argv[1])))
print(times[0] * 1000, times[len(times) // 2] * 1000)";
    let mut command = node.enter();
    command.args(["chroot", "/mnt/root", "/usr/bin/python3", "-c", script, &RUNS.to_string()]).args(program);
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).unwrap();
    let mut times = text.split_whitespace().map(|number| number.parse().unwrap());
    Wall { best: times.next().unwrap(), median: times.next().unwrap() }
}

/// Milliseconds of processor time for one run, over many.
fn cpu(node: &Node, arguments: &[&str]) -> f64 {
    let repeat = format!("for run in $(seq {RUNS}); do \"$@\"; done");
    let before = ["/usr/bin/time", "-o", "/tmp/time", "-f", "%U %S", "bash", "-c", &repeat, "loop"];
    assert!(inside(node, &before, arguments).status().unwrap().success(), "GNU time is missing: run ./test");
    let text = String::from_utf8(node.read("/tmp/time").unwrap()).unwrap();
    let seconds: f64 = text.split_whitespace().map(|number| number.parse::<f64>().unwrap()).sum();
    seconds * 1e3 / f64::from(u32::try_from(RUNS).unwrap())
}

/// The least of ten runs: how much of the program's file the kernel maps along with what was asked for differs from run
/// to run.
fn peak_memory(node: &Node, arguments: &[&str]) -> f64 {
    let before = ["/usr/bin/time", "-o", "/tmp/time", "-f", "%M"];
    let peaks = (0..10).map(|_| {
        let status = inside(node, &before, arguments).status().unwrap();
        assert!(status.success(), "GNU time is missing: run ./test");
        String::from_utf8(node.read("/tmp/time").unwrap()).unwrap().trim().parse::<u64>().unwrap()
    });
    megabytes(peaks.min().unwrap() * 1024)
}

/// The most that a waiter has needed until it waits.
fn waiter_memory(node: &Node) -> f64 {
    let mut child = inside(node, &[], &["provision-wait"]).spawn().unwrap();
    thread::sleep(Duration::from_millis(500));
    let status =
        std::fs::read_to_string(Path::new("/proc").join(child.id().to_string()).join("status")).unwrap();
    child.kill().unwrap();
    child.wait().unwrap();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let peak = peak.unwrap_or_else(|| panic!("the waiter does not wait:\n{status}"));
    megabytes(peak.trim().trim_end_matches(" kB").parse::<u64>().unwrap() * 1024)
}

/// Microseconds.
fn parse_and_build() -> f64 {
    let mut times: Vec<f64> = (0..RUNS)
        .map(|_| {
            let start = Instant::now();
            build();
            start.elapsed().as_secs_f64() * 1e6
        })
        .collect();
    times.sort_by(f64::total_cmp);
    times[RUNS / 2]
}

fn megabytes(bytes: u64) -> f64 {
    f64::from(u32::try_from(bytes).unwrap()) / 1e6
}
