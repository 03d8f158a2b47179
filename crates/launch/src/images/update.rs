//! What becomes of the images that a node class has recorded.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::gallery::without_version;
use super::ranking::{Image, rank};
use super::source::{ImageSource, ListedImage};
use super::status::{ImagesState, images_state};
use super::window::MaintenanceWindow;
use crate::Fidelity;

/// How long the peer waits before it looks into the galleries again.
const LOOK_AGAIN_SECONDS: u32 = 300;

/// What becomes of the images that a node class has recorded.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
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
    /// Images that stay behind the galleries until the window opens.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub stale: Vec<Stale>,
}

/// An image that is recorded in another version than the newest.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Stale {
    /// What is recorded.
    pub recorded: String,
    /// What the gallery has.
    pub newest: String,
}

/// The images that a node class records after a look into the galleries: the newest where the window is open or the
/// images were not ready, otherwise the recorded versions. A window that cannot be read counts as closed.
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
        stale: Vec::new(),
    };
    let mut images = match images_state(&wanted, &ranking) {
        ImagesState::Ready(images) => images,
        ImagesState::NotReady(missing) => {
            let (reason, message) = (missing.reason(), missing.to_string());
            return Update { images_ready: "False", reason, message, requeue_after_seconds: 0, ..update };
        }
    };
    let (is_open, error) = match query.window.is_open(now) {
        Ok(is_open) => (is_open, None),
        Err(error) => (false, Some(error.to_string())),
    };
    let recorded = query.existing_images.as_deref().unwrap_or_default();
    let stale =
        if is_open || !query.images_ready { Vec::new() } else { keep_recorded(&mut images, recorded) };
    let status_images = Some(images.iter().map(ListedImage::recorded).collect());
    match error.filter(|_| query.images_ready) {
        None => Update { status_images, stale, ..update },
        error => Update { error, requeue_after_seconds: 0, status_images, stale, ..update },
    }
}

/// Keeps recorded versions: an image that is recorded in some version stays at it, others are added and removed.
fn keep_recorded(images: &mut [Image], recorded: &[RecordedImage]) -> Vec<Stale> {
    let mut stale = Vec::new();
    for image in images {
        let base = without_version(&image.id);
        let kept = recorded.iter().find(|recorded| without_version(&recorded.id) == base);
        if let Some(kept) = kept.filter(|kept| kept.id != image.id) {
            let newest = std::mem::replace(&mut image.id, kept.id.clone());
            stale.push(Stale { recorded: kept.id.clone(), newest });
        }
    }
    stale
}
