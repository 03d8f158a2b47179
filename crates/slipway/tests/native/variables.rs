//! What is inside the files of a tree against what the scripts are told for the same contract.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use slipway_contract::Contract;
use slipway_contract::codec::{Policy, decode};
use slipway_model::Facts;
use slipway_scripts::{Mode, Variables, variables};

use crate::azure_keys::AZURE;
use crate::case::{Case, cases};
use crate::meaning::{corefile_words, meaning, text};
use crate::root::Root;

/// The keys of azure.json that no variable fills.
const FIXED: [(&str, &str); 3] =
    [("providerVaultName", ""), ("providerKeyName", "k8s"), ("providerKeyVersion", "")];

/// Labels that scripts add on the node (4.4), by the case that asks for them.
const ADDED_LABELS: [(&str, &str); 2] = [
    ("secure-tls-bootstrap", "kubernetes.azure.com/kubelet-serving-ca=cluster"),
    ("localdns", "kubernetes.azure.com/localdns-exporter=enabled"),
];
/// The label that scripts take away where the machine's owner opted out (4.8).
const REMOVED_LABEL: (&str, &str) = ("rotation-opted-out", "kubernetes.azure.com/kubelet-serving-ca=cluster");

/// A case that was provisioned, with what scripts are told about it.
struct Provisioned<'c> {
    case: &'c Case,
    root: Root,
    told: Variables<'c>,
}

impl Provisioned<'_> {
    fn told(&self, name: &str) -> &str {
        self.told.get(name).unwrap_or_else(|| panic!("no variable {name}")).reveal()
    }

    fn told_text(&self, name: &str) -> String {
        text(self.told(name)).unwrap_or_else(|| panic!("{name} is no base64"))
    }

    fn file(&self, path: &str) -> String {
        self.root.read(path).unwrap_or_else(|| panic!("{}: no {path}", self.case.name))
    }

    /// What a file of assignments says about a name.
    fn setting(&self, path: &str, name: &str) -> String {
        let text = self.file(path);
        let value = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix('='));
        value.unwrap_or_else(|| panic!("{}: no {name} in {path}", self.case.name)).to_owned()
    }

    fn is(&self, case: &str) -> bool {
        self.case.name == case
    }
}

#[test]
fn files_mean_what_the_scripts_are_told() {
    for case in cases() {
        let contract: Contract = decode(case.contract.to_string().as_bytes(), Policy::Careful).message;
        let facts = Facts::parse(&case.facts.to_string()).unwrap();
        let told = variables(&contract, &facts, Mode::Ours).unwrap();
        let root = Root::imaged(&case);
        root.provision();
        let provisioned = Provisioned { case: &case, root, told };
        for compare in [flags, labels, settings, cloud, runtime, kernel, credentials, local_dns, trust] {
            compare(&provisioned);
        }
    }
}

fn set(text: &str, separator: char) -> BTreeSet<String> {
    text.split(separator).filter(|word| !word.is_empty()).map(str::to_owned).collect()
}

/// 4.2: on the node the address is added, for kubelets that need it; a flag that no kubelet takes is not passed on.
fn flags(node: &Provisioned<'_>) {
    let ours = set(&node.setting("/etc/default/kubelet", "KUBELET_FLAGS"), ' ');
    let mut told = set(node.told("KUBELET_FLAGS"), ' ');
    let address = if node.is("azure-cni") { "10.224.0.4,fd00::4" } else { "10.224.0.4" };
    if node.is("kubenet") {
        assert!(told.remove("--non-masquerade-cidr=0.0.0.0/0"));
    } else {
        told.insert(format!("--node-ip={address}"));
    }
    assert_eq!(ours, told, "{}", node.case.name);
    assert_eq!(node.setting("/etc/default/kubelet", "NETWORK_POLICY"), node.told("NETWORK_POLICY"));
}

fn labels(node: &Provisioned<'_>) {
    let ours = set(&node.setting("/etc/default/kubelet", "KUBELET_NODE_LABELS"), ',');
    let mut told = set(node.told("KUBELET_NODE_LABELS"), ',');
    for (case, label) in ADDED_LABELS {
        if node.is(case) {
            told.insert(label.to_owned());
        }
    }
    let (case, label) = REMOVED_LABEL;
    if node.is(case) {
        assert!(told.remove(label));
    }
    assert_eq!(ours, told, "{}", node.case.name);
}

/// 4.3, with the edits of 4.8.
fn settings(node: &Provisioned<'_>) {
    let ours = node.root.read("/etc/default/kubeletconfig.json");
    assert_eq!(ours.is_some(), node.told("KUBELET_CONFIG_FILE_ENABLED") == "true", "{}", node.case.name);
    let Some(ours) = ours else { return };
    let mut told: Value = serde_json::from_str(&node.told_text("KUBELET_CONFIG_FILE_CONTENT")).unwrap();
    let members = told.as_object_mut().unwrap();
    if node.is("rotation-opted-out") {
        members["serverTLSBootstrap"] = json!(false);
    } else if node.told("ENABLE_KUBELET_SERVING_CERTIFICATE_ROTATION") == "true" {
        members.retain(|name, _| !["tlsCertFile", "tlsPrivateKeyFile"].contains(&name.as_str()));
    }
    assert_eq!(serde_json::from_str::<Value>(&ours).unwrap(), told, "{}", node.case.name);
}

/// 4.7: every key and no other.
fn cloud(node: &Provisioned<'_>) {
    let ours: Value = serde_json::from_str(&node.file("/etc/kubernetes/azure.json")).unwrap();
    let mut ours = ours.as_object().unwrap().clone();
    let second_mode = node.told("CLOUDPROVIDER_BACKOFF_MODE") == "v2";
    let snat = ("disableOutboundSNAT", "LOAD_BALANCER_DISABLE_OUTBOUND_SNAT");
    for (key, variable) in AZURE.into_iter().chain([snat]) {
        let Some(value) = ours.remove(key) else {
            assert!(second_mode && ["Exponent", "Jitter"].iter().any(|end| key.ends_with(end)), "{key}");
            continue;
        };
        let told = node.told(variable);
        let told = if value.is_string() { json!(told) } else { serde_json::from_str(told).unwrap() };
        assert_eq!(number(value), number(told), "{} {key}", node.case.name);
    }
    let secret = ours.remove("aadClientSecret").unwrap();
    assert!(secret == node.told_text("SERVICE_PRINCIPAL_FILE_CONTENT"), "{}", node.case.name);
    for (key, value) in FIXED {
        assert_eq!(ours.remove(key), Some(json!(value)), "{key}");
    }
    assert!(ours.is_empty(), "{ours:?}");
    let custom = node.root.read("/etc/kubernetes/akscustom.json");
    assert_eq!(custom.is_some(), node.told("IS_CUSTOM_CLOUD") == "true");
    if let Some(custom) = custom {
        assert_eq!(custom, node.told_text("CUSTOM_ENV_JSON"));
        assert_eq!(
            node.setting("/etc/default/kubelet", "AZURE_ENVIRONMENT_FILEPATH"),
            node.told("AZURE_ENVIRONMENT_FILEPATH")
        );
    }
}

/// A number by its value: 10 is 10.0.
fn number(value: Value) -> Value {
    value.as_f64().map_or(value, Into::into)
}

/// 5.1 and 5.2.
fn runtime(node: &Provisioned<'_>) {
    let config: toml::Table = node.file("/etc/containerd/config.toml").parse().unwrap();
    let variable = if node.is("gpu-without-driver") {
        "CONTAINERD_CONFIG_NO_GPU_CONTENT"
    } else {
        "CONTAINERD_CONFIG_CONTENT"
    };
    assert_eq!(json!({ "toml": config }), meaning(variable, node.told(variable)), "{}", node.case.name);
    let template = node.root.read("/etc/containerd/kubenet_template.conf");
    assert_eq!(
        template.is_some(),
        node.told("ENSURE_NO_DUPE_PROMISCUOUS_BRIDGE") == "true",
        "{}",
        node.case.name
    );
    if let Some(template) = template {
        let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
        assert_eq!(words(&template), words(&node.told_text("KUBENET_TEMPLATE")));
    }
    let limits = node.root.read("/etc/systemd/system/containerd.service.d/set_ulimits.conf");
    assert_eq!(
        limits.is_some(),
        node.told("SHOULD_CONFIG_CONTAINERD_ULIMITS") == "true",
        "{}",
        node.case.name
    );
    if let Some(limits) = limits {
        let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
        assert_eq!(words(&limits), words(node.told("CONTAINERD_ULIMITS")));
    }
}

fn kernel(node: &Provisioned<'_>) {
    let assignments = |text: &str| -> BTreeSet<(String, String)> {
        let pairs = text.lines().filter_map(|line| line.split_once('='));
        pairs.map(|(name, value)| (name.trim().to_owned(), value.trim().to_owned())).collect()
    };
    assert_eq!(
        assignments(&node.file("/etc/sysctl.d/999-sysctl-aks.conf")),
        assignments(&node.told_text("SYSCTL_CONTENT")),
        "{}",
        node.case.name
    );
    if node.told("SHOULD_CONFIG_TRANSPARENT_HUGE_PAGE") == "true" {
        for (name, variable) in [("enabled", "THP_ENABLED"), ("defrag", "THP_DEFRAG")] {
            let key = format!("kernel/mm/transparent_hugepage/{name}");
            assert_eq!(node.setting("/etc/sysfs.conf", &key), node.told(variable));
        }
    }
    if node.told("SHOULD_CONFIG_SWAP_FILE") == "true" {
        let size = format!("{}000KiB", node.told("SWAP_FILE_SIZE_MB"));
        assert!(node.file("/etc/systemd/system/slipway-swapfile.service").contains(&size));
    }
}

/// 4.5.
fn credentials(node: &Provisioned<'_>) {
    assert_eq!(node.file("/etc/kubernetes/certs/ca.crt"), node.told_text("KUBE_CA_CRT"));
    let token = node.told("TLS_BOOTSTRAP_TOKEN");
    let kubeconfig = if token.is_empty() {
        assert_eq!(
            node.file("/etc/kubernetes/certs/client.crt"),
            node.told_text("KUBELET_CLIENT_CERT_CONTENT")
        );
        assert!(node.file("/etc/kubernetes/certs/client.key") == node.told_text("KUBELET_CLIENT_CONTENT"));
        assert_eq!(node.file("/etc/kubernetes/certs/apiserver.crt"), node.told_text("APISERVER_PUBLIC_KEY"));
        node.file("/var/lib/kubelet/kubeconfig")
    } else {
        node.file("/var/lib/kubelet/bootstrap-kubeconfig")
    };
    let says = |key: &str, value: &str| {
        kubeconfig
            .lines()
            .filter_map(|line| line.trim().trim_start_matches("- ").split_once(": "))
            .any(|(name, found)| name == key && found.trim_matches('"') == value)
    };
    let server = format!("https://{}:443", node.told("API_SERVER_NAME"));
    assert!(says("server", &server), "{}", node.case.name);
    assert!(token.is_empty() || says("token", token), "{}", node.case.name);
    if node.told("ENABLE_SECURE_TLS_BOOTSTRAPPING") == "true" {
        let flags = set(&node.setting("/etc/default/secure-tls-bootstrap", "BOOTSTRAP_FLAGS"), ' ');
        for (flag, variable) in [
            ("--aad-resource", "SECURE_TLS_BOOTSTRAPPING_AAD_RESOURCE"),
            ("--apiserver-fqdn", "API_SERVER_NAME"),
            ("--user-assigned-identity-id", "SECURE_TLS_BOOTSTRAPPING_USER_ASSIGNED_IDENTITY_ID"),
            ("--get-access-token-timeout", "SECURE_TLS_BOOTSTRAPPING_GET_ACCESS_TOKEN_TIMEOUT"),
            ("--get-nonce-timeout", "SECURE_TLS_BOOTSTRAPPING_GET_NONCE_TIMEOUT"),
        ] {
            assert!(flags.contains(&format!("{flag}={}", node.told(variable))), "{flag}: {flags:?}");
        }
    }
}

const ENVIRONMENT: &str = "/etc/localdns/environment";
const SLICE: &str = "/etc/systemd/system/localdns.slice";

/// 1.6: what the server reads, and what its unit may choose from.
fn local_dns(node: &Provisioned<'_>) {
    let corefile = node.root.read("/opt/azure/containers/localdns/localdns.corefile");
    assert_eq!(corefile.is_some(), node.told("SHOULD_ENABLE_LOCALDNS") == "true", "{}", node.case.name);
    let Some(corefile) = corefile else { return };
    let words = |text: &str| corefile_words(text).expect("a Corefile");
    assert_eq!(words(&corefile), words(&node.told_text("LOCALDNS_COREFILE_BASE")));
    for variable in ["LOCALDNS_COREFILE_BASE", "LOCALDNS_COREFILE_WITH_HOSTS"] {
        let ours = text(&node.setting(ENVIRONMENT, variable)).unwrap();
        assert_eq!(words(&ours), words(&node.told_text(variable)), "{variable}");
    }
    for variable in ["SHOULD_ENABLE_HOSTS_PLUGIN", "LOCALDNS_CRITICAL_FQDNS"] {
        assert_eq!(node.setting(ENVIRONMENT, variable), node.told(variable));
    }
    assert_eq!(node.setting(SLICE, "CPUQuota"), node.told("LOCALDNS_CPU_LIMIT"));
    assert_eq!(node.setting(SLICE, "MemoryMax"), node.told("LOCALDNS_MEMORY_LIMIT"));
}

/// B9 and B10.
fn trust(node: &Provisioned<'_>) {
    let count: usize = node.told("CUSTOM_CA_TRUST_COUNT").parse().unwrap();
    for at in 0..count {
        let ours = node.file(&format!("/opt/certs/00000000000000cert{at}.crt"));
        assert_eq!(ours, node.told_text(&format!("CUSTOM_CA_CERT_{at}")));
    }
    if node.told("SHOULD_CONFIGURE_HTTP_PROXY_CA") == "true" {
        let places = ["/usr/local/share/ca-certificates", "/usr/share/pki/ca-trust-source/anchors"];
        let ours = places.iter().find_map(|place| node.root.read(&format!("{place}/proxyCA.crt")));
        assert_eq!(ours, Some(node.told_text("HTTP_PROXY_TRUSTED_CA")));
    }
    if node.told("SHOULD_CONFIGURE_HTTP_PROXY") == "true" {
        let https = node.setting("/etc/slipway/proxy.env", "HTTPS_PROXY");
        assert!(https.trim_matches('"') == node.told("HTTPS_PROXY_URLS"), "{}", node.case.name);
    }
}
