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
mod interfaces;
mod join;
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

use slipway_model::{Facts, Node};

use crate::draft::Draft;
use crate::plan::{Plan, Unplanned};

type Subject = fn(&Node, &Facts, &mut Draft);

/// Every subject. The order is that of the plan where nothing else decides.
const SUBJECTS: [Subject; 25] = [
    supplies::steps,
    binaries::steps,
    cloud::steps,
    certificates::steps,
    kubelet::steps,
    join::steps,
    credential_provider::steps,
    temp_disk::steps,
    containerd::steps,
    cni::steps,
    kernel::steps,
    swap::steps,
    proxy::steps,
    trust::steps,
    ssh::steps,
    upgrades::steps,
    motd::steps,
    resolver::steps,
    local_dns::steps,
    private_hosts::steps,
    firewall::steps,
    streaming::steps,
    gpu::steps,
    interfaces::steps,
    housekeeping::steps,
];

/// The steps that make this machine that node, or everything that stands against it.
pub fn plan(node: &Node, facts: &Facts) -> Result<Plan, Unplanned> {
    let mut draft = Draft::of(node);
    for subject in SUBJECTS {
        subject(node, facts, &mut draft);
    }
    draft.finish()
}
