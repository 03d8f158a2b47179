//! Words for what is done to a machine, shared by those who plan it and those who do it.

/// Mode and owner of a file or directory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Attributes {
    /// Permission bits, the set-user bits included.
    pub mode: u32,
    /// Owner.
    pub uid: u32,
    /// Group.
    pub gid: u32,
}

impl Attributes {
    /// Of root, with this mode.
    pub const fn root(mode: u32) -> Self {
        Self { mode, uid: 0, gid: 0 }
    }
}

/// What to do with a unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verb {
    /// Start it unless it runs.
    Start,
    /// Stop it, if it runs, and start it.
    Restart,
    /// Stop it.
    Stop,
    /// Let it read its configuration again, if it runs.
    Reload,
}
