//! Contracts that cannot be read in full.

use serde_json::json;
use slipway_peers::node::{CONTRACT, RESULT};

use crate::{FAIL, SUCCEED, example, node, runs};

#[test]
fn what_a_node_can_do_without_is_reported_in_log_event_and_result() {
    for (script, code) in [(SUCCEED, 0), (FAIL, 50)] {
        let node = node(script);
        let mut contract = example();
        contract["is_kata"] = json!("yes");
        contract["new_field"] = json!({"secret": "hunter2"});
        contract["auth_config"]["service_principal_secret"] = json!({"not": "hunter2"});
        node.put(CONTRACT, contract.to_string(), 0o600);
        let ended = node.provision();
        assert_eq!((ended.code, runs(&node)), (code, 1), "{}", ended.stderr);
        assert!(ended.records("ERROR").iter().any(|line| line.contains("is_kata")), "{}", ended.stderr);
        assert!(ended.records("WARN").iter().any(|line| line.contains("new_field")), "{}", ended.stderr);
        let closing = node.events().pop().unwrap();
        let result = node.result();
        let issues = result["ContractIssues"].as_str().unwrap();
        for text in [closing.as_str(), issues] {
            assert!(text.contains("is_kata: ") && text.contains("new_field: "), "{text}");
            assert!(text.contains("auth_config.service_principal_secret: "), "{text}");
        }
        // What the scripts wrote is all there.
        assert_eq!(result["ExitCode"], code.to_string());
        assert_eq!(result["BootDatapoints"].is_object(), code == 0);
        assert_eq!(node.written()[RESULT].0, 0o600);
        let seen = format!("{}{}{closing}{result}", ended.stdout, ended.stderr);
        assert!(!seen.contains("hunter2"), "{seen}");
    }
}

#[test]
fn what_a_node_cannot_do_without_stops_it() {
    for (path, field) in [
        ("/api_server_config", "API server"),
        ("/kubernetes_ca_cert", "CA certificate"),
        ("/kubernetes_version", "Kubernetes version"),
        ("/bootstrapping_config/tls_bootstrapping_token", "credential"),
    ] {
        let node = node(SUCCEED);
        let mut contract = example();
        *contract.pointer_mut(path).unwrap() = json!(true);
        node.put(CONTRACT, contract.to_string(), 0o600);
        let ended = node.provision();
        assert_eq!((ended.code, runs(&node)), (1, 0), "{path}: {}", ended.stderr);
        let result = node.result();
        assert_eq!(result["ExitCode"], "240");
        assert!(result["Error"].as_str().unwrap().contains(field), "{result}");
    }
}

#[test]
fn a_contract_that_is_not_json_stops_it() {
    let text = example().to_string();
    for broken in [&text[..text.len() / 2], "", "not json", &format!("{text}}}")] {
        let node = node(SUCCEED);
        node.put(CONTRACT, broken, 0o600);
        assert_eq!((node.provision().code, runs(&node)), (1, 0), "{broken}");
        assert_eq!(node.result()["ExitCode"], "240");
    }
}

#[test]
fn a_contract_that_is_read_in_full_leaves_no_trace_of_issues() {
    let node = node(SUCCEED);
    assert_eq!(node.provision().code, 0);
    assert_eq!(node.result().get("ContractIssues"), None);
    let closing = node.events().pop().unwrap();
    assert!(closing.starts_with("Completed | startTime="), "{closing}");
}
