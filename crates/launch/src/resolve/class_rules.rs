//! What a node class must hold so that kubelet and the operating system of a node start with it.

use super::rules::Report;
use crate::Fidelity;
use crate::computed::whole_megabytes;
use crate::forms::is_sysctl_pattern;
use crate::request::{Kubelet, LinuxOs, NodeClassSpec};

pub(super) fn check(spec: &NodeClassSpec, report: &mut Report) {
    if let Some(kubelet) = &spec.kubelet {
        kubelet_rules(kubelet, report);
    }
    if let Some(config) = &spec.linux_os_config {
        linux_os(config, spec.kubelet.as_ref(), report);
    }
}

fn kubelet_rules(kubelet: &Kubelet, report: &mut Report) {
    let path = |member: &str| format!("nodeClass.spec.kubelet.{member}");
    report.expect(
        matches!(kubelet.cpu_manager_policy.as_str(), "" | "none" | "static"),
        &path("cpuManagerPolicy"),
        "must be none or static",
    );
    report.expect(
        matches!(
            kubelet.topology_manager_policy.as_str(),
            "" | "none" | "restricted" | "best-effort" | "single-numa-node"
        ),
        &path("topologyManagerPolicy"),
        "must be none, restricted, best-effort or single-numa-node",
    );
    let size = &kubelet.container_log_max_size;
    report.expect(
        size.is_empty() || whole_megabytes(size, Fidelity::Ours).is_some(),
        &path("containerLogMaxSize"),
        "must be a quantity such as 50Mi",
    );
    for sysctl in &kubelet.allowed_unsafe_sysctls {
        report.expect(
            is_sysctl_pattern(sysctl),
            &path("allowedUnsafeSysctls"),
            "must be kernel settings such as kernel.msgmax or net.core.*",
        );
    }
    let (high, low) = (kubelet.image_gc_high_threshold_percent, kubelet.image_gc_low_threshold_percent);
    report.expect(
        [high, low].into_iter().flatten().all(|percent| (0..=100).contains(&percent))
            && high.unwrap_or(85) > low.unwrap_or(80),
        &path("imageGCHighThresholdPercent"),
        "must be a percentage above imageGCLowThresholdPercent; left out they are 85 and 80",
    );
}

fn linux_os(config: &LinuxOs, kubelet: Option<&Kubelet>, report: &mut Report) {
    let path = |member: &str| format!("nodeClass.spec.linuxOSConfig.{member}");
    if let Some(size) = config.swap_file_size.as_deref().filter(|size| !size.is_empty()) {
        report.expect(
            whole_megabytes(size, Fidelity::Ours).is_some_and(|megabytes| megabytes >= 0),
            &path("swapFileSize"),
            "must be a quantity such as 1500Mi",
        );
        report.expect(
            kubelet.is_some_and(|kubelet| kubelet.fail_swap_on == Some(false)),
            &path("swapFileSize"),
            "needs nodeClass.spec.kubelet.failSwapOn to be false: kubelet would not start",
        );
    }
    let enabled = config.transparent_huge_page_enabled.as_deref().unwrap_or_default();
    report.expect(
        matches!(enabled, "" | "always" | "madvise" | "never"),
        &path("transparentHugePageEnabled"),
        "must be always, madvise or never",
    );
    let defrag = config.transparent_huge_page_defrag.as_deref().unwrap_or_default();
    report.expect(
        matches!(defrag, "" | "always" | "defer" | "defer+madvise" | "madvise" | "never"),
        &path("transparentHugePageDefrag"),
        "must be always, defer, defer+madvise, madvise or never",
    );
    let ports = config.sysctls.as_ref().and_then(|sysctls| sysctls.net_ipv4_ip_local_port_range.as_deref());
    let is_range = |range: &str| {
        let ports = range.split_once(' ').map(|(first, last)| (first.parse::<u16>(), last.parse::<u16>()));
        matches!(ports, Some((Ok(first), Ok(last))) if first < last)
    };
    report.expect(
        ports.is_none_or(is_range),
        &path("sysctls.netIPv4IPLocalPortRange"),
        "must be two ports: first last",
    );
}
