//! Several sizes at once: which are offered for a node class, as `launch instance-types` prints it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::instance_type::{InstanceType, Resources, instance_type, is_known};
use super::offering::Offering;
use super::quantity::Quantity;
use super::requirement::Requirement;
use super::reserved::{EVICTION_MEMORY, Reservation, SYSTEM_RESERVED};
use super::storage::{EphemeralRoom, Placement};
use crate::request::{NodeClass, Options, Sku};

/// Sizes in a region, and the node class that they are wanted for.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
pub struct SizeQuery {
    /// The region.
    pub region: String,
    /// The launcher's options.
    pub options: Options,
    /// The node class.
    pub node_class: NodeClass,
    /// The sizes.
    pub skus: Vec<Sku>,
}

/// Which sizes are offered, and why others are not.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SizeReport {
    /// Always empty: a size that cannot be read is excluded, not an error.
    pub error: Option<String>,
    /// Names of sizes that are not offered, in the order of the query; nothing where all are.
    pub excluded: Option<Vec<String>>,
    /// Why they are not.
    pub reasons: BTreeMap<String, String>,
    /// The sizes that are offered.
    pub instance_types: BTreeMap<String, InstanceTypeView>,
    /// The room for the OS disk of every size.
    pub storage: BTreeMap<String, StorageView>,
}

/// An instance type as it is printed.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct InstanceTypeView {
    name: String,
    requirements: Vec<Requirement>,
    capacity: Resources,
    capacity_value: BTreeMap<&'static str, i64>,
    kube_reserved: ReservationView,
    system_reserved: ReservationView,
    eviction_threshold: BTreeMap<&'static str, Quantity>,
    allocatable: Resources,
    offerings: Vec<Offering>,
}

/// A reservation as it is printed.
#[derive(Debug, Serialize)]
struct ReservationView {
    cpu: Quantity,
    memory: Quantity,
}

/// The room for an OS disk as it is printed.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct StorageView {
    #[serde(rename = "knownSKU")]
    known_sku: bool,
    #[serde(rename = "maxEphemeralGB")]
    max_ephemeral_gb: i64,
    placement: Option<Placement>,
    uses_ephemeral: bool,
}

/// Which of the sizes are offered for the node class.
pub fn instance_types(query: &SizeQuery) -> SizeReport {
    let mut report = SizeReport {
        error: None,
        excluded: None,
        reasons: BTreeMap::new(),
        instance_types: BTreeMap::new(),
        storage: BTreeMap::new(),
    };
    for sku in &query.skus {
        report.storage.insert(sku.name.clone(), storage_view(&query.node_class, sku));
        match instance_type(&query.options, &query.node_class, sku, &query.region) {
            Ok(offered) => {
                report.instance_types.insert(sku.name.clone(), offered.into());
            }
            Err(refused) => {
                report.excluded.get_or_insert_default().push(refused.size.clone());
                report.reasons.insert(refused.size, refused.reason.to_string());
            }
        }
    }
    report
}

fn storage_view(node_class: &NodeClass, sku: &Sku) -> StorageView {
    let known_sku = is_known(sku);
    let room = if known_sku { EphemeralRoom::of(sku) } else { EphemeralRoom::default() };
    StorageView {
        known_sku,
        max_ephemeral_gb: room.gb,
        placement: room.placement,
        uses_ephemeral: room.placement_of(node_class.spec.os_disk_gb()).is_some(),
    }
}

impl From<InstanceType> for InstanceTypeView {
    fn from(size: InstanceType) -> Self {
        let allocatable = size.allocatable();
        let capacity = size.capacity;
        Self {
            name: size.name,
            requirements: size.requirements,
            capacity,
            capacity_value: BTreeMap::from([
                ("amd.com/gpu", capacity.amd_gpus.value()),
                ("cpu", capacity.cpu.value()),
                ("ephemeral-storage", capacity.ephemeral_storage.value()),
                ("memory", capacity.memory.value()),
                ("nvidia.com/gpu", capacity.nvidia_gpus.value()),
                ("pods", capacity.pods.value()),
            ]),
            kube_reserved: size.kube_reserved.into(),
            system_reserved: SYSTEM_RESERVED.into(),
            eviction_threshold: BTreeMap::from([("memory", EVICTION_MEMORY)]),
            allocatable,
            offerings: size.offerings,
        }
    }
}

impl From<Reservation> for ReservationView {
    fn from(reservation: Reservation) -> Self {
        Self { cpu: reservation.cpu, memory: reservation.memory }
    }
}
