//! The image that a size gets.

use serde::Serialize;

use super::gallery::machine_image_version;
use super::ranking::{Rejected, Wanted, rank, select};
use super::source::{ImageSource, ListedImage};
use super::status::{ImagesState, images_state};
use super::version::Catalogue;
use crate::Fidelity;
use crate::request::{NodeClass, Options};
use crate::sizes::{Architecture, Generation, InstanceType};

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

/// Which image a size gets; the source says which size.
pub fn select_image(source: &ImageSource, fidelity: Fidelity) -> Selection {
    selection(&source.wanted(), &source.catalogue(), source.arch, &source.hyperv_generations, fidelity)
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
        let select_error = Some("no architecture is given; set arch to amd64 or arm64".to_owned());
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
