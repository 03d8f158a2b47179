//! The OS disk and the image on it.

use serde::Serialize;

use super::Order;
use super::body::Reference;

/// The storage profile of a VM.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Storage<'a> {
    image_reference: Image<'a>,
    os_disk: OsDisk<'a>,
}

/// An image, by the kind of its gallery.
#[derive(Serialize)]
enum Image<'a> {
    #[serde(rename = "communityGalleryImageId")]
    Community(&'a str),
    #[serde(rename = "id")]
    Shared(&'a str),
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct OsDisk<'a> {
    create_option: &'static str,
    delete_option: &'static str,
    #[serde(rename = "diskSizeGB")]
    disk_size_gb: i32,
    os_type: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    caching: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    diff_disk_settings: Option<Local>,
    #[serde(skip_serializing_if = "Option::is_none")]
    managed_disk: Option<ManagedDisk<'a>>,
}

/// A disk on the VM's host.
#[derive(Serialize)]
struct Local {
    option: &'static str,
    placement: &'static str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ManagedDisk<'a> {
    disk_encryption_set: Reference<&'a str>,
}

/// The storage profile of a VM. A scale set names its disks itself.
pub(super) fn storage<'a>(order: &Order<'a>, name: Option<String>) -> Storage<'a> {
    let template = &order.node.launch_template;
    let encryption_set = order.request.options.node_os_disk_encryption_set_id.as_str();
    let is_local = template.is_ephemeral;
    Storage {
        image_reference: image(&template.image_id),
        os_disk: OsDisk {
            create_option: "FromImage",
            delete_option: "Delete",
            disk_size_gb: template.disk_size_gb,
            os_type: "Linux",
            name,
            caching: is_local.then_some("ReadOnly"),
            diff_disk_settings: is_local.then_some(Local { option: "Local", placement: template.placement }),
            managed_disk: (!encryption_set.is_empty())
                .then_some(ManagedDisk { disk_encryption_set: Reference { id: encryption_set } }),
        },
    }
}

fn image(id: &str) -> Image<'_> {
    const COMMUNITY: &str = "/CommunityGalleries/";
    let is_community = id.get(..COMMUNITY.len()).is_some_and(|start| start.eq_ignore_ascii_case(COMMUNITY));
    if is_community { Image::Community(id) } else { Image::Shared(id) }
}
