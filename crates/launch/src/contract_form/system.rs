//! The operating system's part of a contract: kernel, swap, huge pages, the resolver on the node.

use std::collections::BTreeMap;

use slipway_contract::messages::{CustomLinuxOsConfig, LocalDnsOverrides, LocalDnsProfile};

use crate::computed::whole_megabytes;
use crate::request::{CacheTime, LocalDns, ZoneOverride};
use crate::{Bootstrap, Fidelity};

/// What AKS gives a zone that does not say: queries at once, and seconds.
const CONCURRENT: i32 = 1000;
const KEPT_SECONDS: i32 = 3600;
const STALE_SECONDS: i32 = 3600;

const CLUSTER_ZONE: &str = "cluster.local";
const CLUSTER_DNS: &str = "ClusterCoreDNS";

/// Settings of the operating system, if the node class has any.
pub(super) fn settings(node: &Bootstrap, fidelity: Fidelity) -> Option<CustomLinuxOsConfig> {
    let asked = node.linux_os.as_ref()?;
    let swap = asked.swap_file_size.as_deref().and_then(|size| whole_megabytes(size, fidelity));
    let swap = swap.filter(|megabytes| *megabytes > 0);
    Some(CustomLinuxOsConfig {
        sysctl_config: asked.sysctls.as_ref().map(Into::into),
        enable_swap_config: swap.is_some(),
        swap_file_size: swap.unwrap_or_default(),
        transparent_hugepage_support: asked.transparent_huge_page_enabled.clone().unwrap_or_default(),
        transparent_defrag: asked.transparent_huge_page_defrag.clone().unwrap_or_default(),
        ..CustomLinuxOsConfig::default()
    })
}

/// The resolver on the node.
pub(super) fn local_dns(asked: LocalDns) -> LocalDnsProfile {
    LocalDnsProfile {
        enable_local_dns: true,
        vnet_dns_overrides: zones(asked.vnet_dns_overrides, "VnetDNS"),
        kube_dns_overrides: zones(asked.kube_dns_overrides, CLUSTER_DNS),
        ..LocalDnsProfile::default()
    }
}

/// The zones of one listener. Without the two that every listener has, it would refuse all other names.
fn zones(asked: Vec<ZoneOverride>, root: &'static str) -> BTreeMap<String, LocalDnsOverrides> {
    let always =
        [".", CLUSTER_ZONE].map(|zone| ZoneOverride { zone: zone.to_owned(), ..ZoneOverride::default() });
    // Of two with the same name the later one counts.
    always.into_iter().chain(asked).map(|zone| (zone.zone.clone(), zone_settings(&zone, root))).collect()
}

/// How a zone is treated: as it says, otherwise as AKS does.
fn zone_settings(zone: &ZoneOverride, root: &'static str) -> LocalDnsOverrides {
    let or = |said: &str, default: &str| if said.is_empty() { default } else { said }.to_owned();
    let is_cluster = zone.zone == CLUSTER_ZONE || zone.zone.ends_with(".cluster.local");
    LocalDnsOverrides {
        query_logging: or(&zone.query_logging, "Error"),
        protocol: or(&zone.protocol, if is_cluster { "ForceTCP" } else { "PreferUDP" }),
        forward_destination: or(&zone.forward_destination, if is_cluster { CLUSTER_DNS } else { root }),
        forward_policy: or(&zone.forward_policy, "Sequential"),
        max_concurrent: Some(zone.max_concurrent.unwrap_or(CONCURRENT)),
        cache_duration_in_seconds: Some(zone.cache_duration.map_or(KEPT_SECONDS, CacheTime::seconds)),
        serve_stale_duration_in_seconds: Some(
            zone.serve_stale_duration.map_or(STALE_SECONDS, CacheTime::seconds),
        ),
        serve_stale: or(&zone.serve_stale, "Immediate"),
        ..LocalDnsOverrides::default()
    }
}
