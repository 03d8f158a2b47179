//! Why a variable cannot be built.

use slipway_render::{ContainerdError, CorefileError, ManifestError, SysctlError, UlimitError};

/// A variable that cannot be built, and why. Nothing is passed to the scripts in its place.
#[derive(Debug, thiserror::Error)]
#[error("{variable} cannot be built: {refusal}")]
pub struct VariableError {
    /// The variable.
    pub variable: &'static str,
    /// What is in the way.
    #[source]
    pub refusal: Refusal,
}

/// What is in the way of a variable.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
pub enum Refusal {
    /// The containerd configuration contradicts itself.
    Containerd(#[from] ContainerdError),
    /// A value does not fit in a Corefile.
    Corefile(#[from] CorefileError),
    /// A value does not fit in a sysctl file.
    Sysctl(#[from] SysctlError),
    /// A value does not fit in a unit file.
    Ulimit(#[from] UlimitError),
    /// The machine's component manifest is unreadable.
    Manifest(#[from] ManifestError),
}

impl Refusal {
    /// A stable name of the reason.
    pub fn reason(&self) -> &'static str {
        match self {
            Self::Containerd(ContainerdError::KataWithArtifactStreaming) => "kata-with-artifact-streaming",
            Self::Corefile(_) => "localdns-value",
            Self::Sysctl(_) => "sysctl-value",
            Self::Ulimit(_) => "ulimit-value",
            Self::Manifest(_) => "component-manifest",
        }
    }
}
