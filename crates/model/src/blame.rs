use std::fmt;

/// Who has to act when something failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Blame {
    /// What the user gave us: the contract, the command, an argument.
    Input,
    /// The machine: its image, its disks, its kernel, its services.
    Machine,
    /// What lies between the machine and the services that it needs.
    Network,
    /// A service that answered, and not as it should.
    Service,
    /// Slipway itself.
    Slipway,
}

impl Blame {
    /// The word that stands for it in messages and in JSON.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Input => "input",
            Self::Machine => "machine",
            Self::Network => "network",
            Self::Service => "service",
            Self::Slipway => "slipway",
        }
    }
}

impl fmt::Display for Blame {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.word())
    }
}
