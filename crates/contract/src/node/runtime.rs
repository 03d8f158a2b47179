use slipway_model::Sourced;
use slipway_model::node::Runtime;

use super::{Fate, Refused, take};
use crate::Contract;

const BUILT: &str = "runc is the image's; no script reads this";
const RUNNING: &str = "the machine's own containerd decides; on a ready image the scripts install no other";
const PACKAGE: &str =
    "the native path installs no packages: use an image with this containerd, or `--mode scripts`";

/// What becomes of the fields that this file reads.
pub(super) const FATES: &[(&str, Fate)] = &[
    ("runc_config.runc_version", Fate::Image(BUILT)),
    ("runc_config.runc_package_url", Fate::Image(BUILT)),
    ("containerd_config.containerd_download_url_base", Fate::Image(RUNNING)),
    ("containerd_config.containerd_version", Fate::Image(RUNNING)),
    ("containerd_config.containerd_package_url", Fate::Refused(PACKAGE)),
    ("kubelet_config.container_data_dir", Fate::Honoured),
    ("kube_binary_config.pod_infra_container_image_url", Fate::Honoured),
    ("needs_cgroupv2", Fate::Honoured),
    ("is_kata", Fate::Honoured),
    ("enable_artifact_streaming", Fate::Honoured),
    ("custom_linux_os_config.ulimit_config.no_file", Fate::Honoured),
    ("custom_linux_os_config.ulimit_config.max_locked_memory", Fate::Honoured),
];

pub(super) fn read(contract: &Contract, refused: &mut Vec<Refused>) -> Runtime {
    let package = contract.containerd_config.as_ref().map_or("", |it| &it.containerd_package_url);
    if !package.is_empty() {
        refused.push(Refused {
            path: "containerd_config.containerd_package_url".into(),
            reason: PACKAGE.into(),
        });
    }
    Runtime {
        version: take!(contract, containerd_config.containerd_version),
        data_directory: take!(contract, kubelet_config.container_data_dir),
        sandbox_image: take!(contract, kube_binary_config.pod_infra_container_image_url),
        cgroup_v2: take!(contract, needs_cgroupv2).map(|on| *on == Some(true)),
        kata: take!(contract, is_kata),
        artifact_streaming: take!(contract, enable_artifact_streaming),
        open_files: take!(contract, custom_linux_os_config.ulimit_config.no_file),
        locked_memory: take!(contract, custom_linux_os_config.ulimit_config.max_locked_memory),
        images: Sourced::fixed(Vec::new()),
    }
}
