//! The node claim, and what the allocation chose for it.

use std::collections::BTreeMap;

use super::record::{record, words};

record! {
    /// A node claim: one node that is wanted.
    pub struct NodeClaim {
        /// Its name; VM, network interface and disk are named after it.
        name: String = "name",
        /// Labels, from the node pool's template.
        labels: BTreeMap<String, String> = "labels",
        /// What the node must be; a requirement that admits one value becomes a label.
        requirements: Vec<Requirement> = "requirements",
        /// Taints that the node keeps.
        taints: Vec<Taint> = "taints",
        /// Taints that something takes away when the node is ready for work.
        startup_taints: Vec<Taint> = "startupTaints",
    }
}

record! {
    /// A requirement on a label.
    pub struct Requirement {
        /// The label's key.
        key: String = "key",
        /// How values are compared.
        operator: Operator = "operator",
        /// The values.
        values: Vec<String> = "values",
    }
}

words! {
    /// How a requirement compares.
    pub enum Operator {
        /// One of the values.
        #[default]
        In = "In",
        /// None of the values.
        NotIn = "NotIn",
        /// Any value.
        Exists = "Exists",
        /// No such label.
        DoesNotExist = "DoesNotExist",
        /// A number above the value.
        Gt = "Gt",
        /// A number below the value.
        Lt = "Lt",
        /// A number that is the value or above.
        Gte = "Gte",
        /// A number that is the value or below.
        Lte = "Lte",
    }
}

record! {
    /// A taint.
    pub struct Taint {
        /// Its key.
        key: String = "key",
        /// Its value, often empty.
        value: String = "value",
        /// `NoSchedule`, `PreferNoSchedule` or `NoExecute`.
        effect: String = "effect",
    }
}

record! {
    /// What the allocation chose.
    pub struct Choice {
        /// How the VM is paid for.
        capacity_type: CapacityType = "capacityType",
        /// Whether the VM is pinned to a zone.
        placement_scope: PlacementScope = "placementScope",
        /// The zone's number, where one was chosen.
        zone: Option<String> = "zone",
        /// Whether the VM can attach ultra disks.
        ultra_ssd: bool = "ultraSSD",
    }
}

words! {
    /// How a VM is paid for.
    pub enum CapacityType {
        /// At the list price, until it is deleted.
        #[default]
        OnDemand = "on-demand",
        /// Cheaper, and taken away when the room is needed.
        Spot = "spot",
    }
}

words! {
    /// Where in a region a VM may be.
    pub enum PlacementScope {
        /// Wherever there is room.
        #[default]
        Regional = "regional",
        /// In one availability zone.
        Zonal = "zonal",
    }
}
