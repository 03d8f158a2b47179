//! What a request asks for, as a node class has it.

use std::collections::BTreeMap;

use super::Impossible;
use super::asking::NANOSECONDS;
use super::profile::{KubeletSettings, LinuxOsSettings, LocalDnsProfile, LocalDnsZone, ProvisionProfile};
use crate::request::{
    ArtifactStreaming, CacheTime, GoDuration, Kubelet, LinuxOs, LocalDns, NodeClass, NodeClassSpec,
    ZoneOverride,
};

/// The node class of a request. It names the local resolver only if nodes run it.
pub(super) fn node_class(profile: &ProvisionProfile) -> Result<NodeClass, Impossible> {
    let mut kubelet = profile.custom_kubelet_config.as_ref().map(kubelet).transpose()?.unwrap_or_default();
    let swap = profile.custom_linux_os_config.as_ref().and_then(|system| system.swap_file_size_mb);
    // Whoever asks for swap and says no more wants a kubelet that starts with it.
    if kubelet.fail_swap_on.is_none() && swap.is_some_and(|size| size > 0) {
        kubelet.fail_swap_on = Some(false);
    }
    let dns = profile.local_dns_profile.as_ref().filter(|dns| dns.mode == "Required");
    let streaming = profile.artifact_streaming_profile;
    let spec = NodeClassSpec {
        kubelet: Some(kubelet),
        max_pods: Some(profile.max_pods),
        local_dns: dns.map(local_dns),
        artifact_streaming: streaming.map(|asked| ArtifactStreaming { enabled: Some(asked.enabled) }),
        linux_os_config: profile.custom_linux_os_config.as_ref().map(linux_os),
        ..NodeClassSpec::default()
    };
    Ok(NodeClass { spec, ..NodeClass::default() })
}

fn kubelet(asked: &KubeletSettings) -> Result<Kubelet, Impossible> {
    let period = asked.cpu_cfs_quota_period.as_deref().filter(|period| !period.is_empty());
    let period = period.map(|period| {
        GoDuration::parse(period).ok_or_else(|| {
            Impossible::member(
                "customKubeletConfig",
                format!("cpuCfsQuotaPeriod: {period:?} is not a duration"),
            )
        })
    });
    Ok(Kubelet {
        cpu_manager_policy: asked.cpu_manager_policy.clone().unwrap_or_default(),
        cpu_cfs_quota: asked.cpu_cfs_quota,
        cpu_cfs_quota_period: period.transpose()?.unwrap_or_default(),
        image_gc_high_threshold_percent: asked.image_gc_high_threshold,
        image_gc_low_threshold_percent: asked.image_gc_low_threshold,
        topology_manager_policy: asked.topology_manager_policy.clone().unwrap_or_default(),
        allowed_unsafe_sysctls: asked.allowed_unsafe_sysctls.clone().unwrap_or_default(),
        container_log_max_size: asked.container_log_max_size_mb.map(mebibytes).unwrap_or_default(),
        container_log_max_files: asked.container_log_max_files,
        pod_pids_limit: asked.pod_max_pids.map(i64::from),
        fail_swap_on: asked.fail_swap_on,
    })
}

fn linux_os(asked: &LinuxOsSettings) -> LinuxOs {
    LinuxOs {
        swap_file_size: asked.swap_file_size_mb.map(mebibytes),
        sysctls: asked.sysctls.as_ref().map(Into::into),
        transparent_huge_page_defrag: asked.transparent_huge_page_defrag.clone(),
        transparent_huge_page_enabled: asked.transparent_huge_page_enabled.clone(),
    }
}

fn local_dns(asked: &LocalDnsProfile) -> LocalDns {
    let zones = |zones: &BTreeMap<String, LocalDnsZone>| zones.iter().map(zone).collect();
    LocalDns {
        vnet_dns_overrides: zones(&asked.vnet_dns_overrides),
        kube_dns_overrides: zones(&asked.kube_dns_overrides),
        ..LocalDns::default()
    }
}

fn zone((name, asked): (&String, &LocalDnsZone)) -> ZoneOverride {
    // What `CacheTime::seconds` gives for a time that never ends.
    let seconds = |seconds: i32| match seconds {
        i32::MAX => CacheTime::Never,
        seconds => CacheTime::After(GoDuration::of_nanoseconds(i64::from(seconds) * NANOSECONDS)),
    };
    ZoneOverride {
        zone: name.clone(),
        query_logging: asked.query_logging.clone().unwrap_or_default(),
        protocol: asked.protocol.clone().unwrap_or_default(),
        forward_destination: asked.forward_destination.clone().unwrap_or_default(),
        forward_policy: asked.forward_policy.clone().unwrap_or_default(),
        max_concurrent: asked.max_concurrent,
        cache_duration: asked.cache_duration_in_seconds.map(seconds),
        serve_stale_duration: asked.serve_stale_duration_in_seconds.map(seconds),
        serve_stale: asked.serve_stale.clone().unwrap_or_default(),
    }
}

fn mebibytes(number: i32) -> String {
    format!("{number}Mi")
}
