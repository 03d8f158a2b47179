/// Network plugins, interfaces and firewall.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Network {}
