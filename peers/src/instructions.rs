//! Instruction counts: this program runs itself under callgrind, a few times and many times; the difference is
//! what the repetitions cost, without start-up and set-up.

use std::path::Path;
use std::process::Command;

/// The word that asks for repetitions instead of a report.
pub const MEASURED: &str = "--measured";

const VALGRIND: &str = "valgrind";
const CALLGRIND: [&str; 2] = ["--tool=callgrind", "--callgrind-out-file=/dev/null"];

const FEW: u64 = 5;
const MANY: u64 = 55;

/// Instructions for one run of a subject.
pub fn count(subject: &str) -> u64 {
    (total(subject, MANY) - total(subject, FEW)) / (MANY - FEW)
}

/// Instructions for one run of another program, from its start to its end.
pub fn of_program(program: &Path, arguments: &[String]) -> u64 {
    counted(Command::new(VALGRIND).args(CALLGRIND).arg(program).args(arguments))
}

fn total(subject: &str, times: u64) -> u64 {
    let program = std::env::current_exe().expect("this program's path");
    let measured = [MEASURED, subject, &times.to_string()];
    counted(Command::new(VALGRIND).args(CALLGRIND).arg(program).args(measured))
}

fn counted(command: &mut Command) -> u64 {
    let output =
        command.output().expect("counting instructions needs valgrind: run ./test, which installs it");
    let report = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "callgrind failed:\n{report}");
    let collected = report.lines().find_map(|line| line.split_once("Collected :"));
    collected.and_then(|(_, number)| number.trim().parse().ok()).expect("callgrind's total")
}
