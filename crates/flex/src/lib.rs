//! Machines from anywhere as nodes of an AKS cluster.
//!
//! Comes in: the text of a flex configuration, which is the JSON of the Go program `aks-flex-node` in any of its
//! generations, and the machine's name. Goes out: a [`FlexConfig`], every [issue](slipway_contract::Issue) of the text with
//! its place, the same values [as JSON](FlexConfig::report), and the [`Node`](slipway_model::Node) that they ask for.
//! Never does: I/O. Files that a configuration names are read by whoever needs them.
//!
//! [`config`] declares the keys in one table; everything else about a key is code that names its row.

pub mod config;
pub mod init;
mod node;
pub mod supply;

pub use config::{FlexConfig, Reading, read};
pub use node::{Provisions, Refused};
