use slipway_model::Secret;
use slipway_model::node::{Network, Plugin, Policy, Proxy, Table};

use super::field::{decoded, demand, download};
use super::{Fate, Refused, take};
use crate::Contract;
use crate::messages::{NetworkPlugin, NetworkPolicy};

const ODD: &str = "has white space or quotes in it, which an environment file cannot hold";

/// What becomes of the fields that this file reads.
pub(super) const FATES: &[(&str, Fate)] = &[
    ("network_config.network_plugin", Fate::Honoured),
    ("network_config.network_policy", Fate::Honoured),
    ("network_config.vnet_cni_plugins_url", Fate::Honoured),
    (
        "network_config.cni_plugins_url",
        Fate::Image("the reference plugins are the image's; no script reads this"),
    ),
    ("network_config.standard_secondary_nic_count", Fate::Honoured),
    ("ipv6_dual_stack_enabled", Fate::Honoured),
    ("imds_restriction_config.enable_imds_restriction", Fate::Honoured),
    ("imds_restriction_config.insert_imds_restriction_rule_to_mangle_table", Fate::Honoured),
    ("http_proxy_config.http_proxy", Fate::Honoured),
    ("http_proxy_config.https_proxy", Fate::Honoured),
    ("http_proxy_config.no_proxy_entries", Fate::Honoured),
    ("http_proxy_config.proxy_trusted_ca", Fate::Honoured),
];

pub(super) fn read(contract: &Contract, refused: &mut Vec<Refused>) -> Network {
    let restricted = take!(contract, imds_restriction_config.enable_imds_restriction);
    let mangle = take!(contract, imds_restriction_config.insert_imds_restriction_rule_to_mangle_table);
    Network {
        plugin: take!(contract, network_config.network_plugin).map(|it| plugin(*it, refused)),
        policy: take!(contract, network_config.network_policy).map(|it| policy(*it, refused)),
        plugin_archive: download(&take!(contract, network_config.vnet_cni_plugins_url), refused),
        dual_stack: take!(contract, ipv6_dual_stack_enabled),
        secondary_interfaces: take!(contract, network_config.standard_secondary_nic_count).map(|it| *it > 0),
        metadata_restriction: restricted.with(&mangle, |restricted, mangle| {
            restricted.then_some(if *mangle { Table::Mangle } else { Table::Filter })
        }),
        proxy: proxy(contract, refused),
    }
}

fn proxy(contract: &Contract, refused: &mut Vec<Refused>) -> Proxy {
    let http = take!(contract, http_proxy_config.http_proxy);
    let https = take!(contract, http_proxy_config.https_proxy);
    let bypass = take!(contract, http_proxy_config.no_proxy_entries);
    demand(&http, |url| is_word(url), refused, ODD);
    demand(&https, |url| is_word(url), refused, ODD);
    demand(&bypass, |entries| entries.iter().all(|entry| is_word(entry)), refused, ODD);
    Proxy {
        http: http.map(|url| secret(url)),
        https: https.map(|url| secret(url)),
        bypass,
        certificate: decoded(&take!(contract, http_proxy_config.proxy_trusted_ca), refused),
    }
}

/// Whether a text is one word for everyone who reads environment files.
fn is_word(text: &str) -> bool {
    !text.contains(|c: char| c.is_whitespace() || c.is_control() || matches!(c, '"' | '\'' | '\\'))
}

fn secret(text: &str) -> Option<Secret<String>> {
    (!text.is_empty()).then(|| Secret::from(text))
}

fn plugin(asked: NetworkPlugin, refused: &mut Vec<Refused>) -> Plugin {
    match asked {
        NetworkPlugin::Unspecified | NetworkPlugin::None => Plugin::Later,
        NetworkPlugin::Azure => Plugin::Azure,
        NetworkPlugin::Kubenet => Plugin::Kubenet,
        NetworkPlugin::Unknown(number) => {
            refused.push(unknown("network_config.network_plugin", number));
            Plugin::Later
        }
    }
}

fn policy(asked: NetworkPolicy, refused: &mut Vec<Refused>) -> Policy {
    match asked {
        NetworkPolicy::Unspecified => Policy::Unsaid,
        NetworkPolicy::None => Policy::None,
        NetworkPolicy::Azure => Policy::Azure,
        NetworkPolicy::Calico => Policy::Calico,
        NetworkPolicy::Unknown(number) => {
            refused.push(unknown("network_config.network_policy", number));
            Policy::Unsaid
        }
    }
}

fn unknown(path: &str, number: i32) -> Refused {
    Refused { path: path.into(), reason: format!("this version of Slipway has no name for {number}") }
}
