//! The kubelet configuration of a node, before it becomes flags.

use crate::request::{GoDuration, Kubelet, NodeClass, Options};
use crate::sizes::{EVICTION_MEMORY, Reservation, SYSTEM_RESERVED};
use crate::{Fidelity, Layered, Source};

use super::network::default_max_pods;

/// Names and amounts, such as `memory` and `750Mi`, or `nodefs.available` and `10%`.
pub type Amounts = Vec<(String, String)>;

/// Free space and inodes of the node's disk below which pods are evicted.
const DISK_THRESHOLDS: [(&str, &str); 2] = [("nodefs.available", "10%"), ("nodefs.inodesFree", "5%")];

/// The kubelet configuration of a node.
#[derive(Debug, Clone, PartialEq)]
pub struct KubeletSettings {
    /// The node class's part.
    pub class: Kubelet,
    /// How many pods the node takes.
    pub max_pods: Layered<i32>,
    /// What is kept for the system.
    pub system_reserved: Amounts,
    /// What is kept for kubelet and the container runtime.
    pub kube_reserved: Amounts,
    /// Thresholds at which pods are evicted at once.
    pub eviction_hard: Amounts,
    /// Thresholds at which pods are evicted after a while.
    pub eviction_soft: Amounts,
    /// How long that while is.
    pub eviction_soft_grace_period: Vec<(String, GoDuration)>,
    /// How long a pod that is evicted may take to end, in seconds.
    pub eviction_max_pod_grace_period: Option<i32>,
    /// The address of the cluster's DNS service; may be empty.
    pub cluster_dns: String,
}

impl KubeletSettings {
    /// The configuration of a node of this class and size.
    pub fn prepare(options: &Options, node_class: &NodeClass, kube: Reservation, fidelity: Fidelity) -> Self {
        let default = default_max_pods(&options.network_plugin, &options.network_plugin_mode);
        let reserved = |kept: Reservation| {
            vec![("cpu".to_owned(), kept.cpu.to_string()), ("memory".to_owned(), kept.memory.to_string())]
        };
        let mut eviction_hard = vec![("memory.available".to_owned(), EVICTION_MEMORY.to_string())];
        if fidelity.is_ours() {
            let disk = DISK_THRESHOLDS.map(|(signal, threshold)| (signal.to_owned(), threshold.to_owned()));
            eviction_hard.extend(disk);
        }
        Self {
            class: node_class.spec.kubelet.clone().unwrap_or_default(),
            max_pods: Layered::new(default, Source::Computed)
                .under(node_class.spec.max_pods, Source::NodeClass),
            system_reserved: reserved(SYSTEM_RESERVED),
            kube_reserved: reserved(kube),
            eviction_hard,
            eviction_soft: Vec::new(),
            eviction_soft_grace_period: Vec::new(),
            eviction_max_pod_grace_period: None,
            cluster_dns: options.dns_service_ip.clone(),
        }
    }
}
