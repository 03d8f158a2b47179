//! Machines from anywhere as nodes of an AKS cluster.
//!
//! Comes in: the text of a flex configuration, which is the JSON of the Go program `aks-flex-node` in any of its
//! generations; a signed manifest or bundle of programs; Azure, where the machine is somebody to it. Goes out: a
//! [`FlexConfig`], every [issue](slipway_contract::Issue) of the text with its place, the [`Node`](slipway_model::Node) that
//! it asks for, tokens, and a record of what Azure was told. Never does: planning and applying, which are `plan`'s and
//! `apply`'s, as for every node.
//!
//! [`config`] declares the keys in one table; everything else about a key is code that names its row. [`supply`] is
//! where programs come from, [`upgrade`] is how others take their place, [`identity`] is who the machine is, [`arc`] makes
//! it known to Azure Arc and takes that back, [`goal`] is what Azure wants of it. [`preflight`] tells what stands against a
//! join before anything is done, [`keep`] what is done to keep a machine a node.

pub mod arc;
pub mod config;
pub mod goal;
pub mod identity;
pub mod init;
pub mod keep;
mod node;
pub mod preflight;
pub mod supply;
pub mod upgrade;

/// Where a machine has its configuration, unless it is said otherwise.
pub const CONFIG: &str = "/etc/aks-flex-node/config.json";

pub use config::{FlexConfig, Reading, read};
pub use node::{Provisions, Refused};
