//! `slipway flex`: configurations written and shown.

use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::{run, shown, stdout};

const CLUSTER: &str = "/subscriptions/11111111-2222-3333-4444-555555555555/resourceGroups/rg-edge/providers/Microsoft.ContainerService/managedClusters/aks-edge";
const KUBECONFIG: &str = "apiVersion: v1\ncurrent-context: c\ncontexts:\n- name: c\n  context: {cluster: k, user: u}\nclusters:\n- name: k\n  cluster:\n    server: https://api.example:443\n    certificate-authority-data: LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0tCkZBS0UKLS0tLS1FTkQgQ0VSVElGSUNBVEUtLS0tLQo=\nusers:\n- name: u\n  user:\n    exec: {command: kubelogin}\n";

/// A directory of this test's own.
fn directory(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("flex-{name}"));
    let _ = std::fs::remove_dir_all(&path);
    std::fs::create_dir_all(&path).unwrap();
    path
}

fn facts(directory: &Path) -> String {
    let path = directory.join("facts.json");
    std::fs::write(&path, r#"{"hostname":"Edge-01"}"#).unwrap();
    path.to_str().unwrap().to_owned()
}

fn with_token() -> String {
    format!(
        r#"{{"azure":{{"targetCluster":{{"resourceId":"{CLUSTER}"}},"bootstrapToken":{{"token":"abcdef.0123456789abcdef"}}}},"node":{{"kubelet":{{"clusterFQDN":"api.example","caCertData":"LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0tCkZBS0UKLS0tLS1FTkQgQ0VSVElGSUNBVEUtLS0tLQo="}}}}}}"#
    )
}

#[test]
fn a_configuration_is_shown_with_defaults_and_without_secrets() {
    let facts = facts(&directory("shown"));
    let arguments = ["flex", "config", "-", "-o", "json", "--facts", &facts];
    let report: Value = serde_json::from_str(&stdout(&arguments, &with_token())).unwrap();
    assert_eq!(report["derived"]["apiServerUrl"], "https://api.example:443");
    assert_eq!(report["derived"]["auth"][0], "bootstrapToken");
    assert_eq!(report["effective"]["agent"]["nodeName"], "edge-01");
    assert_eq!(report["effective"]["azure"]["bootstrapToken"]["token"], "<secret>");
    let revealed = stdout(&[&arguments[..], &["--show-secrets"]].concat(), &with_token());
    assert!(revealed.contains("abcdef.0123456789abcdef"));
    let text = stdout(&["flex", "config", "-", "--facts", &facts], &with_token());
    assert!(
        text.contains("  node.maxPods = 110\n") && text.contains("  cluster.name = aks-edge\n"),
        "{text}"
    );
    assert!(!text.contains("0123456789abcdef"));
}

#[test]
fn every_problem_of_a_configuration_is_told_with_its_place() {
    let text = "{\n  \"azure\": {\"arc\": {\"enabled\": 1}, \"manegedIdentity\": {}},\n  \"node\": {\"maxPods\": \"64\"}\n}";
    let facts = facts(&directory("problems"));
    let told = shown(&["flex", "config", "-"], text);
    insta::assert_snapshot!(told);
    let output = run(&["flex", "config", "-", "-o", "json", "--facts", &facts], text);
    assert_eq!(output.status.code(), Some(1));
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["valid"], false);
    let issues = report["issues"].as_array().unwrap();
    let switch = issues.iter().find(|issue| issue["path"] == "azure.arc.enabled").unwrap();
    assert_eq!((&switch["line"], &switch["column"]), (&2.into(), &32.into()));
}

#[test]
fn what_init_writes_is_read_by_config_and_by_nobody_else() {
    let directory = directory("init");
    let (kubeconfig, target) = (directory.join("kubeconfig"), directory.join("made/config.json"));
    std::fs::write(&kubeconfig, KUBECONFIG).unwrap();
    let (kubeconfig, file) = (kubeconfig.to_str().unwrap(), target.to_str().unwrap());
    let arguments = [
        "flex",
        "init",
        "--cluster",
        CLUSTER,
        "--kubeconfig",
        kubeconfig,
        "--token-file",
        "-",
        "--node-name",
        "edge-7",
        "--output",
        file,
    ];
    // A secret among arguments could be read by everyone.
    let token = "abcdef.0123456789abcdef\n";
    stdout(&arguments, token);
    assert!(std::fs::read_to_string(&target).unwrap().contains(token.trim()));
    assert_eq!(std::fs::metadata(&target).unwrap().permissions().mode() & 0o777, 0o600);
    assert!(std::fs::read_to_string(&target).unwrap().contains("\"// bootstrapToken\""));
    let report: Value = serde_json::from_str(&stdout(&["flex", "config", file, "-o", "json"], "")).unwrap();
    assert_eq!(report["derived"]["apiServerUrl"], "https://api.example:443");
    assert_eq!(report["effective"]["agent"]["nodeName"], "edge-7");
    let again = run(&arguments, "");
    assert_eq!(again.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&again.stderr).contains("[file-exists, input]"));
    stdout(&[&arguments[..], &["--force"]].concat(), token);
}

#[test]
fn init_names_the_flags_that_are_missing_where_nobody_can_be_asked() {
    let directory = directory("missing");
    let file = directory.join("config.json");
    let file = file.to_str().unwrap();
    for (arguments, said) in [
        (&["--output", file][..], "--cluster is not said"),
        (&["--output", file, "--cluster", CLUSTER], "--identity is not said"),
        (&["--output", file, "--cluster", CLUSTER, "--identity", "token"], "--token-file is not said"),
        (&["--output", file, "--cluster", CLUSTER, "--token-file", "/t"], "node.kubelet.clusterFQDN"),
        (&["--output", file, "--cluster", "x", "--identity", "managed"], "azure.targetCluster.resourceId"),
    ] {
        let output = run(&[&["flex", "init"], arguments].concat(), "");
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(1), "{told}");
        assert!(told.contains(said), "{told}");
    }
    assert!(!Path::new(file).exists());
}

#[test]
fn a_machine_says_what_it_was_joined_to_and_how_it_is_kept() {
    let root = directory("kept");
    let at = root.to_str().unwrap();
    let arguments = ["flex", "status", "--root", at];
    let never = run(&arguments, "");
    assert_eq!(never.status.code(), Some(1));
    assert_eq!(never.stdout, b"this machine was not joined to a cluster\n");
    std::fs::create_dir_all(root.join("var/lib/slipway")).unwrap();
    std::fs::create_dir_all(root.join("run/slipway")).unwrap();
    let record = serde_json::json!({
        "config": "/etc/aks-flex-node/config.json", "cluster": CLUSTER, "node": "edge-01",
        "identity": ["bootstrapToken"], "kubernetes": "1.34.3", "applied": "0a", "leaving": false,
    });
    std::fs::write(root.join("var/lib/slipway/flex.json"), record.to_string()).unwrap();
    assert!(stdout_of_failure(&arguments).ends_with("nobody keeps this machine\n"));
    let status = serde_json::json!({
        "looked": "2026-11-16T10:00:00Z", "health": "waiting", "why": "files-strayed: put files back in 9 s",
        "node": {"name": "edge-01", "ready": false, "why": "KubeletNotReady: no network"},
        "drift": ["/etc/default/kubelet: gone"],
        "repairs": [{"time": "2026-11-16T09:59:51Z", "repair": "restore-files", "reason": "files-strayed",
            "about": "/etc/default/kubelet: gone", "error": "cannot join"}],
    });
    std::fs::write(root.join("run/slipway/flex-status.json"), status.to_string()).unwrap();
    insta::assert_snapshot!(stdout_of_failure(&arguments));
    let output = run(&[&arguments[..], &["-o", "json"]].concat(), "");
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((&report["healthy"], &report["joined"]), (&Value::Bool(false), &Value::from("done")));
    assert_eq!(report["daemon"]["alive"], false);
    assert_eq!(report["daemon"]["status"]["drift"][0], "/etc/default/kubelet: gone");
}

/// What a command prints that ends with exit code 1.
fn stdout_of_failure(arguments: &[&str]) -> String {
    let output = run(arguments, "");
    assert_eq!(output.status.code(), Some(1));
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn a_machine_that_is_no_node_cannot_be_upgraded() {
    let directory = directory("no-node");
    let output = run(&["flex", "upgrade", "--yes", "--root", directory.to_str().unwrap()], "");
    assert_eq!(output.status.code(), Some(1));
    let told = String::from_utf8(output.stderr).unwrap();
    assert_eq!(
        told,
        "error: cannot upgrade: this machine is no node of ours [no-node, input]\n  hint: slipway flex join makes it one\n"
    );
}

#[test]
fn a_preflight_says_what_stands_against_a_join_and_its_exit_code_tells_whether_anything_does() {
    let directory = directory("preflight");
    let (config, root) = (directory.join("config.json"), directory.join("root"));
    std::fs::write(&config, with_token()).unwrap();
    std::fs::create_dir_all(root.join("etc/kubernetes/pki")).unwrap();
    std::fs::write(root.join("etc/hostname"), "edge-01\n").unwrap();
    std::fs::write(root.join("etc/kubernetes/pki/ca.crt"), "another\n").unwrap();
    let (config, place) = (config.to_str().unwrap(), root.to_str().unwrap());
    let arguments = ["flex", "preflight", "--config", config, "--root", place, "-o", "json"];
    let report: Value = serde_json::from_str(&stdout(&arguments, "")).unwrap();
    assert_eq!(report["ready"], true, "{report}");
    let finding = &report["findings"][0];
    assert_eq!((&finding["check"], &finding["severity"]), (&"leftovers".into(), &"warns".into()));
    // Below a root there is neither a system nor a network.
    let unseen = report["not_looked_at"].as_array().unwrap();
    assert!(unseen.contains(&"swap".into()) && unseen.contains(&"api-server".into()), "{report}");

    std::fs::create_dir_all(root.join("var/lib/kubelet/pki")).unwrap();
    std::fs::write(root.join("var/lib/kubelet/pki/kubelet-client-current.pem"), "").unwrap();
    let output = run(&arguments, "");
    assert_eq!(output.status.code(), Some(1));
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((&report["ready"], &report["findings"][0]["severity"]), (&false.into(), &"blocks".into()));
    let spared = stdout(&[&arguments[..], &["--ignore", "leftovers"]].concat(), "");
    assert!(spared.contains("\"ready\": true"), "{spared}");
    let unknown = run(&[&arguments[..], &["--ignore", "leftover"]].concat(), "");
    assert_eq!(unknown.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&unknown.stderr).contains("[no-such-check, input]"));
}
