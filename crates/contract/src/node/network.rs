use slipway_model::node::{Network, Plugin, Policy, Proxy, Table};
use slipway_model::{Secret, Sourced};

use super::{Fate, Refused, payload, take};
use crate::Contract;
use crate::messages::{NetworkPlugin, NetworkPolicy};

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
        plugin_archive: take!(contract, network_config.vnet_cni_plugins_url).map(|url| secret(url)),
        dual_stack: take!(contract, ipv6_dual_stack_enabled),
        secondary_interfaces: take!(contract, network_config.standard_secondary_nic_count).map(|it| *it > 0),
        metadata_restriction: restricted.with(&mangle, |restricted, mangle| {
            restricted.then_some(if *mangle { Table::Mangle } else { Table::Filter })
        }),
        proxy: Proxy {
            http: take!(contract, http_proxy_config.http_proxy).map(|url| secret(url)),
            https: take!(contract, http_proxy_config.https_proxy).map(|url| secret(url)),
            bypass: take!(contract, http_proxy_config.no_proxy_entries),
            certificate: certificate(&take!(contract, http_proxy_config.proxy_trusted_ca), refused),
        },
    }
}

fn secret(text: &str) -> Option<Secret<String>> {
    (!text.is_empty()).then(|| Secret::from(text))
}

fn certificate(base64: &Sourced<String>, refused: &mut Vec<Refused>) -> Sourced<Option<String>> {
    base64.map(|base64| {
        (!base64.is_empty()).then(|| payload::text("http_proxy_config.proxy_trusted_ca", base64, refused))
    })
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
