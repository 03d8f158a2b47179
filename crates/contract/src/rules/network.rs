//! Network plugin and policy, the proxy, and the firewall around instance metadata.

use core::net::IpAddr;

use super::findings::Findings;
use super::rules;
use crate::Contract;
use crate::messages::{HttpProxyConfig, NetworkPlugin, NetworkPolicy};

rules! {
    NETWORK_POLICY: Warning "network-policy",
    summary: "The network policy is one that the network plugin has.",
    reason: "Azure's policies need Azure's plugin. With another one, policies are accepted by the cluster and not enforced.",
    good: r#"{"network_config": {"network_plugin": "NETWORK_PLUGIN_AZURE", "network_policy": "NETWORK_POLICY_AZURE"}}"#,
    bad: r#"{"network_config": {"network_plugin": "NETWORK_PLUGIN_KUBENET", "network_policy": "NETWORK_POLICY_AZURE"}}"#;

    PROXY_CA_WITHOUT_PROXY: Warning "proxy-ca-without-proxy",
    summary: "A CA for the proxy comes with a proxy.",
    reason: "The node trusts the CA for everything, although no proxy needs it.",
    good: r#"{"http_proxy_config": {"https_proxy": "http://proxy:3128/", "proxy_trusted_ca": "LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0tCg=="}}"#,
    bad: r#"{"http_proxy_config": {"proxy_trusted_ca": "LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0tCg=="}}"#;

    NO_PROXY_WITHOUT_PROXY: Warning "no-proxy-without-proxy",
    summary: "Exceptions from the proxy come with a proxy.",
    reason: "The exceptions alone have no effect.",
    good: r#"{"http_proxy_config": {"http_proxy": "http://proxy:3128/", "no_proxy_entries": ["169.254.169.254", "168.63.129.16"]}}"#,
    bad: r#"{"http_proxy_config": {"no_proxy_entries": ["169.254.169.254"]}}"#;

    NO_PROXY_GAP: Warning "no-proxy-gap",
    summary: "The exceptions from the proxy cover instance metadata and the platform: 169.254.169.254 and 168.63.129.16.",
    reason: "Both answer only the machine itself. Through a proxy they answer for the proxy's machine, or not at \
             all, and the node gets no identity.",
    good: r#"{"http_proxy_config": {"http_proxy": "http://proxy:3128/", "no_proxy_entries": ["169.254.0.0/16", "168.63.129.16"]}}"#,
    bad: r#"{"http_proxy_config": {"http_proxy": "http://proxy:3128/", "no_proxy_entries": ["localhost"]}}"#;

    IMDS_MANGLE: Warning "imds-mangle",
    summary: "The table for the metadata restriction is chosen only where the restriction is on.",
    reason: "Without the restriction there is no rule to put into the table.",
    good: r#"{"imds_restriction_config": {"enable_imds_restriction": true, "insert_imds_restriction_rule_to_mangle_table": true}}"#,
    bad: r#"{"imds_restriction_config": {"insert_imds_restriction_rule_to_mangle_table": true}}"#;
}

/// Addresses that answer only the machine itself.
const OWN_ADDRESSES: [&str; 2] = ["169.254.169.254", "168.63.129.16"];

pub(super) fn check(contract: &Contract, findings: &mut Findings<'_>) {
    if let Some(network) = &contract.network_config
        && network.network_policy == NetworkPolicy::Azure
        && network.network_plugin != NetworkPlugin::Azure
    {
        findings.advise(
            &NETWORK_POLICY,
            "network_config.network_policy",
            "the network policy is Azure's, and the network plugin is not",
            "set network_plugin to NETWORK_PLUGIN_AZURE, or network_policy to NETWORK_POLICY_CALICO",
        );
    }
    if let Some(proxy) = &contract.http_proxy_config {
        check_proxy(proxy, findings);
    }
    if let Some(imds) = &contract.imds_restriction_config
        && imds.insert_imds_restriction_rule_to_mangle_table
        && !imds.enable_imds_restriction
    {
        findings.advise(
            &IMDS_MANGLE,
            "imds_restriction_config.insert_imds_restriction_rule_to_mangle_table",
            "the setting has no effect: the metadata restriction is off",
            "set imds_restriction_config.enable_imds_restriction",
        );
    }
}

fn check_proxy(proxy: &HttpProxyConfig, findings: &mut Findings<'_>) {
    if proxy.http_proxy.is_empty() && proxy.https_proxy.is_empty() {
        let hint = "set http_proxy_config.http_proxy or https_proxy";
        if !proxy.proxy_trusted_ca.is_empty() {
            let path = "http_proxy_config.proxy_trusted_ca";
            findings.advise(&PROXY_CA_WITHOUT_PROXY, path, "there is a CA for the proxy, and no proxy", hint);
        }
        if !proxy.no_proxy_entries.is_empty() {
            let path = "http_proxy_config.no_proxy_entries";
            findings.advise(
                &NO_PROXY_WITHOUT_PROXY,
                path,
                "there are exceptions from the proxy, and no proxy",
                hint,
            );
        }
        return;
    }
    for address in OWN_ADDRESSES {
        if !proxy.no_proxy_entries.iter().any(|entry| covers(entry, address)) {
            findings.advise(
                &NO_PROXY_GAP,
                "http_proxy_config.no_proxy_entries",
                format!("{address} would be reached through the proxy"),
                format!("add {address} to http_proxy_config.no_proxy_entries"),
            );
        }
    }
}

/// Whether an exception matches an IPv4 address.
fn covers(entry: &str, address: &str) -> bool {
    let entry = entry.trim();
    if entry == "*" || entry == address {
        return true;
    }
    let (Some((network, bits)), Ok(IpAddr::V4(address))) = (entry.split_once('/'), address.parse()) else {
        return false;
    };
    let (Ok(IpAddr::V4(network)), Ok(bits)) = (network.parse(), bits.parse::<u32>()) else { return false };
    let mask = u32::MAX.checked_shl(32u32.saturating_sub(bits)).unwrap_or(0);
    bits <= 32 && network.to_bits() & mask == address.to_bits() & mask
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exceptions_match_by_address_and_by_range() {
        for entry in ["168.63.129.16", "168.63.129.16/32", "168.63.0.0/16", "0.0.0.0/0", "*"] {
            assert!(covers(entry, "168.63.129.16"), "{entry}");
        }
        for entry in ["168.63.129.1", "10.0.0.0/8", "168.63.129.16/33", "fd00::/8", "localhost"] {
            assert!(!covers(entry, "168.63.129.16"), "{entry}");
        }
    }
}
