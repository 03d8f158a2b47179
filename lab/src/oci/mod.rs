//! Container images made of a few local files, as OCI layouts and archives.
//!
//! Layers stay uncompressed: they are unpacked on the machine they were made on, where time counts and bytes do not.
//! The same input gives the same bytes.

mod digest;
mod layer;
mod layout;
mod reference;

pub use digest::Digest;
pub use layer::{Layer, LayerFile};
pub use layout::{archive, store};
pub use reference::{Reference, ReferenceError};

pub(crate) use layout::{Index, blob};

/// An image for the architecture of this machine.
#[derive(Clone, Debug)]
pub struct Image {
    /// Its whole name.
    pub name: Reference,
    /// The program and its first arguments.
    pub entrypoint: Vec<String>,
    /// What is in it, the lowest layer first.
    pub layers: Vec<Layer>,
}
