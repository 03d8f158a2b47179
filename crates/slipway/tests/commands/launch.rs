//! `slipway launch`: recorded requests as files, and what a user sees.

use std::path::PathBuf;

use serde_json::{Value, json};

use crate::{run, shown, stdout};

const TOKEN: &str = "abcdef.0123456789abcdef";

fn vectors(directory: &str, starts: &str) -> Vec<Value> {
    let directory = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../launch/tests/vectors").join(directory);
    let mut files: Vec<_> =
        std::fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|file| file.file_name().unwrap().to_str().unwrap().starts_with(starts));
    files.sort();
    assert!(!files.is_empty());
    files.iter().map(|file| serde_json::from_slice(&std::fs::read(file).unwrap()).unwrap()).collect()
}

fn parsed(arguments: &[&str], input: &str) -> Value {
    serde_json::from_str(&stdout(arguments, input)).unwrap()
}

/// A request that leads to a node.
fn request() -> Value {
    let mut request: Value = vectors("bootstrap", "lt-000").remove(0)["input"].clone();
    request["options"]["kubeletBootstrapToken"] = json!(TOKEN);
    request["options"]["sshPublicKey"] = json!("ssh-ed25519 AAAA me");
    request
}

#[test]
fn recorded_requests_give_the_recorded_variables_and_template_with_compat() {
    for case in vectors("bootstrap", "lt-") {
        let (name, input) = (&case["name"], case["input"].to_string());
        if case["expected"]["notOffered"] == true {
            let output = run(&["launch", "variables", "-", "--compat"], &input);
            assert_eq!(output.status.code(), Some(1), "{name}");
            assert!(String::from_utf8(output.stderr).unwrap().contains("size-not-offered"), "{name}");
            continue;
        }
        let variables = parsed(&["launch", "variables", "-", "--compat", "-o", "json"], &input);
        for line in case["expected"]["assignments"].as_array().unwrap() {
            let Some(value) = line.get("value") else { continue };
            let found = &variables[line["name"].as_str().unwrap()];
            assert_eq!(found, value, "{name} {}", line["name"]);
        }
        let template = parsed(&["launch", "template", "-", "--compat"], &input);
        assert_eq!(template["launchTemplate"], case["expected"]["launchTemplate"], "{name}");
        assert_eq!(template["vm"]["properties"]["osProfile"]["customData"], template["customData"]);
    }
}

#[test]
fn every_variable_has_a_source() {
    let explained = parsed(&["launch", "variables", "-", "--explain"], &request().to_string());
    let explained = explained.as_object().unwrap();
    // 127 variables and four literals.
    assert_eq!(explained.len(), 131);
    for (name, why) in explained {
        assert!(why["source"].as_str().is_some_and(|source| !source.is_empty()), "{name}");
        assert!(why["value"].is_string() && why["overridden"].is_array(), "{name}");
    }
    assert_eq!(explained["TLS_BOOTSTRAP_TOKEN"]["value"], "<secret>");
    assert_eq!(explained["TLS_BOOTSTRAP_TOKEN"]["source"], "global options");
}

#[test]
fn secrets_are_masked_unless_the_payload_is_the_product() {
    let input = request().to_string();
    for command in ["variables", "template"] {
        assert!(!stdout(&["launch", command, "-"], &input).contains(TOKEN), "{command}");
    }
    for flag in ["--compat", "--show-secrets"] {
        assert!(stdout(&["launch", "variables", "-", flag], &input).contains(TOKEN), "{flag}");
        let template = parsed(&["launch", "template", "-", flag], &input);
        assert_ne!(template["customData"], "<secret>", "{flag}");
    }
    let masked = parsed(&["launch", "template", "-", "--payload", "contract"], &input);
    assert_eq!(masked["customData"], "<secret>");
    assert_eq!(masked["vm"]["properties"]["osProfile"]["customData"], "<secret>");
}

#[test]
fn a_shell_reads_the_variables_back() {
    let mut request = request();
    request["options"]["networkPolicy"] = json!("cilium");
    let lines = stdout(&["launch", "variables", "-", "--explain", "-o", "env"], &request.to_string());
    let script = format!("set -eu\n{lines}\nprintf '%s' \"$NETWORK_POLICY\"");
    let shell = std::process::Command::new("bash").args(["-c", &script]).output().unwrap();
    assert_eq!(String::from_utf8(shell.stdout).unwrap(), "cilium");
}

#[test]
fn the_contract_payload_is_custom_data_that_decodes() {
    let input = request().to_string();
    let template = parsed(&["launch", "template", "-", "--payload", "contract", "--show-secrets"], &input);
    let text = stdout(&["custom-data", "--decode", "-"], &template["vm"].to_string());
    assert!(text.contains("/opt/azure/containers/aks-node-controller-config.json"), "{text}");
    assert_eq!(template["extensions"][0]["name"], "cse-agent-karpenter");
}

#[test]
fn other_resources_can_be_had() {
    let mut request = request();
    let set = parsed(&["launch", "template", "-", "--resource", "scale-set"], &request.to_string());
    assert!(set["scaleSet"]["properties"]["virtualMachineProfile"].is_object() && set["vm"].is_null());
    let refused = shown(&["launch", "template", "-", "--resource", "machine"], &request.to_string());
    assert!(refused.contains("aksMachinesPoolName"), "{refused}");
    request["options"]["aksMachinesPoolName"] = json!("machines");
    request["options"]["useSIG"] = json!(true);
    request["options"]["sigSubscriptionID"] = json!("11111111-2222-3333-4444-555555555555");
    let machine = parsed(&["launch", "template", "-", "--resource", "machine"], &request.to_string());
    assert_eq!(machine["machine"]["properties"]["operatingSystem"]["osType"], "Linux");
}

#[test]
fn what_is_wrong_with_a_request_is_said_with_its_path() {
    insta::assert_snapshot!(shown(
        &["launch", "variables", "-"],
        r#"{"options": {"networkPlugn": "azure", "useSIG": "yes"}, "nodeClass": {"spec": {"maxPods": "many"}}}"#
    ));
    insta::assert_snapshot!(shown(&["launch", "template", "-"], "{}"));
    insta::assert_snapshot!(shown(&["launch", "variables", "-"], "[1"));
}

#[test]
fn images_are_ranked_with_reasons() {
    for starts in ["list-", "select-"] {
        for case in vectors("images", starts) {
            let answer =
                parsed(&["launch", "images", "-", "--compat", "-o", "json"], &case["input"].to_string());
            let member = if starts == "list-" { "images" } else { "selectedImageID" };
            assert_eq!(answer[member], case["expected"][member], "{}", case["name"]);
            assert!(answer["rejected"].is_array());
        }
    }
    let text = stdout(&["launch", "images", "-"], &request().to_string());
    assert!(text.contains("chosen ") && text.contains("fell out "), "{text}");
}

#[test]
fn drift_is_told_by_the_exit_code() {
    for case in vectors("drift", "vm-").into_iter().chain(vectors("drift", "machine-")) {
        let input = case["input"].to_string();
        let reason = case["expected"]["reason"].as_str().unwrap();
        for flags in [&[][..], &["--compat"]] {
            let arguments = [&["launch", "drift", "-", "-o", "json"], flags].concat();
            let output = run(&arguments, &input);
            let expected = if reason.is_empty() { 0 } else { 3 };
            assert_eq!(output.status.code(), Some(expected), "{}", case["name"]);
            let report: Value = serde_json::from_slice(&output.stdout).unwrap();
            assert_eq!(report["reason"], reason);
        }
        let text = String::from_utf8(run(&["launch", "drift", "-"], &input).stdout).unwrap();
        assert_eq!(text.lines().next().unwrap_or_default(), reason);
    }
}

#[test]
fn sizes_are_offered_or_excluded_with_a_reason() {
    for case in vectors("instance-types", "it-") {
        let input = case["input"].to_string();
        let report = parsed(&["launch", "instance-types", "-", "-o", "json"], &input);
        assert_eq!(report["excluded"], case["expected"]["excluded"], "{}", case["name"]);
        let names = |value: &Value| -> Vec<String> { value.as_object().unwrap().keys().cloned().collect() };
        let mut expected = names(&case["expected"]["instanceTypes"]);
        expected.sort();
        assert_eq!(names(&report["instanceTypes"]), expected);
        let text = stdout(&["launch", "instance-types", "-"], &input);
        assert_eq!(text.contains("not offered: "), !case["expected"]["excluded"].is_null(), "{text}");
    }
}

#[test]
fn the_schema_is_printed_and_every_recorded_request_fits_it() {
    let schema = parsed(&["launch", "schema"], "");
    let validator = jsonschema::validator_for(&schema).unwrap();
    for case in vectors("bootstrap", "lt-") {
        assert!(validator.is_valid(&case["input"]), "{}", case["name"]);
    }
    assert!(!validator.is_valid(&json!({"options": {"networkPlugn": "azure"}})));
}

#[test]
fn a_request_is_put_together_from_files() {
    let arguments = [
        "launch",
        "request",
        "--cluster-json",
        "examples/launch/cluster.json",
        "--settings",
        "examples/launch/karpenter.env",
        "--node-class",
        "examples/launch/node-class.yaml",
        "--sizes",
        "examples/launch/sizes.json",
        "--size",
        "Standard_D4ds_v5",
    ];
    insta::assert_snapshot!(shown(&arguments, ""));
    assert!(shown(&["launch", "request"], "").contains("sku is not known: put in the VM size"));
    let refused =
        shown(&["launch", "request", "--sizes", "examples/launch/sizes.json", "--size", "Standard_X"], "");
    assert!(refused.contains("no-such-size"), "{refused}");
}

#[test]
fn settings_that_contradict_the_cluster_are_reported() {
    let settings = "NETWORK_PLUGIN=none\nNETWORK_PLUGIN_MODE=\nCLUSTER_NAME=Demo\n";
    let arguments =
        ["launch", "request", "--cluster-json", "examples/launch/cluster.json", "--settings", "-"];
    let text = shown(&arguments, settings);
    assert!(
        text.contains(
            "options.networkPlugin: none by the settings, azure by the cluster's description; none is used"
        ),
        "{text}"
    );
    assert!(text.contains("options.networkPluginMode: nothing by the settings, overlay by"), "{text}");
    // Azure's names do not differ by case.
    assert!(!text.contains("options.clusterName:"), "{text}");
}
