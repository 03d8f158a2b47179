//! `slipway plan` and `slipway facts`.

use serde_json::{Value, json};

use crate::root::{CONTRACT, Root, json, text, told};
use crate::run;

#[test]
fn the_same_contract_and_facts_give_the_same_plan_byte_for_byte() {
    let (one, other) = (Root::new(), Root::new());
    for format in ["text", "json", "dot"] {
        let output = one.planned("plan", &["-o", format]);
        assert_eq!(told(&output), told(&other.planned("plan", &["-o", format])));
        assert!(output.stderr.is_empty(), "{}", text(&output.stderr));
    }
    assert!(one.tree().is_empty());
}

#[test]
fn a_plan_lists_each_step_after_those_it_needs_with_all_of_its_operations() {
    let plan = json(&Root::new().planned("plan", &["-o", "json"]));
    let steps = plan["steps"].as_array().unwrap();
    let mut seen: Vec<&str> = Vec::new();
    for step in steps {
        for need in step["needs"].as_array().unwrap() {
            assert!(seen.contains(&need.as_str().unwrap()), "{} needs {need}", step["id"]);
        }
        assert!(["bake", "join", "after-ready"].contains(&step["stage"].as_str().unwrap()));
        assert!(!step["ops"].as_array().unwrap().is_empty(), "{} does nothing", step["id"]);
        seen.push(step["id"].as_str().unwrap());
    }
    assert!(seen.contains(&"start-kubelet") && seen.contains(&"start-containerd"));
    let file = steps
        .iter()
        .flat_map(|step| step["ops"].as_array().unwrap())
        .find(|op| op["path"] == "/etc/default/kubelet")
        .unwrap();
    assert_eq!((&file["op"], &file["mode"]), (&json!("file"), &json!("0600")));
    let source = json!({ "contract": "kubelet_config.kubelet_flags[--cloud-provider]", "set": true });
    assert!(file["sources"].as_array().unwrap().contains(&source));
}

#[test]
fn a_plan_for_people_has_a_line_for_every_operation_and_one_for_graphviz_every_edge() {
    let root = Root::new();
    let plan = json(&root.planned("plan", &["-o", "json"]));
    let people = told(&root.planned("plan", &[]));
    let picture = told(&root.planned("plan", &["-o", "dot"]));
    let mut ops = 0;
    for step in plan["steps"].as_array().unwrap() {
        let id = step["id"].as_str().unwrap();
        assert!(people.contains(&format!("\n{id}  {}  [", step["title"].as_str().unwrap())), "{id}");
        for need in step["needs"].as_array().unwrap() {
            assert!(picture.contains(&format!("\"{}\" -> \"{id}\";", need.as_str().unwrap())));
        }
        ops += step["ops"].as_array().unwrap().len();
    }
    let lines = people.lines().filter(|line| line.starts_with("    ") && !line.starts_with("    after "));
    assert_eq!(lines.count(), ops);
}

#[test]
fn a_secret_is_in_no_plan() {
    let root = Root::new();
    let mut contract: Value =
        serde_json::from_str(include_str!("../../../../examples/contract.json")).unwrap();
    contract["bootstrapping_config"]["tls_bootstrapping_token"] = "sowntk.0123456789sown00".into();
    contract["auth_config"]["service_principal_secret"] = "c293bi1zZWNyZXQ=".into();
    root.write("/contract.json", &contract.to_string());
    let contract = root.at("/contract.json");
    for (command, more) in [
        ("plan", &["-o", "json"][..]),
        ("plan", &[]),
        ("diff", &[]),
        ("diff", &["-o", "json"]),
        ("explain", &["/var/lib/kubelet/bootstrap-kubeconfig"]),
        ("explain", &["/etc/kubernetes/azure.json"]),
        ("explain", &["bootstrapping_config.tls_bootstrapping_token", "-o", "json"]),
        ("explain", &["TLS_BOOTSTRAP_TOKEN"]),
        ("explain", &["aadClientSecret"]),
        ("provision", &["--progress", "json", "-v"]),
    ] {
        let output = root.with(command, contract.to_str().unwrap(), more);
        let all = text(&output.stdout) + &text(&output.stderr);
        assert!(!all.is_empty());
        for secret in ["sowntk", "sown00", "c293bi1zZWNyZXQ", "sown-secret"] {
            assert!(!all.contains(secret), "{command} {more:?}: {all}");
        }
    }
    let result = root.read("/var/log/azure/aks/provision.json");
    assert!(
        !result.contains("sown") && root.read("/var/lib/kubelet/bootstrap-kubeconfig").contains("sowntk")
    );
}

#[test]
fn facts_of_a_root_are_those_below_it_and_a_valid_facts_file() {
    let root = Root::new();
    root.write("/etc/os-release", "ID=ubuntu\nVERSION_ID=\"24.04\"\n");
    root.write("/etc/hostname", "aks-1\n");
    root.write("/opt/bin/kubelet-1.33.2", "");
    let output = root.plain("facts", &[]);
    let facts = json(&output);
    assert_eq!(facts["os"], json!({ "id": "ubuntu", "version_id": "24.04", "variant_id": "" }));
    assert_eq!((&facts["hostname"], &facts["cached"]["kubelet"]), (&json!("aks-1"), &json!(["1.33.2"])));
    assert!(facts.get("imds").is_none() && text(&output.stderr).contains("imds is unknown"));
    root.write("/facts.json", &told(&output));
    let facts = root.at("/facts.json");
    let given = ["plan", "--provision-config", CONTRACT, "--facts", facts.to_str().unwrap()];
    assert!(told(&run(&given, "")).contains("aks-1"));
    // What is not said is gathered.
    assert!(told(&root.plain("plan", &["--provision-config", CONTRACT])).contains("aks-1"));
}
