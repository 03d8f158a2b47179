//! Checks of what else is at home on the machine. It is respected: never stopped, never wiped.

use super::{Finding, KubeletSeen, Leftover, Observed};

/// The program that a static pod of this name is makes the machine a control plane.
const CONTROL_PLANE: &str = "kube-apiserver";

pub(super) fn firewall(seen: &Observed) -> Vec<Finding> {
    let closed = seen.firewalls.iter().flatten();
    closed
        .map(|firewall| {
            Finding::warns(
                format!("{} keeps others from port 10250", firewall.name),
                format!("logs, exec and metrics need it; it is left as it is: {}", firewall.opens),
            )
        })
        .collect()
}

pub(super) fn runtimes(seen: &Observed) -> Vec<Finding> {
    let there = seen.runtimes.iter().flatten();
    there
        .map(|runtime| {
            let state = if runtime.runs { "runs" } else { "is installed" };
            let advice = match runtime.unit {
                "containerd.service" => {
                    "it is used, and not replaced; its configuration is ours until the machine leaves"
                }
                _ => "it stays as it is, with its containers; kubelet uses containerd",
            };
            Finding::fine(format!("{} {state}", runtime.unit), advice)
        })
        .collect()
}

pub(super) fn kubelet(seen: &Observed) -> Vec<Finding> {
    match &seen.kubelet {
        Some(KubeletSeen { runs: true, .. }) if !seen.ours => vec![Finding::blocks(
            "kubelet.service runs, and Slipway did not start it",
            "this machine is a node by other means: let it leave its cluster by the same (kubeadm reset, …) first",
        )],
        Some(KubeletSeen { program: Some(path), unit, .. }) if !seen.ours => vec![Finding::fine(
            format!("{} is here{}", path.display(), if *unit { ", with a unit" } else { "" }),
            "it stays; the node gets its own, and the unit is put back when the machine leaves",
        )],
        _ => Vec::new(),
    }
}

pub(super) fn ports(seen: &Observed) -> Vec<Finding> {
    if seen.ours || seen.kubelet.as_ref().is_some_and(|kubelet| kubelet.runs) {
        return Vec::new();
    }
    let taken = seen.ports.iter().flatten();
    taken
        .map(|port| {
            Finding::blocks(
                format!("something listens on port {port}"),
                format!("kubelet needs it: `ss -ltnp sport = :{port}` says who has it"),
            )
        })
        .collect()
}

pub(super) fn leftovers(seen: &Observed) -> Vec<Finding> {
    if seen.ours {
        return Vec::new();
    }
    let left = seen.leftovers.iter().flatten();
    left.map(|leftover| match leftover {
        Leftover::Credential(path) => Finding::blocks(
            format!("{} is the credential of an earlier node", path.display()),
            "kubelet would use it: kubeadm reset removes it, or move it away",
        ),
        Leftover::Authority(path, true) => Finding::fine(
            format!("{} is this cluster's CA, from an earlier join", path.display()),
            "nothing has to be done",
        ),
        Leftover::Authority(path, false) => Finding::warns(
            format!("{} is the CA of another cluster", path.display()),
            "if the machine has left that cluster, kubeadm reset removes it",
        ),
        Leftover::StaticPod(path) if path.to_string_lossy().contains(CONTROL_PLANE) => Finding::blocks(
            format!("{} makes this machine the control plane of a cluster", path.display()),
            "kubelet would start it: join from another machine, or kubeadm reset this one",
        ),
        Leftover::StaticPod(path) => Finding::warns(
            format!("kubelet will run the pod of {}", path.display()),
            "move the file away if that is not wanted",
        ),
    })
    .collect()
}
