//! Drift: whether a node is still what would be launched today.

use thiserror::Error;

use super::situation::{Hash, Situation};
use crate::images::machine_image_version;

/// Why a node is to be replaced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DriftReason {
    /// The node class changed.
    NodeClassDrift,
    /// The node's Kubernetes version is not the cluster's.
    K8sVersionDrift,
    /// Kubelet pulls images with another identity.
    KubeletIdentityDrift,
    /// The node's image is none of the node class's images.
    ImageDrift,
    /// AKS wants the machine to be made anew.
    ClusterConfigDrift,
}

impl DriftReason {
    /// The reason's name.
    pub fn name(self) -> &'static str {
        match self {
            Self::NodeClassDrift => "NodeClassDrift",
            Self::K8sVersionDrift => "K8sVersionDrift",
            Self::KubeletIdentityDrift => "KubeletIdentityDrift",
            Self::ImageDrift => "ImageDrift",
            Self::ClusterConfigDrift => "ClusterConfigDrift",
        }
    }
}

/// A difference between a node and what would be launched today.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Drift {
    /// Why the node is to be replaced.
    pub reason: DriftReason,
    /// What the node has.
    pub node: String,
    /// What a node would have today.
    pub wanted: String,
}

/// Why drift cannot be told.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum DriftError {
    /// The claim has no provider id.
    #[error(
        "the node claim has no provider id, so its node cannot be found; it is perhaps still being launched"
    )]
    NoProviderId,
    /// Several nodes have the provider id.
    #[error("{0} nodes have the provider id {1}; delete the ones that are no more")]
    SeveralNodes(u32, String),
    /// The node class says that it has images and has none.
    #[error("the node class says that its images are ready and lists none")]
    NoImages,
    /// The claim does not say what the node was made from.
    #[error("the node claim's status has no image id")]
    NoNodeImage,
    /// An image of the node class cannot be that of a machine.
    #[error("the images of the node class are not those of AKS machines: {0}")]
    MachineImage(#[from] crate::images::NoMachineImage),
    /// AKS does not know the machine.
    #[error("AKS does not know the machine of {0}")]
    NoMachine(String),
}

/// The first difference between a node and what would be launched today; `None` where there is none, or where no node
/// class says what that would be.
pub fn drift(situation: &Situation) -> Result<Option<Drift>, DriftError> {
    let has_node_class = situation.node_pool_label
        && situation.node_pool_exists
        && situation.node_class_exists
        && !situation.node_class_deleting;
    if !has_node_class {
        return Ok(None);
    }
    if let Some(found) = hash(situation) {
        return Ok(Some(found));
    }
    let checks: [Check; 3] =
        if situation.is_aks_machine { [version, machine_image, machine] } else { [version, identity, image] };
    for check in checks {
        if let Some(found) = check(situation)? {
            return Ok(Some(found));
        }
    }
    Ok(None)
}

type Check = fn(&Situation) -> Result<Option<Drift>, DriftError>;

/// A difference, if the two are not the same.
fn compare(reason: DriftReason, node: &str, wanted: &str) -> Option<Drift> {
    (node != wanted).then(|| Drift { reason, node: node.to_owned(), wanted: wanted.to_owned() })
}

fn hash(situation: &Situation) -> Option<Drift> {
    let claim = Hash::of(situation.node_claim_annotations.as_ref())?;
    let class = Hash::of(situation.node_class_annotations.as_ref())?;
    // A new recipe is no change of the class.
    if claim.version != class.version {
        return None;
    }
    compare(DriftReason::NodeClassDrift, claim.value, class.value)
}

/// Whether there is a node to look at: one, that is not going away.
fn has_node(situation: &Situation) -> Result<bool, DriftError> {
    if situation.provider_id.is_empty() {
        return Err(DriftError::NoProviderId);
    }
    match situation.node_count {
        0 => Ok(false),
        1 => Ok(!situation.node_deleting),
        count => Err(DriftError::SeveralNodes(count, situation.provider_id.clone())),
    }
}

fn version(situation: &Situation) -> Result<Option<Drift>, DriftError> {
    let is_known = situation.kubernetes_version_ready && situation.kubernetes_version_generation_current;
    if !is_known || !has_node(situation)? {
        return Ok(None);
    }
    let node = situation.node_kubelet_version.strip_prefix('v').unwrap_or(&situation.node_kubelet_version);
    Ok(compare(DriftReason::K8sVersionDrift, node, &situation.status_kubernetes_version))
}

fn identity(situation: &Situation) -> Result<Option<Drift>, DriftError> {
    // Nodes from before the label existed do not have it.
    if !has_node(situation)? || situation.node_kubelet_identity_label.is_empty() {
        return Ok(None);
    }
    let wanted = &situation.option_kubelet_identity_client_id;
    Ok(compare(DriftReason::KubeletIdentityDrift, &situation.node_kubelet_identity_label, wanted))
}

fn image(situation: &Situation) -> Result<Option<Drift>, DriftError> {
    let images = current_images(situation)?;
    Ok(images.and_then(|images| image_among(situation, &images)))
}

fn machine_image(situation: &Situation) -> Result<Option<Drift>, DriftError> {
    let Some(images) = current_images(situation)? else { return Ok(None) };
    let names = images.iter().map(|id| machine_image_version(id)).collect::<Result<Vec<_>, _>>()?;
    Ok(image_among(situation, &names))
}

/// The images of the node class; `None` where it does not know them yet.
fn current_images(situation: &Situation) -> Result<Option<Vec<String>>, DriftError> {
    if situation.provider_id.is_empty() {
        return Err(DriftError::NoProviderId);
    }
    if !situation.images_ready {
        return Ok(None);
    }
    let images = situation.status_images.clone().unwrap_or_default();
    if images.is_empty() {
        return Err(DriftError::NoImages);
    }
    if situation.node_claim_image_id.is_empty() {
        return Err(DriftError::NoNodeImage);
    }
    Ok(Some(images))
}

fn image_among(situation: &Situation, images: &[String]) -> Option<Drift> {
    let node = &situation.node_claim_image_id;
    (!images.contains(node)).then(|| Drift {
        reason: DriftReason::ImageDrift,
        node: node.clone(),
        wanted: images.join(", "),
    })
}

fn machine(situation: &Situation) -> Result<Option<Drift>, DriftError> {
    const KEEP: &str = "Synced";
    if !situation.machine_found {
        return Err(DriftError::NoMachine(situation.provider_id.clone()));
    }
    let action = situation.machine_drift_action.as_deref().filter(|action| !action.is_empty());
    Ok(action.and_then(|action| compare(DriftReason::ClusterConfigDrift, action, KEEP)))
}
