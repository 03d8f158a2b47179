//! The real binary under the name `aks-node-controller`, in its real paths, beside recordings of the Go program: exit
//! codes, output, log, events, files and modes.

#![expect(clippy::disallowed_methods, reason = "the recordings are held against a process")]

use std::path::Path;
use std::process::Command;

use slipway_peers::binary::stamped;

/// The version that the recorded program was built with.
const VERSION: &str = "202601.15.0";

#[test]
fn every_recorded_case_gives_what_the_go_program_gave() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/black_box");
    let binary = stamped(VERSION, &Path::new(env!("CARGO_TARGET_TMPDIR")).join("black-box"));
    let run =
        Command::new("python3").arg(here.join("cases.py")).arg(binary).arg(here.join("cases.json")).output();
    let run = run.expect("python3 is missing: run ./test, which installs what tests need");
    let report = String::from_utf8_lossy(&run.stdout);
    println!("{report}");
    assert!(run.status.success(), "{report}{}", String::from_utf8_lossy(&run.stderr));
}
