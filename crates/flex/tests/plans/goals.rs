//! The recorded nodes of the Go program, each against the node that ours makes of the same configuration.

use std::path::Path;

use serde_json::{Value, json};
use slipway_flex::FlexConfig;
use slipway_plan::{Action, Plan, plan};

use super::{PROVISIONS, config, debian, text};

/// Cases that become a node there and are refused here: the key that is missing.
const REFUSED: [(&str, &str); 2] =
    // There the download of no version fails; and kubelet gets an empty address, which it takes for its own machine's.
    [("no-version", "components.kubernetes"), ("sp-no-api", "node.kubelet.clusterFQDN")];
/// There kubelet has no credential at all, and the step that writes its files fails.
const NO_CREDENTIAL: &str = "arc-only";

fn cases() -> Vec<Value> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/vectors/goal-head");
    let files = std::fs::read_dir(root).unwrap().map(|entry| entry.unwrap().path());
    let cases: Vec<Value> =
        files.map(|path| serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()).collect();
    assert_eq!(cases.len(), 7);
    cases
}

fn configured(case: &Value) -> FlexConfig {
    config(&case["config"].to_string(), case["hostname"].as_str().unwrap())
}

fn written(plan: &Plan, path: &str) -> Option<(String, u32)> {
    let mut ops = plan.steps().iter().flat_map(|step| &step.ops);
    ops.find_map(|op| match &op.action {
        Action::File(file) if file.path == Path::new(path) => {
            Some((text(&file.content), file.attributes.mode))
        }
        _ => None,
    })
}

/// What kubelet is started with, and what its file says.
fn kubelet(plan: &Plan) -> (String, Value) {
    let (variables, _) = written(plan, "/etc/default/kubelet").unwrap();
    let (settings, _) = written(plan, "/etc/default/kubeletconfig.json").unwrap();
    (variables, serde_json::from_str(&settings).unwrap())
}

#[test]
fn every_recorded_node_is_made_here_too_with_its_faults_mended() {
    for case in cases() {
        let name = case["name"].as_str().unwrap();
        let goal = &case["goal"]["node"];
        let desired = configured(&case).node(PROVISIONS);
        if let Some((_, path)) = REFUSED.iter().find(|(refused, _)| *refused == name) {
            let refused = desired.expect_err(name);
            assert_eq!(refused.iter().map(|one| one.path.as_str()).collect::<Vec<_>>(), [*path], "{name}");
            continue;
        }
        let plan = plan(&desired.unwrap(), &debian()).unwrap();
        let (variables, settings) = kubelet(&plan);
        let wanted = &goal["Kubelet"];
        let own_name = format!("--hostname-override={}", goal["NodeName"].as_str().unwrap());
        assert!(variables.contains(&own_name), "{name}: {variables}");
        for (label, value) in wanted["NodeLabels"].as_object().unwrap() {
            let label = format!("{label}={}", value.as_str().unwrap());
            assert!(variables.contains(&label), "{name}: {variables}");
        }
        assert!(!variables.contains("--register-with-taints"), "{name}: {variables}");
        assert_eq!(settings["clusterDNS"], json!([wanted["ClusterDNS"]]), "{name}");
        let (authority, _) = written(&plan, "/etc/kubernetes/certs/ca.crt").unwrap();
        assert!(authority.starts_with("-----BEGIN CERTIFICATE-----\nFAKE\n"), "{name}: {authority}");
        let (containerd, mode) = written(&plan, "/etc/containerd/config.toml").unwrap();
        let sandbox = goal["Containerd"]["SandboxImage"].as_str().unwrap();
        // Without a word about it, ours is newer.
        if case["config"]["components"]["sandboxImage"].is_string() {
            assert!(containerd.contains(&format!("\"{sandbox}\"")), "{name}: {containerd}");
        }
        assert_eq!(mode, 0o644, "{name}");
        credentials(name, wanted, &plan);
    }
}

/// Kubelet's credential is at the same place, for the same server, with the same token, and without the secret.
fn credentials(name: &str, wanted: &Value, plan: &Plan) {
    let server = format!("server: {}", wanted["APIServer"].as_str().unwrap());
    let exec = written(plan, "/var/lib/kubelet/kubeconfig");
    let bootstrap = written(plan, "/var/lib/kubelet/bootstrap-kubeconfig");
    let (text, mode) = if let Some(token) = wanted["BootstrapToken"].as_str() {
        let (text, mode) = bootstrap.unwrap();
        assert!(text.contains(token) && exec.is_none(), "{name}: {text}");
        (text, mode)
    } else {
        let (text, mode) = exec.unwrap();
        assert!(wanted["ExecCredential"].is_object() || name == NO_CREDENTIAL, "{name}");
        for part in ["client.authentication.k8s.io/v1", "6dae42f8-4368-4678-94ff-3960e28e3630", "Never"] {
            assert!(text.contains(part), "{name}: no {part} in {text}");
        }
        assert!(!text.contains("s3cr3t"), "{name}: {text}");
        (text, mode)
    };
    let same = text.replace('"', "").contains(&server);
    assert!(same, "{name}: {server} is not in {text}");
    assert_eq!(mode, 0o600, "{name}");
}
