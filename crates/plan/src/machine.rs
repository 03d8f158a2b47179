//! What planning asks of the facts about a machine.

use std::net::IpAddr;

use serde_json::Value;
use slipway_model::{Facts, Sources};

/// The families of systems that differ in what is planned here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Distro {
    Ubuntu,
    AzureLinux,
    /// Azure Linux with a read-only system.
    OsGuard,
    Flatcar,
    /// Flatcar's form with Azure Linux inside.
    AzureContainerLinux,
    /// Treated as Debian is.
    Other,
}

impl Distro {
    pub(crate) fn of(of: &mut Sources, facts: &Facts) -> Self {
        let Some(os) = of.fact("os", &facts.os) else { return Self::Other };
        match (&*os.id, &*os.variant_id) {
            ("azurelinux" | "mariner", "osguard") => Self::OsGuard,
            ("azurelinux" | "mariner", "azurecontainerlinux") | ("acl", _) => Self::AzureContainerLinux,
            ("azurelinux" | "mariner", _) => Self::AzureLinux,
            ("flatcar", _) => Self::Flatcar,
            ("ubuntu", _) => Self::Ubuntu,
            _ => Self::Other,
        }
    }
}

/// A network interface, as the metadata service tells of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Interface {
    /// With colons.
    pub(crate) mac: String,
    pub(crate) addresses: Vec<IpAddr>,
}

/// The machine's interfaces, the first one first; none where nobody asked.
pub(crate) fn interfaces(of: &mut Sources, facts: &Facts) -> Vec<Interface> {
    let document = instance(of, facts);
    let found = document["network"]["interface"].as_array();
    found.into_iter().flatten().map(interface).collect()
}

/// The machine's own address: the first one of the first interface.
pub(crate) fn address(of: &mut Sources, facts: &Facts) -> Option<IpAddr> {
    interfaces(of, facts).first().and_then(|first| first.addresses.first().copied())
}

/// Whether the machine has a tag that says true. Neither the tag's name nor its value is told by case.
pub(crate) fn has_tag(of: &mut Sources, facts: &Facts, name: &str) -> bool {
    let document = instance(of, facts);
    let tags = document["compute"]["tagsList"].as_array();
    tags.into_iter().flatten().any(|tag| {
        let is = |member: &str, text: &str| {
            tag[member].as_str().is_some_and(|value| value.eq_ignore_ascii_case(text))
        };
        is("name", name) && is("value", "true")
    })
}

fn instance(of: &mut Sources, facts: &Facts) -> Value {
    let text = of.fact("imds", &facts.imds).as_ref();
    text.and_then(|text| serde_json::from_str(&text.0).ok()).unwrap_or_default()
}

fn interface(document: &Value) -> Interface {
    let digits = document["macAddress"].as_str().unwrap_or_default().to_ascii_lowercase();
    let mut mac = String::with_capacity(17);
    for (at, digit) in digits.chars().filter(char::is_ascii_hexdigit).enumerate() {
        if at > 0 && at % 2 == 0 {
            mac.push(':');
        }
        mac.push(digit);
    }
    let addresses = ["ipv4", "ipv6"].into_iter().flat_map(|family| {
        let found = document[family]["ipAddress"].as_array();
        found.into_iter().flatten().filter_map(|it| it["privateIpAddress"].as_str()?.parse().ok())
    });
    Interface { mac, addresses: addresses.collect() }
}
