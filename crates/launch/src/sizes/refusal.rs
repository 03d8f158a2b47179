//! Why a size is not offered.

use thiserror::Error;

/// Sizes that AKS refuses whatever they can do.
const REFUSED_BY_AKS: [&str; 12] = [
    "Standard_A0",
    "Standard_A1",
    "Standard_A1_v2",
    "Standard_B1s",
    "Standard_B1ms",
    "Standard_F1",
    "Standard_F1s",
    "Basic_A0",
    "Basic_A1",
    "Basic_A2",
    "Basic_A3",
    "Basic_A4",
];

/// Whether AKS refuses a size by its name.
pub(super) fn is_refused_by_aks(name: &str) -> bool {
    REFUSED_BY_AKS.contains(&name)
}

/// Why a size is not offered for a node class.
#[derive(Debug, Clone, PartialEq, Error)]
#[error("{size} is not offered: {reason}")]
pub struct NotOffered {
    /// The size.
    pub size: String,
    /// Why.
    pub reason: Reason,
}

/// A reason not to offer a size.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum Reason {
    /// Its name does not follow Azure's convention.
    #[error("the name {0:?} does not follow Azure's naming of sizes")]
    UnreadableName(String),
    /// Azure has taken the size away.
    #[error("Azure no longer lists this size; choose a newer one")]
    Retired,
    /// A capability that everything depends on is missing or not a number.
    #[error("its capability {name} {}; take the size from `az vm list-skus`", found(.value.as_deref()))]
    Capability {
        /// The capability.
        name: &'static str,
        /// Its text, if there is one.
        value: Option<String>,
    },
    /// The subscription may not use it in the region.
    #[error("the subscription may not use it in this region")]
    LocationRestricted,
    /// Too few CPUs.
    #[error("it has {0} vCPU, and AKS nodes need 2 or more")]
    TooFewCpus(i64),
    /// Too little memory.
    #[error("it has {0} GiB of memory, and AKS nodes need 3.5 or more")]
    TooLittleMemory(f64),
    /// On AKS's list of sizes that are no nodes.
    #[error("AKS does not take this size for nodes")]
    RefusedByAks,
    /// Has GPUs that AKS does not know.
    #[error("AKS does not support its GPUs")]
    UnknownGpu,
    /// Some of its CPUs are switched off.
    #[error("sizes with constrained vCPUs are not offered")]
    ConstrainedCpus,
    /// A confidential VM.
    #[error("confidential sizes are not offered")]
    Confidential,
    /// AKS has no images for its GPUs in the family.
    #[error("AKS does not run its GPUs with {0}; they run with {1}")]
    GpuSystem(String, String),
    /// The driver cannot be installed by the node.
    #[error("nodes cannot install the driver of its GPUs; set gpu.mode to None and bring your own")]
    GpuDriver,
    /// The host cannot encrypt.
    #[error("it has no encryption at host, which the node class asks for")]
    EncryptionAtHost,
    /// Too small for the local resolver.
    #[error("the local resolver is enabled and needs 4 vCPUs; it has {0}")]
    LocalDns(i64),
    /// Artifact streaming on Arm.
    #[error("artifact streaming is enabled and does not work on arm64")]
    ArtifactStreaming,
}

fn found(value: Option<&str>) -> String {
    value.map_or_else(|| "is missing".to_owned(), |value| format!("is {value:?}"))
}
