//! `slipway custom-data`.

use serde_json::{Value, json};

use crate::{run, shown, stdout};

#[test]
fn every_form_can_be_written_and_read_back() {
    let expected: Value =
        serde_json::from_str(&stdout(&["config", "show", "--show-secrets", "examples/contract.json"], ""))
            .unwrap();
    for form in ["boothook", "ignition", "cloud-config"] {
        let written = stdout(&["custom-data", "examples/contract.json", "--format", form], "");
        for text in [
            written.clone(),
            json!({ "properties": { "osProfile": { "customData": written.trim() } } }).to_string(),
        ] {
            let read = stdout(&["custom-data", "--decode", "-", "-o", "json", "--show-secrets"], &text);
            let report: Value = serde_json::from_str(&read).unwrap();
            let contracts: Vec<&Value> = report["findings"]
                .as_array()
                .unwrap()
                .iter()
                .filter(|finding| finding["kind"] == "contract")
                .collect();
            assert_eq!(contracts.len(), 1, "{form}");
            assert_eq!(contracts[0]["contract"], expected, "{form}");
        }
    }
}

#[test]
fn what_is_inside_is_said_without_secrets() {
    let contract = r#"{"version":"v1","auth_config":{"service_principal_secret":"aHVudGVyMg=="}}"#;
    let written = stdout(&["custom-data", "-", "--feature", "ENABLE_PROVISIONING_HOTFIX=true"], contract);
    insta::assert_snapshot!(shown(&["custom-data", "--decode", "-"], &written));
    let revealed = stdout(&["custom-data", "--decode", "-", "--show-secrets"], &written);
    assert!(revealed.contains("aHVudGVyMg=="));
}

#[test]
fn the_command_of_the_extension_is_text() {
    let command = stdout(&["custom-data", "-", "--format", "cse"], r#"{"version":"v1"}"#);
    assert_eq!(command, "/opt/azure/containers/aks-node-controller provision-wait\n");
}

#[test]
fn findings_of_meaning_are_warnings_and_lost_values_a_failure() {
    insta::assert_snapshot!(shown(&["custom-data", "-", "--encoding", "text"], r#"{"version":"v1"}"#));
    insta::assert_snapshot!(shown(&["custom-data", "-"], r#"{"version":"v1","is_kata":"yes"}"#));
    insta::assert_snapshot!(
        shown(&["custom-data", "-", "--feature", "1BAD=x"], r#"{"version":"v1"}"#)
            .lines()
            .take(12)
            .collect::<Vec<_>>()
            .join("\n")
    );
}

#[test]
fn what_does_not_fit_is_refused_with_the_largest_fields() {
    // Digits from a simple generator: nothing that could be compressed away.
    let mut state = 1_u64;
    let mut noise = |length: usize| -> String {
        let digit = |state: &mut u64| {
            *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            char::from(
                b"0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ+/"[(*state >> 58) as usize],
            )
        };
        (0..length).map(|_| digit(&mut state)).collect()
    };
    let contract =
        json!({ "version": "v1", "message_of_the_day": noise(100_000), "outbound_command": noise(3_000) });
    let output = run(&["custom-data", "-"], &contract.to_string());
    assert_eq!(output.status.code(), Some(1));
    assert!(output.stdout.is_empty());
    let error = String::from_utf8(output.stderr).unwrap();
    let error = error
        .lines()
        .filter(|line| line.contains("too-large") || line.contains("hint: shorten"))
        .collect::<Vec<_>>()
        .join("\n");
    insta::assert_snapshot!(error);
}

#[test]
fn something_else_is_refused_with_a_reason() {
    insta::assert_snapshot!(shown(&["custom-data", "--decode", "-"], "just some words"));
    insta::assert_snapshot!(shown(
        &["custom-data", "-", "--bring", "ftp://x", "--sha256", "12"],
        r#"{"version":"v1"}"#
    ));
}
