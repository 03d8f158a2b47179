//! The OS disk and the image on it.

use serde_json::{Value, json};

use super::{Order, object, put};

/// The storage profile of a VM. A scale set names its disks itself.
pub(super) fn storage(order: &Order<'_>, name: Option<&str>) -> Value {
    let template = &order.node.launch_template;
    let mut disk = json!({
        "createOption": "FromImage",
        "deleteOption": "Delete",
        "diskSizeGB": template.disk_size_gb,
        "osType": "Linux",
    });
    put(&mut disk, "name", name.map(Value::from));
    if template.is_ephemeral {
        disk["caching"] = json!("ReadOnly");
        disk["diffDiskSettings"] = json!({"option": "Local", "placement": template.placement});
    }
    let encryption_set = &order.request.options.node_os_disk_encryption_set_id;
    if !encryption_set.is_empty() {
        disk["managedDisk"] = json!({"diskEncryptionSet": {"id": encryption_set}});
    }
    let image = &template.image_id;
    let is_community = image
        .get(.."/CommunityGalleries/".len())
        .is_some_and(|start| start.eq_ignore_ascii_case("/CommunityGalleries/"));
    let kind = if is_community { "communityGalleryImageId" } else { "id" };
    object([("imageReference", object([(kind, image.as_str().into())])), ("osDisk", disk)])
}
