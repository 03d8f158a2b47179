/// What Azure's agents on the node are told.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct CloudProvider {}
