//! From a launch to the request that the client sends.

use std::collections::BTreeMap;

use super::SysctlSettings;
use super::profile::{
    Architecture, GpuProfile, HelperValues, KubeletSettings, LinuxOsSettings, LocalDnsProfile, LocalDnsZone,
    Mode, OsSku, OsType, ProvisionProfile, Request, SecurityProfile, StorageProfile, Streaming,
};
use crate::computed::{pod_pids, taint_text, whole_megabytes};
use crate::request::{
    CacheTime, Kubelet, LinuxOs, LocalDns, LocalDnsMode, LocalDnsState, NodeClass, Taint, ZoneOverride,
};
use crate::{Fidelity, Resolved, sizes};

/// Of a second.
pub(super) const NANOSECONDS: i64 = 1_000_000_000;
const GIB: f64 = 1_073_741_824.0;
/// Of images of this distribution no node runs the local resolver.
const WITHOUT_LOCAL_DNS: &str = "20.04";

/// Why the service cannot be asked for a node.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Unaskable {
    /// The image has no name that the service knows.
    #[error("the image {0} has no name that the node provisioning service knows")]
    Distribution(String),
    /// The family of images is not one that the service knows.
    #[error("nodeClass.spec.imageFamily: the node provisioning service does not know {0:?}")]
    Family(String),
}

impl Request {
    /// The request for a node that was resolved from a launch request.
    pub fn of(launch: &crate::Request, node: &Resolved, fidelity: Fidelity) -> Result<Self, Unaskable> {
        let spec = &launch.node_class.spec;
        let size = &node.instance_type;
        let architecture = match size.architecture {
            sizes::Architecture::Arm64 => Architecture::Arm64,
            sizes::Architecture::Amd64 => Architecture::X64,
        };
        let distro =
            node.image.distro.ok_or_else(|| Unaskable::Distribution(node.image.selected_image_id.clone()))?;
        let labels: BTreeMap<String, String> = node
            .bootstrap
            .labels
            .iter()
            .map(|(key, value)| (key.to_owned(), value.value.to_string()))
            .collect();
        let is_system = labels.get("kubernetes.azure.com/mode").is_some_and(|mode| mode == "system");
        let trusted = spec.security.as_ref().and_then(|security| security.trusted_launch.as_ref());
        let texts = |taints: &[Taint]| taints.iter().map(taint_text).collect();
        let gpu = &node.bootstrap.gpu;
        let profile = ProvisionProfile {
            name: String::new(),
            architecture,
            os_type: OsType::Linux,
            os_sku: os_sku(spec.image_family.as_deref())?,
            vm_size: size.name.clone(),
            distro: distro.to_owned(),
            orchestrator_version: node.bootstrap.kubernetes_version.clone(),
            vnet_subnet_id: node.bootstrap.subnet_id.value.clone(),
            storage_profile: if node.launch_template.is_ephemeral {
                StorageProfile::Ephemeral
            } else {
                StorageProfile::ManagedDisks
            },
            custom_node_labels: labels,
            node_taints: texts(&node.bootstrap.taints.general),
            node_initialization_taints: texts(&node.bootstrap.taints.startup),
            max_pods: node.bootstrap.kubelet.as_ref().map_or(0, |kubelet| kubelet.max_pods.value),
            vnet_cidrs: Vec::new(),
            mode: if is_system { Mode::System } else { Mode::User },
            enable_fips: spec.is_fips(),
            security_profile: SecurityProfile {
                ssh_access: 0,
                enable_vtpm: trusted.and_then(|trusted| trusted.vtpm),
                enable_secure_boot: trusted.and_then(|trusted| trusted.secure_boot),
            },
            artifact_streaming_profile: Some(Streaming {
                enabled: spec.streams_artifacts() && architecture == Architecture::X64,
            }),
            local_dns_profile: local_dns(&launch.node_class, fidelity)
                .filter(|_| !distro.contains(WITHOUT_LOCAL_DNS)),
            custom_kubelet_config: Some(kubelet(spec.kubelet.as_ref(), fidelity)),
            custom_linux_os_config: spec.linux_os_config.as_ref().map(|config| linux_os(config, fidelity)),
            gpu_profile: gpu.is_nvidia.then(|| GpuProfile {
                driver_type: if gpu.driver_type == "grid" { 2 } else { 3 },
                install_gpu_driver: gpu.installs_driver,
            }),
        };
        Ok(Self { provision_profile: profile, provision_helper_values: helper_values(launch, node) })
    }
}

fn os_sku(family: Option<&str>) -> Result<OsSku, Unaskable> {
    match family.unwrap_or_default() {
        "" | "Ubuntu" | "Ubuntu2204" | "Ubuntu2404" => Ok(OsSku::Ubuntu),
        "AzureLinux" => Ok(OsSku::AzureLinux),
        other => Err(Unaskable::Family(other.to_owned())),
    }
}

/// The size as it was before the launcher took its share of the memory.
#[expect(clippy::cast_precision_loss, reason = "sizes are far below what a double holds exactly")]
fn helper_values(launch: &crate::Request, node: &Resolved) -> HelperValues {
    let capacity = &node.instance_type.capacity;
    let whole = capacity.memory.value() as f64 / (1.0 - launch.options.vm_memory_overhead_percent);
    HelperValues { sku_cpu: capacity.cpu.value() as f64, sku_memory: (whole / GIB).ceil() }
}

fn local_dns(class: &NodeClass, fidelity: Fidelity) -> Option<LocalDnsProfile> {
    // A node whose status has the resolver runs it, also where its class says no more about it.
    let unsaid = (fidelity.is_ours() && class.runs_local_dns()).then(LocalDns::default);
    let dns = class.spec.local_dns.as_ref().or(unsaid.as_ref())?;
    // The wire has no word for what is preferred. The peer looks at the status only then, and can ask for a resolver that
    // the node's label denies.
    let runs = match (fidelity, dns.mode) {
        (Fidelity::Ours, _) => class.runs_local_dns(),
        (Fidelity::Compat, Some(LocalDnsMode::Preferred)) => {
            class.local_dns_state == Some(LocalDnsState::Enabled)
        }
        (Fidelity::Compat, mode) => mode == Some(LocalDnsMode::Required),
    };
    let zones = |zones: &[ZoneOverride]| {
        zones.iter().map(|zone| (zone.zone.clone(), zone_settings(zone, fidelity))).collect()
    };
    Some(LocalDnsProfile {
        mode: if runs { LocalDnsMode::Required } else { LocalDnsMode::Disabled }.to_string(),
        vnet_dns_overrides: zones(&dns.vnet_dns_overrides),
        kube_dns_overrides: zones(&dns.kube_dns_overrides),
    })
}

/// The peer leaves out a time that never ends, and the service takes its default of an hour.
fn zone_settings(zone: &ZoneOverride, fidelity: Fidelity) -> LocalDnsZone {
    let seconds = |time: Option<CacheTime>| match (time?, fidelity) {
        (CacheTime::Never, Fidelity::Compat) => None,
        (time, _) => Some(time.seconds()),
    };
    LocalDnsZone {
        query_logging: said(&zone.query_logging),
        protocol: said(&zone.protocol),
        forward_destination: said(&zone.forward_destination),
        forward_policy: said(&zone.forward_policy),
        max_concurrent: zone.max_concurrent,
        cache_duration_in_seconds: seconds(zone.cache_duration),
        serve_stale_duration_in_seconds: seconds(zone.serve_stale_duration),
        serve_stale: said(&zone.serve_stale),
    }
}

fn kubelet(class: Option<&Kubelet>, fidelity: Fidelity) -> KubeletSettings {
    let Some(class) = class else { return KubeletSettings::default() };
    let period = Some(class.cpu_cfs_quota_period).filter(|period| period.nanoseconds() != 0);
    let sysctls = Some(class.allowed_unsafe_sysctls.clone()).filter(|sysctls| !sysctls.is_empty());
    KubeletSettings {
        allowed_unsafe_sysctls: sysctls,
        cpu_cfs_quota: class.cpu_cfs_quota,
        cpu_cfs_quota_period: period.map(|period| period.to_string()),
        cpu_manager_policy: said(&class.cpu_manager_policy),
        topology_manager_policy: said(&class.topology_manager_policy),
        image_gc_high_threshold: class.image_gc_high_threshold_percent,
        image_gc_low_threshold: class.image_gc_low_threshold_percent,
        container_log_max_size_mb: said(&class.container_log_max_size)
            .and_then(|size| whole_megabytes(&size, fidelity)),
        container_log_max_files: class.container_log_max_files,
        pod_max_pids: class.pod_pids_limit.map(pod_pids),
        fail_swap_on: class.fail_swap_on,
    }
}

fn linux_os(config: &LinuxOs, fidelity: Fidelity) -> LinuxOsSettings {
    let swap = config.swap_file_size.as_deref().filter(|size| !size.is_empty());
    LinuxOsSettings {
        swap_file_size_mb: swap.and_then(|size| whole_megabytes(size, fidelity)),
        transparent_huge_page_enabled: config.transparent_huge_page_enabled.clone(),
        transparent_huge_page_defrag: config.transparent_huge_page_defrag.clone(),
        sysctls: config.sysctls.as_ref().map(SysctlSettings::from),
    }
}

fn said(text: &str) -> Option<String> {
    Some(text.to_owned()).filter(|text| !text.is_empty())
}
