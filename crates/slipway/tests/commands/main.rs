//! What a user sees: the real binary, run, its words compared with reviewed snapshots.

#![expect(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "the tests run the binary and fail by panicking"
)]

mod anatomy;
mod collect;
mod config;
mod custom_data;
mod env;
mod explain;
mod flex;
mod launch;
mod live;
mod machine;
mod native;
mod plan;
mod result;
mod root;

use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Output, Stdio};

/// Runs `slipway` at the root of the repository.
fn run(arguments: &[&str], input: &str) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_slipway"))
        .args(arguments)
        .current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("../.."))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // A command that reads no input may be gone before it is written.
    let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
    child.wait_with_output().unwrap()
}

/// Everything that a run shows, as one text.
fn shown(arguments: &[&str], input: &str) -> String {
    let output = run(arguments, input);
    let part = |name: &str, bytes: &[u8]| match bytes {
        [] => String::new(),
        bytes => format!("--- {name}\n{}", String::from_utf8_lossy(bytes)),
    };
    format!(
        "$ slipway {}\nexit code {}\n{}{}",
        arguments.join(" "),
        output.status.code().unwrap(),
        part("stdout", &output.stdout),
        part("stderr", &output.stderr)
    )
}

fn stdout(arguments: &[&str], input: &str) -> String {
    let output = run(arguments, input);
    assert!(output.status.success(), "{}", shown(arguments, input));
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn the_version_is_alone_on_standard_output() {
    let output = run(&["version"], "");
    assert_eq!(output.stdout, format!("{}\n", slipway::VERSION).into_bytes());
    assert!(output.stderr.is_empty());
}

#[test]
fn wrong_usage_is_told_from_failure() {
    for arguments in [
        &["frobnicate"][..],
        &["config"],
        &["config", "validate"],
        &["config", "validate", "x", "--frob"],
        &["custom-data"],
        &["custom-data", "x", "--bring", "https://example.com/slipway"],
        &["custom-data", "x", "--feature", "novalue"],
        &["custom-data", "x", "--decode", "y"],
        &["plan"],
        &["explain", "--provision-config", "x"],
        &["provision", "--provision-config", "x", "-v", "-q"],
        &["provision", "--mode", "native", "--nbc-cmd", "x"],
        &["provision", "--mode", "scripts", "--provision-config", "x", "--root", "y"],
        &["provision", "--nbc-cmd", "x", "--skip", "y"],
    ] {
        assert_eq!(run(arguments, "").status.code(), Some(2), "{arguments:?}");
    }
    insta::assert_snapshot!(shown(&["config", "validate", "no-such-file"], ""));
}

#[test]
fn help_is_a_result() {
    for arguments in [&["--help"][..], &["config", "--help"], &["custom-data", "-h"]] {
        let output = run(arguments, "");
        assert_eq!(output.status.code(), Some(0));
        assert!(!output.stdout.is_empty() && output.stderr.is_empty(), "{arguments:?}");
    }
}

#[test]
fn a_result_that_cannot_be_written_is_a_failure() {
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let status = Command::new(env!("CARGO_BIN_EXE_slipway"))
        .args(["config", "schema"])
        .stdout(full)
        .stderr(Stdio::null())
        .status()
        .unwrap();
    assert_eq!(status.code(), Some(1));
}
