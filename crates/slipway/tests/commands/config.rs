//! `slipway config`.

use serde_json::{Value, json};

use crate::{run, shown, stdout};

#[test]
fn ten_mistakes_are_reported_at_once_each_at_its_line() {
    insta::assert_snapshot!(shown(&["config", "validate", "examples/mistakes.json"], ""));
}

#[test]
fn the_same_report_is_there_for_programs() {
    let output = run(&["config", "validate", "examples/mistakes.json", "-o", "json"], "");
    assert_eq!(output.status.code(), Some(1));
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["valid"], false);
    assert_eq!(report["issues"].as_array().unwrap().len(), 10);
    insta::assert_snapshot!(String::from_utf8(output.stdout).unwrap());
}

#[test]
fn the_example_is_valid_even_strictly() {
    insta::assert_snapshot!(shown(&["config", "validate", "--strict", "examples/contract.json"], ""));
}

#[test]
fn unknown_keys_are_warnings_and_errors_when_strict() {
    let example = stdout(&["config", "show", "--show-secrets", "examples/contract.json"], "");
    let mut contract: Value = serde_json::from_str(&example).unwrap();
    contract["vmsize"] = json!("x");
    let contract = contract.to_string();
    assert_eq!(run(&["config", "validate", "-"], &contract).status.code(), Some(0));
    assert_eq!(run(&["config", "validate", "-", "--strict"], &contract).status.code(), Some(1));
}

#[test]
fn a_contract_is_shown_with_canonical_names_and_masked_secrets() {
    let contract = r#"{"version":"v1","vmSize":"x","isVhd":false,"authConfig":{"servicePrincipalSecret":"hunter2"},
        "httpProxyConfig":{"httpProxy":"http://me:hunter2@proxy:3128/"},"zzz":1,"enableSsh":"maybe"}"#;
    insta::assert_snapshot!(shown(&["config", "show", "-"], contract));
    insta::assert_snapshot!(shown(&["config", "show", "-", "-o", "text"], contract));
    let revealed = stdout(&["config", "show", "-", "--show-secrets"], contract);
    assert_eq!(revealed.matches("hunter2").count(), 2);
}

#[test]
fn compat_shows_what_the_go_program_keeps() {
    let half = r#"{"version":"v1","is_kata":"yes","vm_size":"x"}"#;
    insta::assert_snapshot!(shown(&["config", "show", "-"], half));
    insta::assert_snapshot!(shown(&["config", "show", "-", "--compat"], half));
    let broken = r#"{"version":"v1","vm_size":"x","#;
    insta::assert_snapshot!(shown(&["config", "show", "-"], broken));
    insta::assert_snapshot!(shown(&["config", "show", "-", "--compat"], broken));
}

#[test]
fn contracts_are_compared_and_the_exit_code_says_so() {
    let same = r#"{"version":"v1"}"#;
    let example = stdout(&["config", "show", "--show-secrets", "examples/contract.json"], "");
    assert_eq!(run(&["config", "diff", "examples/contract.json", "-"], &example).status.code(), Some(0));
    let output = run(&["config", "diff", "-", "examples/contract.json", "-o", "json"], same);
    assert_eq!(output.status.code(), Some(3));
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["same"], false);
    let changed =
        example.replace("westeurope\"", "northeurope\"").replace("abcdef.0123456789abcdef", "other");
    insta::assert_snapshot!(shown(&["config", "diff", "examples/contract.json", "-"], &changed));
}

#[test]
fn the_printed_schema_is_the_generated_one() {
    let schema = stdout(&["config", "schema"], "");
    assert_eq!(schema, include_str!("../../../../schema/aksnodeconfig-v1.schema.json"));
}

#[test]
fn a_new_contract_lacks_only_what_was_not_said() {
    insta::assert_snapshot!(stdout(&["config", "new"], ""));
    let told = [
        "config",
        "new",
        "--cluster",
        "prod",
        "--resource-group",
        "group",
        "--location",
        "westeurope",
        "--subscription",
        "11111111-2222-3333-4444-555555555555",
        "--tenant",
        "22222222-3333-4444-5555-666666666666",
        "--api-server",
        "prod.hcp.westeurope.azmk8s.io",
        "--kubernetes-version",
        "1.34.1",
        "--vm-size",
        "Standard_D4s_v5",
    ];
    let contract = stdout(&told, "");
    assert!(contract.contains("MC_group_prod_westeurope"));
    insta::assert_snapshot!(shown(&["config", "validate", "-"], &contract));
}
