//! Kernel settings, under the three names that they have: node class, service and contract.

use serde::{Deserialize, Serialize};
use slipway_contract::messages::SysctlConfig;

use crate::request::Sysctls;

/// One row for each setting: its name here and in the node class, its type, its name in the contract, its JSON name.
macro_rules! sysctls {
    ($($field:ident: $type:ty => $contract:ident = $json:literal,)+) => {
        /// Kernel settings of a request.
        #[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
        #[serde(default)]
        pub struct SysctlSettings {
            $(
                #[doc = concat!("`", $json, "`.")]
                #[serde(rename = $json, skip_serializing_if = "Option::is_none")]
                pub $field: Option<$type>,
            )+
        }

        impl From<&Sysctls> for SysctlSettings {
            fn from(class: &Sysctls) -> Self {
                Self { $($field: class.$field.clone(),)+ }
            }
        }

        impl From<&SysctlSettings> for Sysctls {
            fn from(settings: &SysctlSettings) -> Self {
                Self { $($field: settings.$field.clone(),)+ }
            }
        }

        impl From<&Sysctls> for SysctlConfig {
            fn from(class: &Sysctls) -> Self {
                Self { $($contract: class.$field.clone(),)+ }
            }
        }
    };
}

sysctls! {
    fs_aio_max_nr: i32 => fs_aio_max_nr = "fsAioMaxNr",
    fs_file_max: i32 => fs_file_max = "fsFileMax",
    fs_inotify_max_user_watches: i32 => fs_inotify_max_user_watches = "fsInotifyMaxUserWatches",
    fs_nr_open: i32 => fs_nr_open = "fsNrOpen",
    kernel_threads_max: i32 => kernel_threads_max = "kernelThreadsMax",
    net_core_netdev_max_backlog: i32 => net_core_netdev_max_backlog = "netCoreNetdevMaxBacklog",
    net_core_optmem_max: i32 => net_core_optmem_max = "netCoreOptmemMax",
    net_core_rmem_default: i32 => net_core_rmem_default = "netCoreRmemDefault",
    net_core_rmem_max: i32 => net_core_rmem_max = "netCoreRmemMax",
    net_core_somaxconn: i32 => net_core_somaxconn = "netCoreSomaxconn",
    net_core_wmem_default: i32 => net_core_wmem_default = "netCoreWmemDefault",
    net_core_wmem_max: i32 => net_core_wmem_max = "netCoreWmemMax",
    net_ipv4_ip_local_port_range: String => net_ipv4_ip_local_port_range = "netIpv4IpLocalPortRange",
    net_ipv4_neigh_default_gc_thresh1: i32 => net_ipv4_neigh_default_gc_thresh1 = "netIpv4NeighDefaultGcThresh1",
    net_ipv4_neigh_default_gc_thresh2: i32 => net_ipv4_neigh_default_gc_thresh2 = "netIpv4NeighDefaultGcThresh2",
    net_ipv4_neigh_default_gc_thresh3: i32 => net_ipv4_neigh_default_gc_thresh3 = "netIpv4NeighDefaultGcThresh3",
    net_ipv4_tcp_fin_timeout: i32 => net_ipv4_tcp_fin_timeout = "netIpv4TcpFinTimeout",
    net_ipv4_tcp_keepalive_intvl: i32 => net_ipv4_tcpkeepalive_intvl = "netIpv4TcpkeepaliveIntvl",
    net_ipv4_tcp_keepalive_probes: i32 => net_ipv4_tcp_keepalive_probes = "netIpv4TcpKeepaliveProbes",
    net_ipv4_tcp_keepalive_time: i32 => net_ipv4_tcp_keepalive_time = "netIpv4TcpKeepaliveTime",
    net_ipv4_tcp_max_syn_backlog: i32 => net_ipv4_tcp_max_syn_backlog = "netIpv4TcpMaxSynBacklog",
    net_ipv4_tcp_max_tw_buckets: i32 => net_ipv4_tcp_max_tw_buckets = "netIpv4TcpMaxTwBuckets",
    net_ipv4_tcp_tw_reuse: bool => net_ipv4_tcp_tw_reuse = "netIpv4TcpTwReuse",
    net_netfilter_nf_conntrack_buckets: i32 => net_netfilter_nf_conntrack_buckets = "netNetfilterNfConntrackBuckets",
    net_netfilter_nf_conntrack_max: i32 => net_netfilter_nf_conntrack_max = "netNetfilterNfConntrackMax",
    vm_max_map_count: i32 => vm_max_map_count = "vmMaxMapCount",
    vm_swappiness: i32 => vm_swappiness = "vmSwappiness",
    vm_vfs_cache_pressure: i32 => vm_vfs_cache_pressure = "vmVfsCachePressure",
}
