//! The OS disk: on the host of the VM where that has room, otherwise in the network.

use serde::Serialize;

use super::can;
use crate::request::Sku;

const MIB: i64 = 1 << 20;
const GB: i64 = 1_000_000_000;

/// Which disk of the host holds an ephemeral OS disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub enum Placement {
    /// A local disk on the PCI bus.
    NvmeDisk,
    /// The host's cache.
    CacheDisk,
    /// The temporary disk.
    ResourceDisk,
}

impl Placement {
    /// The name that Azure gives it.
    pub fn name(self) -> &'static str {
        match self {
            Self::NvmeDisk => "NvmeDisk",
            Self::CacheDisk => "CacheDisk",
            Self::ResourceDisk => "ResourceDisk",
        }
    }
}

/// The room for an OS disk on the host of a size.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct EphemeralRoom {
    /// The largest disk in GB, 0 where there is no room.
    pub gb: i64,
    /// Where it would be.
    pub placement: Option<Placement>,
}

impl EphemeralRoom {
    /// The room that a size has: a local disk on the PCI bus that may hold it, else the cache, else the temporary disk.
    pub fn of(sku: &Sku) -> Self {
        if !can(sku, "EphemeralOSDiskSupported") {
            return Self::default();
        }
        let number =
            |name| sku.capability(name).and_then(|text| text.parse::<i64>().ok()).unwrap_or(0).max(0);
        let places = sku.capability("SupportedEphemeralOSDiskPlacements").unwrap_or("");
        let nvme_mib = if places.split(',').any(|place| place.trim() == "NvmeDisk") {
            number("NvmeDiskSizeInMiB")
        } else {
            0
        };
        // Azure calls it MB; it is MiB.
        let resource_mib = number("MaxResourceVolumeMB");
        let candidates = [
            (nvme_mib.saturating_mul(MIB), Placement::NvmeDisk),
            (number("CachedDiskBytes"), Placement::CacheDisk),
            (resource_mib.saturating_mul(MIB), Placement::ResourceDisk),
        ];
        candidates.into_iter().find(|(bytes, _)| *bytes > 0).map_or_else(
            Self::default,
            |(bytes, placement)| Self { gb: bytes / GB, placement: Some(placement) },
        )
    }

    /// Where a disk of this size lies on the host; `None` where it does not fit.
    pub fn placement_of(self, disk_gb: i32) -> Option<Placement> {
        self.placement.filter(|_| self.gb > 0 && i64::from(disk_gb) <= self.gb)
    }
}
