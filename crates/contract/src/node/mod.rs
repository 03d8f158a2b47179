//! From a contract to the node that it asks for.
//!
//! Every field of the contract is in the table of one of these files with what becomes of it; a test compares the
//! tables with the schema.

mod binaries;
mod cloud;
mod cluster;
mod dns;
mod field;
mod gpu;
mod join;
mod kubelet;
mod network;
mod payload;
mod runtime;
mod sysctl;
mod system;

use slipway_model::Node;

use crate::Contract;

pub(crate) use field::take;

/// What becomes of a field of the contract in native provisioning.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    /// It has its effect.
    Honoured,
    /// It has none, because on an image that is ready the scripts do nothing with it either.
    Image(&'static str),
    /// Set to anything that asks for something, it is refused, for this reason.
    Refused(&'static str),
}

/// A field that asks for what the native path cannot do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refused {
    /// Its path.
    pub path: String,
    /// Why.
    pub reason: String,
}

/// Every field that has a value, with its fate.
pub fn fates() -> impl Iterator<Item = &'static (&'static str, Fate)> {
    [
        cluster::FATES,
        join::FATES,
        kubelet::FATES,
        cloud::FATES,
        binaries::FATES,
        runtime::FATES,
        network::FATES,
        gpu::FATES,
        dns::FATES,
        system::FATES,
        sysctl::FATES,
    ]
    .into_iter()
    .flatten()
}

/// The node that a contract asks for, or every field that the native path cannot honour.
pub fn node(contract: &Contract) -> Result<Node, Vec<Refused>> {
    let mut refused = Vec::new();
    let node = Node {
        cluster: cluster::read(contract, &mut refused),
        join: join::read(contract, &mut refused),
        kubelet: kubelet::read(contract, &mut refused),
        cloud: cloud::read(contract, &mut refused),
        binaries: binaries::read(contract, &mut refused),
        runtime: runtime::read(contract, &mut refused),
        network: network::read(contract, &mut refused),
        gpu: gpu::read(contract, &mut refused),
        dns: dns::read(contract, &mut refused),
        system: system::read(contract, &mut refused),
    };
    if refused.is_empty() { Ok(node) } else { Err(refused) }
}
