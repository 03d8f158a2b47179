//! Offerings: the ways in which a size can be had in a region.

use serde::Serialize;

use super::can;
use crate::request::{CapacityType, PlacementScope, Sku};

/// The zone of VMs that are in none.
pub const REGIONAL_ZONE: &str = "0";

/// One way in which a size can be had.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Offering {
    /// The zone as nodes are labelled with it, such as `westus2-1`.
    pub zone: String,
    /// How it is paid for.
    pub capacity_type: CapacityType,
    /// Whether the VM is pinned to the zone.
    pub placement_scope: PlacementScope,
    /// Whether it can attach ultra disks.
    pub ultra_ssd: bool,
    /// Whether it can be had now.
    pub is_available: bool,
}

/// All offerings of a size: regional ones, and those of each zone that may be used, sorted by zone.
pub(super) fn offerings(sku: &Sku, region: &str) -> Vec<Offering> {
    let mut zones: Vec<&str> =
        sku.zones.iter().filter(|zone| !sku.restricted_zones.contains(zone)).map(String::as_str).collect();
    zones.sort_unstable();
    zones.dedup();
    let regional = (REGIONAL_ZONE.to_owned(), PlacementScope::Regional, can(sku, "UltraSSDAvailable"));
    let zonal = zones.into_iter().map(|zone| {
        let ultra_ssd = sku.ultra_ssd_zones.iter().any(|with| with == zone);
        (format!("{region}-{zone}"), PlacementScope::Zonal, ultra_ssd)
    });
    std::iter::once(regional)
        .chain(zonal)
        .flat_map(|(zone, placement_scope, ultra_ssd)| {
            [CapacityType::OnDemand, CapacityType::Spot].map(|capacity_type| Offering {
                zone: zone.clone(),
                capacity_type,
                placement_scope,
                ultra_ssd,
                is_available: capacity_type == CapacityType::OnDemand || can(sku, "LowPriorityCapable"),
            })
        })
        .collect()
}

impl Offering {
    /// Whether ultra disks may be attached or not; both where the size can.
    pub fn ultra_ssd_choices(&self) -> &'static [&'static str] {
        if self.ultra_ssd { &["false", "true"] } else { &["false"] }
    }

    /// The word of AKS for how the VM is paid for.
    pub fn priority(&self) -> &'static str {
        match self.capacity_type {
            CapacityType::OnDemand => "regular",
            CapacityType::Spot => "spot",
        }
    }
}

impl Serialize for Offering {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        #[serde(rename_all = "camelCase")]
        struct View<'a> {
            zone: &'a str,
            capacity_type: CapacityType,
            placement_scope: PlacementScope,
            #[serde(rename = "ultraSSD")]
            ultra_ssd: &'static [&'static str],
            scalesetpriority: &'static str,
            available: bool,
        }
        let view = View {
            zone: &self.zone,
            capacity_type: self.capacity_type,
            placement_scope: self.placement_scope,
            ultra_ssd: self.ultra_ssd_choices(),
            scalesetpriority: self.priority(),
            available: self.is_available,
        };
        view.serialize(serializer)
    }
}
