//! The contract, and the machine that it is for.

use serde_json::{Value, json};
use slipway_contract::Contract;
use slipway_contract::codec::{Format, Message as _, Policy, decode};
use slipway_contract::messages::SysctlConfig;
use slipway_contract::node::node;
use slipway_model::Facts;
use slipway_plan::{Plan, plan};

pub(crate) const FACTS: &str = r#"{
    "hostname": "node1", "cached": {"kubelet": ["1.33.2"], "kubectl": ["1.33.2"]},
    "containerd": {"version": "2.0.0"}, "cpus": 4, "memory_bytes": 17179869184,
    "os": {"id": "ubuntu", "version_id": "24.04", "variant_id": ""}, "components": {"GPUContainerImages": [
        {"downloadURL": "mcr.microsoft.com/aks/aks-gpu-cuda-lts:*", "gpuVersion": {"latestVersion": "1-2"}},
        {"downloadURL": "mcr.microsoft.com/aks/aks-gpu-cuda:*", "gpuVersion": {"latestVersion": "3-4"}}
    ]},
    "imds": {"compute": {"tagsList": []}, "network": {"interface": [
        {"macAddress": "000D3A000001", "ipv4": {"ipAddress": [{"privateIpAddress": "10.0.0.4"}]}},
        {"macAddress": "000D3A000002", "ipv4": {"ipAddress": [{"privateIpAddress": "10.0.1.4"}]}}
    ]}}
}"#;

/// The example, and everything else that can be asked for beside it.
pub(crate) fn fullest() -> Value {
    let example = serde_json::from_str(include_str!("../../../../examples/contract.json")).expect("JSON");
    merged(
        example,
        json!({
            "enable_artifact_streaming": true,
            "enable_unattended_upgrade": true,
            "ipv6_dual_stack_enabled": true,
            "custom_ca_certs": ["Y2E="],
            "gpu_config": {"enable_nvidia": true, "config_gpu_driver": true},
            "vm_size": "Standard_ND96asr_v4",
            "api_server_config": {"api_server_public_key": "c2VydmVy"},
            "enable_hosts_config_agent": true,
            "network_config": {"standard_secondary_nic_count": 1},
            "cluster_config": {"cloud_provider_config": {"backoff_mode": "v1"}},
            "kubelet_config": {"kubelet_config_file_config": settings()},
            "http_proxy_config": {
                "http_proxy": "http://proxy.example:3128/", "https_proxy": "http://proxy.example:3129/",
                "no_proxy_entries": ["localhost"], "proxy_trusted_ca": "Y2E=",
            },
            "custom_cloud_config": {"custom_cloud_env_name": "akscustom", "custom_env_json_content": "e30="},
            "custom_linux_os_config": {
                "enable_swap_config": true, "swap_file_size": 1500,
                "ulimit_config": {"max_locked_memory": "65536"},
                "sysctl_config": sysctls(),
            },
            "service_account_image_pull_profile": {"enabled": true},
            "local_dns_profile": {"enable_hosts_plugin": true, "hosts_plugin_refresh_interval_in_seconds": 60,
                "critical_fqdns": ["a.example"]},
        }),
    )
}

/// The settings of kubelet's file that the example leaves out.
fn settings() -> Value {
    json!({
        "allowed_unsafe_sysctls": ["net.core.somaxconn"],
        "authentication": {"webhook": {"cache_ttl": "2m"}},
        "authorization": {"webhook": {"cache_authorized_ttl": "5m", "cache_unauthorized_ttl": "30s"}},
        "cpu_cfs_quota": true, "cpu_cfs_quota_period": "100ms", "cpu_manager_policy": "static",
        "eviction_max_pod_grace_period": 30, "eviction_soft": {"memory.available": "1Gi"},
        "eviction_soft_grace_period": {"memory.available": "1m"}, "fail_swap_on": false,
        "kube_reserved_cgroup": "kubereserved.slice", "system_reserved_cgroup": "system.slice",
        "node_status_report_frequency": "5m", "pod_pids_limit": 1000, "read_only_port": 10255,
        "seccomp_default": true, "serialize_image_pulls": true, "system_reserved": {"cpu": "100m"},
        "topology_manager_policy": "none",
    })
}

/// Every kernel setting, each as high as it may be.
fn sysctls() -> Value {
    let fields = SysctlConfig::default().table().fields.iter();
    let numbers = fields.filter_map(|field| match field.format {
        Format::Sysctl(_, high) => Some((field.name.to_owned(), high.into())),
        _ => None,
    });
    let switch = ("net_ipv4_tcp_tw_reuse".to_owned(), true.into());
    Value::Object(numbers.chain([switch]).collect())
}

/// One document over another.
pub(crate) fn merged(base: Value, over: Value) -> Value {
    match (base, over) {
        (Value::Object(mut all), Value::Object(over)) => {
            for (key, value) in over {
                let under = all.remove(&key).unwrap_or_default();
                all.insert(key, merged(under, value));
            }
            Value::Object(all)
        }
        (_, over) => over,
    }
}

/// The plan of a contract.
pub(crate) fn planned(contract: &Value) -> Plan {
    let contract: Contract = decode(contract.to_string().as_bytes(), Policy::Careful).message;
    let node = node(&contract).expect("nothing that is refused");
    plan(&node, &Facts::parse(FACTS).expect("facts")).expect("a plan")
}
