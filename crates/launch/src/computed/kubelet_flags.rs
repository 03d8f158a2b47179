//! kubelet's flags: the base of a release, then taints, then the node's configuration; later ones win.

use std::borrow::Cow;

use super::kubelet_settings::{Amounts, KubeletSettings};
use super::release::{PAUSE_IMAGE, Release};
use super::taints::{Taints, taint_texts};
use crate::request::GoDuration;
use crate::{Fidelity, Layered, Source};

/// A flag of every node, with the first release that has it and the first that has it no more.
struct Base {
    flag: &'static str,
    value: &'static str,
    since: u64,
    until: u64,
}

const fn always(flag: &'static str, value: &'static str) -> Base {
    Base { flag, value, since: 0, until: u64::MAX }
}

const fn until(flag: &'static str, value: &'static str, minor: u64) -> Base {
    Base { flag, value, since: 0, until: minor }
}

const fn since(flag: &'static str, value: &'static str, minor: u64) -> Base {
    Base { flag, value, since: minor, until: u64::MAX }
}

const CIPHERS: &str = "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256,TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256,\
                       TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305,TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384,\
                       TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305,TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384,\
                       TLS_RSA_WITH_AES_256_GCM_SHA384,TLS_RSA_WITH_AES_128_GCM_SHA256";

/// The flags of every node, sorted by name. A kubelet does not start with a flag that its release has dropped.
static BASE: [Base; 34] = [
    always("--address", "0.0.0.0"),
    always("--anonymous-auth", "false"),
    always("--authentication-token-webhook", "true"),
    always("--authorization-mode", "Webhook"),
    until("--azure-container-registry-config", "/etc/kubernetes/azure.json", 30),
    always("--cgroups-per-qos", "true"),
    always("--client-ca-file", "/etc/kubernetes/certs/ca.crt"),
    until("--cloud-config", "/etc/kubernetes/azure.json", 34),
    always("--cloud-provider", "external"),
    always("--cluster-dns", "10.0.0.10"),
    always("--cluster-domain", "cluster.local"),
    always("--enforce-node-allocatable", "pods"),
    always("--event-qps", "0"),
    always("--eviction-hard", "memory.available<750Mi,nodefs.available<10%,nodefs.inodesFree<5%"),
    until("--feature-gates", "DisableKubeletCloudCredentialProviders=false", 30),
    since("--image-credential-provider-bin-dir", "/var/lib/kubelet/credential-provider", 30),
    since("--image-credential-provider-config", "/var/lib/kubelet/credential-provider-config.yaml", 30),
    always("--image-gc-high-threshold", "85"),
    always("--image-gc-low-threshold", "80"),
    until("--keep-terminated-pod-volumes", "false", 31),
    always("--kubeconfig", "/var/lib/kubelet/kubeconfig"),
    always("--max-pods", "110"),
    always("--node-status-update-frequency", "10s"),
    until("--pod-infra-container-image", PAUSE_IMAGE, 35),
    always("--pod-manifest-path", "/etc/kubernetes/manifests"),
    always("--pod-max-pids", "-1"),
    always("--protect-kernel-defaults", "true"),
    always("--read-only-port", "0"),
    always("--resolv-conf", "/run/systemd/resolve/resolv.conf"),
    always("--rotate-certificates", "true"),
    always("--streaming-connection-idle-timeout", "4h"),
    always("--tls-cert-file", "/etc/kubernetes/certs/kubeletserver.crt"),
    always("--tls-cipher-suites", CIPHERS),
    always("--tls-private-key-file", "/etc/kubernetes/certs/kubeletserver.key"),
];

/// kubelet's default quota period; another one needs a feature gate.
const DEFAULT_QUOTA_PERIOD: GoDuration = GoDuration::of_nanoseconds(100_000_000);

type Text = Cow<'static, str>;

/// kubelet's flags, sorted by name.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct KubeletFlags(Vec<(&'static str, Layered<Text>)>);

impl KubeletFlags {
    /// The flags and their layers, sorted by name.
    pub fn iter(&self) -> impl Iterator<Item = (&'static str, &Layered<Text>)> {
        self.0.iter().map(|(flag, value)| (*flag, value))
    }

    /// A flag's value.
    pub fn get(&self, flag: &str) -> Option<&str> {
        self.place(flag).ok().map(|at| &*self.0[at].1.value)
    }

    /// The flags as kubelet's command line has them.
    pub fn text(&self) -> String {
        let mut text = String::with_capacity(2048);
        for (flag, value) in &self.0 {
            let blank = if text.is_empty() { "" } else { " " };
            text.extend([blank, flag, "=", &value.value]);
        }
        text
    }

    fn place(&self, flag: &str) -> Result<usize, usize> {
        self.0.binary_search_by(|(known, _)| (*known).cmp(flag))
    }

    fn set(&mut self, flag: &'static str, value: impl Into<Text>, source: Source) {
        let value = value.into();
        match self.place(flag) {
            Ok(at) => self.0[at].1.put_over(value, source),
            Err(at) => self.0.insert(at, (flag, Layered::new(value, source))),
        }
    }

    fn set_layers<T: ToString>(&mut self, flag: &'static str, layers: &Layered<T>) {
        for lost in layers.overridden.iter().rev() {
            self.set(flag, lost.value.to_string(), lost.source);
        }
        self.set(flag, layers.value.to_string(), layers.source);
    }
}

/// The flags of every node of a release.
pub fn base_flags(release: Release<'_>) -> KubeletFlags {
    let mut flags = Vec::with_capacity(2 * BASE.len());
    let has = |base: &&Base| (base.since..base.until).contains(&release.minor);
    flags.extend(
        BASE.iter().filter(has).map(|base| (base.flag, Layered::new(base.value.into(), Source::Fixed))),
    );
    KubeletFlags(flags)
}

/// The flags of one node.
pub fn kubelet_flags(
    release: Release<'_>,
    taints: &Taints,
    settings: Option<&KubeletSettings>,
    fidelity: Fidelity,
) -> KubeletFlags {
    let mut flags = base_flags(release);
    if taints.iter().next().is_some() {
        flags.set("--register-with-taints", taint_texts(taints.iter()), Source::NodePool);
    }
    if let Some(settings) = settings {
        node(&mut flags, settings);
        class(&mut flags, settings);
        if fidelity.is_ours() {
            class_beyond_the_peer(&mut flags, settings);
        }
    }
    flags
}

fn node(flags: &mut KubeletFlags, settings: &KubeletSettings) {
    flags.set_layers("--max-pods", &settings.max_pods);
    let amounts = [
        ("--system-reserved", &settings.system_reserved, "="),
        ("--kube-reserved", &settings.kube_reserved, "="),
        ("--eviction-hard", &settings.eviction_hard, "<"),
        ("--eviction-soft", &settings.eviction_soft, "<"),
    ];
    for (flag, amounts, between) in amounts {
        if !amounts.is_empty() {
            flags.set(flag, joined(amounts, between), Source::Computed);
        }
    }
    if !settings.eviction_soft_grace_period.is_empty() {
        let periods = settings.eviction_soft_grace_period.iter();
        let periods: Amounts = periods.map(|(signal, grace)| (signal.clone(), grace.to_string())).collect();
        flags.set("--eviction-soft-grace-period", joined(&periods, "="), Source::Computed);
    }
    if let Some(grace) = settings.eviction_max_pod_grace_period {
        flags.set("--eviction-max-pod-grace-period", grace.to_string(), Source::Computed);
    }
    if !settings.cluster_dns.is_empty() {
        flags.set("--cluster-dns", settings.cluster_dns.clone(), Source::GlobalOptions);
    }
}

/// The amounts, sorted as they are written.
fn joined(amounts: &Amounts, between: &str) -> String {
    let mut pairs: Vec<String> =
        amounts.iter().map(|(name, amount)| [name, between, amount].concat()).collect();
    pairs.sort_unstable();
    pairs.join(",")
}

/// What the node class says, as far as the peer listens.
fn class(flags: &mut KubeletFlags, settings: &KubeletSettings) {
    let class = &settings.class;
    let number = |number: Option<i32>| number.map(|number| number.to_string());
    let text = |text: &String| Some(text.clone()).filter(|text| !text.is_empty());
    let said = [
        ("--image-gc-high-threshold", number(class.image_gc_high_threshold_percent)),
        ("--image-gc-low-threshold", number(class.image_gc_low_threshold_percent)),
        ("--cpu-cfs-quota", class.cpu_cfs_quota.map(|on| on.to_string())),
        ("--cpu-manager-policy", text(&class.cpu_manager_policy)),
        ("--topology-manager-policy", text(&class.topology_manager_policy)),
        ("--container-log-max-size", text(&class.container_log_max_size)),
        ("--container-log-max-files", number(class.container_log_max_files)),
        ("--pod-max-pids", class.pod_pids_limit.map(|limit| limit.to_string())),
        ("--allowed-unsafe-sysctls", text(&class.allowed_unsafe_sysctls.join(","))),
    ];
    for (flag, value) in said {
        if let Some(value) = value {
            flags.set(flag, value, Source::NodeClass);
        }
    }
}

/// What the node class says and the peer does not hear.
fn class_beyond_the_peer(flags: &mut KubeletFlags, settings: &KubeletSettings) {
    let class = &settings.class;
    if let Some(refuses) = class.fail_swap_on {
        flags.set("--fail-swap-on", refuses.to_string(), Source::NodeClass);
    }
    let period = class.cpu_cfs_quota_period;
    if period.nanoseconds() == 0 || period == DEFAULT_QUOTA_PERIOD {
        return;
    }
    flags.set("--cpu-cfs-quota-period", period.to_string(), Source::NodeClass);
    let gates = flags.get("--feature-gates").map(|gates| format!("{gates},")).unwrap_or_default();
    flags.set("--feature-gates", format!("{gates}CustomCPUCFSQuotaPeriod=true"), Source::NodeClass);
}
