//! How soon a waiter has the result. Alone in its file, so that no other test runs beside it.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
#![expect(clippy::disallowed_methods, reason = "the test measures processes")]

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use slipway_peers::binary::slipway;
use slipway_peers::node::{COMPLETE, Node, RESULT};

const RUNS: usize = 50;
const LIMIT: Duration = Duration::from_millis(5);
const RESULT_TEXT: &str = r#"{"ExitCode":"0","Output":"","Error":""}"#;

/// From an act to the first line that it makes a process print.
fn until_line(child: &mut Child, act: impl FnOnce(&mut Child)) -> Duration {
    let mut output = BufReader::new(child.stdout.take().unwrap());
    // Long enough for the process to wait.
    thread::sleep(Duration::from_millis(60));
    let start = Instant::now();
    act(child);
    let mut line = String::new();
    output.read_line(&mut line).unwrap();
    let time = start.elapsed();
    assert_eq!(line.trim(), RESULT_TEXT);
    time
}

/// What waking any process costs on this machine now: `cat` has nothing to do but to pass a line on.
fn cat() -> Duration {
    let mut child = Command::new("cat").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let time =
        until_line(&mut child, |child| writeln!(child.stdin.as_ref().unwrap(), "{RESULT_TEXT}").unwrap());
    drop(child.stdin.take());
    child.wait().unwrap();
    time
}

fn waiter(node: &Node) -> Duration {
    let mut command = node.enter();
    command.args(["chroot", "/mnt/root", "/usr/lib/slipway/slipway", "provision-wait"]);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let sentinel = node.path(COMPLETE);
    let time = until_line(&mut child, |_| std::fs::write(&sentinel, "").unwrap());
    assert!(child.wait().unwrap().success());
    std::fs::remove_file(sentinel).unwrap();
    time
}

fn median(times: &mut [Duration]) -> Duration {
    times.sort();
    times[times.len() / 2]
}

#[test]
fn a_waiter_has_the_result_within_5_ms_of_the_sentinel() {
    let node = Node::new(&slipway());
    node.put(RESULT, RESULT_TEXT, 0o600);
    let (mut ours, mut machine): (Vec<_>, Vec<_>) = (0..RUNS).map(|_| (waiter(&node), cat())).unzip();
    let (ours, machine) = (median(&mut ours), median(&mut machine));
    println!("from the sentinel to the result on standard output {ours:?}; a line through cat {machine:?}");
    // On a machine that has nothing else to do the second number is a tenth of a millisecond.
    assert!(ours < LIMIT + machine, "{ours:?}, with {machine:?} to wake any process");
}
