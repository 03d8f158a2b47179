//! Whose a label is: a kubelet may not set every one of its node.

/// Labels below Kubernetes' own domains that kubelet may set.
const OWN: [&str; 11] = [
    "beta.kubernetes.io/arch",
    "beta.kubernetes.io/instance-type",
    "beta.kubernetes.io/os",
    "failure-domain.beta.kubernetes.io/region",
    "failure-domain.beta.kubernetes.io/zone",
    "kubernetes.io/arch",
    "kubernetes.io/hostname",
    "kubernetes.io/os",
    "node.kubernetes.io/instance-type",
    "topology.kubernetes.io/region",
    "topology.kubernetes.io/zone",
];

/// Whether kubelet sets the label itself.
pub fn is_kubelet_managed(key: &str) -> bool {
    OWN.contains(&key)
}

/// Whether the label belongs to AKS.
pub fn is_aks_label(key: &str) -> bool {
    key.starts_with("kubernetes.azure.com/")
}

/// Whether the API server lets a kubelet set the label of its node.
pub fn kubelet_may_set(key: &str) -> bool {
    let domain = key.split_once('/').map_or("", |(domain, _)| domain);
    let is_kubernetes = is_within(domain, "kubernetes.io") || is_within(domain, "k8s.io");
    !is_kubernetes
        || is_within(domain, "kubelet.kubernetes.io")
        || is_within(domain, "node.kubernetes.io")
        || is_kubelet_managed(key)
}

fn is_within(domain: &str, parent: &str) -> bool {
    domain.strip_suffix(parent).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kubernetes_domains_are_closed_but_for_those_of_nodes() {
        for key in [
            "example.com/custom-label",
            "my-component.kubelet.kubernetes.io/custom",
            "my-component.node.kubernetes.io/custom",
            "kubernetes.azure.com/mode",
            "xkubernetes.io/ok",
            "topology.kubernetes.io/zone",
        ] {
            assert!(kubelet_may_set(key), "{key}");
        }
        for key in [
            "custom.node-restriction.kubernetes.io/test",
            "scheduler.kubernetes.io/custom",
            "mykubelet.kubernetes.io/x",
            "xnode.kubernetes.io/y",
            "k8s.io/custom-label",
        ] {
            assert!(!kubelet_may_set(key), "{key}");
        }
    }
}
