//! Node labels: those that the kubelet refuses to set on its own node.

use super::findings::Findings;
use super::rules;
use crate::Contract;
use crate::codec::map_key;

rules! {
    LABEL_REFUSED: Error "label-refused",
    summary: "A label in the domains `kubernetes.io` and `k8s.io` is one that a kubelet may set.",
    reason: "The kubelet refuses to start with any other, so that a node cannot give itself a role.",
    good: r#"{"kubelet_config": {"kubelet_node_labels": {"node.kubernetes.io/pool": "blue"}}}"#,
    bad: r#"{"kubelet_config": {"kubelet_node_labels": {"node-role.kubernetes.io/worker": ""}}}"#;
}

/// Single labels in Kubernetes' domains that a kubelet may set.
const ALLOWED: [&str; 11] = [
    "kubernetes.io/hostname",
    "kubernetes.io/arch",
    "kubernetes.io/os",
    "beta.kubernetes.io/instance-type",
    "beta.kubernetes.io/os",
    "beta.kubernetes.io/arch",
    "failure-domain.beta.kubernetes.io/zone",
    "failure-domain.beta.kubernetes.io/region",
    "topology.kubernetes.io/zone",
    "topology.kubernetes.io/region",
    "node.kubernetes.io/instance-type",
];

/// Domains below which a kubelet may set any label.
const OPEN: [&str; 2] = ["kubelet.kubernetes.io", "node.kubernetes.io"];

pub(super) fn check(contract: &Contract, findings: &mut Findings<'_>) {
    let Some(kubelet) = &contract.kubelet_config else { return };
    for key in kubelet.kubelet_node_labels.keys() {
        let path = format!("kubelet_config.kubelet_node_labels{}", map_key(key));
        held_against_kubelet(key, &path, findings);
    }
}

/// Reports a label that the kubelet refuses to set.
pub(super) fn held_against_kubelet(key: &str, path: &str, findings: &mut Findings<'_>) {
    if may_be_set(key) {
        return;
    }
    findings.advise(
        &LABEL_REFUSED,
        path,
        format!("a kubelet may not set the label {}", crate::codec::quote(key)),
        "use a domain of your own, or node.kubernetes.io/…; roles are set by the cluster",
    );
}

fn may_be_set(key: &str) -> bool {
    let Some((domain, _)) = key.split_once('/') else { return true };
    let within = |parent: &str| {
        domain == parent || domain.strip_suffix(parent).is_some_and(|rest| rest.ends_with('.'))
    };
    let of_kubernetes = within("kubernetes.io") || within("k8s.io");
    !of_kubernetes || ALLOWED.contains(&key) || OPEN.iter().any(|parent| within(parent))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_labels_in_kubernetes_own_domains_are_refused() {
        for key in [
            "agentpool",
            "kubernetes.azure.com/mode",
            "topology.kubernetes.io/zone",
            "a.node.kubernetes.io/x",
        ] {
            assert!(may_be_set(key), "{key}");
        }
        for key in [
            "kubernetes.io/role",
            "node-role.kubernetes.io/agent",
            "node-restriction.kubernetes.io/x",
            "k8s.io/x",
        ] {
            assert!(!may_be_set(key), "{key}");
        }
        assert!(may_be_set("notkubernetes.io/x"));
    }
}
