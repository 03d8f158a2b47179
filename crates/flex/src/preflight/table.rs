//! Every check, in the order in which they are told.

use super::{Check, Observed, azure, cluster, others, system};

/// What is asked before a machine joins.
pub const CHECKS: &[Check<Observed>] = &[
    Check {
        id: "privileges",
        asks: "is this root?",
        seen: |seen| seen.root.is_some(),
        look: system::privileges,
    },
    Check {
        id: "system",
        asks: "is this a system that is known here?",
        seen: |seen| seen.os.is_some() || seen.systemd.is_some(),
        look: system::system,
    },
    Check {
        id: "resources",
        asks: "are there processors and memory enough?",
        seen: |seen| seen.cpus.is_some() || seen.memory.is_some(),
        look: system::resources,
    },
    DISK,
    SWAP,
    CGROUPS,
    KERNEL,
    Check {
        id: "selinux",
        asks: "does SELinux let containers work?",
        seen: |seen| seen.selinux.is_some(),
        look: system::selinux,
    },
    Check {
        id: "resolver",
        asks: "do pods that use the machine's resolver reach one?",
        seen: |seen| seen.resolver.is_some(),
        look: system::resolver,
    },
    Check {
        id: "firewall",
        asks: "does the cluster reach kubelet?",
        seen: |seen| seen.firewalls.is_some(),
        look: others::firewall,
    },
    Check {
        id: "container-runtime",
        asks: "which container runtimes are here already?",
        seen: |seen| seen.runtimes.is_some(),
        look: others::runtimes,
    },
    Check {
        id: "kubelet",
        asks: "is this machine a node already?",
        seen: |seen| seen.kubelet.is_some(),
        look: others::kubelet,
    },
    Check {
        id: "ports",
        asks: "are kubelet's ports free?",
        seen: |seen| seen.ports.is_some(),
        look: others::ports,
    },
    Check {
        id: "leftovers",
        asks: "has another cluster left nothing?",
        seen: |seen| seen.leftovers.is_some(),
        look: others::leftovers,
    },
    Check {
        id: "secrets",
        asks: "are secrets for their owner alone?",
        seen: |seen| seen.open_secrets.is_some(),
        look: system::secrets,
    },
    Check {
        id: "node-name",
        asks: "can a node have this name?",
        seen: |seen| seen.node_name.is_some(),
        look: cluster::node_name,
    },
    Check {
        id: "program-sources",
        asks: "do the places answer that programs come from?",
        seen: |seen| !seen.sources.is_empty(),
        look: cluster::sources,
    },
    Check {
        id: "sandbox-image",
        asks: "is the image here that every pod has?",
        seen: |seen| seen.sandbox.is_some(),
        look: cluster::sandbox_image,
    },
    Check {
        id: "name-resolution",
        asks: "does the API server's name resolve?",
        seen: |seen| seen.server.is_some(),
        look: cluster::name_resolution,
    },
    Check {
        id: "api-server",
        asks: "does the API server answer?",
        seen: |seen| cluster::is_resolved(seen),
        look: cluster::api_server,
    },
    Check {
        id: "authority",
        asks: "does the cluster's CA vouch for the API server?",
        seen: |seen| cluster::is_connected(seen),
        look: cluster::authority,
    },
    Check {
        id: "clock",
        asks: "is the clock right?",
        seen: |seen| cluster::skew(seen).is_some(),
        look: cluster::clock,
    },
    Check {
        id: "credential",
        asks: "does the API server take the credential?",
        seen: |seen| seen.credential.is_some(),
        look: cluster::credential,
    },
    Check {
        id: "active-node",
        asks: "is no other machine at work under this name?",
        seen: |seen| seen.active.is_some(),
        look: cluster::active_node,
    },
    Check {
        id: "azure-permissions",
        asks: "does Azure allow what is to be done there?",
        seen: |seen| seen.permissions.is_some(),
        look: azure::permissions,
    },
    Check {
        id: "arc",
        asks: "can this machine be known to Azure Arc?",
        seen: |seen| seen.arc.is_some(),
        look: azure::arc,
    },
];

/// What is asked on a node that is at work, too.
pub const ON_EVERY_NODE: &[Check<Observed>] = &[DISK, SWAP, CGROUPS, KERNEL];

const DISK: Check<Observed> = Check {
    id: "disk",
    asks: "is there room on the disks?",
    seen: |seen| !seen.disks.is_empty(),
    look: system::disks,
};
const SWAP: Check<Observed> =
    Check { id: "swap", asks: "is swap off?", seen: |seen| seen.swaps.is_some(), look: system::swap };
const CGROUPS: Check<Observed> = Check {
    id: "cgroups",
    asks: "are cgroups of version 2, with every controller?",
    seen: |seen| seen.cgroups.is_some(),
    look: system::cgroups,
};
const KERNEL: Check<Observed> = Check {
    id: "kernel",
    asks: "has the kernel the modules that a node needs?",
    seen: |seen| !seen.modules.is_empty(),
    look: system::kernel,
};
