//! Kubelet's part of a contract: flags, labels, and where its binaries are.

use std::collections::BTreeMap;

use slipway_contract::messages::{KubeBinaryConfig, KubeletConfig};

use super::Impossible;
use crate::nps::profile::{Architecture, HelperValues, KubeletSettings, ProvisionProfile};
use crate::request::Options;

const MIRROR: &str = "https://acs-mirror.azureedge.net";
const PAUSE: &str = "mcr.microsoft.com/oss/kubernetes/pause:3.6";
/// The cluster's DNS service where nobody says otherwise.
const DNS: &str = "10.0.0.10";

/// Flags of every kubelet.
const FIXED: [(&str, &str); 26] = [
    ("--address", "0.0.0.0"),
    ("--anonymous-auth", "false"),
    ("--authentication-token-webhook", "true"),
    ("--authorization-mode", "Webhook"),
    ("--cgroups-per-qos", "true"),
    ("--client-ca-file", "/etc/kubernetes/certs/ca.crt"),
    ("--cloud-provider", "external"),
    ("--cluster-domain", "cluster.local"),
    ("--enforce-node-allocatable", "pods"),
    ("--event-qps", "0"),
    ("--eviction-hard", "memory.available<750Mi,nodefs.available<10%,nodefs.inodesFree<5%"),
    ("--image-gc-high-threshold", "85"),
    ("--image-gc-low-threshold", "80"),
    ("--kubeconfig", "/var/lib/kubelet/kubeconfig"),
    ("--node-status-update-frequency", "10s"),
    ("--pod-manifest-path", "/etc/kubernetes/manifests"),
    ("--pod-max-pids", "-1"),
    ("--protect-kernel-defaults", "true"),
    ("--read-only-port", "0"),
    ("--resolv-conf", "/run/systemd/resolve/resolv.conf"),
    ("--rotate-certificates", "true"),
    ("--streaming-connection-idle-timeout", "4h"),
    ("--system-reserved", "cpu=0,memory=0"),
    ("--tls-cert-file", "/etc/kubernetes/certs/kubeletserver.crt"),
    (
        "--tls-cipher-suites",
        "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256,TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256,\
         TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305,TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384,\
         TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305,TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384,\
         TLS_RSA_WITH_AES_256_GCM_SHA384,TLS_RSA_WITH_AES_128_GCM_SHA256",
    ),
    ("--tls-private-key-file", "/etc/kubernetes/certs/kubeletserver.key"),
];

/// Where the node gets its binaries.
pub(super) fn binaries(profile: &ProvisionProfile) -> Result<KubeBinaryConfig, Impossible> {
    let (version, minor) = (&profile.orchestrator_version, minor(profile)?);
    let architecture = word(profile.architecture);
    let kube_binary_url = if minor < 34 {
        format!("{MIRROR}/kubernetes/v{version}/binaries/kubernetes-node-linux-{architecture}.tar.gz")
    } else {
        // The image knows.
        String::new()
    };
    let linux_credential_provider_url = credential_provider(minor).map_or(String::new(), |provider| {
        format!(
            "{MIRROR}/cloud-provider-azure/v{provider}/binaries/\
             azure-acr-credential-provider-linux-{architecture}-v{provider}.tar.gz"
        )
    });
    Ok(KubeBinaryConfig {
        kube_binary_url,
        linux_credential_provider_url,
        pod_infra_container_image_url: PAUSE.to_owned(),
        ..KubeBinaryConfig::default()
    })
}

/// Where the node gets Azure's network plugin.
pub(super) fn azure_cni_url(architecture: Architecture) -> String {
    let architecture = word(architecture);
    format!("{MIRROR}/azure-cni/v1.4.32/binaries/azure-vnet-cni-linux-{architecture}-v1.4.32.tgz")
}

/// Flags and labels.
pub(super) fn kubelet_config(
    options: &Options,
    profile: &ProvisionProfile,
    size: HelperValues,
) -> Result<KubeletConfig, Impossible> {
    let minor = minor(profile)?;
    let mut flags: BTreeMap<String, String> =
        FIXED.iter().map(|(flag, value)| ((*flag).to_owned(), (*value).to_owned())).collect();
    let mut set = |flag: &str, value: String| flags.insert(flag.to_owned(), value);
    let dns = if options.dns_service_ip.is_empty() { DNS } else { &options.dns_service_ip };
    set("--cluster-dns", dns.to_owned());
    set("--max-pods", profile.max_pods.to_string());
    set("--kube-reserved", reserved(size));
    let taints: Vec<&str> =
        profile.node_taints.iter().chain(&profile.node_initialization_taints).map(String::as_str).collect();
    if !taints.is_empty() {
        set("--register-with-taints", taints.join(","));
    }
    if minor < 34 {
        set("--cloud-config", "/etc/kubernetes/azure.json".to_owned());
    }
    if minor < 35 {
        set("--pod-infra-container-image", PAUSE.to_owned());
    }
    if minor < 31 {
        set("--keep-terminated-pod-volumes", "false".to_owned());
    }
    if credential_provider(minor).is_some() {
        set(
            "--image-credential-provider-config",
            "/var/lib/kubelet/credential-provider-config.yaml".to_owned(),
        );
        set("--image-credential-provider-bin-dir", "/var/lib/kubelet/credential-provider".to_owned());
    } else {
        set("--feature-gates", "DisableKubeletCloudCredentialProviders=false".to_owned());
        set("--azure-container-registry-config", "/etc/kubernetes/azure.json".to_owned());
    }
    if let Some(asked) = &profile.custom_kubelet_config {
        for (flag, value) in asked_for(asked) {
            set(flag, value);
        }
    }
    Ok(KubeletConfig {
        kubelet_flags: flags,
        kubelet_node_labels: profile.custom_node_labels.clone(),
        ..KubeletConfig::default()
    })
}

/// The flags that a request's settings become.
fn asked_for(asked: &KubeletSettings) -> impl Iterator<Item = (&'static str, String)> {
    let number = |number: Option<i32>| number.map(|number| number.to_string());
    let truth = |truth: Option<bool>| truth.map(|truth| truth.to_string());
    let word = |word: &Option<String>| word.clone().filter(|word| !word.is_empty());
    let sysctls = asked.allowed_unsafe_sysctls.as_ref().filter(|sysctls| !sysctls.is_empty());
    [
        ("--allowed-unsafe-sysctls", sysctls.map(|sysctls| sysctls.join(","))),
        ("--container-log-max-files", number(asked.container_log_max_files)),
        ("--container-log-max-size", asked.container_log_max_size_mb.map(|size| format!("{size}Mi"))),
        ("--cpu-cfs-quota", truth(asked.cpu_cfs_quota)),
        ("--cpu-cfs-quota-period", word(&asked.cpu_cfs_quota_period)),
        ("--cpu-manager-policy", word(&asked.cpu_manager_policy)),
        ("--fail-swap-on", truth(asked.fail_swap_on)),
        ("--image-gc-high-threshold", number(asked.image_gc_high_threshold)),
        ("--image-gc-low-threshold", number(asked.image_gc_low_threshold)),
        ("--pod-max-pids", number(asked.pod_max_pids)),
        ("--topology-manager-policy", word(&asked.topology_manager_policy)),
    ]
    .into_iter()
    .filter_map(|(flag, value)| value.map(|value| (flag, value)))
}

/// What kubelet and its like keep for themselves: shares of the size that fall as it grows.
fn reserved(size: HelperValues) -> String {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "negative and huge sizes become bounds"
    )]
    let (processors, mebibytes) = (size.sku_cpu as u64, (size.sku_memory * 1024.0) as u64);
    let milli = taxed(processors * 1000, &[(1000, 6), (2000, 4), (4000, 2), (u64::MAX, 1)]);
    let gib = 1024;
    let memory =
        taxed(mebibytes, &[(4 * gib, 25), (8 * gib, 20), (16 * gib, 10), (128 * gib, 6), (u64::MAX, 2)]);
    format!("cpu={milli}m,memory={memory}Mi")
}

/// The sum of percentages of an amount, each up to a bound.
fn taxed(amount: u64, brackets: &[(u64, u64)]) -> u64 {
    let mut lower = 0;
    let mut tax = 0;
    for (upper, percent) in brackets {
        tax += amount.min(*upper).saturating_sub(lower).saturating_mul(*percent);
        lower = *upper;
    }
    tax / 100
}

fn credential_provider(minor: u64) -> Option<&'static str> {
    match minor {
        ..30 => None,
        30 => Some("1.30.12"),
        31 => Some("1.31.6"),
        32 => Some("1.32.5"),
        33.. => Some("1.33.0"),
    }
}

/// The minor number of a version that has three, the last perhaps with a candidate's name.
fn minor(profile: &ProvisionProfile) -> Result<u64, Impossible> {
    let version = &profile.orchestrator_version;
    let mut parts = version.split('.');
    let (major, minor, patch) = (parts.next(), parts.next(), parts.next());
    let patch = patch.and_then(|patch| patch.split(['-', '+']).next());
    match (major, minor.map(str::parse), patch.map(str::parse::<u64>)) {
        (Some("1"), Some(Ok(minor)), Some(Ok(_))) => Ok(minor),
        _ => Err(Impossible::member(
            "orchestratorVersion",
            format!("{version:?} is not a version such as 1.33.2"),
        )),
    }
}

fn word(architecture: Architecture) -> &'static str {
    match architecture {
        Architecture::X64 => "amd64",
        Architecture::Arm64 => "arm64",
    }
}
