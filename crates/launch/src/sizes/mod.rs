//! VM sizes: what a size of Azure's list is for a node class, or why it is not offered.
//!
//! Comes in: options, a node class and a size as Azure describes it. Goes out: an [`InstanceType`] (labels it goes
//! with, capacity, reservations, offerings, room for the OS disk) or the reason of a refusal. Never does: prices,
//! and what is in short supply.

mod gpu;
mod instance_type;
mod name;
mod offering;
mod platform;
mod quantity;
mod refusal;
mod report;
mod requirement;
mod requirements;
mod reserved;
mod storage;

pub use gpu::{GpuDriver, GpuSizes, Manufacturer, gpu_driver, gpu_sizes};
pub use instance_type::{InstanceType, Resources, instance_type, schedulable_memory};
pub use name::SizeName;
pub use offering::{Offering, REGIONAL_ZONE};
pub use platform::{Architecture, Generation};
pub use quantity::Quantity;
pub use refusal::{NotOffered, Reason};
pub use report::{InstanceTypeView, SizeQuery, SizeReport, StorageView, instance_types};
pub use requirement::Requirement;
pub use requirements::{ARCHITECTURE, HYPERV_GENERATION};
pub use reserved::{EVICTION_MEMORY, Reservation, SYSTEM_RESERVED, kube_reserved};
pub use storage::{EphemeralRoom, Placement};

use crate::request::Sku;

/// Whether a size has a capability that is a truth.
pub(crate) fn can(sku: &Sku, capability: &str) -> bool {
    sku.capability(capability).is_some_and(|text| text.eq_ignore_ascii_case("true"))
}
