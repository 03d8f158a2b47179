//! Contracts to begin with, and the machine that they are planned for.

use serde_json::{Value, json};
use slipway_contract::Contract;
use slipway_contract::codec::{Policy, decode};
use slipway_contract::node::node;
use slipway_model::Facts;
use slipway_plan::{Plan, plan};

const FACTS: &str = r#"{
    "hostname": "node1", "cached": {"kubelet": ["1.33.2", "1.31.9"], "kubectl": ["1.33.2", "1.31.9"]},
    "containerd": {"version": "v2.0.0"}, "cpus": 4, "memory_bytes": 8589934592,
    "os": {"id": "ubuntu", "version_id": "22.04"}, "components": {"GPUContainerImages": [
        {"downloadURL": "mcr.microsoft.com/aks/aks-gpu-cuda-lts:*", "gpuVersion": {"latestVersion": "1-2"}},
        {"downloadURL": "mcr.microsoft.com/aks/aks-gpu-cuda:*", "gpuVersion": {"latestVersion": "3-4"}},
        {"downloadURL": "mcr.microsoft.com/aks/aks-gpu-grid:*", "gpuVersion": {"latestVersion": "5-6"}}
    ]},
    "imds": {"compute": {"tagsList": []}, "network": {"interface": [
        {"macAddress": "000D3A000001", "ipv4": {"ipAddress": [{"privateIpAddress": "10.0.0.4"}]}},
        {"macAddress": "000D3A000002", "ipv4": {"ipAddress": [{"privateIpAddress": "10.0.1.4"}]}}
    ]}}
}"#;

/// Contracts to begin with: no single one can ask for everything, because some things exclude each other.
pub(crate) fn bases() -> Vec<Value> {
    let plain = json!({
        "version": "v1", "kubernetes_version": "1.33.2", "kubernetes_ca_cert": "Y2E=",
        "api_server_config": {"api_server_name": "api.example"},
        "bootstrapping_config": {"tls_bootstrapping_token": "abcdef.0123456789abcdef"},
    });
    let certificate = merged(
        &plain,
        json!({
            "kubernetes_version": "1.32.0", "kube_binary_config": {"kube_binary_url": "https://h/k.tgz"},
            "bootstrapping_config": {"tls_bootstrapping_token": ""},
            "kubelet_config": {"kubelet_client_key": "a2V5", "kubelet_client_cert_content": "Y2VydA=="},
            "cluster_config": {"cloud_provider_config": {"backoff_mode": "v1"}},
        }),
    );
    let domain = json!({
        "forward_destination": "ClusterCoreDNS", "serve_stale": "Verify", "health_check": {"duration": "5s"},
    });
    let full = merged(
        &plain,
        json!({
            "bootstrapping_config": {"bootstrapping_auth_method": 2},
            "custom_cloud_config": {"custom_cloud_env_name": "akscustom", "custom_env_json_content": "e30="},
            "kubelet_config": {
                "enable_kubelet_config_file": true, "kubelet_config_file_config": {"max_pods": 30},
                "kubelet_flags": {
                    "--image-credential-provider-config": "/var/lib/kubelet/credential-provider-config.yaml",
                    "--image-credential-provider-bin-dir": "/var/lib/kubelet/credential-provider",
                },
            },
            "service_account_image_pull_profile": {"enabled": true},
            "custom_linux_os_config": {
                "enable_swap_config": true, "swap_file_size": 1500, "ulimit_config": {"no_file": "1048"},
                "sysctl_config": {"net_core_somaxconn": 20000}, "transparent_hugepage_support": "always",
            },
            "gpu_config": {"enable_nvidia": true, "config_gpu_driver": true},
            "vm_size": "Standard_NC6s_v3",
            "network_config": {"network_plugin": 2},
            "http_proxy_config": {"http_proxy": "http://proxy.example:3128/"},
            "local_dns_profile": {"enable_local_dns": true, "enable_hosts_plugin": true, "critical_fqdns": ["a.example"],
                "vnet_dns_overrides": {"example.com": domain},
                "kube_dns_overrides": {"example.com": domain}},
            "imds_restriction_config": {"enable_imds_restriction": true},
        }),
    );
    let kubenet = merged(&plain, json!({"network_config": {"network_plugin": 3}, "enable_ssh": true}));
    vec![plain, certificate, full, kubenet]
}

fn merged(base: &Value, over: Value) -> Value {
    match (base, over) {
        (Value::Object(base), Value::Object(over)) => {
            let mut all = base.clone();
            for (key, value) in over {
                let value = merged(all.get(&key).unwrap_or(&Value::Null), value);
                all.insert(key, value);
            }
            Value::Object(all)
        }
        (_, over) => over,
    }
}

pub(crate) fn planned(contract: &Value) -> Result<Plan, String> {
    let contract: Contract = decode(contract.to_string().as_bytes(), Policy::Careful).message;
    let node = node(&contract).map_err(|refused| format!("{refused:?}"))?;
    let facts = Facts::parse(FACTS).map_err(|error| error.to_string())?;
    plan(&node, &facts).map_err(|error| error.to_string())
}
