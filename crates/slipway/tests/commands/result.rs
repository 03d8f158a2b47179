//! `slipway result` and `slipway exit-code`.

use serde_json::{Value, json};

use crate::{run, shown};

/// What the scripts leave behind when the API server's name cannot be resolved.
fn failed_result() -> String {
    json!({
        "ExitCode": "52",
        "Output": "+ nslookup -timeout=5 -retry=0 c.hcp.westeurope.azmk8s.io\n\
                   ;; connection timed out; no servers could be reached\n+ '[' 1 -ne 0 ']'\n+ exit 52\n",
        "Error": "",
        "ExecDuration": "31",
        "KernelStartTime": "Sun 2026-11-15 20:17:30 UTC",
        "CloudInitLocalStartTime": "Sun 2026-11-15 20:17:34 UTC",
        "CloudInitStartTime": "Sun 2026-11-15 20:17:37 UTC",
        "CloudFinalStartTime": "",
        "NetworkdStartTime": "Sun 2026-11-15 20:17:36 UTC",
        "CSEStartTime": "Sun Nov 15 20:17:43 UTC 2026",
        "GuestAgentStartTime": "Sun 2026-11-15 20:17:39 UTC",
        "SystemdSummary": "Startup finished in 2.1s (kernel) + 11.9s (userspace) = 14s",
        "BootDatapoints": {
            "KernelStartTime": "Sun 2026-11-15 20:17:30 UTC",
            "CSEStartTime": "Sun Nov 15 20:17:43 UTC 2026",
            "GuestAgentStartTime": "Sun 2026-11-15 20:17:39 UTC",
            "KubeletStartTime": ""
        }
    })
    .to_string()
}

fn status(stdout: &str) -> String {
    let sentence = "Enable failed: failed to execute command: command terminated with exit status=52";
    format!("{sentence}\n[stdout]\n{stdout}\n\n[stderr]\n")
}

#[test]
fn a_failure_of_the_scripts_is_explained_with_its_times() {
    insta::assert_snapshot!(shown(&["result", "-"], &failed_result()));
    insta::assert_snapshot!(shown(&["result", "-", "-o", "json"], &failed_result()));
}

#[test]
fn a_success_is_short_and_exits_with_zero() {
    insta::assert_snapshot!(shown(
        &["result", "-"],
        r#"{"ExitCode":"0","Output":"+ fine","Error":"","ExecDuration":"9"}"#
    ));
}

#[test]
fn a_contract_that_could_not_be_used_is_the_inputs_fault() {
    let short = r#"{"ExitCode":"240","Error":"unsupported version: v2","Output":""}"#;
    insta::assert_snapshot!(shown(&["result", "-"], short));
}

#[test]
fn an_instance_view_tells_of_every_attempt_inside() {
    let message = status(&failed_result());
    let view = json!([
        { "instanceId": "0", "instanceView": { "extensions": [{ "name": "vmssCSE", "statuses": [
            { "code": "ProvisioningState/failed/52", "level": "Error", "message": message } ] }] } },
        { "instanceId": "1", "instanceView": { "extensions": [{ "name": "vmssCSE", "statuses": [
            { "code": "ProvisioningState/succeeded", "message": "Enable succeeded: \n[stdout]\n{\"ExitCode\":\"0\"}\n[stderr]\n" } ] }],
            "statuses": [{ "code": "PowerState/running", "displayStatus": "VM running" }] } }
    ]);
    insta::assert_snapshot!(shown(&["result", "-"], &view.to_string()));
}

#[test]
fn a_result_that_the_extension_cut_is_explained_from_what_is_left() {
    let result = failed_result();
    let tail = &result[result.find("connection timed out").unwrap()..];
    insta::assert_snapshot!(shown(&["result", "-"], &status(tail)));
}

#[test]
fn what_cannot_be_read_is_a_failure_with_a_reason() {
    for (input, reason) in [
        ("", "not-a-result"),
        ("{}", "not-a-result"),
        ("Provisioning state: Creating", "not-a-result"),
        (r#"{"ExitCode":""}"#, "no usable exit code"),
        (r#"{"ExitCode":"20"}"#, "which nobody is known to give"),
    ] {
        let text = shown(&["result", "-"], input);
        assert!(text.contains("exit code 1\n") && text.contains(reason), "{text}");
    }
    insta::assert_snapshot!(shown(&["result", "no-such-file"], ""));
    insta::assert_snapshot!(shown(&["result", "-"], "Provisioning state: Creating"));
}

#[test]
fn a_bare_code_is_explained_and_an_unknown_one_refused() {
    insta::assert_snapshot!(shown(&["exit-code", "50"], ""));
    insta::assert_snapshot!(shown(&["exit-code", "-1"], ""));
    insta::assert_snapshot!(shown(&["exit-code", "20"], ""));
    insta::assert_snapshot!(shown(&["exit-code", "0"], ""));
    assert_eq!(run(&["exit-code", "fifty"], "").status.code(), Some(2));
    let report: Value = serde_json::from_slice(&run(&["exit-code", "124", "-o", "json"], "").stdout).unwrap();
    assert_eq!((&report["reason"], &report["blame"]), (&json!("timed-out"), &json!("machine")));
}
