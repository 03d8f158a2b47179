use std::path::PathBuf;

use crate::Sourced;

/// The container runtime.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Runtime {
    /// The version that the node is meant to have. It counts where nobody knows which one the machine has.
    pub version: Sourced<String>,
    /// Where containerd keeps its data; empty for its own default.
    pub data_directory: Sourced<String>,
    /// The image of the pause container.
    pub sandbox_image: Sourced<String>,
    /// Whether systemd manages control groups of version 2.
    pub cgroup_v2: Sourced<bool>,
    /// Whether pods can ask for a virtual machine of their own.
    pub kata: Sourced<bool>,
    /// Whether images are streamed while they run.
    pub artifact_streaming: Sourced<bool>,
    /// How many files containerd and all below it may have open, in systemd's words.
    pub open_files: Sourced<Option<String>>,
    /// How much memory containerd and all below it may lock, in systemd's words.
    pub locked_memory: Sourced<Option<String>>,
    /// Images that it gets from files before it is asked for any.
    pub images: Sourced<Vec<HeldImage>>,
}

/// A container image in a file of the machine's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HeldImage {
    /// Its whole name.
    pub name: String,
    /// The archive that has it.
    pub archive: PathBuf,
    /// What the archive's bytes add up to.
    pub sha256: String,
}
