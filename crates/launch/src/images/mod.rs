//! Node images: families, definitions, galleries, and which image a node gets.
//!
//! Comes in: what a node class asks for, and the versions that galleries have. Goes out: the images that fit, best
//! first, the reason why each other one fell out, the image of a size, and what becomes of recorded images in and
//! outside of a maintenance window. Never does: asking a gallery.

mod definition;
mod family;
mod gallery;
mod question;
mod ranking;
mod selection;
mod source;
mod status;
mod update;
mod version;
mod window;

pub use definition::{DEFINITIONS, Definition, Variant, definition};
pub use family::{Family, os_sku};
pub use gallery::{AZURE_LINUX, Access, Gallery, NoMachineImage, UBUNTU, machine_image_version};
pub use question::{Answer, NoQuestion, Question, is_launch_request};
pub use ranking::{Image, Ranking, Rejected, Rejection, Wanted, definitions, rank, select};
pub use selection::{Selection, select_for, select_image};
pub use source::{ImageList, ImageSource, ListedImage, list_images};
pub use status::{ImagesState, NoImages, images_state};
pub use update::{RecordedImage, Stale, Update, UpdateQuery, update_images};
pub use version::{Catalogue, CommunityVersion, NodeImageVersion, is_newer, newest_of_each};
pub use window::{MaintenanceWindow, WindowError};
