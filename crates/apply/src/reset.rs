/// How a reset is done.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ResetOptions {
    /// Also what someone else changed since goes back to what it was before.
    pub force: bool,
    /// Only says what it would do.
    pub dry_run: bool,
}

/// What a reset did, or would do.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ResetReport {
    /// What was put back, in the order in which it was.
    pub undone: Vec<String>,
    /// What was left as it is.
    pub kept: Vec<Kept>,
    /// What could not be put back. The record stays, so that another reset can try again.
    pub failed: Vec<Kept>,
}

/// Something that a reset leaves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Kept {
    /// What it is about.
    pub what: String,
    /// Why it is left.
    pub why: String,
}
