//! What native provisioning costs: `slipway plan`, and `slipway provision` below a root, for the plain contract.
//! `cargo bench -p slipway-peers --bench native`; needs `valgrind`. Fails where a limit is passed:
//! instructions are close to theirs, processor time is far below.

#![expect(clippy::print_stdout, reason = "the product is a report")]
#![expect(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "a benchmark measures processes and may panic"
)]

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use slipway_peers::binary::slipway;
use slipway_peers::instructions;

const RUNS: u32 = 40;

/// About a tenth more than when the limit was set; 3 ms are ten million and more.
const PLAN_INSTRUCTIONS: u64 = 5_400_000;

/// Processor time, since callgrind does not know openat2, by which all files are written.
const PROVISION_MILLISECONDS: f64 = 50.0;

fn main() {
    // `cargo test --all-targets` starts benchmarks without asking for a measurement.
    if std::env::args().any(|argument| argument == "--bench") {
        report();
    }
}

fn report() {
    let mut passed = Vec::new();
    let binary = slipway();
    let roots = Roots::new();
    let counted = instructions::of_program(&binary, &arguments("plan", &roots.fresh("counted", 1)[0]));
    println!("{:12} {counted:>12} instructions", "plan");
    if counted > PLAN_INSTRUCTIONS {
        passed.push(format!("plan takes {counted} instructions, at most {PLAN_INSTRUCTIONS}"));
    }
    for command in ["plan", "provision"] {
        let spent = cpu(&binary, command, &roots.fresh(command, RUNS));
        println!("{command:12} {spent:>12.2} ms of processor time");
        if command == "provision" && spent > PROVISION_MILLISECONDS {
            passed.push(format!("provision takes {spent:.2} ms, at most {PROVISION_MILLISECONDS}"));
        }
    }
    assert!(passed.is_empty(), "limits passed:\n{}", passed.join("\n"));
}

fn arguments(command: &str, root: &Path) -> Vec<String> {
    let example = |name: &str| format!("{}/../examples/{name}", env!("CARGO_MANIFEST_DIR"));
    let [contract, facts] = ["contract.json", "facts.json"].map(example);
    let root = root.to_str().unwrap();
    [command, "--provision-config", &contract, "--facts", &facts, "--root", root].map(str::to_owned).to_vec()
}

/// Milliseconds of processor time, user's and system's, for one run in each root.
fn cpu(binary: &Path, command: &str, roots: &[PathBuf]) -> f64 {
    let total: f64 = roots.iter().map(|root| seconds(binary, &arguments(command, root))).sum();
    total * 1e3 / f64::from(RUNS)
}

/// What the kernel has accounted to a child, as a shell tells it: to the thousandth.
fn seconds(binary: &Path, arguments: &[String]) -> f64 {
    let script = "\"$@\" >/dev/null 2>&1 || exit; times";
    let output = Command::new("bash")
        .args(["-c", script, "run"])
        .arg(binary)
        .args(arguments)
        .stdin(Stdio::null())
        .output()
        .unwrap();
    assert!(output.status.success(), "{} {arguments:?} failed", binary.display());
    // The second line is about children: 0m0.004s 0m0.002s.
    let text = String::from_utf8(output.stdout).unwrap();
    let of_children = text.lines().nth(1).unwrap().split_whitespace();
    let parts = of_children.map(|part| part.trim_end_matches('s').split_once('m').unwrap());
    parts.map(|(minutes, rest)| minutes.parse::<f64>().unwrap() * 60.0 + rest.parse::<f64>().unwrap()).sum()
}

/// Directories that stand for machines; they go with this.
struct Roots(PathBuf);

impl Roots {
    fn new() -> Self {
        Self(std::env::temp_dir().join(format!("slipway-cost-{}", std::process::id())))
    }

    /// Machines on which nothing has been done yet.
    fn fresh(&self, name: &str, count: u32) -> Vec<PathBuf> {
        let _ = std::fs::remove_dir_all(self.0.join(name));
        let roots: Vec<PathBuf> = (0..count).map(|at| self.0.join(name).join(at.to_string())).collect();
        for root in &roots {
            std::fs::create_dir_all(root).unwrap();
        }
        roots
    }
}

impl Drop for Roots {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
