/// Whose rules a value follows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// Exactly as the peer program derives it, its defects included.
    Compat,
    /// The peer's defects mended; each difference is listed beside the code that makes it.
    Ours,
}
