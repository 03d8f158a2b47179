//! Ignition's own parser and validator judge our documents.

use std::io::Write as _;
use std::process::{Command, Stdio};

use slipway_contract::custom_data::{Bring, Form};

use super::{contract, document, large};

/// One verdict for each document.
fn validate(documents: &[Vec<u8>]) -> Vec<String> {
    let mut child = Command::new("go")
        .args(["run", "."])
        .current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/readers/ignition"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("Ignition's validator needs Go; run ./test, which installs it");
    child.stdin.take().unwrap().write_all(&documents.concat()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap().lines().map(str::to_owned).collect()
}

#[test]
fn ignition_accepts_our_documents_without_a_remark() {
    let bring = Bring::parse("https://example.com/slipway?sig=a%2Bb", &"0".repeat(64)).unwrap();
    let mut documents = Vec::new();
    for contract in [contract(), large()] {
        for bring in [None, Some(&bring)] {
            documents.push(document(&contract, Form::Ignition, bring));
        }
    }
    let verdicts = validate(&documents);
    assert_eq!(verdicts, ["accepted"; 4]);
    let refused =
        validate(
            &[br#"{"ignition":{"version":"3.4.0"},"storage":{"files":[{"path":"relative"}]}}"#.to_vec()],
        );
    assert_ne!(refused, ["accepted"], "the validator validates");
}
