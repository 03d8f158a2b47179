//! The operating system's part of a contract.

use std::collections::BTreeMap;

use slipway_contract::messages::{CustomLinuxOsConfig, LocalDnsOverrides, LocalDnsProfile};

use crate::nps::profile::{LocalDnsZone, ProvisionProfile};

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
    let zones = |zones: &BTreeMap<String, LocalDnsZone>| {
        zones.iter().map(|(name, zone)| (name.clone(), zone_settings(zone))).collect()
    };
    Some(LocalDnsProfile {
        enable_local_dns: true,
        vnet_dns_overrides: zones(&asked.vnet_dns_overrides),
        kube_dns_overrides: zones(&asked.kube_dns_overrides),
        ..LocalDnsProfile::default()
    })
}

fn zone_settings(zone: &LocalDnsZone) -> LocalDnsOverrides {
    let text = |text: &Option<String>| text.clone().unwrap_or_default();
    LocalDnsOverrides {
        query_logging: text(&zone.query_logging),
        protocol: text(&zone.protocol),
        forward_destination: text(&zone.forward_destination),
        forward_policy: text(&zone.forward_policy),
        max_concurrent: zone.max_concurrent,
        cache_duration_in_seconds: zone.cache_duration_in_seconds,
        serve_stale_duration_in_seconds: zone.serve_stale_duration_in_seconds,
        serve_stale: text(&zone.serve_stale),
        ..LocalDnsOverrides::default()
    }
}
