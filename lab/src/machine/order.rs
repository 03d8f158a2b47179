//! What is asked for when a machine is booted.

use std::path::PathBuf;

use crate::image::Kind;

/// How a machine gets its files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Storage {
    /// An overlay in memory over the image: there in milliseconds.
    #[default]
    Overlay,
    /// A copy on disk: what is measured on it is not the overlay.
    Copy,
}

/// A machine to be booted.
#[derive(Debug, Clone, Default)]
pub struct Order {
    /// The image that it is a clone of.
    pub kind: Kind,
    /// The build of Slipway that the image was baked with; without one it has no Slipway.
    pub slipway: Option<PathBuf>,
    /// How it gets its files.
    pub storage: Storage,
    /// How many octets the machine can write, counted with its containers' images; only for an overlay.
    pub disk: Option<u64>,
}
