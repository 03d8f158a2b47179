use std::collections::BTreeMap;

use crate::Sourced;

/// The operating system.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct System {
    /// The machine's size, as Azure calls it.
    pub size: Sourced<String>,
    /// The user whose account does not expire.
    pub admin: Sourced<String>,
    /// Whether SSH lets anybody in.
    pub ssh: Sourced<bool>,
    /// Whether SSH lets people in with keys.
    pub ssh_keys: Sourced<bool>,
    /// Whether the system upgrades itself.
    pub unattended_upgrades: Sourced<bool>,
    /// What people see when they log in; empty for what the image says.
    pub message_of_the_day: Sourced<String>,
    /// Certificates to trust beyond the system's, PEM.
    pub certificates: Sourced<Vec<String>>,
    /// Kernel settings that were asked for, by their dotted names.
    pub sysctls: BTreeMap<String, Sourced<String>>,
    /// When the kernel makes huge pages; empty for its own choice.
    pub huge_pages: Sourced<String>,
    /// How hard the kernel tries to make huge pages; empty for its own choice.
    pub huge_page_defrag: Sourced<String>,
    /// How many megabytes of swap there are, if any.
    pub swap_megabytes: Sourced<Option<u32>>,
}
