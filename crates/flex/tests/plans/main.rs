//! From a configuration to a plan: the node that it asks for, on a plain machine.

#![expect(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "the tests read their data and fail by panicking"
)]

mod files;
mod goals;
mod systems;

use std::fmt::Write as _;
use std::path::Path;

use serde_json::{Value, json};
use slipway_flex::config::ApiServer;
use slipway_flex::{FlexConfig, Provisions, Refused, read};
use slipway_model::{Facts, Node, Source};
use slipway_plan::{Action, Content, Plan, plan};

const CA: &str = "LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0tCkZBS0UKLS0tLS1FTkQgQ0VSVElGSUNBVEUtLS0tLQo=";
const PROVISIONS: Provisions<'static> = Provisions {
    architecture: "amd64",
    config_file: "/etc/aks-flex-node/config.json",
    supplies: &[],
    images: &[],
    resolver: None,
};

fn config(text: &str, hostname: &str) -> FlexConfig {
    let reading = read(text.as_bytes(), hostname);
    reading.config.unwrap_or_else(|| panic!("{:#?}", reading.issues))
}

/// A machine of somebody's own: nothing of AKS's images is on it.
fn debian() -> Facts {
    let facts = json!({
        "hostname": "Edge-01", "os": {"id": "debian", "version_id": "13", "variant_id": ""},
        "containerd": {"version": "2.1.8"}, "cached": {"kubelet": [], "kubectl": []},
    });
    Facts::parse(&facts.to_string()).unwrap()
}

fn merged(mut base: Value, over: Value) -> Value {
    match (&mut base, over) {
        (Value::Object(base), Value::Object(over)) => {
            for (name, value) in over {
                let below = base.remove(&name).unwrap_or(Value::Null);
                base.insert(name, merged(below, value));
            }
        }
        (base, over) => *base = over,
    }
    base
}

/// A configuration with a token and more.
fn with(over: Value) -> FlexConfig {
    let base = json!({
        "azure": {
            "targetCluster": {"resourceId": "/subscriptions/11111111-2222-3333-4444-555555555555/resourceGroups/rg-edge/providers/Microsoft.ContainerService/managedClusters/aks-edge"},
            "bootstrapToken": {"token": "abcdef.0123456789abcdef"},
        },
        "components": {"kubernetes": "1.34.1"},
        "node": {"kubelet": {"clusterFQDN": "api.example:6443", "caCertData": CA}},
    });
    config(&merged(base, over).to_string(), "Edge-01")
}

fn node(config: &FlexConfig) -> Node {
    config.node(PROVISIONS).unwrap()
}

fn file(plan: &Plan, path: &str) -> String {
    let ops = plan.steps().iter().flat_map(|step| &step.ops);
    let found = ops.filter_map(|op| match &op.action {
        Action::File(file) if file.path == Path::new(path) => Some(&file.content),
        _ => None,
    });
    found.into_iter().next().map_or_else(|| panic!("no {path}"), text)
}

fn text(content: &Content) -> String {
    match content {
        Content::Plain(text) => text.clone(),
        Content::Secret(text) => text.expose().clone(),
    }
}

fn settings(plan: &Plan) -> Value {
    serde_json::from_str(&file(plan, "/etc/default/kubeletconfig.json")).unwrap()
}

/// Every step and what it does, in a line each.
fn outline(plan: &Plan) -> String {
    let mut outline = String::new();
    for step in plan.steps() {
        let needs: Vec<&str> = step.needs.iter().map(|need| need.0).collect();
        let _ = writeln!(outline, "{} ({}) after {needs:?}", step.id, step.title);
        for op in &step.ops {
            let line = match &op.action {
                Action::File(it) => format!("file {} {:04o}", it.path.display(), it.attributes.mode),
                Action::Directory(it) => format!("directory {}", it.path.display()),
                Action::Artifact(it) => format!("fetch {}", it.url.expose()),
                Action::TlsBootstrap(it) => format!("trade the token at {} as {}", it.server, it.node),
                Action::Unit(it) => format!("unit {}", it.name),
                Action::Traces(it) => format!("traces of {}", it.unit),
                other => format!("{other:?}"),
            };
            let _ = writeln!(outline, "    {line}");
        }
    }
    outline
}

#[test]
fn every_recorded_configuration_of_the_latest_generation_becomes_a_plan_or_says_why_not() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/vectors/config-head");
    let mut refused = Vec::new();
    for entry in std::fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        let vector: Value = serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
        let text = vector["config_text"].as_str().unwrap_or_default();
        let hostname = vector["hostname"].as_str().unwrap();
        let Some(mut config) = read(text.as_bytes(), hostname).config else { continue };
        let as_it_is = config.node(PROVISIONS);
        for Refused { path, reason, hint } in as_it_is.err().unwrap_or_default() {
            assert!(!path.is_empty() && !reason.is_empty() && !hint.is_empty(), "{path}: {reason}");
        }
        // What only lacks the cluster and a version becomes a plan once they are known.
        config.versions.kubernetes.get_or_insert_with(|| "1.34.1".to_owned());
        let server = ApiServer::parse("api.example").unwrap();
        config.give_cluster(server, "-----BEGIN CERTIFICATE-----".to_owned());
        match config.node(PROVISIONS) {
            Ok(node) => drop(plan(&node, &debian()).unwrap()),
            Err(_) => refused.push(vector["name"].as_str().unwrap().to_owned()),
        }
    }
    refused.sort_unstable();
    assert_eq!(
        refused,
        ["gc-low-above-high", "head-full", "maxpods-negative", "routes-not-enabled", "taints"]
    );
}

#[test]
fn a_plain_machine_is_left_as_it_is_but_for_what_a_node_needs() {
    let plan = plan(&node(&with(json!({}))), &debian()).unwrap();
    let outline = outline(&plan);
    insta::assert_snapshot!(outline);
}

#[test]
fn kubelet_gets_what_the_configuration_says() {
    let plan = plan(
        &node(&with(json!({
            "agent": {"nodeName": "edge-7"},
            "networking": {"dnsServiceIP": "10.3.0.10"},
            "node": {
                "maxPods": 30,
                "labels": {"A.b/C": "D", "kubernetes.azure.com/managed": "true"},
                "taints": ["dedicated=edge:NoSchedule", "gpu:NoExecute"],
                "kubelet": {
                    "verbosity": 4, "imageGCHighThreshold": 70, "imageGCLowThreshold": 60, "nodeIP": "10.0.0.9",
                    "kubeReserved": {"cpu": "100m", "memory": "1Gi"}, "systemReserved": {"cpu": "50m"},
                    "evictionHard": {"memory.available": "500Mi"},
                    "imageCredentialProvider": {"configPath": "/etc/p.yaml", "binDir": "/opt/p"},
                },
            },
        }))),
        &debian(),
    )
    .unwrap();
    let defaults = file(&plan, "/etc/default/kubelet");
    for flag in [
        "--hostname-override=edge-7",
        "--v=4",
        "--node-ip=10.0.0.9",
        "--register-with-taints=dedicated=edge:NoSchedule,gpu:NoExecute",
        "--image-credential-provider-config=/etc/p.yaml",
        "--image-credential-provider-bin-dir=/opt/p",
        "KUBELET_NODE_LABELS=A.b/C=D,kubernetes.azure.com/managed=false\n",
    ] {
        assert!(defaults.contains(flag), "{flag}: {defaults}");
    }
    let settings = settings(&plan);
    for (pointer, value) in [
        ("/maxPods", json!(30)),
        ("/clusterDNS", json!(["10.3.0.10"])),
        ("/imageGCHighThresholdPercent", json!(70)),
        ("/imageGCLowThresholdPercent", json!(60)),
        ("/kubeReserved", json!({"cpu": "100m", "memory": "1Gi"})),
        ("/systemReserved", json!({"cpu": "50m"})),
        ("/evictionHard", json!({"memory.available": "500Mi"})),
        ("/authentication/x509/clientCAFile", json!("/etc/kubernetes/certs/ca.crt")),
        ("/authentication/anonymous/enabled", json!(false)),
        ("/cgroupDriver", json!("systemd")),
    ] {
        assert_eq!(settings.pointer(pointer), Some(&value), "{pointer}");
    }
    assert!(file(&plan, "/etc/kubernetes/certs/ca.crt").contains("FAKE"));
    assert!(file(&plan, "/var/lib/kubelet/bootstrap-kubeconfig").contains("https://api.example:6443"));
    let pods = plan.explained().iter().find(|value| value.name == "maxPods").unwrap();
    assert!(
        pods.sources
            .iter()
            .any(|source| matches!(source, Source::Flex { key, set: true } if key == "node.maxPods"))
    );
}

#[test]
fn an_eviction_that_nobody_speaks_of_is_kubelets_own() {
    let plan = plan(&node(&with(json!({}))), &debian()).unwrap();
    let settings = settings(&plan);
    assert!(settings.get("evictionHard").is_none() && settings.get("kubeReserved").is_none());
    assert_eq!(settings["maxPods"], 110);
}

#[test]
fn without_a_token_kubelet_asks_a_program_and_no_secret_is_in_its_kubeconfig() {
    let principal = json!({"azure": {
        "bootstrapToken": null,
        "servicePrincipal": {"tenantId": "t", "clientId": "c", "clientSecret": "s3cr3t"},
    }});
    let plan = plan(&node(&with(principal)), &debian()).unwrap();
    let kubeconfig = file(&plan, "/var/lib/kubelet/kubeconfig");
    assert!(kubeconfig.contains("command: \"/usr/local/bin/slipway\""), "{kubeconfig}");
    assert!(kubeconfig.contains("- \"/etc/aks-flex-node/config.json\"\n"), "{kubeconfig}");
    assert!(!kubeconfig.contains("s3cr3t"));
    assert!(plan.step("tls-bootstrap").is_none() && plan.step("azure-json").is_none());
}

#[test]
fn older_names_count_and_an_address_of_archives_does_not() {
    let older = json!({
        "components": {"kubernetes": ""},
        "kubernetes": {"version": "v1.33.2", "urlTemplate": "https://mirror.example/%s/%s.tgz"},
    });
    let plan = plan(&node(&with(older)), &debian()).unwrap();
    let step = plan.step("kubernetes-binaries").unwrap();
    let Action::Artifact(archive) = &step.ops[0].action else { panic!("{step:?}") };
    assert_eq!(archive.url.expose(), "https://dl.k8s.io/v1.33.2/kubernetes-node-linux-amd64.tar.gz");
    let named = |name: &str| step.ops[0].sources.names(name);
    assert!(named("kubernetes.version") && !named("kubernetes.urlTemplate"));
}

#[test]
fn what_no_node_can_be_made_of_is_refused_by_its_key() {
    for (over, path) in [
        (json!({"node": {"maxPods": -5}}), "node.maxPods"),
        (json!({"node": {"taints": ["nonsense"]}}), "node.taints[0]"),
        (
            json!({"node": {"kubelet": {"evictionHard": {"memory": "1Gi"}}}}),
            "node.kubelet.evictionHard[memory]",
        ),
        (json!({"node": {"kubelet": {"imageGCLowThreshold": 90}}}), "node.kubelet.imageGCLowThreshold"),
        (json!({"node": {"labels": {"a": "b c"}}}), "node.labels[a]"),
        (json!({"networking": {"localDNS": {"mode": "Required"}}}), "networking.localDNS"),
        (json!({"hostRouting": {"staticRoutes": {"enabled": true}}}), "hostRouting.staticRoutes.enabled"),
        (json!({"components": {"kubernetes": ""}}), "components.kubernetes"),
        (
            json!({"agent": {
                "requireMachineRegistration": true,
                "machineClient": {"mode": "in-cluster", "endpointUrl": "/api"},
            }}),
            "agent.requireMachineRegistration",
        ),
        (
            json!({"azure": {"bootstrapToken": {"token": null, "tokenFile": "/t"}}}),
            "azure.bootstrapToken.tokenFile",
        ),
    ] {
        let refused = with(over).node(PROVISIONS).unwrap_err();
        assert_eq!(refused.iter().map(|it| it.path.as_str()).collect::<Vec<_>>(), [path], "{refused:?}");
    }
    let mut read = with(json!({"azure": {"bootstrapToken": {"token": null, "tokenFile": "/t"}}}));
    assert!(read.give_token("no token").is_err());
    read.give_token("abcdef.0123456789abcdef\n").unwrap();
    assert!(read.node(PROVISIONS).is_ok());
}
