//! kubelet's part of a contract: flags, labels, and where its binaries are.

use slipway_contract::messages::{KubeBinaryConfig, KubeletConfig, KubeletDisk};

use crate::computed::{PAUSE_IMAGE, Release, kubelet_flags};
use crate::{Bootstrap, Fidelity};

/// Where the node gets its binaries.
pub(super) fn binaries(release: Release<'_>, arch: &str) -> KubeBinaryConfig {
    KubeBinaryConfig {
        kube_binary_url: release.kube_binary_url(arch),
        linux_credential_provider_url: release.credential_provider_url(arch),
        pod_infra_container_image_url: PAUSE_IMAGE.to_owned(),
        ..KubeBinaryConfig::default()
    }
}

/// Flags and labels.
pub(super) fn kubelet_config(node: &Bootstrap, release: Release<'_>, fidelity: Fidelity) -> KubeletConfig {
    let flags = kubelet_flags(release, &node.taints, node.kubelet.as_ref(), fidelity);
    KubeletConfig {
        kubelet_flags: flags
            .iter()
            .map(|(flag, layers)| (flag.to_owned(), layers.value.clone().into_owned()))
            .collect(),
        kubelet_node_labels: node
            .labels
            .iter()
            .map(|(key, layers)| (key.to_owned(), layers.value.clone().into_owned()))
            .collect(),
        kubelet_disk_type: KubeletDisk::OsDisk,
        ..KubeletConfig::default()
    }
}
