//! The launch template: what the VM is created from, beside its payload.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::Request;
use crate::bootstrap::Bootstrap;
use crate::computed::tags;
use crate::images::Selection;
use crate::sizes::InstanceType;

/// What the VM is created from, beside its payload.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LaunchTemplate {
    /// The image.
    #[serde(rename = "imageID")]
    pub image_id: String,
    /// Always `false`: nodes run Linux.
    #[serde(rename = "isWindows")]
    pub is_windows: bool,
    /// `Ephemeral` or `ManagedDisks`.
    #[serde(rename = "storageProfileDiskType")]
    pub disk_type: &'static str,
    /// Whether the OS disk lies on the VM's host.
    #[serde(rename = "storageProfileIsEphemeral")]
    pub is_ephemeral: bool,
    /// Where on the host there is room, whether or not it is used; may be empty.
    #[serde(rename = "storageProfilePlacement")]
    pub placement: &'static str,
    /// The size of the OS disk in GB.
    #[serde(rename = "storageProfileSizeGB")]
    pub disk_size_gb: i32,
    /// The subnet.
    #[serde(rename = "subnetID")]
    pub subnet_id: String,
    /// Tags of everything that is made.
    pub tags: BTreeMap<String, String>,
}

impl LaunchTemplate {
    pub(super) fn of(request: &Request, node: &Bootstrap, size: &InstanceType, image: &Selection) -> Self {
        let disk_size_gb = request.node_class.spec.os_disk_gb();
        let is_ephemeral = size.ephemeral_room.placement_of(disk_size_gb).is_some();
        Self {
            image_id: image.selected_image_id.clone(),
            is_windows: false,
            disk_type: if is_ephemeral { "Ephemeral" } else { "ManagedDisks" },
            is_ephemeral,
            placement: size.ephemeral_room.placement.map_or("", |placement| placement.name()),
            disk_size_gb,
            subnet_id: node.subnet_id.value.clone(),
            tags: tags(&request.options, &request.node_class, &request.node_claim),
        }
    }
}
