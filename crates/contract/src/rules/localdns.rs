//! The node-local DNS server: what the Corefile's renderer needs and what it makes of odd settings.

use std::collections::{BTreeMap, HashMap};

use super::findings::Findings;
use super::rules;
use crate::Contract;
use crate::codec::{map_key, quote};
use crate::messages::{LocalDnsOverrides, LocalDnsProfile};

rules! {
    LOCALDNS_NUMBER_MISSING: Error "localdns-number-missing",
    summary: "Each zone says how many queries it takes at once, how long it caches, and how long it serves stale answers.",
    reason: "A number that is unset is rendered as `<nil>`. CoreDNS does not start, and the node has no DNS.",
    good: r#"{"local_dns_profile": {"enable_local_dns": true, "vnet_dns_overrides": {".": {"max_concurrent": 1000, "cache_duration_in_seconds": 3600}}}}"#,
    bad: r#"{"local_dns_profile": {"enable_local_dns": true, "vnet_dns_overrides": {".": {"max_concurrent": 1000}}}}"#;

    LOCALDNS_ROOT_MISSING: Warning "localdns-root-missing",
    summary: "Both listeners have the zone `.`.",
    reason: "A listener answers only for its zones. Without `.` it refuses every other name, and image pulls fail.",
    good: r#"{"local_dns_profile": {"enable_local_dns": true, "vnet_dns_overrides": {".": {"max_concurrent": 1000, "cache_duration_in_seconds": 3600}}, "kube_dns_overrides": {".": {"max_concurrent": 1000, "cache_duration_in_seconds": 3600}}}}"#,
    bad: r#"{"local_dns_profile": {"enable_local_dns": true, "vnet_dns_overrides": {"corp.example": {"max_concurrent": 1000, "cache_duration_in_seconds": 3600}}}}"#;

    LOCALDNS_ZONE_TWICE: Error "localdns-zone-twice",
    summary: "A listener has each zone once; case and a dot at the end do not make another zone.",
    reason: "CoreDNS does not start with a zone that is defined twice.",
    good: r#"{"local_dns_profile": {"enable_local_dns": true, "kube_dns_overrides": {"corp.example": {}}}}"#,
    bad: r#"{"local_dns_profile": {"enable_local_dns": true, "kube_dns_overrides": {"corp.example": {}, "corp.example.": {}}}}"#;

    LOCALDNS_DESTINATION_IGNORED: Warning "localdns-destination-ignored",
    summary: "A zone's destination is one that it can have.",
    reason: "Zones that end in `cluster.local` always go to CoreDNS, and `.` of the node's listener always goes to \
             Azure's DNS.",
    good: r#"{"local_dns_profile": {"vnet_dns_overrides": {"cluster.local": {"forward_destination": "ClusterCoreDNS"}}}}"#,
    bad: r#"{"local_dns_profile": {"vnet_dns_overrides": {"cluster.local": {"forward_destination": "VnetDNS"}}}}"#;

    LOCALDNS_CLUSTER_SUFFIX: Warning "localdns-cluster-suffix",
    summary: "A zone that only looks like one of the cluster is not used.",
    reason: "The renderer compares the end of the text, so `foocluster.local` goes to the cluster's DNS too.",
    good: r#"{"local_dns_profile": {"vnet_dns_overrides": {"svc.cluster.local": {}}}}"#,
    bad: r#"{"local_dns_profile": {"vnet_dns_overrides": {"mycluster.local": {}}}}"#;

    LOCALDNS_HEALTH_CHECK: Warning "localdns-health-check",
    summary: "A health check has a duration.",
    reason: "Without it the line is left out, and the other settings of the health check have no effect.",
    good: r#"{"local_dns_profile": {"vnet_dns_overrides": {".": {"health_check": {"duration": "5s", "no_rec": true}}}}}"#,
    bad: r#"{"local_dns_profile": {"vnet_dns_overrides": {".": {"health_check": {"no_rec": true}}}}}"#;

    LOCALDNS_OFF: Warning "localdns-off",
    summary: "Settings of the node-local DNS server come with its switch.",
    reason: "Without `enable_local_dns` there is no such server. The hosts plugin is part of it.",
    good: r#"{"local_dns_profile": {"enable_local_dns": true, "enable_hosts_plugin": true}}"#,
    bad: r#"{"local_dns_profile": {"enable_hosts_plugin": true}}"#;

    CORE_DNS_ADDRESS: Warning "core-dns-address",
    summary: "The node-local DNS server forwards to the DNS server that pods are told.",
    reason: "Where `core_dns_service_ip` is unset the server forwards to 10.0.0.10, which is wrong in clusters with \
             another range of service addresses.",
    good: r#"{"local_dns_profile": {"enable_local_dns": true}, "cluster_config": {"cluster_network_config": {"core_dns_service_ip": "10.2.0.10"}}, "kubelet_config": {"kubelet_config_file_config": {"cluster_dns": ["10.2.0.10"]}}}"#,
    bad: r#"{"local_dns_profile": {"enable_local_dns": true}, "kubelet_config": {"kubelet_config_file_config": {"cluster_dns": ["10.2.0.10"]}}}"#;
}

/// The server's own addresses, which pods may be told as well.
const LISTENERS: [&str; 2] = ["169.254.10.10", "169.254.10.11"];
const DEFAULT_CORE_DNS: &str = "10.0.0.10";

pub(super) fn check(contract: &Contract, findings: &mut Findings<'_>) {
    let Some(profile) = &contract.local_dns_profile else { return };
    if profile.enable_local_dns {
        core_dns(contract, findings);
    } else {
        switched_off(profile, findings);
    }
    for (listener, zones) in [
        ("vnet_dns_overrides", &profile.vnet_dns_overrides),
        ("kube_dns_overrides", &profile.kube_dns_overrides),
    ] {
        let path = format!("local_dns_profile.{listener}");
        if profile.enable_local_dns && !zones.contains_key(".") {
            findings.advise(
                &LOCALDNS_ROOT_MISSING,
                &path,
                format!("{listener} has no zone for all other names"),
                "add an entry with the key \".\"",
            );
        }
        names(zones, &path, profile.enable_local_dns, findings);
        for (zone, settings) in zones {
            let path = format!("{path}{}", map_key(zone));
            if profile.enable_local_dns {
                numbers(settings, &path, findings);
            }
            destination(zone, settings, &path, listener == "vnet_dns_overrides", findings);
            health_check(settings, &path, findings);
        }
    }
}

fn switched_off(profile: &LocalDnsProfile, findings: &mut Findings<'_>) {
    for (field, set) in [
        ("enable_hosts_plugin", profile.enable_hosts_plugin),
        ("vnet_dns_overrides", !profile.vnet_dns_overrides.is_empty()),
        ("kube_dns_overrides", !profile.kube_dns_overrides.is_empty()),
    ] {
        if set {
            let message = format!("{field} has no effect: the node-local DNS server is off");
            findings.advise(
                &LOCALDNS_OFF,
                &format!("local_dns_profile.{field}"),
                message,
                "set local_dns_profile.enable_local_dns",
            );
        }
    }
}

fn names(zones: &BTreeMap<String, LocalDnsOverrides>, path: &str, on: bool, findings: &mut Findings<'_>) {
    let mut seen: HashMap<String, &str> = HashMap::new();
    for zone in zones.keys() {
        let path = format!("{path}{}", map_key(zone));
        let plain = zone.trim_end_matches('.').to_ascii_lowercase();
        if plain.ends_with("cluster.local") && plain != "cluster.local" && !plain.ends_with(".cluster.local")
        {
            let message = format!("{} goes to the cluster's DNS because of how its name ends", quote(zone));
            findings.report(&LOCALDNS_CLUSTER_SUFFIX, &path, message);
        }
        if let Some(first) = seen.insert(plain, zone)
            && on
        {
            let message = format!("{} is the same zone as {}", quote(zone), quote(first));
            findings.advise(&LOCALDNS_ZONE_TWICE, &path, message, "remove one of them");
        }
    }
}

fn numbers(settings: &LocalDnsOverrides, path: &str, findings: &mut Findings<'_>) {
    let serves_stale = matches!(settings.serve_stale.as_str(), "Verify" | "Immediate");
    for (field, missing) in [
        ("max_concurrent", settings.max_concurrent.is_none()),
        ("cache_duration_in_seconds", settings.cache_duration_in_seconds.is_none()),
        (
            "serve_stale_duration_in_seconds",
            serves_stale && settings.serve_stale_duration_in_seconds.is_none(),
        ),
    ] {
        if missing {
            let message = format!("{field} is missing, and is rendered as <nil>");
            findings.advise(
                &LOCALDNS_NUMBER_MISSING,
                &format!("{path}.{field}"),
                message,
                format!("set {field}"),
            );
        }
    }
}

fn destination(
    zone: &str,
    settings: &LocalDnsOverrides,
    path: &str,
    of_node: bool,
    findings: &mut Findings<'_>,
) {
    let fixed = if zone.ends_with("cluster.local") {
        "ClusterCoreDNS"
    } else if of_node && zone == "." {
        "VnetDNS"
    } else {
        return;
    };
    if matches!(settings.forward_destination.as_str(), "ClusterCoreDNS" | "VnetDNS")
        && settings.forward_destination != fixed
    {
        let path = format!("{path}.forward_destination");
        let message = format!("the destination of {} is always {fixed} here", quote(zone));
        findings.advise(&LOCALDNS_DESTINATION_IGNORED, &path, message, format!("write {fixed}"));
    }
}

fn health_check(settings: &LocalDnsOverrides, path: &str, findings: &mut Findings<'_>) {
    let Some(check) = &settings.health_check else { return };
    let has_duration = check.duration.as_ref().is_some_and(|duration| !duration.is_empty());
    if !has_duration && (check.no_rec.is_some() || check.domain.is_some()) {
        let path = format!("{path}.health_check");
        findings.advise(
            &LOCALDNS_HEALTH_CHECK,
            &path,
            "the health check has no duration",
            "set its duration, such as 5s",
        );
    }
}

fn core_dns(contract: &Contract, findings: &mut Findings<'_>) {
    const ADDRESS: &str = "cluster_config.cluster_network_config.core_dns_service_ip";
    let given = contract
        .cluster_config
        .as_ref()
        .and_then(|cluster| cluster.cluster_network_config.as_ref())
        .map_or("", |network| network.core_dns_service_ip.as_str());
    let address = if given.is_empty() { DEFAULT_CORE_DNS } else { given };
    let Some(kubelet) = &contract.kubelet_config else { return };
    let of_flags = kubelet.kubelet_flags.get("--cluster-dns").map_or("", String::as_str).split(',');
    let of_file = kubelet.kubelet_config_file_config.iter().flat_map(|file| file.cluster_dns.iter());
    let told: Vec<&str> = of_file
        .map(String::as_str)
        .chain(of_flags)
        .map(str::trim)
        .filter(|server| !server.is_empty() && !LISTENERS.contains(server))
        .collect();
    if !told.is_empty() && !told.contains(&address) {
        let message =
            format!("node-local DNS forwards to {}, and pods are told {}", quote(address), told.join(", "));
        findings.advise(&CORE_DNS_ADDRESS, ADDRESS, message, format!("set {ADDRESS} to {}", told[0]));
    }
}
