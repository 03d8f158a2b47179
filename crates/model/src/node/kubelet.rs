/// How kubelet runs.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Kubelet {}
