//! What was seen of a machine in one look.

use crate::goal::{Mark, Resource};

/// Everything that a decision is made of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Observation {
    /// How far joining came.
    pub joined: Joined,
    /// Whether the owner wants repairs at all.
    pub repairs: bool,
    /// The configuration.
    pub config: ConfigSeen,
    /// The version of Kubernetes that the configuration asks for, where the machine has an older one.
    pub newer: Option<String>,
    /// Paths that are not as they were left.
    pub strayed: Vec<String>,
    /// Units of the node that do not run.
    pub stopped: Vec<&'static str>,
    /// What kubelet shows to the API server.
    pub credential: CredentialSeen,
    /// The Node.
    pub node: NodeSeen,
    /// Whether the Node is marked to be deleted.
    pub mark: Mark,
    /// What Azure wants of the machine, where it is known in an agent pool.
    pub goal: Option<Resource>,
}

/// How far joining came.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Joined {
    /// Nobody has made this machine a node.
    Never,
    /// It was begun and never came to its end.
    Unfinished,
    /// It came to its end.
    Done,
    /// An upgrade was begun and never came to its end.
    Upgrading,
    /// Leaving was begun and never came to its end.
    Leaving,
}

/// The configuration, against the one that was applied last.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ConfigSeen {
    /// The same.
    Same,
    /// Its owner changed it: that is what the machine should be now.
    Changed,
    /// It is not there or has errors, which are said.
    Unusable(String),
}

/// What kubelet shows to the API server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CredentialSeen {
    /// A certificate that is valid until this second since 1970.
    Until(u64),
    /// A certificate that has expired.
    Expired,
    /// A certificate that is not valid yet: another one would not be either, by the same clock.
    Early,
    /// Nothing that can be used.
    Missing,
    /// What a program says each time that it is asked.
    Program,
}

/// The Node, as the API server has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NodeSeen {
    /// It was not asked for.
    Unasked,
    /// The API server gave no answer, for this reason.
    Unreachable(String),
    /// The API server does not know who asks.
    Unknown(String),
    /// The API server does not let us ask.
    Forbidden(String),
    /// There is no such Node.
    Absent,
    /// It is there and Ready.
    Ready,
    /// It is there and not Ready, for this reason.
    NotReady(String),
}
