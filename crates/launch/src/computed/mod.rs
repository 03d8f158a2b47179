//! Values that are worked out from others: names, networks, labels, taints, kubelet's flags, contents of files.
//!
//! Comes in: parts of a request. Goes out: one value each. Never does: choosing between configuration layers, which
//! is the business of [`resolve`](crate::resolve()).

mod claimed;
mod cluster_id;
mod content;
mod endpoint;
mod fnv;
mod kubelet_flags;
mod kubelet_settings;
mod label_keys;
mod labels;
mod megabytes;
mod names;
mod network;
mod release;
mod subnet;
mod tags;
mod taints;

pub use claimed::claimed_values;
pub use cluster_id::{ManagedGroup, NoManagedGroup, cluster_id_of_host, managed_group};
pub use content::{COMPAT_SYSCTLS, containerd, sysctls};
pub use endpoint::api_server_name;
pub(crate) use fnv::fnv1_64;
pub use kubelet_flags::{KubeletFlags, base_flags, kubelet_flags};
pub use kubelet_settings::{Amounts, KubeletSettings};
pub use label_keys::{is_aks_label, is_kubelet_managed, kubelet_may_set};
pub use labels::{Labels, base_labels, node_labels};
pub use megabytes::{pod_pids, whole_megabytes};
pub use names::{NoMachineName, cluster_label, machine_name, provider_id, vm_name};
pub use network::{default_max_pods, ip_configurations, is_overlay, node_network_plugin};
pub use release::{NotARelease, Release};
pub(crate) use release::{PAUSE_IMAGE, azure_cni_url, cni_plugins_url};
pub use subnet::{NotASubnet, SubnetId};
pub use tags::tags;
pub use taints::{Taints, taint_text, taint_texts};
