//! What is known of a node when it is compared with what would be launched now.

use std::collections::BTreeMap;

use serde::Deserialize;

/// A node, its claim, and the node class of today.
#[expect(clippy::struct_excessive_bools, reason = "each is an answer of the API server of its own")]
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
pub struct Situation {
    /// Whether AKS made the node as a machine, rather than the launcher as a VM.
    #[serde(rename = "isAKSMachine")]
    pub is_aks_machine: bool,
    /// Whether the claim has the label of a node pool.
    pub node_pool_label: bool,
    /// The node's provider id.
    #[serde(rename = "providerID")]
    pub provider_id: String,
    /// Annotations of the claim.
    pub node_claim_annotations: Option<BTreeMap<String, String>>,
    /// The image that the node was made from.
    #[serde(rename = "nodeClaimImageID")]
    pub node_claim_image_id: String,
    /// Whether the node pool exists.
    pub node_pool_exists: bool,
    /// Whether the node class exists.
    pub node_class_exists: bool,
    /// Whether the node class is being deleted.
    pub node_class_deleting: bool,
    /// Annotations of the node class.
    pub node_class_annotations: Option<BTreeMap<String, String>>,
    /// Whether the node class knows the cluster's version.
    pub kubernetes_version_ready: bool,
    /// Whether it knows the version for its present specification.
    pub kubernetes_version_generation_current: bool,
    /// The cluster's version.
    pub status_kubernetes_version: String,
    /// Whether the node class knows its images.
    pub images_ready: bool,
    /// The images that it knows.
    pub status_images: Option<Vec<String>>,
    /// How many nodes have the provider id.
    pub node_count: u32,
    /// Whether the node is being deleted.
    pub node_deleting: bool,
    /// Kubelet's version on the node.
    pub node_kubelet_version: String,
    /// The client id of kubelet's identity, by the node's label.
    pub node_kubelet_identity_label: String,
    /// The client id of kubelet's identity, by today's options.
    #[serde(rename = "optionKubeletIdentityClientID")]
    pub option_kubelet_identity_client_id: String,
    /// Whether AKS knows the machine.
    pub machine_found: bool,
    /// What AKS says should be done with the machine.
    pub machine_drift_action: Option<String>,
}

const HASH: &str = "karpenter.azure.com/aksnodeclass-hash";
const HASH_VERSION: &str = "karpenter.azure.com/aksnodeclass-hash-version";

/// A hash of a node class, and the version of its recipe.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Hash<'a> {
    pub(super) value: &'a str,
    pub(super) version: &'a str,
}

impl<'a> Hash<'a> {
    /// The hash in annotations; `None` where either part is missing.
    pub(super) fn of(annotations: Option<&'a BTreeMap<String, String>>) -> Option<Self> {
        let annotations = annotations?;
        Some(Self { value: annotations.get(HASH)?, version: annotations.get(HASH_VERSION)? })
    }
}
