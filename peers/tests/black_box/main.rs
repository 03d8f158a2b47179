//! The real binary under the name `aks-node-controller`, in its real paths, beside recordings of the Go program: exit
//! codes, output, log, events, files and modes.

#![expect(clippy::disallowed_methods, reason = "the recordings are held against a process")]

use std::path::Path;
use std::process::Command;

#[test]
fn every_recorded_case_gives_what_the_go_program_gave() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/black_box");
    let mut python = Command::new("python3");
    python.arg(here.join("cases.py")).arg(env!("CARGO_BIN_EXE_recorded")).arg(here.join("cases.json"));
    let run = python.output();
    let run = run.expect("python3 is missing: run ./test, which installs what tests need");
    let report = String::from_utf8_lossy(&run.stdout);
    println!("{report}");
    assert!(run.status.success(), "{report}{}", String::from_utf8_lossy(&run.stderr));
}
