//! The contract form: the same node as the script form, for every recorded request.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod vectors;

use std::collections::{BTreeMap, BTreeSet};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use slipway_contract::codec::{Options, encode};
use slipway_contract::custom_data::{self, What};
use slipway_contract::{Contract, Severity};
use slipway_launch::variables::variables;
use slipway_launch::{
    Bootstrapper as _, ContractForm, Fidelity, NoPayload, Payload, Refusal, Request, Resolved,
    VariablesScript, contract, resolve,
};
use slipway_model::{Facts, Mode};

/// Variables that differ though the nodes do not.
const EXCEPTIONS: [(&str, &str); 14] = [
    ("CSE_TIMEOUT", "900 seconds; the contract's variable has no unit"),
    ("DHCPV6_SERVICE_FILEPATH", "read only with dual stack, which neither asks for"),
    ("DHCPV6_CONFIG_FILEPATH", "read only with dual stack, which neither asks for"),
    ("GPU_DRIVER_TYPE", "read only on nodes with a GPU; there it is compared"),
    ("GPU_DRIVER_VERSION", "comes from the manifest of the image, which is not known here"),
    ("GPU_IMAGE_SHA", "comes from the manifest of the image, which is not known here"),
    ("GPU_NEEDS_FABRIC_MANAGER", "read only on nodes with a GPU; there it is compared"),
    ("LOAD_BALANCER_SKU", "the same word in lower case, which the cloud provider takes too"),
    ("NETWORK_POLICY", "the contract has no word for engines that need nothing of the node"),
    ("KUBELET_NODE_LABELS", "the contract runs the local resolver and artifact streaming, and says so"),
    ("KUBELET_CONFIG_FILE_CONTENT", "an empty configuration, which is off in both"),
    ("SYSCTL_CONTENT", "the same settings; the peer has comments and another order"),
    ("KUBELET_FLAGS", "the scripts leave out a flag that 1.34 retired; otherwise compared"),
    ("CONTAINERD_CONFIG_CONTENT", "another file for another containerd; what both say is compared"),
];

fn inputs() -> Vec<(String, Value)> {
    vectors::named("bootstrap", "launch-template").map(|(name, case)| (name, case["input"].clone())).collect()
}

fn input(name: &str) -> Value {
    inputs().into_iter().find(|(known, _)| known == name).unwrap().1
}

fn node(input: &Value, fidelity: Fidelity) -> Option<Resolved> {
    let request = Request::parse(&input.to_string()).unwrap();
    match resolve(&request, fidelity) {
        Ok(node) => Some(node),
        Err(Refusal::NotOffered(_) | Refusal::Request(_)) => None,
        Err(refusal) => panic!("{refusal}"),
    }
}

fn script_variables(node: &Resolved, fidelity: Fidelity) -> BTreeMap<String, String> {
    let variables = variables(&node.bootstrap, fidelity).unwrap();
    let lines = variables.assignments().into_iter();
    lines.map(|line| (line.name.into_owned(), line.value.into_owned())).collect()
}

fn contract_variables(contract: &Contract) -> BTreeMap<String, String> {
    let facts = Facts::default();
    let variables = slipway_scripts::variables(contract, &facts, Mode::Ours).unwrap();
    variables.iter().map(|value| (value.name().to_owned(), value.reveal().to_owned())).collect()
}

#[test]
fn both_forms_lead_to_the_same_script_variables() {
    let (mut nodes, mut differ) = (0, BTreeMap::new());
    for (name, input) in inputs() {
        for fidelity in [Fidelity::Ours, Fidelity::Compat] {
            let Some(node) = node(&input, fidelity) else { continue };
            // The peer does not hear what the class says of the operating system; the contract always does.
            if fidelity == Fidelity::Compat && node.wishes.linux_os {
                continue;
            }
            nodes += 1;
            let script = script_variables(&node, fidelity);
            let contract = contract_variables(&contract(&node, fidelity).unwrap());
            for (variable, value) in &script {
                let Some(other) = contract.get(variable) else { continue };
                if value == other || same(variable, value, other, &script, fidelity) {
                    continue;
                }
                differ
                    .entry(variable.clone())
                    .or_insert_with(|| format!("{name} {fidelity:?}: {value:?} {other:?}"));
            }
        }
    }
    assert!(nodes > 20, "{nodes}");
    assert_eq!(differ, BTreeMap::new());
}

/// Whether an exception is what its row says.
fn same(
    variable: &str,
    script: &str,
    contract: &str,
    all: &BTreeMap<String, String>,
    fidelity: Fidelity,
) -> bool {
    if !EXCEPTIONS.iter().any(|(known, _)| *known == variable) {
        return false;
    }
    let has_gpu = all["GPU_NODE"] == "true";
    match variable {
        "CSE_TIMEOUT" => (script, contract) == ("15m", "900"),
        "GPU_DRIVER_TYPE" => !has_gpu || script.starts_with(contract),
        "GPU_NEEDS_FABRIC_MANAGER" => !has_gpu || fidelity == Fidelity::Compat,
        "LOAD_BALANCER_SKU" => script.eq_ignore_ascii_case(contract),
        "NETWORK_POLICY" => contract.is_empty() && !matches!(script, "azure" | "calico"),
        "KUBELET_NODE_LABELS" => {
            let said =
                ["kubernetes.azure.com/localdns-state", "kubernetes.azure.com/artifactstreaming-enabled"];
            let others = |labels: &str| -> Vec<String> {
                let labels =
                    labels.split(',').filter(|label| !said.iter().any(|said| label.starts_with(said)));
                labels.map(str::to_owned).collect()
            };
            others(script) == others(contract)
        }
        "KUBELET_FLAGS" => {
            let kept =
                script.split(' ').filter(|flag| !flag.starts_with("--streaming-connection-idle-timeout="));
            kept.eq(contract.split(' '))
        }
        "KUBELET_CONFIG_FILE_CONTENT" => all["KUBELET_CONFIG_FILE_ENABLED"] == "false",
        "SYSCTL_CONTENT" => settings_of(script) == settings_of(contract),
        "CONTAINERD_CONFIG_CONTENT" => same_containerd(script, contract),
        _ => true,
    }
}

fn decoded(content: &str) -> String {
    String::from_utf8(STANDARD.decode(content).unwrap()).unwrap()
}

fn settings_of(content: &str) -> BTreeSet<String> {
    decoded(content).lines().filter(|line| !line.starts_with('#')).map(str::to_owned).collect()
}

/// Sandbox image and default runtime are what a node's containers depend on.
fn same_containerd(script: &str, contract: &str) -> bool {
    let settings = |content: &str| {
        let document: toml::Table = toml::from_str(&decoded(content)).unwrap();
        let cri = &document["plugins"]["io.containerd.grpc.v1.cri"];
        (cri["sandbox_image"].clone(), cri["containerd"]["default_runtime_name"].clone())
    };
    settings(script) == settings(contract)
}

#[test]
fn every_contract_is_valid_and_travels_whole() {
    for (name, input) in inputs() {
        let Some(node) = node(&input, Fidelity::Ours) else { continue };
        let contract = contract(&node, Fidelity::Ours).unwrap();
        let text = encode(&contract, Options::EMBEDDED);
        let errors: Vec<_> = slipway_contract::validate(text.as_bytes(), 0)
            .into_iter()
            .filter(|issue| issue.severity == Severity::Error)
            // The recordings' certificates are made up.
            .filter(|issue| issue.path != "kubernetes_ca_cert")
            .map(|issue| format!("{}: {}", issue.path, issue.message))
            .collect();
        assert_eq!(errors, Vec::<String>::new(), "{name}");
        let payload = ContractForm::default().payload(&node).unwrap();
        let contents = custom_data::read(payload.custom_data.expose().as_bytes()).unwrap();
        assert!(contents.contracts().any(|found| found.contract == contract), "{name}");
        assert!(payload.command.is_some());
    }
}

#[test]
fn what_the_script_form_has_no_variable_for_is_in_the_contract() {
    let mut request = input("lt-016");
    request["nodeClass"]["localDNSState"] = json!("Enabled");
    request["nodeClass"]["spec"]["localDNS"] = json!({
        "mode": "Required",
        "vnetDNSOverrides": [{"zone": "corp.example", "forwardDestination": "VnetDNS", "cacheDuration": "1m"}],
    });
    request["nodeClass"]["spec"]["artifactStreaming"] = json!({"enabled": true});
    request["nodeClass"]["spec"]["kubelet"] = json!({"failSwapOn": false, "cpuCFSQuotaPeriod": "50ms"});
    request["nodeClass"]["spec"]["linuxOSConfig"] = json!({
        "swapFileSize": "1500Mi", "transparentHugePageEnabled": "madvise", "sysctls": {"vmMaxMapCount": 99999},
    });
    request["options"]["httpProxy"] = json!({
        "httpProxy": "http://proxy.example:3128", "httpsProxy": "http://proxy.example:3128", "noProxy": ["localhost"],
        "trustedCA": STANDARD.encode("-----BEGIN CERTIFICATE-----\nYQ==\n-----END CERTIFICATE-----\n"),
    });
    request["options"]["customCACertificates"] =
        json!([STANDARD.encode("-----BEGIN CERTIFICATE-----\nYg==\n-----END CERTIFICATE-----\n")]);
    let node = node(&request, Fidelity::Ours).unwrap();
    let contract = contract(&node, Fidelity::Ours).unwrap();
    let dns = contract.local_dns_profile.as_ref().unwrap();
    assert!(dns.enable_local_dns);
    let zones: Vec<_> = dns.vnet_dns_overrides.keys().map(String::as_str).collect();
    assert_eq!(zones, [".", "cluster.local", "corp.example"]);
    assert_eq!(dns.vnet_dns_overrides["corp.example"].cache_duration_in_seconds, Some(60));
    assert!(contract.enable_artifact_streaming);
    let flags = &contract.kubelet_config.as_ref().unwrap().kubelet_flags;
    assert_eq!(flags["--fail-swap-on"], "false");
    assert_eq!(flags["--cpu-cfs-quota-period"], "50ms");
    let os = contract.custom_linux_os_config.as_ref().unwrap();
    assert!(os.enable_swap_config);
    assert_eq!((os.swap_file_size, os.transparent_hugepage_support.as_str()), (1500, "madvise"));
    assert_eq!(os.sysctl_config.as_ref().unwrap().vm_max_map_count, Some(99999));
    let variables = contract_variables(&contract);
    let script = script_variables(&node, Fidelity::Ours);
    for variable in [
        "SHOULD_CONFIGURE_HTTP_PROXY",
        "HTTP_PROXY_URLS",
        "HTTPS_PROXY_URLS",
        "NO_PROXY_URLS",
        "HTTP_PROXY_TRUSTED_CA",
        "SHOULD_CONFIGURE_HTTP_PROXY_CA",
        "SHOULD_CONFIGURE_CUSTOM_CA_TRUST",
        "CUSTOM_CA_TRUST_COUNT",
        "CUSTOM_CA_CERT_0",
        "SHOULD_CONFIG_SWAP_FILE",
        "SWAP_FILE_SIZE_MB",
        "SHOULD_CONFIG_TRANSPARENT_HUGE_PAGE",
        "THP_ENABLED",
    ] {
        assert_eq!(variables[variable], script[variable], "{variable}");
        assert!(!variables[variable].is_empty() && variables[variable] != "false", "{variable}");
    }
}

fn with_parts(parts: &Value) -> Resolved {
    let mut request = input("lt-008");
    request["options"]["customDataParts"] = parts.clone();
    node(&request, Fidelity::Ours).unwrap()
}

fn document(payload: &Payload) -> String {
    String::from_utf8(STANDARD.decode(payload.custom_data.expose()).unwrap()).unwrap()
}

#[test]
fn parts_of_the_user_come_after_ours_in_both_forms() {
    let node = with_parts(&json!([
        {"content": "#cloud-config\npackages: [jq]\n"},
        {"contentType": "text/x-shellscript", "content": "#!/bin/sh\necho grüß\n"},
    ]));
    let script = document(&VariablesScript::default().payload(&node).unwrap());
    let place =
        |text: &str, part: &str| text.find(part).unwrap_or_else(|| panic!("{part} is not in\n{text}"));
    assert!(place(&script, "provision_start.sh") < place(&script, "packages: [jq]"));
    assert!(script.starts_with("MIME-Version: 1.0\nContent-Type: multipart/mixed;"));
    assert!(script.contains("Content-Transfer-Encoding: base64"));
    let contract = ContractForm::default().payload(&node).unwrap();
    let text = document(&contract);
    assert!(place(&text, "text/cloud-boothook") < place(&text, "packages: [jq]"));
    let contents = custom_data::read(contract.custom_data.expose().as_bytes()).unwrap();
    assert_eq!(contents.contracts().count(), 1);
    assert!(contents.findings.iter().any(|finding| matches!(finding.what, What::Start(_))));
}

#[test]
fn a_part_that_cloud_init_would_not_know_is_refused() {
    for part in
        [json!({"content": "hello"}), json!({"contentType": "text/x\nEvil: 1", "content": "#!/bin/sh"})]
    {
        let refused = VariablesScript::default().payload(&with_parts(&json!([part]))).unwrap_err();
        assert!(matches!(refused, NoPayload::Part(_)), "{refused}");
        assert!(refused.to_string().starts_with("options.customDataParts[0]: "), "{refused}");
    }
}

#[test]
fn parts_that_are_long_are_compressed_with_ours() {
    let node = with_parts(&json!([{"content": format!("#!/bin/sh\n{}", "true\n".repeat(20_000))}]));
    for payload in [VariablesScript::default().payload(&node), ContractForm::default().payload(&node)] {
        let payload = payload.unwrap();
        assert!(payload.custom_data.expose().len() < custom_data::LIMIT);
        assert!(STANDARD.decode(payload.custom_data.expose()).unwrap().starts_with(&[0x1f, 0x8b]));
    }
}
