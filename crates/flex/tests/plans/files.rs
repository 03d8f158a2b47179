//! The files that the first version of the Go program left on a host, beside those that are planned here: where they lie, and
//! what they mean to their readers.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde_json::{Value, json};
use slipway_flex::config::ApiServer;
use slipway_flex::supply::{Architecture, Digest, Pick, Stock, published};
use slipway_flex::{FlexConfig, Provisions};
use slipway_model::node::Component;
use slipway_model::{Containerd, Facts};
use slipway_plan::{Action, Plan, plan};

use super::{PROVISIONS, config, debian, file, settings};

const SERVER: &str = "aks-edge-dns-0000.hcp.westeurope.azmk8s.io";
const AUTHORITY: &str = "-----BEGIN CERTIFICATE-----\nFAKE\n-----END CERTIFICATE-----\n";
const FIXED: &str = "a node's files have fixed places";
const OWN_PROGRAMS: &str = "what packages of the system bring is in /usr/bin";
const AS_IMAGES: &str = "where AKS's images have it: one layout for both kinds of nodes";
const NETWORK: &str = "the cluster's network brings its own: pods of two machines had one address";

/// Files that lie elsewhere here, or nowhere, with the reason. A path that ends with a slash is everything below it.
const OTHERWISE: [(&str, Option<&str>, &str); 16] = [
    ("/etc/cni/net.d/10-bridge.conf", None, NETWORK),
    ("/etc/containerd/kubenet_template.conf", None, NETWORK),
    ("/etc/kubernetes/admin.conf", None, "a node's disk must not open the cluster"),
    ("/etc/mycni/", None, FIXED),
    ("/etc/resolv.conf", None, "the resolver is its owner's"),
    (
        "/etc/systemd/system/kubelet.service.d/10-containerd.conf",
        Some("/etc/systemd/system/kubelet.service.d/10-containerd-base-flag.conf"),
        AS_IMAGES,
    ),
    ("/opt/mycni/", None, FIXED),
    ("/srv/cni/", None, FIXED),
    ("/srv/k8s/", None, FIXED),
    ("/usr/bin/containerd", Some("/usr/local/bin/containerd"), OWN_PROGRAMS),
    ("/usr/bin/containerd-shim-runc-v2", Some("/usr/local/bin/containerd-shim-runc-v2"), OWN_PROGRAMS),
    ("/usr/bin/ctr", Some("/usr/local/bin/ctr"), OWN_PROGRAMS),
    ("/usr/local/bin/kubeadm", Some("/opt/bin/kubeadm"), AS_IMAGES),
    ("/usr/local/bin/kubectl", Some("/opt/bin/kubectl"), AS_IMAGES),
    ("/usr/local/bin/kubelet", Some("/opt/bin/kubelet"), AS_IMAGES),
    (
        "/var/lib/kubelet/token.sh",
        None,
        "a secret in a script that everyone reads; kubelet asks `slipway flex token`",
    ),
];

/// What becomes of a flag of kubelet's.
enum Told {
    /// It is a flag here, too.
    Alike,
    /// It is this value of kubelet's configuration.
    Setting(&'static str),
    /// What kubelet does by itself.
    Usual,
    /// It is compared by itself.
    Labels,
    /// It is not told here, for this reason.
    Otherwise(&'static str),
}

const FLAGS: [(&str, Told); 29] = [
    ("--address", Told::Usual),
    ("--anonymous-auth", Told::Setting("/authentication/anonymous/enabled")),
    ("--authentication-token-webhook", Told::Setting("/authentication/webhook/enabled")),
    ("--authorization-mode", Told::Setting("/authorization/mode")),
    ("--cgroup-driver", Told::Setting("/cgroupDriver")),
    ("--cgroups-per-qos", Told::Usual),
    ("--container-runtime-endpoint", Told::Alike),
    ("--enable-server", Told::Usual),
    ("--enforce-node-allocatable", Told::Usual),
    ("--event-qps", Told::Otherwise("without a limit a node that goes wrong floods the API server")),
    ("--eviction-hard", Told::Setting("/evictionHard")),
    ("--image-gc-high-threshold", Told::Setting("/imageGCHighThresholdPercent")),
    ("--image-gc-low-threshold", Told::Setting("/imageGCLowThresholdPercent")),
    ("--kube-reserved", Told::Setting("/kubeReserved")),
    ("--kubeconfig", Told::Alike),
    ("--max-pods", Told::Setting("/maxPods")),
    ("--node-labels", Told::Labels),
    ("--node-status-update-frequency", Told::Usual),
    ("--pod-infra-container-image", Told::Otherwise("newer kubelets do not have it; containerd is told")),
    ("--pod-manifest-path", Told::Setting("/staticPodPath")),
    ("--pod-max-pids", Told::Usual),
    ("--protect-kernel-defaults", Told::Otherwise("kubelet sets what it needs on somebody's own machine")),
    ("--read-only-port", Told::Usual),
    ("--resolv-conf", Told::Otherwise("said only where the machine's own file names a stub")),
    ("--runtime-request-timeout", Told::Alike),
    ("--streaming-connection-idle-timeout", Told::Usual),
    ("--tls-cipher-suites", Told::Setting("/tlsCipherSuites")),
    ("--v", Told::Alike),
    ("--volume-plugin-dir", Told::Alike),
];

/// Suites without forward secrecy are not offered.
const WITHOUT_SECRECY: &str = "TLS_RSA_WITH_";

fn vectors() -> Vec<Value> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/vectors/files-v1");
    let entries = std::fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path());
    entries.map(|path| serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()).collect()
}

/// The recorded runs that made a node, with the names of their cases.
fn runs(vectors: &[Value]) -> Vec<(&str, &Value)> {
    let first = vectors.iter().map(|vector| (vector["name"].as_str().unwrap(), &vector["runs"][0]));
    first.filter(|(_, run)| run["exit_code"] == 0).collect()
}

/// The configuration of a run, and whether its thresholds were left out: signals that kubelet does not know are refused.
fn configured(name: &str, run: &Value) -> (FlexConfig, bool) {
    let known = |text: &Value| {
        let mut config = config(&text.to_string(), "edge-01");
        config.versions.kubernetes.get_or_insert_with(|| "1.32.7".to_owned());
        config.give_cluster(ApiServer::parse(SERVER).unwrap(), AUTHORITY.to_owned());
        config
    };
    let as_recorded = known(&run["config"]);
    let refused = as_recorded.node(PROVISIONS).err().unwrap_or_default();
    if refused.is_empty() {
        return (as_recorded, false);
    }
    let is_signal = |path: &str| path.starts_with("node.kubelet.evictionHard[");
    assert!(refused.iter().all(|it| is_signal(&it.path)), "{name}: {refused:?}");
    let mut text = run["config"].clone();
    text["node"]["kubelet"].as_object_mut().unwrap().remove("evictionHard");
    (known(&text), true)
}

/// The node on a machine that has nothing.
fn planned(config: &FlexConfig) -> Plan {
    let kubernetes = config.versions.kubernetes.as_deref().unwrap();
    let pick = |(at, component): (usize, Component)| {
        let version = match component {
            Component::Containerd => "2.1.8",
            Component::Runc => "1.3.3",
            Component::CniPlugins => "1.7.1",
            Component::Kubelet | Component::Kubectl | Component::Kubeadm => kubernetes,
        };
        let version = version.parse().unwrap();
        let url = published(component, &version, Architecture::Amd64);
        Pick { component, version, url, sha256: Digest::of(&[u8::try_from(at).unwrap(); 32]), size: 1 }
    };
    let picks = Component::ALL.into_iter().enumerate().map(pick).collect();
    let supplies = Stock { picks, mirrors: Vec::new(), images: Vec::new() }.supplies();
    let node = config.node(Provisions { supplies: &supplies, ..PROVISIONS }).unwrap();
    plan(&node, &Facts { containerd: Containerd::Missing, ..debian() }).unwrap()
}

/// Every file and link of a plan.
fn places(plan: &Plan) -> BTreeSet<String> {
    let mut places = BTreeSet::new();
    for op in plan.steps().iter().flat_map(|step| &step.ops) {
        match &op.action {
            Action::File(it) => drop(places.insert(it.path.display().to_string())),
            Action::Link(it) => drop(places.insert(it.path.display().to_string())),
            Action::Artifact(it) => {
                places.extend(it.members.iter().map(|(_, path)| path.display().to_string()));
            }
            _ => {}
        }
    }
    places
}

#[test]
fn files_lie_where_they_did_or_there_is_a_reason() {
    let mut used = BTreeSet::new();
    let vectors = vectors();
    for (name, run) in runs(&vectors) {
        let ours = places(&planned(&configured(name, run).0));
        for kind in ["files", "links"] {
            for theirs in run["after"][kind].as_array().into_iter().flatten() {
                let path = theirs["path"].as_str().unwrap();
                let row = OTHERWISE
                    .iter()
                    .find(|(row, ..)| path == *row || row.ends_with('/') && path.starts_with(row));
                let Some((row, place, reason)) = row else {
                    assert!(ours.contains(path), "{name}: {path} is nowhere");
                    continue;
                };
                used.insert(*row);
                assert!(!ours.contains(path), "{name}: {path} is where it was: {reason}");
                assert!(place.is_none_or(|place| ours.contains(place)), "{name}: {place:?} is nowhere");
            }
        }
    }
    let unused: Vec<&str> =
        OTHERWISE.iter().map(|(row, ..)| *row).filter(|row| !used.contains(row)).collect();
    assert_eq!(unused, Vec::<&str>::new(), "these rows are of no use");
}

#[test]
fn kubelet_is_told_the_same_or_there_is_a_reason() {
    let table = BTreeMap::from(FLAGS.map(|(name, flag)| (name, flag)));
    let vectors = vectors();
    for (name, run) in runs(&vectors) {
        let (config, refused) = configured(name, run);
        let plan = planned(&config);
        let settings = settings(&plan);
        let drop_ins = "/etc/systemd/system/kubelet.service.d";
        let texts = [
            file(&plan, "/etc/systemd/system/kubelet.service"),
            file(&plan, "/etc/default/kubelet"),
            file(&plan, &format!("{drop_ins}/10-containerd-base-flag.conf")),
            file(&plan, &format!("{drop_ins}/10-tlsbootstrap.conf")),
        ];
        for (flag, value) in run["kubelet_flags"].as_object().unwrap() {
            let told = match table.get(flag.as_str()) {
                None => panic!("{name}: nothing is known of {flag}"),
                Some(Told::Usual | Told::Labels) => continue,
                Some(Told::Otherwise(reason)) => {
                    assert!(!texts.iter().any(|text| text.contains(flag)), "{name}: {flag}, though {reason}");
                    continue;
                }
                Some(Told::Alike) => {
                    let value = value.as_str().unwrap();
                    let is_told = |text: &String| {
                        text.contains(&format!("{flag}={value}")) || text.contains(&format!("{flag} {value}"))
                    };
                    assert!(texts.iter().any(is_told), "{name}: {flag}={value} in {texts:?}");
                    continue;
                }
                Some(Told::Setting(_)) if refused && flag == "--eviction-hard" => continue,
                Some(Told::Setting(pointer)) => settings.pointer(pointer).cloned().unwrap_or(json!({})),
            };
            assert_eq!(as_flag(&told), expected(value), "{name}: {flag}");
        }
        let labels = texts[1].lines().find_map(|line| line.strip_prefix("KUBELET_NODE_LABELS=")).unwrap();
        let mut labels: BTreeMap<&str, &str> =
            labels.split(',').map(|it| it.split_once('=').unwrap()).collect();
        assert_eq!(labels.remove("kubernetes.azure.com/managed"), Some("false"), "{name}");
        let theirs = run["kubelet_flags"]["--node-labels"].as_object().unwrap();
        assert_eq!(json!(labels), json!(theirs), "{name}");
    }
}

/// A value of kubelet's configuration as a flag has it.
fn as_flag(value: &Value) -> Value {
    match value {
        Value::Bool(_) | Value::Number(_) => json!(value.to_string()),
        Value::Array(items) => {
            json!(items.iter().map(|it| it.as_str().unwrap()).collect::<Vec<_>>().join(","))
        }
        other => other.clone(),
    }
}

/// A flag of theirs without what is left out on purpose.
fn expected(value: &Value) -> Value {
    let Some(text) = value.as_str() else { return value.clone() };
    let kept = text.split(',').filter(|part| !part.starts_with(WITHOUT_SECRECY));
    json!(kept.collect::<Vec<_>>().join(",").trim_end_matches('/'))
}

#[test]
fn kubelet_finds_the_same_cluster_and_shows_no_secret() {
    let vectors = vectors();
    for (name, run) in runs(&vectors) {
        let plan = planned(&configured(name, run).0);
        let ours = file(&plan, "/var/lib/kubelet/kubeconfig");
        let theirs = run["after"]["files"].as_array().unwrap().iter();
        let theirs = theirs.clone().find(|it| it["kind"] == "kubeconfig").unwrap();
        let cluster = &theirs["yaml"]["clusters"][0]["cluster"];
        assert!(!ours.contains("insecure-skip-tls-verify"), "{name}: {ours}");
        assert!(ours.contains("/etc/kubernetes/certs/ca.crt"), "{name}: {ours}");
        assert_eq!(file(&plan, "/etc/kubernetes/certs/ca.crt"), AUTHORITY, "{name}");
        if cluster.get("certificate-authority-data").is_some() {
            assert!(ours.contains(cluster["server"].as_str().unwrap()), "{name}: {ours}");
        }
        // A program answers in both; theirs is a script with the secret in it.
        assert!(theirs["yaml"]["users"][0]["user"]["exec"]["command"].is_string(), "{name}");
        assert!(ours.contains("exec:") && !ours.contains("s3cr3t"), "{name}: {ours}");
    }
}
