/// Which programs the node runs, and where they come from.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Binaries {}
