//! The operating system's part of a contract.

use std::collections::BTreeMap;

use slipway_contract::messages::{CustomLinuxOsConfig, LocalDnsOverrides, LocalDnsProfile};

use crate::nps::profile::{LocalDnsZone, ProvisionProfile};

/// The cluster's own resolver.
const CLUSTER: &str = "ClusterCoreDNS";
/// In seconds.
const HOUR: i32 = 3600;

/// Settings of the operating system, if the request has any.
pub(super) fn settings(profile: &ProvisionProfile) -> Option<CustomLinuxOsConfig> {
    let asked = profile.custom_linux_os_config.as_ref()?;
    let swap = asked.swap_file_size_mb.filter(|size| *size > 0);
    Some(CustomLinuxOsConfig {
        sysctl_config: asked.sysctls.as_ref().map(Into::into),
        enable_swap_config: swap.is_some(),
        swap_file_size: swap.unwrap_or_default(),
        transparent_hugepage_support: asked.transparent_huge_page_enabled.clone().unwrap_or_default(),
        transparent_defrag: asked.transparent_huge_page_defrag.clone().unwrap_or_default(),
        ..CustomLinuxOsConfig::default()
    })
}

/// The resolver on the node, if it runs one.
pub(super) fn local_dns(profile: &ProvisionProfile) -> Option<LocalDnsProfile> {
    let asked = profile.local_dns_profile.as_ref().filter(|dns| dns.mode == "Required")?;
    let zones = |zones: &BTreeMap<String, LocalDnsZone>, destination: &str| {
        let settings =
            |(name, zone): (&String, &LocalDnsZone)| (name.clone(), zone_settings(name, zone, destination));
        zones.iter().map(settings).collect()
    };
    Some(LocalDnsProfile {
        enable_local_dns: true,
        vnet_dns_overrides: zones(&asked.vnet_dns_overrides, "VnetDNS"),
        kube_dns_overrides: zones(&asked.kube_dns_overrides, CLUSTER),
        ..LocalDnsProfile::default()
    })
}

/// What a zone is asked to be, and AKS' own choice where nothing was said; `destination` is where other zones of the
/// same listener go.
fn zone_settings(name: &str, zone: &LocalDnsZone, destination: &str) -> LocalDnsOverrides {
    let said = |text: &Option<String>, otherwise: &str| text.clone().unwrap_or_else(|| otherwise.to_owned());
    let (protocol, destination) =
        if name == "cluster.local" { ("ForceTCP", CLUSTER) } else { ("PreferUDP", destination) };
    LocalDnsOverrides {
        query_logging: said(&zone.query_logging, "Error"),
        protocol: said(&zone.protocol, protocol),
        forward_destination: said(&zone.forward_destination, destination),
        forward_policy: said(&zone.forward_policy, "Sequential"),
        max_concurrent: Some(zone.max_concurrent.unwrap_or(1000)),
        cache_duration_in_seconds: Some(zone.cache_duration_in_seconds.unwrap_or(HOUR)),
        serve_stale_duration_in_seconds: Some(zone.serve_stale_duration_in_seconds.unwrap_or(HOUR)),
        serve_stale: said(&zone.serve_stale, "Immediate"),
        ..LocalDnsOverrides::default()
    }
}
