//! The subjects of a node, one file each.

mod binaries;
mod certificates;
mod cloud;
mod cni;
mod containerd;
mod credential_provider;
mod firewall;
mod gpu;
mod housekeeping;
mod images;
mod interfaces;
mod join;
mod keeper;
mod kernel;
mod kubelet;
mod local_dns;
mod motd;
mod private_hosts;
mod proxy;
mod resolver;
mod ssh;
mod streaming;
mod supplies;
mod swap;
mod temp_disk;
mod trust;
mod units;
mod upgrades;

pub use containerd::SOCKET as CONTAINERD_SOCKET;
use slipway_model::node::Machine;
use slipway_model::{Facts, Node};

use crate::draft::Draft;
use crate::plan::{Plan, Unplanned};

type Subject = fn(&Node, &Facts, &mut Draft);

/// On which machines a subject has a say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum On {
    /// On all: no node is without it.
    Every,
    /// On AKS's images, which are there to be nodes. Elsewhere it is the owner's business.
    Images,
}

/// Every subject. The order is that of the plan where nothing else decides.
const SUBJECTS: [(On, Subject); 28] = [
    (On::Every, keeper::steps),
    (On::Every, supplies::steps),
    (On::Every, binaries::steps),
    (On::Images, cloud::steps),
    (On::Every, certificates::steps),
    (On::Every, kubelet::steps),
    (On::Every, join::steps),
    (On::Images, credential_provider::steps),
    (On::Images, temp_disk::steps),
    (On::Every, containerd::steps),
    (On::Every, images::steps),
    (On::Every, cni::steps),
    (On::Every, kernel::steps),
    (On::Images, swap::steps),
    (On::Every, swap::off),
    (On::Every, proxy::steps),
    (On::Images, trust::steps),
    (On::Images, ssh::steps),
    (On::Images, upgrades::steps),
    (On::Images, motd::steps),
    (On::Images, resolver::steps),
    (On::Images, local_dns::steps),
    (On::Images, private_hosts::steps),
    (On::Images, firewall::steps),
    (On::Images, streaming::steps),
    (On::Images, gpu::steps),
    (On::Images, interfaces::steps),
    (On::Images, housekeeping::steps),
];

/// The steps that make this machine that node, or everything that stands against it.
pub fn plan(node: &Node, facts: &Facts) -> Result<Plan, Unplanned> {
    let mut draft = Draft::of(node);
    for (_, subject) in
        SUBJECTS.into_iter().filter(|(on, _)| *on == On::Every || node.machine == Machine::Image)
    {
        subject(node, facts, &mut draft);
    }
    draft.finish()
}
