//! What planning asks of the facts about a machine.

use std::net::IpAddr;

use slipway_model::{Facts, Instance, Sources};

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
    pub(crate) fn of(facts: &Facts, of: &mut Sources) -> Self {
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

/// The machine as its cloud knows it, if it is in one.
pub(crate) fn instance(facts: &Facts, of: &mut Sources) -> Option<Instance> {
    of.fact("imds", &facts.imds).as_ref().and_then(|document| Instance::parse(document).ok())
}

/// Whether the machine has a tag that says true.
pub(crate) fn has_tag(facts: &Facts, of: &mut Sources, name: &str) -> bool {
    instance(facts, of).is_some_and(|instance| instance.has_tag_set(name))
}

/// The machine's own address, as far as it is known.
pub(crate) fn address(facts: &Facts, of: &mut Sources) -> Option<IpAddr> {
    instance(facts, of)?.node_addresses().first().copied()
}
