//! What an image must fit: the processor's architecture and the generation of the virtual machine.

use serde::Deserialize;

/// The architecture of a processor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Architecture {
    /// x86-64.
    Amd64,
    /// 64-bit Arm.
    Arm64,
}

impl Architecture {
    /// The word of the label `kubernetes.io/arch`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Amd64 => "amd64",
            Self::Arm64 => "arm64",
        }
    }

    /// Reads the word of the label.
    pub fn parse(text: &str) -> Option<Self> {
        [Self::Amd64, Self::Arm64].into_iter().find(|architecture| architecture.name() == text)
    }

    /// Reads Azure's word.
    pub(super) fn of_azure(text: &str) -> Option<Self> {
        match text {
            "x64" => Some(Self::Amd64),
            "Arm64" => Some(Self::Arm64),
            _ => None,
        }
    }
}

/// The generation of a virtual machine: how its firmware boots.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
pub enum Generation {
    /// BIOS.
    #[serde(rename = "1")]
    One,
    /// UEFI.
    #[serde(rename = "2")]
    Two,
}

impl Generation {
    /// The value of the generation's label.
    pub fn name(self) -> &'static str {
        match self {
            Self::One => "1",
            Self::Two => "2",
        }
    }
}
