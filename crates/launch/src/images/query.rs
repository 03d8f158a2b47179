//! Questions about images as JSON, and the answers that `launch images` prints.

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::gallery::{Access, machine_image_version};
use super::ranking::{Image, Rejected, Wanted, rank, select};
use super::status::{ImagesState, images_state, keep_recorded};
use super::version::{Catalogue, CommunityVersion, NodeImageVersion};
use super::window::MaintenanceWindow;
use crate::Fidelity;
use crate::request::{NodeClass, Options};
use crate::sizes::{Architecture, Generation, InstanceType, Requirement};

/// How long the peer waits before it looks into the galleries again.
const LOOK_AGAIN_SECONDS: u32 = 300;

/// What is wanted, and what the galleries have.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
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

/// An image as lists show it: its requirements sorted by key.
#[derive(Debug, Serialize)]
pub struct ListedImage {
    /// The identifier.
    pub id: String,
    /// What a size must be.
    pub requirements: Vec<Requirement>,
}

impl ListedImage {
    fn of(image: &Image) -> Self {
        let mut requirements = image.requirements().to_vec();
        requirements.sort_by_key(|requirement| requirement.key);
        Self { id: image.id.clone(), requirements }
    }

    /// In the order in which a node class records requirements.
    fn recorded(image: &Image) -> Self {
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

/// Which image a size gets.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct SelectQuery {
    /// What is wanted, and what the galleries have.
    #[serde(flatten)]
    pub source: ImageSource,
    /// The size's architecture: `amd64` or `arm64`.
    pub arch: String,
    /// The generations that the size boots.
    #[serde(rename = "hyperVGenerations")]
    pub hyperv_generations: Vec<String>,
}

/// The image that a size gets, and what it is called elsewhere.
#[derive(Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Selection {
    /// The state of the condition `ImagesReady`.
    pub images_ready: &'static str,
    /// Its reason.
    pub reason: &'static str,
    /// Its message.
    pub message: String,
    /// Always empty: galleries are read by the caller.
    pub reconcile_error: Option<String>,
    /// The images that the node class records.
    pub status_images: Option<Vec<ListedImage>>,
    /// The image that the size gets.
    #[serde(rename = "selectedImageID")]
    pub selected_image_id: String,
    /// Why it gets none.
    pub select_error: Option<String>,
    /// The image's name for node provisioning.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub distro: Option<&'static str>,
    /// The image's name for AKS machines.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub machine_image_version: Option<String>,
    /// Why it has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub machine_image_version_error: Option<String>,
    /// Why other images fell out.
    pub rejected: Vec<Rejected>,
}

/// Which image a size gets.
pub fn select_image(query: &SelectQuery, fidelity: Fidelity) -> Selection {
    let generations: Vec<_> =
        query.hyperv_generations.iter().filter_map(|text| Generation::parse(text)).collect();
    selection(
        &query.source.wanted(),
        &query.source.catalogue(),
        Architecture::parse(&query.arch),
        &generations,
        fidelity,
    )
}

/// Which image the size of a launch request gets; every gallery has the version that the node class gives.
pub fn select_for(
    options: &Options,
    node_class: &NodeClass,
    size: &InstanceType,
    fidelity: Fidelity,
) -> Selection {
    let catalogue = Catalogue::Latest(&node_class.latest_image_version);
    selection(
        &Wanted::of(options, node_class),
        &catalogue,
        Some(size.architecture),
        &size.generations,
        fidelity,
    )
}

fn selection(
    wanted: &Wanted<'_>,
    catalogue: &Catalogue<'_>,
    architecture: Option<Architecture>,
    generations: &[Generation],
    fidelity: Fidelity,
) -> Selection {
    let ranking = rank(wanted, catalogue, fidelity);
    let images = match images_state(wanted, &ranking) {
        ImagesState::Ready(images) => images,
        ImagesState::NotReady(missing) => {
            return Selection {
                images_ready: "False",
                reason: missing.reason(),
                message: missing.to_string(),
                select_error: Some(format!("the node class has no images: {missing}")),
                rejected: ranking.rejected,
                ..Selection::default()
            };
        }
    };
    let ready = Selection {
        images_ready: "True",
        reason: "ImagesReady",
        status_images: Some(images.iter().map(ListedImage::recorded).collect()),
        ..Selection::default()
    };
    let Some(architecture) = architecture else {
        let select_error = Some("the architecture is neither amd64 nor arm64".to_owned());
        return Selection { select_error, rejected: ranking.rejected, ..ready };
    };
    let (selected, rejected) = select(ranking, architecture, generations);
    match selected {
        None => {
            let names: Vec<_> = generations.iter().map(|generation| generation.name()).collect();
            let sizes = format!("{} of generation {}", architecture.name(), names.join(" or "));
            Selection {
                select_error: Some(format!("no image of the node class fits sizes that are {sizes}")),
                rejected,
                ..ready
            }
        }
        Some(image) => {
            let (name, error) = match machine_image_version(&image.id) {
                Ok(name) => (name, None),
                Err(error) => (String::new(), Some(error.to_string())),
            };
            Selection {
                distro: Some(image.definition.distro),
                selected_image_id: image.id,
                machine_image_version: Some(name),
                machine_image_version_error: error,
                rejected,
                ..ready
            }
        }
    }
}

/// What becomes of the images that a node class has recorded.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct UpdateQuery {
    /// The images that are recorded.
    pub existing_images: Option<Vec<RecordedImage>>,
    /// Whether the condition `ImagesReady` is true; it is not after a Kubernetes upgrade.
    pub images_ready: bool,
    /// What is wanted, and what the galleries have.
    pub source: ImageSource,
    /// The maintenance window.
    pub window: MaintenanceWindow,
}

/// An image that a node class has recorded.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct RecordedImage {
    /// The identifier.
    pub id: String,
}

impl AsRef<str> for RecordedImage {
    fn as_ref(&self) -> &str {
        &self.id
    }
}

/// The images that a node class records now.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Update {
    /// What went wrong; then nothing changes.
    pub error: Option<String>,
    /// The state of the condition `ImagesReady`.
    pub images_ready: &'static str,
    /// Its reason.
    pub reason: &'static str,
    /// Its message.
    pub message: String,
    /// When to look again.
    pub requeue_after_seconds: u32,
    /// The images.
    pub status_images: Option<Vec<ListedImage>>,
}

/// The images that a node class records after a look into the galleries: the newest where the window is open or the
/// images were not ready, otherwise the recorded versions.
pub fn update_images(query: &UpdateQuery, now: Timestamp, fidelity: Fidelity) -> Update {
    let wanted = query.source.wanted();
    let ranking = rank(&wanted, &query.source.catalogue(), fidelity);
    let update = Update {
        error: None,
        images_ready: "True",
        reason: "ImagesReady",
        message: String::new(),
        requeue_after_seconds: LOOK_AGAIN_SECONDS,
        status_images: None,
    };
    let mut images = match images_state(&wanted, &ranking) {
        ImagesState::Ready(images) => images,
        ImagesState::NotReady(missing) => {
            let (reason, message) = (missing.reason(), missing.to_string());
            return Update { images_ready: "False", reason, message, requeue_after_seconds: 0, ..update };
        }
    };
    if query.images_ready {
        match query.window.is_open(now) {
            Ok(true) => {}
            Ok(false) => keep_recorded(&mut images, query.existing_images.as_deref().unwrap_or_default()),
            Err(error) => {
                keep_recorded(&mut images, query.existing_images.as_deref().unwrap_or_default());
                let status_images = Some(images.iter().map(ListedImage::recorded).collect());
                return Update {
                    error: Some(error.to_string()),
                    requeue_after_seconds: 0,
                    status_images,
                    ..update
                };
            }
        }
    }
    Update { status_images: Some(images.iter().map(ListedImage::recorded).collect()), ..update }
}
