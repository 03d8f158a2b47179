//! The kernel's names of the contract's settings.

use super::Fate;
use crate::messages::SysctlConfig;

/// A setting's value in the kernel's words.
trait Setting {
    fn text(&self) -> String;
}

impl Setting for i32 {
    fn text(&self) -> String {
        self.to_string()
    }
}

impl Setting for bool {
    fn text(&self) -> String {
        i32::from(*self).to_string()
    }
}

impl Setting for String {
    fn text(&self) -> String {
        self.clone()
    }
}

type Read = fn(&SysctlConfig) -> Option<String>;

/// One row per setting: the kernel's name and the field.
macro_rules! table {
    ($($kernel:literal $field:ident,)+) => {
        /// What becomes of the fields that this file reads.
        pub(super) const FATES: &[(&str, Fate)] =
            &[$((concat!("custom_linux_os_config.sysctl_config.", stringify!($field)), Fate::Honoured),)+];

        const ROWS: &[(&str, &str, Read)] = &[$((
            $kernel,
            concat!("custom_linux_os_config.sysctl_config.", stringify!($field)),
            |it| it.$field.as_ref().map(Setting::text),
        ),)+];
    };
}

table! {
    "net.core.somaxconn" net_core_somaxconn,
    "net.core.netdev_max_backlog" net_core_netdev_max_backlog,
    "net.core.rmem_default" net_core_rmem_default,
    "net.core.rmem_max" net_core_rmem_max,
    "net.core.wmem_default" net_core_wmem_default,
    "net.core.wmem_max" net_core_wmem_max,
    "net.core.optmem_max" net_core_optmem_max,
    "net.ipv4.tcp_max_syn_backlog" net_ipv4_tcp_max_syn_backlog,
    "net.ipv4.tcp_max_tw_buckets" net_ipv4_tcp_max_tw_buckets,
    "net.ipv4.tcp_fin_timeout" net_ipv4_tcp_fin_timeout,
    "net.ipv4.tcp_keepalive_time" net_ipv4_tcp_keepalive_time,
    "net.ipv4.tcp_keepalive_probes" net_ipv4_tcp_keepalive_probes,
    "net.ipv4.tcp_keepalive_intvl" net_ipv4_tcpkeepalive_intvl,
    "net.ipv4.tcp_tw_reuse" net_ipv4_tcp_tw_reuse,
    "net.ipv4.ip_local_port_range" net_ipv4_ip_local_port_range,
    "net.ipv4.neigh.default.gc_thresh1" net_ipv4_neigh_default_gc_thresh1,
    "net.ipv4.neigh.default.gc_thresh2" net_ipv4_neigh_default_gc_thresh2,
    "net.ipv4.neigh.default.gc_thresh3" net_ipv4_neigh_default_gc_thresh3,
    "net.netfilter.nf_conntrack_max" net_netfilter_nf_conntrack_max,
    "net.netfilter.nf_conntrack_buckets" net_netfilter_nf_conntrack_buckets,
    "fs.inotify.max_user_watches" fs_inotify_max_user_watches,
    "fs.file-max" fs_file_max,
    "fs.aio-max-nr" fs_aio_max_nr,
    "fs.nr_open" fs_nr_open,
    "kernel.threads-max" kernel_threads_max,
    "vm.max_map_count" vm_max_map_count,
    "vm.swappiness" vm_swappiness,
    "vm.vfs_cache_pressure" vm_vfs_cache_pressure,
}

/// The settings that were asked for, by their kernel names, each with its field. An empty text asks for nothing.
pub(super) fn requested(config: &SysctlConfig) -> impl Iterator<Item = (&'static str, &'static str, String)> {
    let rows = ROWS.iter().filter_map(|(kernel, path, read)| Some((*kernel, *path, read(config)?)));
    rows.filter(|(_, _, value)| !value.is_empty())
}
