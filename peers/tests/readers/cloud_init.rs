//! cloud-init's own code takes our documents apart and writes our files.

use std::io::Write as _;
use std::process::Stdio;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use serde_json::{Value, json};
use slipway_contract::custom_data::Form;

use super::boothook::{LAUNCHER, PRELOAD, SLIPWAY, started};
use super::machine::{Machine, PROGRAM, unshare};
use super::{
    CONTRACT_FILE, FEATURES, FEATURES_FILE, accented, boothook_script, contract, document, large,
    same_contract,
};

fn ask(what: &str, document: &[u8]) -> Value {
    const READER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/readers/cloud_init.py");
    let prepare = "mount -t tmpfs none /opt && exec /usr/bin/python3 \"$0\"";
    let mut child = unshare()
        .args(["bash", "-c", prepare, READER])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let request = json!({"do": what, "document": BASE64_STANDARD.encode(document)});
    child.stdin.take().unwrap().write_all(request.to_string().as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(
        output.status.success(),
        "cloud-init could not be asked; run ./test, which installs the cloud-init package:\n{}",
        String::from_utf8_lossy(&output.stderr)
    );
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn cloud_init_finds_the_boothook_and_the_cloud_config_plain_and_compressed() {
    let plain = document(&contract(), Form::Boothook, None);
    let packed = document(&large(), Form::Boothook, None);
    assert!(packed.starts_with(b"\x1f\x8b"));
    for (document, contract) in [(&plain, contract()), (&packed, large())] {
        let parts = ask("parts", document);
        let types: Vec<&Value> = parts.as_array().unwrap().iter().map(|part| &part["type"]).collect();
        assert_eq!(types, ["text/cloud-boothook", "text/cloud-config"]);
        let script = parts[0]["payload"].as_str().unwrap();
        assert!(script.starts_with("#!/bin/bash\n"), "{script}");
        let file = script.lines().find(|line| line.starts_with('{')).unwrap();
        same_contract(format!("{file}\n").as_bytes(), &contract);
        assert!(script.contains(FEATURES));
        assert!(parts[1]["payload"].as_str().unwrap().contains("runcmd"));
    }
    for plain in [plain, document(&accented(), Form::Boothook, None)] {
        let parts = ask("parts", &plain);
        let script = parts[0]["payload"].as_str().unwrap();
        assert_eq!(script.trim_end(), boothook_script(&plain).trim_end(), "this is what the other tests run");
    }
}

#[test]
fn cloud_init_writes_the_files_of_a_cloud_config_and_they_are_private_before_they_have_content() {
    for contract in [contract(), accented(), large()] {
        let answer = ask("write_files", &document(&contract, Form::CloudConfig, None));
        let opens = json!([
            [CONTRACT_FILE, null, null],
            [CONTRACT_FILE, 0o600, 0],
            [FEATURES_FILE, null, null],
            [FEATURES_FILE, 0o600, 0],
        ]);
        assert_eq!(answer["opens"], opens);
        let file = |path: &str| {
            let file = &answer["files"][path];
            assert_eq!(file[0], 0o600, "{path}");
            BASE64_STANDARD.decode(file[1].as_str().unwrap()).unwrap()
        };
        same_contract(&file(CONTRACT_FILE), &contract);
        let features = format!("A={}\n", contract.enabled_features["A"]);
        assert_eq!(file(FEATURES_FILE), features.as_bytes());
    }
}

#[test]
fn the_commands_of_a_cloud_config_start_what_the_boothook_starts() {
    let answer = ask("write_files", &document(&contract(), Form::CloudConfig, None));
    let script = answer["runcmd"].as_str().unwrap();
    let machine = Machine::new("runcmd").program(SLIPWAY, PROGRAM).program(PRELOAD, PROGRAM).expecting(2);
    let booted = machine.boot(script);
    assert!(booted.success && !booted.held, "{}", booted.output);
    assert_eq!(booted.started(), [started(&format!("{PRELOAD} ")), started(&format!("{SLIPWAY} boot"))]);
    let booted = Machine::new("runcmd-launcher").program(LAUNCHER, PROGRAM).boot(script);
    assert_eq!(booted.started(), [started(&format!("{LAUNCHER} "))]);
    let booted = Machine::new("runcmd-unit").boot(script);
    assert_eq!(booted.started(), ["systemctl start --no-block aks-node-controller.service"]);
}
