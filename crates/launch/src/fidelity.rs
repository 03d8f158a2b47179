/// How close a launch stays to the program that is replaced.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Fidelity {
    /// Slipway's own behaviour: the deliberate differences of `docs/differences.md` apply.
    #[default]
    Ours,
    /// Exactly as there, defects included.
    Compat,
}

impl Fidelity {
    /// Whether the deliberate differences apply.
    pub fn is_ours(self) -> bool {
        self == Self::Ours
    }
}
