//! The kubelet's flags, as of Kubernetes 1.30 to 1.35 and those that went shortly before.

/// What a flag's value is.
#[derive(Debug, Clone, Copy)]
pub(super) enum Value {
    /// Anything.
    Text,
    Bool,
    /// A whole number of 32 bits.
    Int,
    /// A whole number of 64 bits.
    Long,
    Percent,
    Port,
    Duration,
    Quantity,
    Url,
    Domain,
    Ip,
    /// Addresses with commas between them.
    Ips,
    Cidr,
    /// One of these words.
    Choice(&'static [&'static str]),
    Ciphers,
    Sysctls,
    /// `signal<quantity`, with commas between them.
    Thresholds,
    /// `signal=duration`, with commas between them.
    Grace,
    /// `Gate=true`, with commas between them.
    Gates,
    /// `resource=quantity`, with commas between them.
    Reserved,
    /// `key=value`, with commas between them.
    Labels,
    /// `key=value:effect`, with commas between them.
    Taints,
}

/// One flag.
#[derive(Debug)]
pub(super) struct Flag {
    pub(super) name: &'static str,
    pub(super) value: Value,
    /// The minor version of Kubernetes 1 whose kubelet no longer has the flag.
    pub(super) gone_in: Option<u32>,
    /// The field of the kubelet's configuration file that says the same.
    pub(super) same_as: Option<&'static str>,
}

const fn flag(name: &'static str, value: Value) -> Flag {
    Flag { name, value, gone_in: None, same_as: None }
}

impl Flag {
    const fn gone_in(mut self, minor: u32) -> Self {
        self.gone_in = Some(minor);
        self
    }

    const fn same_as(mut self, field: &'static str) -> Self {
        self.same_as = Some(field);
        self
    }
}

/// The flag with a name. The kubelet takes `_` for `-`.
pub(super) fn find(name: &str) -> Option<&'static Flag> {
    let name = name.replace('_', "-");
    FLAGS.binary_search_by(|flag| flag.name.cmp(&name)).ok().map(|index| &FLAGS[index])
}

/// Sorted by name.
pub(super) static FLAGS: &[Flag] = &[
    flag("--add-dir-header", Value::Bool).gone_in(26),
    flag("--address", Value::Ip).same_as("address"),
    flag("--allowed-unsafe-sysctls", Value::Sysctls).same_as("allowed_unsafe_sysctls"),
    flag("--alsologtostderr", Value::Bool).gone_in(26),
    flag("--anonymous-auth", Value::Bool).same_as("authentication"),
    flag("--application-metrics-count-limit", Value::Int),
    flag("--authentication-token-webhook", Value::Bool).same_as("authentication"),
    flag("--authentication-token-webhook-cache-ttl", Value::Duration).same_as("authentication"),
    flag("--authorization-mode", Value::Choice(&["AlwaysAllow", "Webhook"])).same_as("authorization"),
    flag("--authorization-webhook-cache-authorized-ttl", Value::Duration).same_as("authorization"),
    flag("--authorization-webhook-cache-unauthorized-ttl", Value::Duration).same_as("authorization"),
    flag("--azure-container-registry-config", Value::Text),
    flag("--boot-id-file", Value::Text),
    flag("--bootstrap-kubeconfig", Value::Text),
    flag("--cert-dir", Value::Text),
    flag("--cgroup-driver", Value::Choice(&["cgroupfs", "systemd"])),
    flag("--cgroup-root", Value::Text),
    flag("--cgroups-per-qos", Value::Bool).same_as("cgroups_per_qos"),
    flag("--client-ca-file", Value::Text).same_as("authentication"),
    flag("--cloud-config", Value::Text),
    flag("--cloud-provider", Value::Text),
    flag("--cluster-dns", Value::Ips).same_as("cluster_dns"),
    flag("--cluster-domain", Value::Domain).same_as("cluster_domain"),
    flag("--cni-bin-dir", Value::Text).gone_in(24),
    flag("--cni-cache-dir", Value::Text).gone_in(24),
    flag("--cni-conf-dir", Value::Text).gone_in(24),
    flag("--config", Value::Text),
    flag("--config-dir", Value::Text),
    flag("--container-hints", Value::Text),
    flag("--container-log-max-files", Value::Int).same_as("container_log_max_files"),
    flag("--container-log-max-size", Value::Quantity).same_as("container_log_max_size"),
    flag("--container-runtime", Value::Text).gone_in(27),
    flag("--container-runtime-endpoint", Value::Text),
    flag("--containerd", Value::Text),
    flag("--containerd-namespace", Value::Text),
    flag("--contention-profiling", Value::Bool),
    flag("--cpu-cfs-quota", Value::Bool).same_as("cpu_cfs_quota"),
    flag("--cpu-cfs-quota-period", Value::Duration).same_as("cpu_cfs_quota_period"),
    flag("--cpu-manager-policy", Value::Choice(&["none", "static"])).same_as("cpu_manager_policy"),
    flag("--cpu-manager-policy-options", Value::Text),
    flag("--cpu-manager-reconcile-period", Value::Duration),
    flag("--docker-endpoint", Value::Text).gone_in(24),
    flag("--dynamic-config-dir", Value::Text).gone_in(24),
    flag("--enable-controller-attach-detach", Value::Bool),
    flag("--enable-debugging-handlers", Value::Bool),
    flag("--enable-load-reader", Value::Bool),
    flag("--enable-server", Value::Bool),
    flag("--enforce-node-allocatable", Value::Text).same_as("enforce_node_allocatable"),
    flag("--event-burst", Value::Int),
    flag("--event-qps", Value::Int).same_as("event_record_qps"),
    flag("--event-storage-age-limit", Value::Text),
    flag("--event-storage-event-limit", Value::Text),
    flag("--eviction-hard", Value::Thresholds).same_as("eviction_hard"),
    flag("--eviction-max-pod-grace-period", Value::Int).same_as("eviction_max_pod_grace_period"),
    flag("--eviction-minimum-reclaim", Value::Text),
    flag("--eviction-pressure-transition-period", Value::Duration),
    flag("--eviction-soft", Value::Thresholds).same_as("eviction_soft"),
    flag("--eviction-soft-grace-period", Value::Grace).same_as("eviction_soft_grace_period"),
    flag("--exit-on-lock-contention", Value::Bool),
    flag("--experimental-allocatable-ignore-eviction", Value::Bool),
    flag("--experimental-bootstrap-kubeconfig", Value::Text).gone_in(22),
    flag("--experimental-dockershim-root-directory", Value::Text).gone_in(24),
    flag("--experimental-mounter-path", Value::Text),
    flag("--fail-swap-on", Value::Bool).same_as("fail_swap_on"),
    flag("--feature-gates", Value::Gates).same_as("feature_gates"),
    flag("--file-check-frequency", Value::Duration),
    flag("--global-housekeeping-interval", Value::Duration),
    flag("--hairpin-mode", Value::Choice(&["promiscuous-bridge", "hairpin-veth", "none"])),
    flag("--healthz-bind-address", Value::Ip),
    flag("--healthz-port", Value::Port),
    flag("--help", Value::Bool),
    flag("--hostname-override", Value::Domain),
    flag("--housekeeping-interval", Value::Duration),
    flag("--http-check-frequency", Value::Duration),
    flag("--image-credential-provider-bin-dir", Value::Text),
    flag("--image-credential-provider-config", Value::Text),
    flag("--image-gc-high-threshold", Value::Percent).same_as("image_gc_high_threshold_percent"),
    flag("--image-gc-low-threshold", Value::Percent).same_as("image_gc_low_threshold_percent"),
    flag("--image-pull-progress-deadline", Value::Text).gone_in(24),
    flag("--image-service-endpoint", Value::Text),
    flag("--iptables-drop-bit", Value::Int),
    flag("--iptables-masquerade-bit", Value::Int),
    flag("--keep-terminated-pod-volumes", Value::Bool).gone_in(31),
    flag("--kernel-memcg-notification", Value::Bool),
    flag("--kube-api-burst", Value::Int),
    flag("--kube-api-content-type", Value::Text),
    flag("--kube-api-qps", Value::Int),
    flag("--kube-reserved", Value::Reserved).same_as("kube_reserved"),
    flag("--kube-reserved-cgroup", Value::Text).same_as("kube_reserved_cgroup"),
    flag("--kubeconfig", Value::Text),
    flag("--kubelet-cgroups", Value::Text),
    flag("--local-storage-capacity-isolation", Value::Bool),
    flag("--lock-file", Value::Text),
    flag("--log-backtrace-at", Value::Text).gone_in(26),
    flag("--log-cadvisor-usage", Value::Bool),
    flag("--log-dir", Value::Text).gone_in(26),
    flag("--log-file", Value::Text).gone_in(26),
    flag("--log-file-max-size", Value::Text).gone_in(26),
    flag("--log-flush-frequency", Value::Duration),
    flag("--log-json-info-buffer-size", Value::Quantity),
    flag("--log-json-split-stream", Value::Bool),
    flag("--log-text-info-buffer-size", Value::Quantity),
    flag("--log-text-split-stream", Value::Bool),
    flag("--logging-format", Value::Text),
    flag("--logtostderr", Value::Bool).gone_in(26),
    flag("--machine-id-file", Value::Text),
    flag("--make-iptables-util-chains", Value::Bool),
    flag("--manifest-url", Value::Url),
    flag("--manifest-url-header", Value::Text),
    flag("--master-service-namespace", Value::Text).gone_in(27),
    flag("--max-open-files", Value::Long),
    flag("--max-pods", Value::Int).same_as("max_pods"),
    flag("--maximum-dead-containers", Value::Int),
    flag("--maximum-dead-containers-per-container", Value::Int),
    flag("--memory-manager-policy", Value::Text),
    flag("--minimum-container-ttl-duration", Value::Duration),
    flag("--minimum-image-ttl-duration", Value::Duration),
    flag("--network-plugin", Value::Text).gone_in(24),
    flag("--network-plugin-mtu", Value::Text).gone_in(24),
    flag("--node-ip", Value::Ips),
    flag("--node-labels", Value::Labels),
    flag("--node-status-max-images", Value::Int),
    flag("--node-status-update-frequency", Value::Duration).same_as("node_status_update_frequency"),
    flag("--non-masquerade-cidr", Value::Text).gone_in(24),
    flag("--one-output", Value::Bool).gone_in(26),
    flag("--oom-score-adj", Value::Int),
    flag("--pod-cidr", Value::Cidr),
    flag("--pod-infra-container-image", Value::Text).gone_in(35),
    flag("--pod-manifest-path", Value::Text).same_as("static_pod_path"),
    flag("--pod-max-pids", Value::Long).same_as("pod_pids_limit"),
    flag("--pods-per-core", Value::Int),
    flag("--port", Value::Port),
    flag("--protect-kernel-defaults", Value::Bool).same_as("protect_kernel_defaults"),
    flag("--provider-id", Value::Text),
    flag("--qos-reserved", Value::Text),
    flag("--read-only-port", Value::Port).same_as("read_only_port"),
    flag("--register-node", Value::Bool),
    flag("--register-schedulable", Value::Bool),
    flag("--register-with-taints", Value::Taints),
    flag("--registry-burst", Value::Int),
    flag("--registry-qps", Value::Int),
    flag("--reserved-cpus", Value::Text),
    flag("--reserved-memory", Value::Text),
    flag("--resolv-conf", Value::Text).same_as("resolv_conf"),
    flag("--root-dir", Value::Text),
    flag("--rotate-certificates", Value::Bool).same_as("rotate_certificates"),
    flag("--rotate-server-certificates", Value::Bool).same_as("server_tls_bootstrap"),
    flag("--runonce", Value::Bool),
    flag("--runtime-cgroups", Value::Text),
    flag("--runtime-request-timeout", Value::Duration),
    flag("--seccomp-default", Value::Bool).same_as("seccomp_default"),
    flag("--seccomp-profile-root", Value::Text).gone_in(23),
    flag("--serialize-image-pulls", Value::Bool).same_as("serialize_image_pulls"),
    flag("--skip-headers", Value::Bool).gone_in(26),
    flag("--skip-log-headers", Value::Bool).gone_in(26),
    flag("--stderrthreshold", Value::Text).gone_in(26),
    flag("--storage-driver-buffer-duration", Value::Duration),
    flag("--storage-driver-db", Value::Text),
    flag("--storage-driver-host", Value::Text),
    flag("--storage-driver-password", Value::Text),
    flag("--storage-driver-secure", Value::Bool),
    flag("--storage-driver-table", Value::Text),
    flag("--storage-driver-user", Value::Text),
    flag("--streaming-connection-idle-timeout", Value::Duration).same_as("streaming_connection_idle_timeout"),
    flag("--sync-frequency", Value::Duration),
    flag("--system-cgroups", Value::Text),
    flag("--system-reserved", Value::Reserved).same_as("system_reserved"),
    flag("--system-reserved-cgroup", Value::Text).same_as("system_reserved_cgroup"),
    flag("--tls-cert-file", Value::Text).same_as("tls_cert_file"),
    flag("--tls-cipher-suites", Value::Ciphers).same_as("tls_cipher_suites"),
    flag("--tls-min-version", Value::Text),
    flag("--tls-private-key-file", Value::Text).same_as("tls_private_key_file"),
    flag(
        "--topology-manager-policy",
        Value::Choice(&["none", "best-effort", "restricted", "single-numa-node"]),
    )
    .same_as("topology_manager_policy"),
    flag("--topology-manager-policy-options", Value::Text),
    flag("--topology-manager-scope", Value::Choice(&["container", "pod"])),
    flag("--v", Value::Int),
    flag("--version", Value::Text),
    flag("--vmodule", Value::Text),
    flag("--volume-plugin-dir", Value::Text),
    flag("--volume-stats-agg-period", Value::Duration),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::codec::Message as _;
    use crate::messages::KubeletConfigFileConfig;

    #[test]
    fn flags_are_sorted_and_their_counterparts_exist() {
        assert!(FLAGS.is_sorted_by(|a, b| a.name < b.name));
        let table = KubeletConfigFileConfig::default().table();
        for flag in FLAGS {
            if let Some(field) = flag.same_as {
                assert!(table.field(field).is_some(), "{}: no field {field}", flag.name);
            }
        }
    }
}
