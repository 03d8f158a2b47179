use std::collections::BTreeMap;

use slipway_model::node::{Dns, Domains, HostsFile, LocalDns, Treatment};
use slipway_model::{Source, Sourced, Sources};

use super::field::Field;
use super::{Fate, Refused, take};
use crate::Contract;
use crate::messages::{LocalDnsHealthCheck, LocalDnsOverrides};

const VNET: &str = "local_dns_profile.vnet_dns_overrides";
const KUBE: &str = "local_dns_profile.kube_dns_overrides";

/// What becomes of the fields that this file reads.
#[rustfmt::skip]
pub(super) const FATES: &[(&str, Fate)] = &[
    ("enable_hosts_config_agent", Fate::Honoured),
    ("cluster_config.cluster_network_config.core_dns_service_ip", Fate::Honoured),
    ("local_dns_profile.enable_local_dns", Fate::Honoured),
    ("local_dns_profile.cpu_limit_in_milli_cores", Fate::Honoured),
    ("local_dns_profile.memory_limit_in_mb", Fate::Honoured),
    ("local_dns_profile.enable_hosts_plugin", Fate::Honoured),
    ("local_dns_profile.critical_fqdns", Fate::Honoured),
    ("local_dns_profile.hosts_plugin_refresh_interval_in_seconds", Fate::Honoured),
    ("local_dns_profile.vnet_dns_overrides.query_logging", Fate::Honoured),
    ("local_dns_profile.vnet_dns_overrides.protocol", Fate::Honoured),
    ("local_dns_profile.vnet_dns_overrides.forward_destination", Fate::Honoured),
    ("local_dns_profile.vnet_dns_overrides.forward_policy", Fate::Honoured),
    ("local_dns_profile.vnet_dns_overrides.max_concurrent", Fate::Honoured),
    ("local_dns_profile.vnet_dns_overrides.cache_duration_in_seconds", Fate::Honoured),
    ("local_dns_profile.vnet_dns_overrides.serve_stale_duration_in_seconds", Fate::Honoured),
    ("local_dns_profile.vnet_dns_overrides.serve_stale", Fate::Honoured),
    ("local_dns_profile.vnet_dns_overrides.failfast_all_unhealthy_upstreams", Fate::Honoured),
    ("local_dns_profile.vnet_dns_overrides.health_check.duration", Fate::Honoured),
    ("local_dns_profile.vnet_dns_overrides.health_check.no_rec", Fate::Honoured),
    ("local_dns_profile.vnet_dns_overrides.health_check.domain", Fate::Honoured),
    ("local_dns_profile.kube_dns_overrides.query_logging", Fate::Honoured),
    ("local_dns_profile.kube_dns_overrides.protocol", Fate::Honoured),
    ("local_dns_profile.kube_dns_overrides.forward_destination", Fate::Honoured),
    ("local_dns_profile.kube_dns_overrides.forward_policy", Fate::Honoured),
    ("local_dns_profile.kube_dns_overrides.max_concurrent", Fate::Honoured),
    ("local_dns_profile.kube_dns_overrides.cache_duration_in_seconds", Fate::Honoured),
    ("local_dns_profile.kube_dns_overrides.serve_stale_duration_in_seconds", Fate::Honoured),
    ("local_dns_profile.kube_dns_overrides.serve_stale", Fate::Honoured),
    ("local_dns_profile.kube_dns_overrides.failfast_all_unhealthy_upstreams", Fate::Honoured),
    ("local_dns_profile.kube_dns_overrides.health_check.duration", Fate::Honoured),
    ("local_dns_profile.kube_dns_overrides.health_check.no_rec", Fate::Honoured),
    ("local_dns_profile.kube_dns_overrides.health_check.domain", Fate::Honoured),
];

pub(super) fn read(contract: &Contract, _refused: &mut Vec<Refused>) -> Dns {
    Dns {
        local: take!(contract, local_dns_profile.enable_local_dns).map(|on| on.then(|| local(contract))),
        private_hosts: take!(contract, enable_hosts_config_agent),
    }
}

fn local(contract: &Contract) -> LocalDns {
    let profile = contract.local_dns_profile.as_ref();
    let hosts = take!(contract, local_dns_profile.enable_hosts_plugin);
    LocalDns {
        vnet: domains(VNET, profile.map(|profile| &profile.vnet_dns_overrides)),
        kube: domains(KUBE, profile.map(|profile| &profile.kube_dns_overrides)),
        cluster_dns: take!(contract, cluster_config.cluster_network_config.core_dns_service_ip),
        milli_cores: take!(contract, local_dns_profile.cpu_limit_in_milli_cores).map(|it| positive(*it)),
        megabytes: take!(contract, local_dns_profile.memory_limit_in_mb).map(|it| positive(*it)),
        hosts: hosts.map(|on| on.then(|| hosts_file(contract))),
    }
}

fn hosts_file(contract: &Contract) -> HostsFile {
    HostsFile {
        names: take!(contract, local_dns_profile.critical_fqdns).map(|names| {
            let names = names.iter().map(|name| name.trim()).filter(|name| !name.is_empty());
            names.map(str::to_owned).collect()
        }),
        refresh_seconds: take!(contract, local_dns_profile.hosts_plugin_refresh_interval_in_seconds)
            .map(|it| positive(*it)),
    }
}

/// A number that says something; zero and less say nothing.
fn positive(number: Option<i32>) -> Option<u32> {
    number.and_then(|number| u32::try_from(number).ok()).filter(|number| *number > 0)
}

fn domains(path: &'static str, map: Option<&BTreeMap<String, LocalDnsOverrides>>) -> Domains {
    let mut sources = Sources::none();
    let mut domains = BTreeMap::new();
    for (domain, overrides) in map.into_iter().flatten() {
        sources.add(Source::Contract(format!("{path}[{domain}]").into()));
        domains.insert(domain.clone(), treatment(&format!("{path}[{domain}]"), overrides));
    }
    if domains.is_empty() {
        sources.add(Source::Unset(path.into()));
    }
    Sourced::new(domains, sources)
}

/// The settings of one domain, each of them named as a source.
fn treatment(path: &str, of: &LocalDnsOverrides) -> Sourced<Treatment> {
    let mut sources = Sources::none();
    let mut name = |field: &str, set: bool| {
        let path = format!("{path}.{field}").into();
        sources.add(if set { Source::Contract(path) } else { Source::Unset(path) });
    };
    name("query_logging", of.query_logging.is_set());
    name("protocol", of.protocol.is_set());
    name("forward_destination", of.forward_destination.is_set());
    name("forward_policy", of.forward_policy.is_set());
    name("max_concurrent", of.max_concurrent.is_set());
    name("cache_duration_in_seconds", of.cache_duration_in_seconds.is_set());
    name("serve_stale_duration_in_seconds", of.serve_stale_duration_in_seconds.is_set());
    name("serve_stale", of.serve_stale.is_set());
    name("failfast_all_unhealthy_upstreams", of.failfast_all_unhealthy_upstreams.is_set());
    let none = LocalDnsHealthCheck::default();
    let check = of.health_check.as_ref().unwrap_or(&none);
    name("health_check.duration", check.duration.is_set());
    name("health_check.no_rec", check.no_rec.is_set());
    name("health_check.domain", check.domain.is_set());
    let treatment = Treatment {
        query_logging: of.query_logging.clone(),
        protocol: of.protocol.clone(),
        forward_destination: of.forward_destination.clone(),
        forward_policy: of.forward_policy.clone(),
        max_concurrent: of.max_concurrent,
        cache_seconds: of.cache_duration_in_seconds,
        stale_seconds: of.serve_stale_duration_in_seconds,
        serve_stale: of.serve_stale.clone(),
        fail_fast: of.failfast_all_unhealthy_upstreams == Some(true),
        health_check: check.duration.clone().unwrap_or_default(),
        health_check_no_recursion: check.no_rec == Some(true),
        health_check_domain: check.domain.clone().unwrap_or_default(),
    };
    Sourced::new(treatment, sources)
}
