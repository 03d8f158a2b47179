/// Graphics processors.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Gpu {}
