//! Kubelet's own loader and validation judge the kubelet configuration.

use serde_json::{Value, json};
use slipway_contract::Contract;
use slipway_scripts::Mode;

use super::contracts::{Family, contract, named, text};
use super::programs::{KUBELET_CONFIG, file};

/// What kubelet makes of a configuration; errors are empty where there are none.
#[derive(Debug)]
struct Verdict {
    /// Of the strict reader, which kubelet only logs.
    strict: String,
    /// Of the reader whose result kubelet uses.
    load: String,
    gates: String,
    validation: String,
    /// The configuration with its defaults.
    effective: Value,
}

fn judge(text: &str) -> Verdict {
    let output = KUBELET_CONFIG.command().arg(file("json", text)).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
    let error = |name: &str| answer[name].as_str().unwrap().to_owned();
    Verdict {
        strict: error("strict"),
        load: error("load"),
        gates: error("gates"),
        validation: error("validation"),
        effective: answer["effective"].clone(),
    }
}

fn kubelet_config(contract: &Contract, mode: Mode) -> String {
    text(contract, Family::V2, mode, "KUBELET_CONFIG_FILE_CONTENT").unwrap()
}

/// The recorded contract, without the feature gates that no kubelet has.
fn realistic(name: &str) -> Contract {
    let mut contract = named(name);
    let settings = contract.kubelet_config.as_mut().unwrap().kubelet_config_file_config.as_mut().unwrap();
    settings.feature_gates.retain(|name, _| name.len() > 1);
    contract
}

const RECORDED: [&str; 2] = ["041-kubelet-config-file", "042-kubelet-config-file-1-34"];

#[test]
fn kubelet_accepts_our_configuration_strictly() {
    for name in RECORDED {
        let verdict = judge(&kubelet_config(&realistic(name), Mode::Ours));
        assert_eq!([&*verdict.strict, &verdict.load, &verdict.gates, &verdict.validation], [""; 4], "{name}");
        let Verdict { effective, .. } = verdict;
        assert_eq!(effective["authentication"]["webhook"], json!({"enabled": true, "cacheTTL": "10s"}));
        assert_eq!(effective["authentication"]["anonymous"], json!({"enabled": false}));
        let webhook = json!({"cacheAuthorizedTTL": "5m0s", "cacheUnauthorizedTTL": "30s"});
        assert_eq!(effective["authorization"]["webhook"], webhook);
        assert_eq!(effective["eventRecordQPS"], json!(0));
        assert_eq!(effective["evictionHard"]["memory.available"], json!("750Mi"));
        assert_eq!(effective["cpuCFSQuotaPeriod"], json!("200ms"));
    }
}

#[test]
fn kubelet_passes_over_the_names_that_the_peer_gets_wrong_and_over_nothing_else() {
    for name in RECORDED {
        let verdict = judge(&kubelet_config(&realistic(name), Mode::Compat));
        assert_eq!([&*verdict.load, &verdict.gates, &verdict.validation], [""; 3], "{name}");
        let unknown = [
            "authentication.webhook.cacheTtl",
            "authorization.webhook.cacheAuthorizedTtl",
            "authorization.webhook.cacheUnauthorizedTtl",
        ];
        assert_eq!(verdict.strict.matches("unknown field").count(), unknown.len(), "{}", verdict.strict);
        for field in unknown {
            assert!(verdict.strict.contains(field), "{field}: {}", verdict.strict);
        }
        assert_eq!(verdict.effective["authentication"]["webhook"]["cacheTTL"], json!("2m0s"));
    }
}

#[test]
fn the_settings_that_the_recordings_leave_out_are_accepted_too() {
    let contract = contract(&json!({"version": "v1", "kubernetes_version": "1.34.1", "kubelet_config": {
        "enable_kubelet_config_file": true,
        "kubelet_config_file_config": {
            "kind": "KubeletConfiguration",
            "api_version": "kubelet.config.k8s.io/v1beta1",
            "authentication": {"webhook": {"enabled": false}},
            "authorization": {"mode": "AlwaysAllow"},
            "cgroups_per_qos": true,
            "enforce_node_allocatable": ["pods", "kube-reserved", "system-reserved"],
            "kube_reserved_cgroup": "/kubelet.slice",
            "system_reserved_cgroup": "/system.slice",
            "eviction_soft": {"memory.available": "1Gi"},
            "eviction_soft_grace_period": {"memory.available": "90s"},
            "eviction_max_pod_grace_period": 30,
            "image_gc_high_threshold_percent": 100,
            "image_gc_low_threshold_percent": 0,
            "pod_pids_limit": -1,
            "topology_manager_policy": "single-numa-node",
        },
    }}));
    let verdict = judge(&kubelet_config(&contract, Mode::Ours));
    assert_eq!([&*verdict.strict, &verdict.load, &verdict.gates, &verdict.validation], [""; 4]);
    assert_eq!(verdict.effective["authentication"]["webhook"]["enabled"], json!(false));
    assert_eq!(verdict.effective["evictionSoftGracePeriod"]["memory.available"], json!("90s"));
    assert_eq!(verdict.effective["podPidsLimit"], json!(-1));
}

#[test]
fn kubelet_refuses_unknown_feature_gates_and_values_out_of_range() {
    let verdict = judge(&kubelet_config(&named(RECORDED[1]), Mode::Ours));
    assert!(verdict.load.contains("unrecognized feature gate"), "{}", verdict.load);
    let kubelet = r#""kind": "KubeletConfiguration", "apiVersion": "kubelet.config.k8s.io/v1beta1""#;
    let verdict = judge(&format!("{{{kubelet}, \"maxPods\": -1, \"maxPodz\": 1}}"));
    assert!(verdict.strict.contains("maxPodz"), "{}", verdict.strict);
    assert!(verdict.validation.contains("maxPods"), "{}", verdict.validation);
}
