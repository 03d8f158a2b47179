//! Contents of files that go into a node's variables: containerd's configuration and kernel settings.

use slipway_model::Mode;
use slipway_render::{Sysctl, SysctlError, sysctl_file};

use super::release::PAUSE_IMAGE;
use crate::request::{LinuxOs, Sysctls};

/// The kernel settings of a node, byte for byte as the peer sends them.
pub const COMPAT_SYSCTLS: &str = "\
# This is a partial workaround to this upstream Kubernetes issue:
# https://github.com/kubernetes/kubernetes/issues/41916#issuecomment-312428731
net.ipv4.tcp_retries2=8
net.core.message_burst=80
net.core.message_cost=40
net.core.somaxconn=16384
net.ipv4.tcp_max_syn_backlog=16384
net.ipv4.neigh.default.gc_thresh1=4096
net.ipv4.neigh.default.gc_thresh2=8192
net.ipv4.neigh.default.gc_thresh3=16384
";

const CRI: &str = r#"plugins."io.containerd.grpc.v1.cri""#;

/// containerd's configuration for the images that launchers use, byte for byte as the peer sends it: containers reach
/// the GPU, systemd manages the control groups, and kubenet's bridge is kept from a second address.
pub fn containerd(gpu: bool, cgroup_v2: bool, kubenet_bridge: bool) -> String {
    let runtime = if gpu { "nvidia-container-runtime" } else { "runc" };
    let runtimes = [(runtime, cgroup_v2), ("untrusted", false)].map(|(name, systemd)| {
        let cgroup = if systemd { "      SystemdCgroup = true\n" } else { "" };
        format!(
            "    [{CRI}.containerd.runtimes.{name}]\n      runtime_type = \"io.containerd.runc.v2\"\n    \
             [{CRI}.containerd.runtimes.{name}.options]\n      BinaryName = \"/usr/bin/{runtime}\"\n{cgroup}"
        )
    });
    let network = if kubenet_bridge {
        format!(
            "    [{CRI}.cni]\n    bin_dir = \"/opt/cni/bin\"\n    conf_dir = \"/etc/cni/net.d\"\n    \
             conf_template = \"/etc/containerd/kubenet_template.conf\"\n"
        )
    } else {
        String::new()
    };
    format!(
        "version = 2\noom_score = 0\n[{CRI}]\n  sandbox_image = \"{PAUSE_IMAGE}\"\n  \
         [{CRI}.containerd]\n    default_runtime_name = \"{runtime}\"\n{}{}{network}  \
         [{CRI}.registry]\n    config_path = \"/etc/containerd/certs.d\"\n  \
         [{CRI}.registry.headers]\n    X-Meta-Source-Client = [\"azure/aks\"]\n\
         [metrics]\n  address = \"0.0.0.0:10257\"\n",
        runtimes[0], runtimes[1]
    )
}

/// The kernel settings of a node: the defaults, and what its class asks for.
pub fn sysctls(config: Option<&LinuxOs>) -> Result<String, SysctlError> {
    let asked = config.and_then(|config| config.sysctls.as_ref());
    sysctl_file(asked.map(settings).into_iter().flatten(), Mode::Ours)
}

/// What a node class asks for, by the kernel's names.
fn settings(asked: &Sysctls) -> impl Iterator<Item = (&str, Sysctl<'_>)> {
    let numbers = [
        ("fs.aio-max-nr", asked.fs_aio_max_nr),
        ("fs.file-max", asked.fs_file_max),
        ("fs.inotify.max_user_watches", asked.fs_inotify_max_user_watches),
        ("fs.nr_open", asked.fs_nr_open),
        ("kernel.threads-max", asked.kernel_threads_max),
        ("net.core.netdev_max_backlog", asked.net_core_netdev_max_backlog),
        ("net.core.optmem_max", asked.net_core_optmem_max),
        ("net.core.rmem_default", asked.net_core_rmem_default),
        ("net.core.rmem_max", asked.net_core_rmem_max),
        ("net.core.somaxconn", asked.net_core_somaxconn),
        ("net.core.wmem_default", asked.net_core_wmem_default),
        ("net.core.wmem_max", asked.net_core_wmem_max),
        ("net.ipv4.neigh.default.gc_thresh1", asked.net_ipv4_neigh_default_gc_thresh1),
        ("net.ipv4.neigh.default.gc_thresh2", asked.net_ipv4_neigh_default_gc_thresh2),
        ("net.ipv4.neigh.default.gc_thresh3", asked.net_ipv4_neigh_default_gc_thresh3),
        ("net.ipv4.tcp_fin_timeout", asked.net_ipv4_tcp_fin_timeout),
        ("net.ipv4.tcp_keepalive_intvl", asked.net_ipv4_tcp_keepalive_intvl),
        ("net.ipv4.tcp_keepalive_probes", asked.net_ipv4_tcp_keepalive_probes),
        ("net.ipv4.tcp_keepalive_time", asked.net_ipv4_tcp_keepalive_time),
        ("net.ipv4.tcp_max_syn_backlog", asked.net_ipv4_tcp_max_syn_backlog),
        ("net.ipv4.tcp_max_tw_buckets", asked.net_ipv4_tcp_max_tw_buckets),
        ("net.netfilter.nf_conntrack_buckets", asked.net_netfilter_nf_conntrack_buckets),
        ("net.netfilter.nf_conntrack_max", asked.net_netfilter_nf_conntrack_max),
        ("vm.max_map_count", asked.vm_max_map_count),
        ("vm.swappiness", asked.vm_swappiness),
        ("vm.vfs_cache_pressure", asked.vm_vfs_cache_pressure),
    ];
    let reuse = asked.net_ipv4_tcp_tw_reuse.map(|on| ("net.ipv4.tcp_tw_reuse", Sysctl::Switch(on)));
    let ports = asked.net_ipv4_ip_local_port_range.as_deref();
    let ports = ports.map(|range| ("net.ipv4.ip_local_port_range", Sysctl::Text(range)));
    numbers
        .into_iter()
        .filter_map(|(name, number)| Some((name, Sysctl::Number(number?))))
        .chain(reuse)
        .chain(ports)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_class_asks_for_stands_beside_the_defaults() {
        let asked = Sysctls {
            net_core_somaxconn: Some(5),
            net_ipv4_tcp_tw_reuse: Some(true),
            net_ipv4_ip_local_port_range: Some("32768 60999".to_owned()),
            ..Sysctls::default()
        };
        let text = sysctls(Some(&LinuxOs { sysctls: Some(asked), ..LinuxOs::default() })).unwrap();
        for line in
            ["net.core.somaxconn=5", "net.ipv4.tcp_tw_reuse=1", "net.ipv4.ip_local_port_range=32768 60999"]
        {
            assert!(text.lines().any(|found| found == line), "{line}");
        }
        let lines = |text: &str| {
            let mut lines: Vec<_> =
                text.lines().filter(|line| !line.starts_with('#')).map(str::to_owned).collect();
            lines.sort();
            lines
        };
        assert_eq!(lines(&sysctls(None).unwrap()), lines(COMPAT_SYSCTLS));
    }
}
