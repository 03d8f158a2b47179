/// The container runtime.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Runtime {}
