//! Node images: families, definitions, galleries, and which image a node gets.
//!
//! Comes in: what a node class asks for, and the versions that galleries have. Goes out: the images that fit, best
//! first, the reason why each other one fell out, the image of a size, and what becomes of recorded images in and
//! outside of a maintenance window. Never does: asking a gallery.

mod definition;
mod family;
mod gallery;
mod query;
mod ranking;
mod status;
mod version;
mod window;

pub use definition::{DEFINITIONS, Definition, Variant, definition};
pub use family::{Family, os_sku};
pub use gallery::{
    AZURE_LINUX, Access, Gallery, NoMachineImage, UBUNTU, definition_name, machine_image_version,
    without_version,
};
pub use query::{
    ImageList, ImageSource, ListedImage, RecordedImage, SelectQuery, Selection, Update, UpdateQuery,
    list_images, select_for, select_image, update_images,
};
pub use ranking::{Image, Ranking, Rejected, Rejection, Wanted, definitions, rank, select};
pub use status::{ImagesState, NoImages, images_state, keep_recorded};
pub use version::{Catalogue, CommunityVersion, NodeImageVersion, is_newer, newest_of_each};
pub use window::{MaintenanceWindow, WindowError};
