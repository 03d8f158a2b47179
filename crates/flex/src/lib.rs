//! Machines from anywhere as nodes of a cluster.
//!
//! Comes in: the text of a flex configuration, which is the JSON of the Go program `aks-flex-node` in any of its
//! generations; a manifest of what can be installed, bundles. Goes out: a [`FlexConfig`] or every
//! [issue](slipway_contract::Issue) of the text with its place, the [`Node`](slipway_model::Node) that it asks for, and where
//! its programs come from. Never does: planning and applying, which are `plan`'s and `apply`'s, as for every node.
//!
//! [`config`] declares the keys in one table; everything else about a key is code that names its row.

pub mod config;
pub mod init;
mod node;
pub mod supply;

pub use config::{FlexConfig, Reading, read};
pub use node::{Provisions, Refused};
