use std::collections::BTreeMap;
use std::path::PathBuf;

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
    /// The swap of a machine's owner that is turned off while the machine is a node, if that is asked for.
    pub swap_off: Sourced<Option<SwapOff>>,
    /// The service that keeps the node what it is, if there is one.
    pub keeper: Sourced<Option<Keeper>>,
}

/// A service that keeps a node what it is.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Keeper {
    /// Where its program is.
    pub program: String,
    /// Where the configuration is that it follows.
    pub config: String,
}

/// Swap that is turned off while a machine is a node.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SwapOff {
    /// The areas that are in use.
    pub areas: Vec<PathBuf>,
    /// The units that would use some at the next boot, by their names.
    pub units: Vec<String>,
    /// Whether the table of file systems has some, which would be used again at the next boot.
    pub in_fstab: bool,
}
