//! What differs from the peer on purpose, on recorded requests; and what holds for every size.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod vectors;

use proptest::prelude::*;
use serde_json::{Value, json};
use slipway_launch::computed::{COMPAT_SYSCTLS, KubeletSettings};
use slipway_launch::request::{NodeClass, Options};
use slipway_launch::sizes::{EVICTION_MEMORY, Quantity, kube_reserved, schedulable_memory};
use slipway_launch::variables::{Variable, Variables, variables};
use slipway_launch::{
    Bootstrapper as _, Fidelity, Refusal, Request, Resolved, Source, VariablesScript, resolve,
};

fn inputs() -> Vec<Value> {
    vectors::of_kind("bootstrap", "launch-template").into_iter().map(|case| case["input"].clone()).collect()
}

fn input(name: &str) -> Value {
    let cases = vectors::of_kind("bootstrap", "launch-template");
    cases.into_iter().find(|case| case["name"] == name).unwrap()["input"].clone()
}

fn node(request: &Value) -> Resolved {
    let request = Request::parse(&request.to_string()).unwrap();
    resolve(&request, Fidelity::Ours).unwrap_or_else(|refusal| panic!("{refusal}"))
}

fn value(variables: &Variables<'_>, variable: Variable) -> String {
    variables.get(variable).value.text().into_owned()
}

fn ours(node: &Resolved) -> Variables<'_> {
    variables(&node.bootstrap, Fidelity::Ours).unwrap()
}

fn has_flag(variables: &Variables<'_>, flag: &str) -> bool {
    value(variables, Variable::KubeletFlags).split(' ').any(|found| found == flag)
}

fn label(variables: &Variables<'_>, key: &str) -> Option<String> {
    let labels = value(variables, Variable::KubeletNodeLabels);
    let found = labels.split(',').find_map(|label| label.strip_prefix(key)?.strip_prefix('='));
    found.map(str::to_owned)
}

#[test]
fn every_sound_recorded_request_resolves_and_keeps_the_disk_thresholds() {
    let mut resolved = 0;
    for input in inputs() {
        let request = Request::parse(&input.to_string()).unwrap();
        let node = match resolve(&request, Fidelity::Ours) {
            Ok(node) => node,
            Err(Refusal::NotOffered(_)) => continue,
            // The recordings hold a label that no node can have.
            Err(Refusal::Request(problems)) => {
                assert!(input.to_string().contains("$(id)"), "{problems}");
                continue;
            }
            Err(refusal) => panic!("{refusal}"),
        };
        let variables = ours(&node);
        assert!(has_flag(
            &variables,
            "--eviction-hard=memory.available<750Mi,nodefs.available<10%,nodefs.inodesFree<5%"
        ));
        assert!(VariablesScript::default().payload(&node).is_ok());
        resolved += 1;
    }
    assert!(resolved > 10);
}

#[test]
fn the_administrator_and_the_cloud_are_those_of_the_request() {
    let mut request = input("lt-000");
    request["options"]["linuxAdminUsername"] = json!("harbour");
    request["environment"]["cloud"] = json!("AzureUSGovernmentCloud");
    let node = node(&request);
    let variables = ours(&node);
    assert_eq!(value(&variables, Variable::AdminUsername), "harbour");
    assert_eq!(variables.get(Variable::AdminUsername).overridden[0].value, "azureuser");
    assert_eq!(value(&variables, Variable::TargetCloud), "AzureUSGovernmentCloud");
    assert_eq!(variables.get(Variable::TargetEnvironment).source, Source::Environment);
}

#[test]
fn a_region_leads_to_its_cloud_and_registry() {
    let mut request = input("lt-000");
    request["environment"]["location"] = json!("chinaeast2");
    let node = node(&request);
    let variables = ours(&node);
    assert_eq!(value(&variables, Variable::TargetCloud), "AzureChinaCloud");
    let lines = variables.assignments();
    assert!(lines.iter().any(|line| line.name == "MCR_REPOSITORY_BASE" && line.value == "mcr.azk8s.cn"));
}

#[test]
fn spot_nodes_say_so_from_the_start() {
    let mut request = input("lt-000");
    for (capacity, priority) in [("spot", "spot"), ("on-demand", "regular")] {
        request["launch"]["capacityType"] = json!(capacity);
        let node = node(&request);
        let variables = ours(&node);
        for key in ["kubernetes.azure.com/scalesetpriority", "kubernetes.azure.com/priority"] {
            assert_eq!(label(&variables, key).as_deref(), Some(priority));
        }
    }
}

#[test]
fn labels_do_not_claim_what_the_payload_does_not_run() {
    let mut request = input("lt-003");
    request["nodeClass"]["localDNSState"] = json!("Enabled");
    request["nodeClass"]["spec"]["artifactStreaming"] = json!({"enabled": true});
    let node = node(&request);
    let variables = ours(&node);
    assert_eq!(label(&variables, "kubernetes.azure.com/localdns-state").as_deref(), Some("disabled"));
    assert_eq!(label(&variables, "kubernetes.azure.com/artifactstreaming-enabled"), None);
    assert_eq!(node.bootstrap.labels.get("kubernetes.azure.com/localdns-state"), Some("enabled"));
    let payload = VariablesScript::default().payload(&node).unwrap();
    let paths: Vec<_> = payload.findings.iter().map(|finding| finding.path.as_str()).collect();
    assert_eq!(paths, ["nodeClass.spec.localDNS", "nodeClass.spec.artifactStreaming"]);
}

#[test]
fn labels_and_taints_that_do_not_reach_the_node_are_reported() {
    let node = node(&input("lt-000"));
    let paths: Vec<_> = node.findings.iter().map(|finding| finding.path.as_str()).collect();
    assert_eq!(
        paths,
        ["nodeClaim.labels[\"node-restriction.kubernetes.io/tier\"]", "nodeClaim.taints[\"odd\"]"]
    );
    assert!(has_flag(&ours(&node), "--register-with-taints=karpenter.sh/unregistered:NoExecute"));
}

#[test]
fn settings_of_the_operating_system_and_of_swap_reach_the_node() {
    let mut request = input("lt-000");
    request["nodeClass"]["spec"]["kubelet"]["failSwapOn"] = json!(false);
    request["nodeClass"]["spec"]["kubelet"]["cpuCFSQuotaPeriod"] = json!("200ms");
    request["nodeClass"]["spec"]["linuxOSConfig"] = json!({
        "swapFileSize": "1500Mi",
        "sysctls": {"vmSwappiness": 8},
        "transparentHugePageEnabled": "madvise",
        "transparentHugePageDefrag": "defer+madvise",
    });
    let node = node(&request);
    let variables = ours(&node);
    for (variable, expected) in [
        (Variable::ShouldConfigSwapFile, "true"),
        (Variable::SwapFileSizeMB, "1500"),
        (Variable::ShouldConfigTransparentHugePage, "true"),
        (Variable::THPEnabled, "madvise"),
        (Variable::THPDefrag, "defer+madvise"),
    ] {
        assert_eq!(value(&variables, variable), expected);
        assert_eq!(variables.get(variable).source, Source::NodeClass);
    }
    for flag in [
        "--fail-swap-on=false",
        "--cpu-cfs-quota-period=200ms",
        "--feature-gates=CustomCPUCFSQuotaPeriod=true",
    ] {
        assert!(has_flag(&variables, flag), "{flag}");
    }
    assert_eq!(variables.get(Variable::SysctlContent).source, Source::NodeClass);
    assert_ne!(COMPAT_SYSCTLS, "");
    request["nodeClass"]["spec"]["kubelet"]["failSwapOn"] = json!(true);
    let request = Request::parse(&request.to_string()).unwrap();
    assert!(resolve(&request, Fidelity::Ours).unwrap_err().to_string().contains("swapFileSize"));
}

#[test]
fn a_proxy_and_certificates_reach_the_node() {
    let mut request = input("lt-000");
    request["options"]["httpProxy"] = json!({"httpProxy": "http://p:3128", "httpsProxy": "http://p:3129", "noProxy": ["a", "10.0.0.0/8"], "trustedCA": "YQ=="});
    request["options"]["customCACertificates"] = json!(["Yg==", "Yw=="]);
    let node = node(&request);
    let variables = ours(&node);
    for (variable, expected) in [
        (Variable::ShouldConfigureHTTPProxy, "true"),
        (Variable::HTTPProxyURLs, "http://p:3128"),
        (Variable::HTTPSProxyURLs, "http://p:3129"),
        (Variable::NoProxyURLs, "a,10.0.0.0/8"),
        (Variable::ShouldConfigureHTTPProxyCA, "true"),
        (Variable::HTTPProxyTrustedCA, "YQ=="),
        (Variable::ShouldConfigureCustomCATrust, "true"),
        (Variable::CustomCATrustConfigCerts, "2"),
    ] {
        assert_eq!(value(&variables, variable), expected);
        assert_eq!(variables.get(variable).source, Source::GlobalOptions);
    }
}

#[test]
fn nodes_with_switched_gpus_start_the_fabric_manager() {
    let mut request = input("lt-004");
    request["sku"]["name"] = json!("Standard_ND96isr_H100_v5");
    request["sku"]["size"] = json!("ND96isr_H100_v5");
    let node = node(&request);
    assert_eq!(value(&ours(&node), Variable::GPUNeedsFabricManager), "true");
}

#[test]
fn odd_versions_and_missing_images_are_errors() {
    for version in ["v1.33.0", "1.33", "latest", "", "2.1.0"] {
        let mut request = input("lt-000");
        request["nodeClass"]["kubernetesVersion"] = json!(version);
        let request = Request::parse(&request.to_string()).unwrap();
        assert!(
            resolve(&request, Fidelity::Ours).unwrap_err().to_string().contains("kubernetesVersion"),
            "{version}"
        );
    }
    let mut request = input("lt-000");
    request["nodeClass"]["latestImageVersion"] = json!("");
    let request = Request::parse(&request.to_string()).unwrap();
    assert!(resolve(&request, Fidelity::Ours).unwrap_err().to_string().contains("latestImageVersion"));
}

#[test]
fn the_same_request_gives_the_same_payload() {
    let request = input("lt-000");
    let payload = || VariablesScript::default().payload(&node(&request)).unwrap();
    assert_eq!(payload(), payload());
}

proptest! {
    #[test]
    fn what_is_kept_for_the_node_never_exceeds_what_it_has(cpus in 2_i64..2048, gib in 3.5_f64..32_768.0, overhead in 0.0_f64..0.25) {
        let kept = kube_reserved(cpus, gib);
        let (Quantity::Milli(cpu), Quantity::Bytes(memory)) = (kept.cpu, kept.memory) else { panic!("{kept:?}") };
        prop_assert!(cpu > 0 && cpu < cpus * 1000);
        let capacity = schedulable_memory(gib, overhead).value();
        prop_assert!(memory > 0 && memory + EVICTION_MEMORY.value() < capacity, "{memory} of {capacity}");
    }

    #[test]
    fn flags_and_amounts_are_sorted_and_settings_repeatable(pods in 10_i32..250) {
        let node_class: NodeClass = serde_json::from_value(json!({"spec": {"maxPods": pods}})).unwrap();
        let settings = || KubeletSettings::prepare(&Options::default(), &node_class, kube_reserved(8, 32.0), Fidelity::Ours);
        prop_assert_eq!(settings(), settings());
        prop_assert_eq!(settings().max_pods.overridden[0].value, 250);
    }
}
