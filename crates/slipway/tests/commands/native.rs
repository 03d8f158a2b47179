//! `slipway provision` natively, below a root.

use std::os::unix::fs::PermissionsExt as _;

use serde_json::{Value, json};

use crate::root::{CONTRACT, FACTS, Root, json, text, told};
use crate::run;

const RESULT: &str = "/var/log/azure/aks/provision.json";
const SENTINEL: &str = "/opt/azure/containers/provision.complete";

fn result(root: &Root) -> Value {
    serde_json::from_str(&root.read(RESULT)).unwrap()
}

#[test]
fn a_node_is_made_and_its_result_understood() {
    let root = Root::new();
    assert!(told(&root.planned("provision", &[])).starts_with("the node is provisioned: "));
    let result = result(&root);
    assert_eq!(
        (&result["ExitCode"], &result["Mode"], &result["Error"]),
        (&json!("0"), &json!("native"), &json!(""))
    );
    for path in [RESULT, SENTINEL, "/etc/default/kubelet", "/var/lib/kubelet/bootstrap-kubeconfig"] {
        let mode = std::fs::metadata(root.at(path)).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{path}");
    }
    let file = root.at(RESULT);
    assert!(told(&run(&["result", file.to_str().unwrap()], "")).starts_with("provisioning succeeded\n"));
    let report = json(&run(&["result", file.to_str().unwrap(), "-o", "json"], ""));
    assert_eq!(report["attempts"][0]["attemptId"], result["AttemptId"]);
    let steps = json(&root.planned("plan", &["-o", "json"]))["steps"].as_array().unwrap().len();
    assert_eq!(report["attempts"][0]["steps"].as_array().unwrap().len(), steps);
}

#[test]
fn every_step_that_ran_is_an_event_for_the_guest_agent() {
    let root = Root::new();
    told(&root.planned("provision", &[]));
    let directory = root.at("/var/log/azure/Microsoft.Azure.Extensions.CustomScript/events");
    let mut tasks: Vec<String> = std::fs::read_dir(directory)
        .unwrap()
        .map(|entry| {
            let text = std::fs::read_to_string(entry.unwrap().path()).unwrap();
            let event: Value = serde_json::from_str(&text).unwrap();
            event["TaskName"].as_str().unwrap().to_owned()
        })
        .collect();
    tasks.sort();
    let steps = result(&root)["Steps"].as_array().unwrap().len();
    assert_eq!(tasks.len(), steps + 1);
    assert!(tasks.contains(&"AKS.CSE.cse_start".to_owned()));
    assert!(tasks.contains(&"AKS.Slipway.start-kubelet".to_owned()));
}

#[test]
fn a_second_run_changes_nothing_and_says_so() {
    let root = Root::new();
    told(&root.planned("provision", &[]));
    let before = root.tree();
    assert!(told(&root.planned("provision", &[])).contains(": nothing to change, "));
    assert_eq!(before, root.tree());
}

#[test]
fn a_dry_run_prints_the_plan_and_touches_nothing() {
    let root = Root::new();
    assert_eq!(told(&root.planned("provision", &["--dry-run"])), told(&root.planned("plan", &[])));
    assert_eq!(std::fs::read_dir(root.at("/")).unwrap().count(), 0);
}

#[test]
fn an_image_is_baked_without_secrets_and_joins_later() {
    let root = Root::new();
    assert!(told(&root.planned("provision", &["--stage", "bake"])).starts_with("the image is prepared: "));
    assert!(root.at("/opt/azure/containers/base_prep.complete").exists() && !root.at(SENTINEL).exists());
    assert!(!root.at("/var/lib/kubelet/bootstrap-kubeconfig").exists());
    assert!(!root.at("/var/log/azure").exists(), "a node of this image would have a result before it began");
    assert!(root.at("/etc/containerd/config.toml").exists());
    told(&root.planned("provision", &["--stage", "join"]));
    assert!(root.at(SENTINEL).exists() && root.at("/var/lib/kubelet/bootstrap-kubeconfig").exists());
    assert!(told(&root.planned("provision", &[])).contains("nothing to change"));
}

#[test]
fn a_step_can_be_left_out_and_an_unknown_one_is_wrong_usage() {
    let root = Root::new();
    told(&root.planned("provision", &["--skip", "message-of-the-day"]));
    let steps = result(&root);
    let step = steps["Steps"].as_array().unwrap().iter().find(|step| step["id"] == "message-of-the-day");
    assert_eq!(step.unwrap()["outcome"], "skipped");
    let output = Root::new().planned("provision", &["--skip", "message-of-day"]);
    assert_eq!(output.status.code(), Some(2));
    insta::assert_snapshot!(text(&output.stderr));
}

#[test]
fn what_cannot_be_done_natively_is_refused_before_the_node_is_touched() {
    let root = Root::new();
    let contract = include_str!("../../../../examples/contract.json");
    let asked =
        "\"custom_search_domain_config\": { \"domain_name\": \"example.com\" },\n  \"cluster_config\": {";
    root.write("/contract.json", &contract.replacen("\"cluster_config\": {", asked, 1));
    let before = root.tree();
    let file = root.at("/contract.json");
    let output = root.with("provision", file.to_str().unwrap(), &[]);
    assert_eq!(output.status.code(), Some(240));
    let told = text(&output.stderr).replace(file.to_str().unwrap(), "contract.json");
    insta::assert_snapshot!(told);
    assert_eq!((&result(&root)["ExitCode"], &result(&root)["Blame"]), (&json!("240"), &json!("input")));
    let after: Vec<String> = root.tree().into_iter().filter(|line| !line.starts_with("/opt")).collect();
    assert_eq!(before, after.into_iter().filter(|line| !line.starts_with("/var")).collect::<Vec<_>>());
}

#[test]
fn a_contract_without_what_every_node_needs_is_refused() {
    let root = Root::new();
    root.write("/contract.json", r#"{"version": "v1"}"#);
    let output = root.with("provision", root.at("/contract.json").to_str().unwrap(), &[]);
    assert_eq!(output.status.code(), Some(240));
    assert!(text(&output.stderr).contains("[contract-incomplete, input]"), "{}", text(&output.stderr));
    for (contract, reason) in
        [("{\"version\": ", "not-a-contract"), (r#"{"version": "v9"}"#, "unsupported-version")]
    {
        root.write("/contract.json", contract);
        let output = root.with("provision", root.at("/contract.json").to_str().unwrap(), &[]);
        assert_eq!(output.status.code(), Some(240));
        assert!(text(&output.stderr).contains(reason), "{}", text(&output.stderr));
        assert_eq!(result(&root)["ExitCode"], "240");
    }
}

#[test]
fn a_failed_attempt_is_told_truthfully_and_a_later_one_mends_it() {
    let root = Root::new();
    // A directory stands where a file should be.
    std::fs::create_dir_all(root.at("/etc/default/kubelet")).unwrap();
    let output = root.planned("provision", &[]);
    let failed = result(&root);
    assert_eq!(failed["ExitCode"], output.status.code().unwrap().to_string());
    assert_ne!(failed["ExitCode"], "0");
    assert!(root.at(SENTINEL).exists());
    assert!(failed["Error"].as_str().unwrap().contains("/etc/default/kubelet"), "{failed}");
    assert!(text(&output.stderr).contains("error: step kubelet-config failed: "), "{}", text(&output.stderr));
    let status = json(&root.plain("status", &["-o", "json"]));
    assert_eq!(
        (&status["last"]["outcome"], &status["last"]["failure"]["step"]),
        (&json!("failed"), &json!("kubelet-config"))
    );
    std::fs::remove_dir(root.at("/etc/default/kubelet")).unwrap();
    told(&root.planned("provision", &[]));
    assert_eq!(result(&root)["ExitCode"], "0");
}

#[test]
fn progress_is_told_as_lines_of_the_published_schema() {
    let schema: Value =
        serde_json::from_str(include_str!("../../../../docs/reference/progress.schema.json")).unwrap();
    let schema = jsonschema::validator_for(&schema).unwrap();
    let output = Root::new().planned("provision", &["--progress", "json"]);
    let lines: Vec<Value> =
        text(&output.stderr).lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    for line in &lines {
        assert!(schema.is_valid(line), "{line}");
    }
    let events: Vec<&str> = lines.iter().map(|line| line["event"].as_str().unwrap()).collect();
    assert_eq!((events[0], *events.last().unwrap()), ("attempt-began", "attempt-ended"));
    assert_eq!(lines[0]["steps"], events.iter().filter(|event| **event == "step-ended").count());
    assert!(!schema.is_valid(&json!({ "event": "step-began", "time": "2026-11-15T20:17:43Z" })));
}

#[test]
fn how_much_is_told_is_the_users_choice() {
    let quiet = Root::new().planned("provision", &["-q"]);
    assert!(quiet.status.success() && quiet.stdout.is_empty() && quiet.stderr.is_empty());
    let none = Root::new().planned("provision", &["--progress", "none"]);
    assert!(!none.stdout.is_empty() && none.stderr.is_empty());
    let plain = text(&Root::new().planned("provision", &[]).stderr);
    assert!(plain.contains("kubelet-config: done in ") && !plain.contains("changed /etc"));
    assert!(
        text(&Root::new().planned("provision", &["-v"]).stderr)
            .contains("kubelet-config: changed /etc/default/kubelet\n")
    );
}

#[test]
fn the_root_can_be_named_by_the_environment() {
    let root = Root::new();
    let status = std::process::Command::new(env!("CARGO_BIN_EXE_slipway"))
        .args(["provision", "-q", "--provision-config", CONTRACT, "--facts", FACTS])
        .current_dir(std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../.."))
        .env("SLIPWAY_ROOT", root.at("/"))
        .status()
        .unwrap();
    assert!(status.success() && root.at(SENTINEL).exists());
    let output = run(&["status", "--root", "no-such-directory"], "");
    assert_eq!(output.status.code(), Some(1));
    insta::assert_snapshot!(text(&output.stderr));
}
