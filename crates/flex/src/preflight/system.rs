//! Checks of the machine itself.

use slipway_host::Space;

use super::{Finding, Observed};

const MEBIBYTE: u64 = 1 << 20;
const GIBIBYTE: u64 = 1 << 30;
/// Below this kubelet and containerd alone fill the memory.
const LEAST_MEMORY: u64 = 512 * MEBIBYTE;
/// Below this little is left for pods. A machine of two gibibytes shows a little less.
const MODEST_MEMORY: u64 = 1700 * MEBIBYTE;
const MODEST_CPUS: u32 = 2;
/// What the programs of a node take, unpacked.
const LEAST_SPACE: u64 = GIBIBYTE;
/// What images need besides.
const MODEST_SPACE: u64 = 8 * GIBIBYTE;
/// A disk with less than this share free makes kubelet evict pods.
const LEAST_SHARE: u64 = 10;
/// What kubelet counts and limits with.
const CONTROLLERS: [&str; 4] = ["cpu", "cpuset", "memory", "pids"];
/// Distributions that nodes were made of, by the ids in os-release.
const KNOWN_SYSTEMS: [&str; 6] = ["ubuntu", "debian", "azurelinux", "mariner", "flatcar", "acl"];
/// Modules without which no container starts.
const INDISPENSABLE: [&str; 1] = ["overlay"];

pub(super) fn privileges(seen: &Observed) -> Vec<Finding> {
    match seen.root {
        Some(false) => vec![Finding::blocks("this is not root", "run it with sudo")],
        _ => Vec::new(),
    }
}

pub(super) fn system(seen: &Observed) -> Vec<Finding> {
    let mut found = Vec::new();
    if seen.systemd == Some(false) {
        found.push(Finding::blocks(
            "systemd does not manage this machine's services",
            "kubelet and containerd are units of systemd: use a system that has it",
        ));
    }
    if let Some(os) = seen.os.as_ref().filter(|os| !KNOWN_SYSTEMS.contains(&&*os.id)) {
        found.push(Finding::warns(
            format!(
                "{} is no system that nodes were tried on",
                format!("{} {}", os.id, os.version_id).trim_end()
            ),
            format!("it may work all the same; known are {}", KNOWN_SYSTEMS.join(", ")),
        ));
    }
    found
}

pub(super) fn resources(seen: &Observed) -> Vec<Finding> {
    let mut found = Vec::new();
    if let Some(cpus) = seen.cpus.filter(|cpus| *cpus < MODEST_CPUS) {
        found.push(Finding::warns(
            format!("there is {cpus} processor"),
            "a node's own services take a part of it: give the machine two",
        ));
    }
    match seen.memory {
        Some(memory) if memory < LEAST_MEMORY => found.push(Finding::blocks(
            format!("there are {} MiB of memory", memory / MEBIBYTE),
            "kubelet and containerd alone fill that: give the machine 2 GiB",
        )),
        Some(memory) if memory < MODEST_MEMORY => found.push(Finding::warns(
            format!("there are {} MiB of memory", memory / MEBIBYTE),
            "little is left for pods: give the machine 2 GiB",
        )),
        _ => {}
    }
    found
}

pub(super) fn disks(seen: &Observed) -> Vec<Finding> {
    let finding = |(path, space): &(std::path::PathBuf, Space)| {
        let path = path.display();
        let share = space.free.saturating_mul(100).checked_div(space.size)?;
        let room = "remove images (crictl rmi --prune) and logs, or use a larger disk";
        // Programs are there when a node is.
        if space.free < LEAST_SPACE && !seen.ours {
            let left = format!("{path}: {} MiB are free", space.free / MEBIBYTE);
            return Some(Finding::blocks(left, format!("the programs of a node do not fit: {room}")));
        }
        if share < LEAST_SHARE {
            let left = format!("{path}: {share}% of its space is free");
            return Some(Finding::warns(left, format!("kubelet evicts pods on a full disk: {room}")));
        }
        if space.free_files == Some(0) {
            let left = format!("{path}: no more files can be made");
            return Some(Finding::blocks(left, format!("kubelet evicts pods on a full disk: {room}")));
        }
        (space.free < MODEST_SPACE && !seen.ours).then(|| {
            let left = format!("{path}: {} MiB are free", space.free / MEBIBYTE);
            Finding::warns(left, "images fill that soon: use a larger disk")
        })
    };
    seen.disks.iter().filter_map(finding).collect()
}

pub(super) fn swap(seen: &Observed) -> Vec<Finding> {
    let Some(first) = seen.swaps.as_ref().and_then(|swaps| swaps.first()) else { return Vec::new() };
    let message = format!("{first} is in use");
    match seen.fail_swap_on {
        Some(false) => vec![Finding::warns(
            message,
            "kubelet is told to run beside it, and pods do not use it; slipway flex join --disable-swap turns it off until \
             the machine leaves",
        )],
        _ => vec![Finding::blocks(
            message,
            "kubelet does not start with swap unless failSwapOn is false: swapoff -a, or set it in the contract",
        )],
    }
}

pub(super) fn cgroups(seen: &Observed) -> Vec<Finding> {
    let Some(cgroups) = &seen.cgroups else { return Vec::new() };
    if !cgroups.unified {
        let advice = "kubelet refuses version 1 from 1.35 on: boot with systemd.unified_cgroup_hierarchy=1";
        let refused = seen.kubernetes.is_none_or(|version| version >= (1, 35));
        let finding = if refused { Finding::blocks } else { Finding::warns };
        return vec![finding("they are of version 1".to_owned(), advice.to_owned())];
    }
    let has = |name: &&str| !cgroups.controllers.iter().any(|other| other == name);
    let missing: Vec<&str> = CONTROLLERS.into_iter().filter(|name| has(name)).collect();
    if missing.is_empty() {
        return Vec::new();
    }
    vec![Finding::blocks(
        format!("the kernel does not offer the controllers {}", missing.join(", ")),
        "boot with cgroup_enable=memory, or with a kernel that has them",
    )]
}

pub(super) fn kernel(seen: &Observed) -> Vec<Finding> {
    let missing = seen.modules.iter().filter(|(_, there)| !there);
    missing
        .map(|(name, _)| {
            let message = format!("the module {name} is neither loaded nor to be found");
            if INDISPENSABLE.contains(name) {
                Finding::blocks(
                    message,
                    "install the modules of the running kernel, or boot the one whose modules are installed",
                )
            } else {
                Finding::warns(
                    message,
                    "what pods send each other passes firewalls by: install the kernel's modules",
                )
            }
        })
        .collect()
}

pub(super) fn selinux(seen: &Observed) -> Vec<Finding> {
    match seen.selinux {
        Some(true) => vec![Finding::warns(
            "it enforces its policy",
            "containers need the policy container-selinux, and what is below /usr/local/bin its labels (restorecon -R); it is \
             left as it is: setenforce 0 tells whether it stands in the way",
        )],
        _ => Vec::new(),
    }
}

pub(super) fn resolver(seen: &Observed) -> Vec<Finding> {
    let Some(resolver) = &seen.resolver else { return Vec::new() };
    if !resolver.is_this_machine() {
        return Vec::new();
    }
    let message = "/etc/resolv.conf names this machine itself as its resolver";
    if resolver.has_uplinks {
        return vec![Finding::fine(
            message,
            "kubelet is told to give pods /run/systemd/resolve/resolv.conf instead",
        )];
    }
    vec![Finding::warns(
        message,
        "in a pod that is the pod: name the network's resolvers in /etc/resolv.conf, or let systemd-resolved run",
    )]
}

pub(super) fn secrets(seen: &Observed) -> Vec<Finding> {
    let open = seen.open_secrets.iter().flatten();
    open.map(|path| {
        let path = path.display();
        Finding::warns(
            format!("{path} holds a secret, and others than its owner can read it"),
            format!("chmod 0600 {path}"),
        )
    })
    .collect()
}
