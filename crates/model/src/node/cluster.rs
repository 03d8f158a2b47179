/// The cluster that the node joins.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Cluster {}
