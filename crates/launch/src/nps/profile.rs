//! The body of a request: a node, as the service is asked for it.

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::SysctlSettings;

/// The body of a request.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Request {
    /// The node.
    pub provision_profile: ProvisionProfile,
    /// What the service needs to reserve resources.
    pub provision_helper_values: HelperValues,
}

/// A node. Members without which no node can be made must be there; all others may be left out or null.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ProvisionProfile {
    /// Always empty.
    pub name: String,
    /// The processor.
    pub architecture: Architecture,
    /// The operating system.
    pub os_type: OsType,
    /// Which of its kinds.
    pub os_sku: OsSku,
    /// The VM size.
    pub vm_size: String,
    /// The image, by the name of its distribution.
    pub distro: String,
    /// The Kubernetes version, without `v`.
    pub orchestrator_version: String,
    /// The subnet, by resource id.
    #[serde(rename = "vnetSubnetID")]
    pub vnet_subnet_id: String,
    /// Where the OS disk is.
    pub storage_profile: StorageProfile,
    /// Labels of the node.
    #[serde(default, deserialize_with = "nullable")]
    pub custom_node_labels: BTreeMap<String, String>,
    /// Taints that the node keeps, as `key=value:Effect`.
    #[serde(default, deserialize_with = "nullable")]
    pub node_taints: Vec<String>,
    /// Taints that something takes away when the node is ready for work.
    #[serde(default, deserialize_with = "nullable")]
    pub node_initialization_taints: Vec<String>,
    /// How many pods the node takes.
    pub max_pods: i32,
    /// Always empty.
    #[serde(deserialize_with = "nullable")]
    pub vnet_cidrs: Vec<String>,
    /// What the node is for.
    pub mode: Mode,
    /// Whether only validated cryptography is used.
    #[serde(rename = "enableFIPS", default, deserialize_with = "nullable")]
    pub enable_fips: bool,
    /// Trusted launch and SSH.
    #[serde(default, deserialize_with = "nullable")]
    pub security_profile: SecurityProfile,
    /// Container images loaded while they run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub artifact_streaming_profile: Option<Streaming>,
    /// The resolver on the node.
    #[serde(rename = "localDNSProfile", default, skip_serializing_if = "Option::is_none")]
    pub local_dns_profile: Option<LocalDnsProfile>,
    /// Settings of kubelet.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub custom_kubelet_config: Option<KubeletSettings>,
    /// Settings of the operating system.
    #[serde(rename = "customLinuxOSConfig", default, skip_serializing_if = "Option::is_none")]
    pub custom_linux_os_config: Option<LinuxOsSettings>,
    /// GPU drivers, for sizes with GPUs of NVIDIA.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gpu_profile: Option<GpuProfile>,
}

/// What the service needs to reserve resources.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct HelperValues {
    /// Processors of the size.
    #[serde(rename = "skuCPU", serialize_with = "as_go")]
    pub sku_cpu: f64,
    /// Memory of the size in GiB.
    #[serde(rename = "skuMemory", serialize_with = "as_go")]
    pub sku_memory: f64,
}

/// The processor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Architecture {
    /// x86-64.
    #[serde(rename = "x64")]
    X64,
    /// 64-bit Arm.
    Arm64,
}

/// Where the OS disk is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum StorageProfile {
    /// On the machine itself.
    Ephemeral,
    /// In the storage service.
    ManagedDisks,
}

/// Declares an enum whose JSON is a number.
macro_rules! numbers {
    ($(#[doc = $about:literal])+ pub enum $name:ident ($what:literal) { $($(#[doc = $value_about:literal])+ $value:ident = $number:literal,)+ }) => {
        $(#[doc = $about])+
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
        #[serde(into = "u8", try_from = "i64")]
        pub enum $name { $($(#[doc = $value_about])+ $value,)+ }

        impl From<$name> for u8 {
            fn from(value: $name) -> Self {
                match value { $($name::$value => $number,)+ }
            }
        }

        impl TryFrom<i64> for $name {
            type Error = String;

            fn try_from(number: i64) -> Result<Self, String> {
                match number {
                    $($number => Ok(Self::$value),)+
                    other => {
                        let known = [$(concat!(stringify!($number), " (", stringify!($value), ")")),+];
                        Err(format!("{} is {other}; this service knows {}", $what, known.join(", ")))
                    }
                }
            }
        }
    };
}

numbers! {
    /// The operating system.
    pub enum OsType ("osType") {
        /// Windows, of which no nodes are made here.
        Windows = 1,
        /// Linux.
        Linux = 2,
    }
}

numbers! {
    /// The kind of operating system.
    pub enum OsSku ("osSku") {
        /// Ubuntu.
        Ubuntu = 1,
        /// Azure Linux.
        AzureLinux = 7,
    }
}

numbers! {
    /// What a node is for.
    pub enum Mode ("mode") {
        /// The cluster's own pods.
        System = 1,
        /// Everybody's.
        User = 2,
    }
}

/// Trusted launch and SSH.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct SecurityProfile {
    /// Who may log in; 0 is the local user.
    pub ssh_access: i32,
    /// A virtual TPM.
    #[serde(rename = "enableVTPM", skip_serializing_if = "Option::is_none")]
    pub enable_vtpm: Option<bool>,
    /// Only signed boot components.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub enable_secure_boot: Option<bool>,
}

/// Container images loaded while they run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Streaming {
    /// Whether that is on.
    pub enabled: bool,
}

/// The resolver on the node.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct LocalDnsProfile {
    /// `Required` or `Disabled`.
    pub mode: String,
    /// Zones, for pods that use the node's resolver.
    #[serde(
        rename = "vnetDNSOverrides",
        deserialize_with = "nullable",
        skip_serializing_if = "BTreeMap::is_empty"
    )]
    pub vnet_dns_overrides: BTreeMap<String, LocalDnsZone>,
    /// Zones, for pods that use the cluster's resolver.
    #[serde(
        rename = "kubeDNSOverrides",
        deserialize_with = "nullable",
        skip_serializing_if = "BTreeMap::is_empty"
    )]
    pub kube_dns_overrides: BTreeMap<String, LocalDnsZone>,
}

/// How the resolver treats one zone. What is left out is for the node to decide.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct LocalDnsZone {
    /// `Error` or `Log`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub query_logging: Option<String>,
    /// `PreferUDP` or `ForceTCP`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub protocol: Option<String>,
    /// `ClusterCoreDNS` or `VnetDNS`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub forward_destination: Option<String>,
    /// `Sequential`, `RoundRobin` or `Random`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub forward_policy: Option<String>,
    /// How many queries at once.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_concurrent: Option<i32>,
    /// How long answers are kept.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cache_duration_in_seconds: Option<i32>,
    /// How long answers are served after that.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub serve_stale_duration_in_seconds: Option<i32>,
    /// `Verify`, `Immediate` or `Disable`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub serve_stale: Option<String>,
}

/// Settings of kubelet.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct KubeletSettings {
    /// Kernel settings that pods may ask for though they are not safe; null when there are none.
    pub allowed_unsafe_sysctls: Option<Vec<String>>,
    /// Whether CPU limits are enforced by quota.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cpu_cfs_quota: Option<bool>,
    /// The period of that quota, as a Go duration.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cpu_cfs_quota_period: Option<String>,
    /// `none` or `static`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cpu_manager_policy: Option<String>,
    /// `none`, `restricted`, `best-effort` or `single-numa-node`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub topology_manager_policy: Option<String>,
    /// Disk use in percent above which images are deleted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub image_gc_high_threshold: Option<i32>,
    /// Disk use in percent down to which images are deleted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub image_gc_low_threshold: Option<i32>,
    /// Size in MiB at which a container's log is rotated.
    #[serde(rename = "containerLogMaxSizeMB", skip_serializing_if = "Option::is_none")]
    pub container_log_max_size_mb: Option<i32>,
    /// How many log files a container keeps.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub container_log_max_files: Option<i32>,
    /// How many processes a pod may have; -1 for any number.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pod_max_pids: Option<i32>,
    /// Whether kubelet refuses to start on a machine with swap.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fail_swap_on: Option<bool>,
}

/// Settings of the operating system.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct LinuxOsSettings {
    /// Size of a swap file in MiB.
    #[serde(rename = "swapFileSizeMB", skip_serializing_if = "Option::is_none")]
    pub swap_file_size_mb: Option<i32>,
    /// `always`, `madvise` or `never`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub transparent_huge_page_enabled: Option<String>,
    /// `always`, `defer`, `defer+madvise`, `madvise` or `never`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub transparent_huge_page_defrag: Option<String>,
    /// Kernel settings.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sysctls: Option<SysctlSettings>,
}

/// GPU drivers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct GpuProfile {
    /// 2 for GRID, 3 for CUDA.
    pub driver_type: i32,
    /// Whether the node installs its driver.
    #[serde(rename = "installGPUDriver")]
    pub install_gpu_driver: bool,
}

/// A body that is no request.
#[derive(Debug, thiserror::Error)]
pub enum RequestError {
    /// There is none.
    #[error("the request has no body; send {{\"provisionProfile\": …, \"provisionHelperValues\": …}}")]
    Empty,
    /// It cannot be understood.
    #[error("the body cannot be understood: {0}")]
    Json(#[from] serde_json::Error),
}

impl Request {
    /// Reads a body. Members that are not known are passed over: newer clients send more.
    pub fn parse(body: &[u8]) -> Result<Self, RequestError> {
        if body.trim_ascii().is_empty() {
            return Err(RequestError::Empty);
        }
        Ok(serde_json::from_slice(body)?)
    }

    /// The body as the Go client sends it, its line end included.
    pub fn to_body(&self) -> Result<Vec<u8>, serde_json::Error> {
        let mut body = serde_json::to_vec(self)?;
        body.push(b'\n');
        Ok(body)
    }
}

/// What Go leaves unset it may write as null.
fn nullable<'de, T, D>(deserializer: D) -> Result<T, D::Error>
where
    T: Deserialize<'de> + Default,
    D: Deserializer<'de>,
{
    Option::deserialize(deserializer).map(Option::unwrap_or_default)
}

/// Whole numbers without a fraction, as Go writes doubles.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes it so")]
fn as_go<S: Serializer>(number: &f64, serializer: S) -> Result<S::Ok, S::Error> {
    #[expect(clippy::cast_possible_truncation, reason = "it was looked at whether it fits")]
    if number.fract() == 0.0 && number.abs() < 1e15 {
        serializer.serialize_i64(*number as i64)
    } else {
        serializer.serialize_f64(*number)
    }
}
