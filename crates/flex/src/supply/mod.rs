//! Where the programs of a plain machine come from.
//!
//! A [`Manifest`] lists releases of components with their addresses and checksums; it counts only with a signature
//! ([`Signed`]). [`Order::fill`] picks what one node needs of it. A bundle ([`bundle`]) is a manifest together with the
//! files themselves, for machines without a network; it may hold container images, too ([`archive`]).

pub mod archive;
pub mod bundle;
mod component;
mod image_name;
mod manifest;
mod mirror;
mod offline;
mod order;
mod signature;
mod stock;
mod version;

pub use component::{Architecture, RUNTIME, UnknownArchitecture, checksums, is_needed, members, published};
pub use image_name::{ImageName, ImageNameError};
pub use manifest::{Digest, Image, Manifest, ManifestError, Release};
pub use mirror::{Mirror, MirrorError};
pub use offline::{OfflineError, offline_bundle};
pub use order::{Order, OrderError, Pick};
pub use signature::{PublicKey, SecretKey, SignatureError, Signed};
pub use stock::{STORE, Stock, StockError, stored};
pub use version::{Version, VersionError};
