/// How the node gets its first credential.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Join {}
