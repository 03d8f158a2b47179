//! What is wanted of images, and what galleries have, as JSON.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::gallery::Access;
use super::ranking::{Image, Rejected, Wanted, rank};
use super::version::{Catalogue, CommunityVersion, NodeImageVersion};
use crate::Fidelity;
use crate::request::{NodeClass, Options};
use crate::sizes::{Architecture, Generation, Requirement};

/// What is wanted, what the galleries have, and perhaps the size that an image is wanted for.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
pub struct ImageSource {
    /// The family that the node class names.
    pub image_family: String,
    /// `FIPS`, or anything else.
    pub fips_mode: String,
    /// Whether VMs have trusted launch.
    pub trusted_launch: bool,
    /// Whether images come from the shared galleries.
    #[serde(rename = "useSIG")]
    pub use_sig: bool,
    /// The subscription of the shared galleries.
    #[serde(rename = "sigSubscriptionID")]
    pub sig_subscription_id: String,
    /// The cluster's version.
    pub kubernetes_version: String,
    /// Versions in the community galleries, by definition.
    pub community_versions: BTreeMap<String, Vec<CommunityVersion>>,
    /// Versions in the shared galleries.
    pub node_image_versions: Vec<NodeImageVersion>,
    /// The size's architecture.
    pub arch: Option<Architecture>,
    /// The generations that the size boots.
    #[serde(rename = "hyperVGenerations")]
    pub hyperv_generations: Vec<Generation>,
}

impl ImageSource {
    /// What is wanted.
    pub fn wanted(&self) -> Wanted<'_> {
        Wanted {
            image_family: Some(self.image_family.as_str()).filter(|family| !family.is_empty()),
            is_fips: self.fips_mode == "FIPS",
            is_trusted_launch: self.trusted_launch,
            kubernetes_version: &self.kubernetes_version,
            access: if self.use_sig {
                Access::Shared { subscription: &self.sig_subscription_id }
            } else {
                Access::Community
            },
        }
    }

    /// What the galleries have.
    pub fn catalogue(&self) -> Catalogue<'_> {
        if self.use_sig {
            Catalogue::Shared(&self.node_image_versions)
        } else {
            Catalogue::Community(&self.community_versions)
        }
    }
}

impl<'a> Wanted<'a> {
    /// What a node class wants of its images.
    pub fn of(options: &'a Options, node_class: &'a NodeClass) -> Self {
        let access = if options.use_sig {
            Access::Shared { subscription: &options.sig_subscription_id }
        } else {
            Access::Community
        };
        Self {
            image_family: node_class.spec.image_family.as_deref(),
            is_fips: node_class.spec.is_fips(),
            is_trusted_launch: node_class.spec.is_trusted_launch(),
            kubernetes_version: &node_class.kubernetes_version,
            access,
        }
    }
}

/// An image as it is printed.
#[derive(Debug, Serialize)]
pub struct ListedImage {
    /// The identifier.
    pub id: String,
    /// What a size must be.
    pub requirements: Vec<Requirement>,
}

impl ListedImage {
    /// In the order of lists: requirements sorted by key.
    fn of(image: &Image) -> Self {
        let mut requirements = image.requirements().to_vec();
        requirements.sort_by_key(|requirement| requirement.key);
        Self { id: image.id.clone(), requirements }
    }

    /// In the order in which a node class records requirements.
    pub(super) fn recorded(image: &Image) -> Self {
        Self { id: image.id.clone(), requirements: image.requirements().to_vec() }
    }
}

/// The images of a node class, best first.
#[derive(Debug, Serialize)]
pub struct ImageList {
    /// Always empty: galleries are read by the caller.
    pub error: Option<String>,
    /// The family that the node class resolves to.
    pub family: &'static str,
    /// Images that fit, best first.
    pub images: Vec<ListedImage>,
    /// Why the others fell out.
    pub rejected: Vec<Rejected>,
}

/// The images of a node class, best first, and why others fell out.
pub fn list_images(source: &ImageSource, fidelity: Fidelity) -> ImageList {
    let ranking = rank(&source.wanted(), &source.catalogue(), fidelity);
    ImageList {
        error: None,
        family: ranking.family.name(),
        images: ranking.images.iter().map(ListedImage::of).collect(),
        rejected: ranking.rejected,
    }
}
