/// Name resolution.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Dns {}
