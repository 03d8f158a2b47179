//! The parts of a node's start.

use serde::Serialize;

/// A part of a node's start, from the order of a machine to Ready.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Phase {
    /// The cloud makes the machine.
    Platform,
    /// The kernel starts.
    Kernel,
    /// The first programs start.
    Userspace,
    /// cloud-init sets the machine up.
    CloudInit,
    /// Azure's agent starts and looks for work.
    Agent,
    /// The agent runs the script extension.
    Extension,
    /// What makes the machine a node: scripts, or Slipway.
    Bootstrap,
    /// The container runtime starts.
    Containerd,
    /// The service manager reads all its units again.
    Manager,
    /// Kubelet starts.
    Kubelet,
    /// The API server gets the Node.
    Registration,
    /// The Node becomes Ready.
    Ready,
}

impl Phase {
    /// All of them, in the order in which they explain a moment: where several run, the later one says more.
    pub const ALL: [Self; 12] = [
        Self::Platform,
        Self::Kernel,
        Self::Userspace,
        Self::CloudInit,
        Self::Agent,
        Self::Extension,
        Self::Bootstrap,
        Self::Containerd,
        Self::Manager,
        Self::Kubelet,
        Self::Registration,
        Self::Ready,
    ];

    /// Its name, as it is written.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Platform => "platform",
            Self::Kernel => "kernel",
            Self::Userspace => "userspace",
            Self::CloudInit => "cloud-init",
            Self::Agent => "agent",
            Self::Extension => "extension",
            Self::Bootstrap => "bootstrap",
            Self::Containerd => "containerd",
            Self::Manager => "manager",
            Self::Kubelet => "kubelet",
            Self::Registration => "registration",
            Self::Ready => "ready",
        }
    }

    /// Whether it happens before anybody works on the node.
    pub(crate) fn is_boot(self) -> bool {
        self <= Self::CloudInit
    }
}
