//! Where the programs of a plain machine come from.
//!
//! A [`Manifest`] lists releases of components with their addresses and checksums; it counts only with a signature
//! ([`Signed`]). [`Order::fill`] picks what one node needs of it. A bundle ([`bundle`]) is a manifest together with the
//! files themselves, for machines without a network.

pub mod bundle;
mod component;
mod manifest;
mod mirror;
mod order;
mod signature;
mod version;

pub use component::{Architecture, UnknownArchitecture, is_needed, members, published};
pub use manifest::{Digest, Image, Manifest, ManifestError, Release};
pub use mirror::{Mirror, MirrorError};
pub use order::{Order, OrderError, Pick};
pub use signature::{PublicKey, SecretKey, SignatureError, Signed};
pub use version::{Version, VersionError};
