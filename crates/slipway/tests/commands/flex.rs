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
        "--token",
        "abcdef.0123456789abcdef",
        "--node-name",
        "edge-7",
        "--output",
        file,
    ];
    stdout(&arguments, "");
    assert_eq!(std::fs::metadata(&target).unwrap().permissions().mode() & 0o777, 0o600);
    assert!(std::fs::read_to_string(&target).unwrap().contains("\"// bootstrapToken\""));
    let report: Value = serde_json::from_str(&stdout(&["flex", "config", file, "-o", "json"], "")).unwrap();
    assert_eq!(report["derived"]["apiServerUrl"], "https://api.example:443");
    assert_eq!(report["effective"]["agent"]["nodeName"], "edge-7");
    let again = run(&arguments, "");
    assert_eq!(again.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&again.stderr).contains("[file-exists, input]"));
    stdout(&[&arguments[..], &["--force"]].concat(), "");
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
