//! Settings of the operating system.

use super::record::record;

record! {
    /// Settings of the operating system.
    pub struct LinuxOs {
        /// Size of a swap file, such as `1500Mi`.
        swap_file_size: Option<String> = "swapFileSize",
        /// Kernel settings.
        sysctls: Option<Sysctls> = "sysctls",
        /// `always`, `defer`, `defer+madvise`, `madvise` or `never`.
        transparent_huge_page_defrag: Option<String> = "transparentHugePageDefrag",
        /// `always`, `madvise` or `never`.
        transparent_huge_page_enabled: Option<String> = "transparentHugePageEnabled",
    }
}

record! {
    /// Kernel settings.
    pub struct Sysctls {
        /// `fs.aio-max-nr`
        fs_aio_max_nr: Option<i32> = "fsAioMaxNr",
        /// `fs.file-max`
        fs_file_max: Option<i32> = "fsFileMax",
        /// `fs.inotify.max_user_watches`
        fs_inotify_max_user_watches: Option<i32> = "fsInotifyMaxUserWatches",
        /// `fs.nr_open`
        fs_nr_open: Option<i32> = "fsNrOpen",
        /// `kernel.threads-max`
        kernel_threads_max: Option<i32> = "kernelThreadsMax",
        /// `net.core.netdev_max_backlog`
        net_core_netdev_max_backlog: Option<i32> = "netCoreNetdevMaxBacklog",
        /// `net.core.optmem_max`
        net_core_optmem_max: Option<i32> = "netCoreOptmemMax",
        /// `net.core.rmem_default`
        net_core_rmem_default: Option<i32> = "netCoreRmemDefault",
        /// `net.core.rmem_max`
        net_core_rmem_max: Option<i32> = "netCoreRmemMax",
        /// `net.core.somaxconn`
        net_core_somaxconn: Option<i32> = "netCoreSomaxconn",
        /// `net.core.wmem_default`
        net_core_wmem_default: Option<i32> = "netCoreWmemDefault",
        /// `net.core.wmem_max`
        net_core_wmem_max: Option<i32> = "netCoreWmemMax",
        /// `net.ipv4.ip_local_port_range`, first and last
        net_ipv4_ip_local_port_range: Option<String> = "netIPv4IPLocalPortRange",
        /// `net.ipv4.neigh.default.gc_thresh1`
        net_ipv4_neigh_default_gc_thresh1: Option<i32> = "netIPv4NeighDefaultGcThresh1",
        /// `net.ipv4.neigh.default.gc_thresh2`
        net_ipv4_neigh_default_gc_thresh2: Option<i32> = "netIPv4NeighDefaultGcThresh2",
        /// `net.ipv4.neigh.default.gc_thresh3`
        net_ipv4_neigh_default_gc_thresh3: Option<i32> = "netIPv4NeighDefaultGcThresh3",
        /// `net.ipv4.tcp_fin_timeout`
        net_ipv4_tcp_fin_timeout: Option<i32> = "netIPv4TCPFinTimeout",
        /// `net.ipv4.tcp_keepalive_probes`
        net_ipv4_tcp_keepalive_probes: Option<i32> = "netIPv4TCPKeepaliveProbes",
        /// `net.ipv4.tcp_keepalive_time`
        net_ipv4_tcp_keepalive_time: Option<i32> = "netIPv4TCPKeepaliveTime",
        /// `net.ipv4.tcp_max_syn_backlog`
        net_ipv4_tcp_max_syn_backlog: Option<i32> = "netIPv4TCPMaxSynBacklog",
        /// `net.ipv4.tcp_max_tw_buckets`
        net_ipv4_tcp_max_tw_buckets: Option<i32> = "netIPv4TCPMaxTwBuckets",
        /// `net.ipv4.tcp_tw_reuse`
        net_ipv4_tcp_tw_reuse: Option<bool> = "netIPv4TCPTwReuse",
        /// `net.ipv4.tcp_keepalive_intvl`
        net_ipv4_tcp_keepalive_intvl: Option<i32> = "netIPv4TCPKeepaliveIntvl",
        /// `net.netfilter.nf_conntrack_buckets`
        net_netfilter_nf_conntrack_buckets: Option<i32> = "netNetfilterNfConntrackBuckets",
        /// `net.netfilter.nf_conntrack_max`
        net_netfilter_nf_conntrack_max: Option<i32> = "netNetfilterNfConntrackMax",
        /// `vm.max_map_count`
        vm_max_map_count: Option<i32> = "vmMaxMapCount",
        /// `vm.swappiness`
        vm_swappiness: Option<i32> = "vmSwappiness",
        /// `vm.vfs_cache_pressure`
        vm_vfs_cache_pressure: Option<i32> = "vmVfsCachePressure",
    }
}
