//! The node class: how nodes of a kind are made.

use std::collections::BTreeMap;

use super::duration::{CacheTime, GoDuration};
use super::os::LinuxOs;
use super::record::{record, words};

record! {
    /// A node class: its specification, and the parts of its status that a launch reads.
    pub struct NodeClass {
        /// The specification, as an `AKSNodeClass` of `v1beta1` holds it.
        spec: NodeClassSpec = "spec",
        /// The Kubernetes version of the cluster, without `v`.
        kubernetes_version: String = "kubernetesVersion",
        /// What became of the local DNS mode `Preferred`.
        local_dns_state: Option<LocalDnsState> = "localDNSState",
        /// The newest version that the galleries have of each image.
        latest_image_version: String = "latestImageVersion",
    }
}

record! {
    /// The specification of a node class.
    pub struct NodeClassSpec {
        /// The subnet of the nodes.
        vnet_subnet_id: Option<String> = "vnetSubnetID",
        /// Size of the OS disk in GB.
        os_disk_size_gb: Option<i32> = "osDiskSizeGB",
        /// The family of images: `Ubuntu`, `Ubuntu2204`, `Ubuntu2404` or `AzureLinux`.
        image_family: Option<String> = "imageFamily",
        /// Whether only validated cryptography is used.
        fips_mode: Option<FipsMode> = "fipsMode",
        /// Tags for what is made.
        tags: BTreeMap<String, String> = "tags",
        /// Settings of kubelet.
        kubelet: Option<Kubelet> = "kubelet",
        /// How many pods a node takes.
        max_pods: Option<i32> = "maxPods",
        /// Encryption and trusted launch.
        security: Option<Security> = "security",
        /// The resolver on each node.
        local_dns: Option<LocalDns> = "localDNS",
        /// GPU drivers.
        gpu: Option<Gpu> = "gpu",
        /// Whether container images are loaded while they run.
        artifact_streaming: Option<ArtifactStreaming> = "artifactStreaming",
        /// Settings of the operating system.
        linux_os_config: Option<LinuxOs> = "linuxOSConfig",
    }
}

words! {
    /// Whether only validated cryptography is used.
    pub enum FipsMode {
        /// Only validated cryptography.
        Fips = "FIPS",
        /// No such restriction.
        #[default]
        Disabled = "Disabled",
    }
}

words! {
    /// Whether nodes run the local resolver.
    pub enum LocalDnsState {
        /// They do.
        Enabled = "Enabled",
        /// They do not.
        #[default]
        Disabled = "Disabled",
    }
}

record! {
    /// Settings of kubelet.
    pub struct Kubelet {
        /// `none` or `static`.
        cpu_manager_policy: String = "cpuManagerPolicy",
        /// Whether CPU limits are enforced by quota.
        cpu_cfs_quota: Option<bool> = "cpuCFSQuota",
        /// The period of that quota; zero is unset.
        cpu_cfs_quota_period: GoDuration = "cpuCFSQuotaPeriod",
        /// Disk use in percent above which images are deleted.
        image_gc_high_threshold_percent: Option<i32> = "imageGCHighThresholdPercent",
        /// Disk use in percent down to which images are deleted.
        image_gc_low_threshold_percent: Option<i32> = "imageGCLowThresholdPercent",
        /// `none`, `restricted`, `best-effort` or `single-numa-node`.
        topology_manager_policy: String = "topologyManagerPolicy",
        /// Kernel settings that pods may ask for though they are not safe.
        allowed_unsafe_sysctls: Vec<String> = "allowedUnsafeSysctls",
        /// Size at which a container's log is rotated, such as `50Mi`.
        container_log_max_size: String = "containerLogMaxSize",
        /// How many log files a container keeps.
        container_log_max_files: Option<i32> = "containerLogMaxFiles",
        /// How many processes a pod may have.
        pod_pids_limit: Option<i64> = "podPidsLimit",
        /// Whether kubelet refuses to start on a machine with swap.
        fail_swap_on: Option<bool> = "failSwapOn",
    }
}

record! {
    /// Encryption and trusted launch.
    pub struct Security {
        /// Whether the host encrypts what it stores for the VM.
        encryption_at_host: Option<bool> = "encryptionAtHost",
        /// Trusted launch.
        trusted_launch: Option<TrustedLaunch> = "trustedLaunch",
    }
}

record! {
    /// Trusted launch.
    pub struct TrustedLaunch {
        /// A virtual TPM.
        vtpm: Option<bool> = "vtpm",
        /// Only signed boot components.
        secure_boot: Option<bool> = "secureBoot",
    }
}

record! {
    /// GPU drivers.
    pub struct Gpu {
        /// Who installs the driver.
        mode: Option<GpuMode> = "mode",
    }
}

words! {
    /// Who installs the GPU driver.
    pub enum GpuMode {
        /// The node does, while it is made.
        #[default]
        Driver = "Driver",
        /// The user does.
        None = "None",
    }
}

record! {
    /// Container images loaded while they run.
    pub struct ArtifactStreaming {
        /// Whether that is on.
        enabled: Option<bool> = "enabled",
    }
}

record! {
    /// The resolver on each node.
    pub struct LocalDns {
        /// Whether it runs.
        mode: Option<LocalDnsMode> = "mode",
        /// Zones, for pods that use the node's resolver.
        vnet_dns_overrides: Vec<ZoneOverride> = "vnetDNSOverrides",
        /// Zones, for pods that use the cluster's resolver.
        kube_dns_overrides: Vec<ZoneOverride> = "kubeDNSOverrides",
    }
}

words! {
    /// Whether the resolver runs.
    pub enum LocalDnsMode {
        /// Where the cluster can.
        Preferred = "Preferred",
        /// Always.
        Required = "Required",
        /// Never.
        #[default]
        Disabled = "Disabled",
    }
}

record! {
    /// How the resolver treats one zone.
    pub struct ZoneOverride {
        /// The zone, `.` for all others.
        zone: String = "zone",
        /// `Error` or `Log`.
        query_logging: String = "queryLogging",
        /// `PreferUDP` or `ForceTCP`.
        protocol: String = "protocol",
        /// `ClusterCoreDNS` or `VnetDNS`.
        forward_destination: String = "forwardDestination",
        /// `Sequential`, `RoundRobin` or `Random`.
        forward_policy: String = "forwardPolicy",
        /// How many queries at once.
        max_concurrent: Option<i32> = "maxConcurrent",
        /// How long answers are kept.
        cache_duration: Option<CacheTime> = "cacheDuration",
        /// How long answers are served after that.
        serve_stale_duration: Option<CacheTime> = "serveStaleDuration",
        /// `Verify`, `Immediate` or `Disable`.
        serve_stale: String = "serveStale",
    }
}

impl NodeClass {
    /// Whether nodes run the local resolver: as the status says, which knows what the cluster can; a class that has no
    /// status yet gets it where it requires it.
    pub fn runs_local_dns(&self) -> bool {
        let is_required =
            || self.spec.local_dns.as_ref().is_some_and(|dns| dns.mode == Some(LocalDnsMode::Required));
        self.local_dns_state.map_or_else(is_required, |state| state == LocalDnsState::Enabled)
    }
}

impl NodeClassSpec {
    /// Size of the OS disk in GB, by default 128.
    pub fn os_disk_gb(&self) -> i32 {
        self.os_disk_size_gb.unwrap_or(128)
    }

    /// Whether only validated cryptography is used.
    pub fn is_fips(&self) -> bool {
        self.fips_mode == Some(FipsMode::Fips)
    }

    /// Whether any part of trusted launch is on.
    pub fn is_trusted_launch(&self) -> bool {
        let trusted = self.security.as_ref().and_then(|security| security.trusted_launch.as_ref());
        trusted.is_some_and(|trusted| trusted.vtpm == Some(true) || trusted.secure_boot == Some(true))
    }

    /// Whether the host encrypts what it stores for the VM.
    pub fn is_encrypted_at_host(&self) -> bool {
        self.security.as_ref().is_some_and(|security| security.encryption_at_host == Some(true))
    }

    /// Whether the node installs its GPU driver.
    pub fn installs_gpu_driver(&self) -> bool {
        self.gpu.as_ref().and_then(|gpu| gpu.mode) != Some(GpuMode::None)
    }

    /// Whether artifact streaming was asked for.
    pub fn streams_artifacts(&self) -> bool {
        self.artifact_streaming.as_ref().is_some_and(|streaming| streaming.enabled == Some(true))
    }
}
