//! The machine in Azure Arc.

use std::collections::BTreeMap;

use super::cluster_id::ClusterId;
use super::values::Values;
use super::{Method, keys, methods};

/// The machine in Azure Arc; what is not said is the host's or the cluster's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Arc {
    /// Whether the node is who Azure Arc says the machine is.
    pub enabled: bool,
    /// The machine's name there.
    pub machine_name: String,
    /// Its resource group.
    pub resource_group: String,
    /// Its region.
    pub location: String,
    /// Its tags.
    pub tags: BTreeMap<String, String>,
    /// Whether the roles that the node needs are assigned to it.
    pub assign_roles: bool,
}

impl Arc {
    pub(super) fn of(values: &Values, cluster: &ClusterId, hostname: &str) -> Self {
        let or = |key, default: &str| values.text(key).unwrap_or(default).to_owned();
        Self {
            enabled: methods(values).contains(&Method::Arc),
            machine_name: or(keys::ARC_MACHINE, hostname),
            resource_group: or(keys::ARC_GROUP, &cluster.resource_group),
            location: or(keys::ARC_LOCATION, &values.words(keys::CLUSTER_LOCATION)),
            tags: values.map(keys::ARC_TAGS),
            assign_roles: values.switch(keys::ARC_ROLES).unwrap_or_default(),
        }
    }
}
