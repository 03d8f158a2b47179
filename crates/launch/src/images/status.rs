//! Whether a node class has images to launch with.

use super::gallery::Access;
use super::ranking::{Image, Ranking, Wanted};

/// Whether a node class has images to launch with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ImagesState {
    /// It has these.
    Ready(Vec<Image>),
    /// It has none.
    NotReady(NoImages),
}

/// Why a node class has no images.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NoImages {
    /// FIPS images were asked for, and the launcher uses the community galleries.
    #[error(
        "FIPS images are in the shared galleries only: set useSIG, which AKS itself can use, or leave FIPS out"
    )]
    SharedGalleryRequired,
    /// Nothing fits what the node class asks for.
    #[error("ImageSelectors did not match any Images")]
    NotFound,
}

impl NoImages {
    /// The reason of the condition `ImagesReady`.
    pub fn reason(self) -> &'static str {
        match self {
            Self::SharedGalleryRequired => "SIGRequiredForFIPS",
            Self::NotFound => "ImagesNotFound",
        }
    }
}

/// What a ranking means for a node class that has recorded nothing yet.
pub fn images_state(wanted: &Wanted<'_>, ranking: &Ranking) -> ImagesState {
    if wanted.is_fips && wanted.access == Access::Community {
        ImagesState::NotReady(NoImages::SharedGalleryRequired)
    } else if ranking.images.is_empty() {
        ImagesState::NotReady(NoImages::NotFound)
    } else {
        ImagesState::Ready(ranking.images.clone())
    }
}
