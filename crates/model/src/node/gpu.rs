use crate::Sourced;

/// Graphics processors.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Gpu {
    /// Whether pods reach NVIDIA's GPUs.
    pub nvidia: Sourced<bool>,
    /// Whether the driver has to be installed; otherwise the image has it.
    pub install_driver: Sourced<bool>,
}
