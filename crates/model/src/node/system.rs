/// The operating system.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct System {}
