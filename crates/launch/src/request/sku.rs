//! The VM size, as Azure's list of sizes describes it.

use std::collections::BTreeMap;

use super::record::record;

record! {
    /// A VM size in a region.
    pub struct Sku {
        /// Its name, such as `Standard_D8ds_v5`.
        name: String = "name",
        /// Its name without the tier, such as `D8ds_v5`.
        size: String = "size",
        /// The family that quota is counted by.
        family: String = "family",
        /// What it can do; numbers and truths are text, `MemoryGB` is in GiB.
        capabilities: BTreeMap<String, String> = "capabilities",
        /// Numbers of the zones that have it.
        zones: Vec<String> = "zones",
        /// Numbers of the zones that the subscription may not use it in.
        restricted_zones: Vec<String> = "restrictedZones",
        /// Numbers of the zones where it can attach ultra disks.
        ultra_ssd_zones: Vec<String> = "ultraSSDZones",
        /// Whether the subscription may not use it in this region at all.
        location_restricted: bool = "locationRestricted",
    }
}

impl Sku {
    /// A capability's text.
    pub fn capability(&self, name: &str) -> Option<&str> {
        self.capabilities.get(name).map(String::as_str)
    }
}
