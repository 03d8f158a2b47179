//! What settings a launcher starts with.

use std::collections::BTreeSet;

use super::{Settings, items, pairs};
use crate::computed::{SubnetId, api_server_name};
use crate::request::GoDuration;
use crate::{Fidelity, forms};

/// Settings that must be given, in the order in which the peer looks for them.
const REQUIRED: [&str; 6] = [
    "cluster-endpoint",
    "cluster-name",
    "kubelet-bootstrap-token",
    "ssh-public-key",
    "vnet-subnet-id",
    "node-resource-group",
];
const BATCH_MODE: &str = "aksmachineapiheaderbatch";
const MODES: [&str; 4] = ["aksscriptless", "bootstrappingclient", "aksmachineapi", BATCH_MODE];

/// Everything that is wrong with the settings. The peer reports one of the required settings that are missing, and
/// accepts looser identifiers and fractions.
pub(super) fn broken(settings: &Settings, fidelity: Fidelity) -> Vec<String> {
    let mut reasons = Vec::new();
    let missing = REQUIRED.into_iter().filter(|name| settings.text(name).is_empty());
    let missing: Vec<_> = missing.map(|name| format!("missing field, {name}")).collect();
    let shown = if fidelity.is_ours() { missing.len() } else { 1 };
    reasons.extend(missing.into_iter().take(shown));
    reasons.extend(identifiers(settings, fidelity));
    reasons.extend(network(settings));
    reasons.extend(numbers(settings, fidelity));
    let subnet = settings.text("vnet-subnet-id");
    if SubnetId::parse(subnet).is_err() {
        reasons.push(format!("vnet-subnet-id is invalid: invalid vnet subnet id: {subnet}"));
    }
    reasons.extend(mode(settings, fidelity));
    reasons.extend(gallery(settings));
    reasons.extend(administrator(settings.text("linux-admin-username")));
    let dns = settings.text("dns-service-ip");
    if !dns.is_empty() && !forms::is_address(dns) {
        reasons.push(format!("dns-service-ip is invalid: {dns:?} is not an IP address"));
    }
    reasons.extend(encryption(settings.text("node-osdisk-diskencryptionset-id")));
    reasons.extend(tags(settings.text("additional-tags"), fidelity));
    reasons
}

fn identifiers(settings: &Settings, fidelity: Fidelity) -> Vec<String> {
    let mut reasons = Vec::new();
    for name in ["vnet-guid", "kubelet-identity-client-id"] {
        let id = settings.text(name);
        if !id.is_empty() && !is_uuid(id, fidelity) {
            reasons.push(format!("{name} {id} is malformed"));
        }
    }
    let endpoint = settings.text("cluster-endpoint");
    let is_secure = endpoint.starts_with("https://") || !fidelity.is_ours();
    let is_address = is_url(endpoint) && is_secure;
    if !endpoint.is_empty() && !is_address {
        reasons.push(format!("\"{endpoint}\" not a valid clusterEndpoint URL"));
    }
    reasons
}

fn network(settings: &Settings) -> Option<String> {
    let [plugin, mode, dataplane] =
        ["network-plugin", "network-plugin-mode", "network-dataplane"].map(|name| settings.text(name));
    if !matches!(plugin, "azure" | "none") {
        Some(format!("network-plugin {plugin} is invalid. network-plugin must equal 'azure' or 'none'"))
    } else if !matches!(mode, "overlay" | "") {
        Some(format!("network-plugin-mode {mode} is invalid. network-plugin-mode must equal 'overlay' or ''"))
    } else if !matches!(dataplane, "azure" | "cilium" | "") {
        Some(format!(
            "network dataplane {dataplane} is not a valid network dataplane, valid dataplanes are ('azure', 'cilium')"
        ))
    } else if plugin == "none" && !mode.is_empty() {
        Some(format!(
            "network-plugin-mode '{mode}' is invalid when network-plugin is 'none'. network-plugin-mode must be empty"
        ))
    } else {
        None
    }
}

fn numbers(settings: &Settings, fidelity: Fidelity) -> Option<String> {
    let overhead: f64 = settings.text("vm-memory-overhead-percent").parse().unwrap_or_default();
    if overhead < 0.0 {
        return Some("vm-memory-overhead-percent cannot be negative".to_owned());
    }
    let is_fraction = overhead < 1.0 || !fidelity.is_ours();
    (!is_fraction).then(|| "vm-memory-overhead-percent must be a fraction from 0 to 1".to_owned())
}

fn mode(settings: &Settings, fidelity: Fidelity) -> Vec<String> {
    let mode = settings.text("provision-mode");
    let mut reasons = Vec::new();
    if !MODES.contains(&mode) {
        reasons.push(format!("provision-mode is invalid: {mode}"));
    }
    let server = settings.text("nodebootstrapping-server-url");
    if mode == "bootstrappingclient" && server.is_empty() {
        reasons.push(
            "nodebootstrapping-server-url is required when provision-mode is bootstrappingclient".to_owned(),
        );
    }
    // The peer puts http:// before it whatever it is.
    if mode == "bootstrappingclient" && server.contains("://") && fidelity.is_ours() {
        reasons.push("nodebootstrapping-server-url is a host and port, without a scheme".to_owned());
    }
    if is_machine_mode(mode) {
        if settings.text("aks-machines-pool-name").is_empty() {
            reasons.push(format!("aks-machines-pool-name is required when provision-mode is {mode}"));
        }
        if !settings.is_on("use-sig") {
            reasons.push(format!("use-sig must be true when provision-mode is {mode}"));
        }
    }
    if mode == BATCH_MODE {
        reasons.extend(batch(settings));
    }
    reasons
}

fn is_machine_mode(mode: &str) -> bool {
    matches!(mode, "aksmachineapi" | BATCH_MODE)
}

fn batch(settings: &Settings) -> Vec<String> {
    let mut reasons = Vec::new();
    let size: i64 = settings.text("provider-batch-max-size").parse().unwrap_or_default();
    if !(1..=50).contains(&size) {
        reasons.push(format!("provider-batch-max-size must be between 1 and 50, got {size}"));
    }
    let [idle, longest] = ["provider-batch-idle-duration", "provider-batch-max-duration"].map(|name| {
        let duration = GoDuration::parse(settings.text(name)).unwrap_or_default();
        if duration < GoDuration::default() {
            reasons.push(format!("{name} must be >= 0, got {duration}"));
        }
        duration
    });
    if longest < idle {
        reasons.push(format!(
            "provider-batch-max-duration ({longest}) must be >= provider-batch-idle-duration ({idle})"
        ));
    }
    reasons
}

fn gallery(settings: &Settings) -> Option<String> {
    if !settings.is_on("use-sig") {
        return None;
    }
    let server = settings.text("sig-access-token-server-url");
    let needs_server = !is_machine_mode(settings.text("provision-mode"));
    if needs_server && server.is_empty() {
        Some("sig-access-token-server-url is required when use-sig is true".to_owned())
    } else if settings.text("sig-subscription-id").is_empty() {
        Some("sig-subscription-id is required when use-sig is true".to_owned())
    } else if needs_server && !is_url(server) {
        Some("sig-access-token-server-url is not a valid URL".to_owned())
    } else {
        None
    }
}

fn administrator(name: &str) -> Option<String> {
    if name.len() > 32 {
        return Some("linux-admin-username cannot be longer than 32 characters".to_owned());
    }
    let reason = "linux-admin-username must start with a letter and only contain letters, numbers, hyphens, and underscores";
    (!forms::is_user(name)).then(|| reason.to_owned())
}

fn encryption(id: &str) -> Option<String> {
    let parts: Vec<_> = id.split('/').collect();
    let is_set = parts.len() == 9
        && parts[0].is_empty()
        && [
            (1, "subscriptions"),
            (3, "resourceGroups"),
            (5, "providers"),
            (6, "Microsoft.Compute"),
            (7, "diskEncryptionSets"),
        ]
        .iter()
        .all(|(at, word)| parts[*at].eq_ignore_ascii_case(word));
    (!id.is_empty() && !is_set).then(|| format!("node-osdisk-diskencryptionset-id is invalid: {id}"))
}

/// Azure compares keys of tags without regard to case.
fn tags(text: &str, fidelity: Fidelity) -> Vec<String> {
    let Some(pairs) = pairs(text) else {
        let wrong = items(text).find(|item| !item.contains('=')).unwrap_or_default();
        return vec![format!("additional-tags: {wrong:?} is not key=value")];
    };
    let mut reasons = Vec::new();
    let (mut exact, mut folded) = (BTreeSet::new(), BTreeSet::new());
    for (key, value) in pairs {
        if key.len() > 512 || key.contains(['<', '>', '%', '&', '\\', '?', '/']) {
            reasons.push(format!(
                "additional-tags: the key {key:?} is longer than 512 or holds one of <>%&\\?/"
            ));
        }
        if value.len() > 256 {
            reasons.push(format!("additional-tags: the value of {key:?} is longer than 256"));
        }
        let is_new_case = exact.insert(key.clone());
        let is_new = folded.insert(key.to_lowercase());
        // The same key twice passes in the peer, and the last one wins.
        if !is_new && (is_new_case || fidelity.is_ours()) {
            reasons.push(format!("additional-tags: the key {key:?} is there twice"));
        }
    }
    reasons
}

fn is_url(text: &str) -> bool {
    let scheme = text.split_once("://").map_or("", |(scheme, _)| scheme);
    let is_scheme = scheme.starts_with(|first: char| first.is_ascii_alphabetic())
        && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.'));
    is_scheme
        && !api_server_name(text).is_empty()
        && !text.contains(|c: char| c.is_ascii_control() || c == ' ')
}

/// The peer also takes identifiers in braces, as URNs, and without dashes.
fn is_uuid(text: &str, fidelity: Fidelity) -> bool {
    let inner = match fidelity {
        Fidelity::Ours => text,
        Fidelity::Compat => {
            let urn = text.get(..9).is_some_and(|start| start.eq_ignore_ascii_case("urn:uuid:"));
            let inner = if urn { &text[9..] } else { text };
            let bare = inner.strip_prefix('{').and_then(|inner| inner.strip_suffix('}')).unwrap_or(inner);
            if bare.len() == 32 && bare.bytes().all(|byte| byte.is_ascii_hexdigit()) {
                return true;
            }
            bare
        }
    };
    forms::is_uuid(inner)
}
