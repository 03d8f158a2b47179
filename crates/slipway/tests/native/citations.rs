//! Where each path of a node comes from: the row or section of the scripts' specification that makes it.

use std::collections::BTreeSet;

/// Paths (one `*` stands for anything) with what they come from: a row of the ordered step list (`B…`, `N…`), a section
/// (`4.2`), or `ours` where the scripts have nothing like it, with the reason. The first that fits counts.
const CITATIONS: &[(&str, &str)] = &[
    // Programs and their directories.
    ("/opt/bin/kube*", "B19: the chosen version"),
    ("/opt/cni/bin/*", "B18"),
    ("/opt/cni/downloads/*", "B18: moved to where they are used"),
    ("/etc/cni/net.d", "B17"),
    ("/etc/cni/net.d/10-azure.conflist", "B21, 5.2"),
    ("/var/lib/kubelet/credential-provider/acr-credential-provider", "4.6"),
    ("/opt/actions", "N13: the driver's container mounts it"),
    ("/opt/gpu", "N13: the driver's container mounts it"),
    // Kubelet.
    ("/etc/systemd/system/kubelet.service", "4.1"),
    ("/etc/systemd/system/kubelet.service.d/10-httpproxy.conf", "B9, 4.1"),
    ("/etc/systemd/system/kubelet.service.d/10-bindmount.conf", "B25, 4.1"),
    ("/etc/systemd/system/kubelet.service.d/10-componentconfig.conf", "N6, 4.1"),
    ("/etc/systemd/system/kubelet.service.d/10-tlsbootstrap.conf", "N21, 4.1, 4.5"),
    ("/etc/systemd/system/kubelet.service.d/10-watchdog.conf", "N21, 4.1"),
    ("/etc/systemd/system/kubelet.service.d/10-kubereserved-slice.conf", "B23, 4.4"),
    ("/etc/systemd/system/kubelet.service.d/*", "B25, 4.1"),
    ("/etc/default/kubelet", "N21, 4.2"),
    ("/etc/default/kubeletconfig.json", "N6, 4.3"),
    ("/etc/kubernetes/manifests", "B20"),
    ("/etc/kubernetes/volumeplugins", "4.1: named by kubelet's command"),
    ("/var/lib/cni", "1.3 (3)"),
    ("/var/lib/kubelet/credential-provider-config.yaml", "4.6"),
    // Credentials and what Azure's agents read.
    ("/etc/kubernetes/azure.json", "N1, 4.7"),
    ("/etc/kubernetes/akscustom.json", "N1"),
    ("/etc/kubernetes/certs/ca.crt", "N2, 4.5"),
    ("/etc/kubernetes/certs/apiserver.crt", "N6, 4.5"),
    ("/etc/kubernetes/certs/client.*", "N6, 4.5"),
    ("/etc/kubernetes/certs/kubeletserver.*", "N5, 4.8"),
    ("/var/lib/kubelet/bootstrap-kubeconfig", "N21, 4.5; 0600 because it holds the token"),
    ("/var/lib/kubelet/kubeconfig", "N21, 4.5"),
    ("/etc/default/secure-tls-bootstrap", "N7, 4.5"),
    ("/etc/systemd/system/secure-tls-bootstrap.service.d/10-securetlsbootstrap.conf", "N7"),
    ("/etc/systemd/system/kubelet.service.wants/secure-tls-bootstrap.service", "N7: enabled"),
    // The container runtime.
    ("/etc/containerd/config.toml", "B23, 5.1"),
    ("/etc/containerd/certs.d/*", "B23, 5.1"),
    ("/etc/containerd/kubenet_template.conf", "B25, 5.2"),
    ("/etc/systemd/system/containerd.service.d/exec_start.conf", "B23"),
    ("/etc/systemd/system/containerd.service.d/set_ulimits.conf", "B22"),
    ("/etc/systemd/system/containerd.service.d/10-kubereserved-slice.conf", "B23, 4.4"),
    (
        "/etc/systemd/system/containerd.service.d/10-httpproxy.conf",
        "B9: containerd has DefaultEnvironment there",
    ),
    ("/etc/systemd/system/kubereserved.slice", "B23, 4.4"),
    ("/etc/systemd/system/slices.target.wants/kubereserved.slice", "B23, 4.4: enabled"),
    // The kernel and the system.
    ("/etc/modules-load.d/*", "B21"),
    ("/etc/sysctl.d/99-force-bridge-forward.conf", "B23"),
    ("/etc/sysctl.d/999-sysctl-aks.conf", "B26"),
    ("/etc/sysfs.conf", "B24"),
    ("/etc/systemd/system/slipway-swapfile.service", "B24: the unit that makes the swap file"),
    ("/etc/systemd/system/swapfile.swap", "B24: in the place of a line in fstab"),
    ("/etc/systemd/system/multi-user.target.wants/swapfile.swap", "B24: enabled"),
    ("/etc/motd", "B24"),
    ("/etc/resolv.conf", "B13"),
    ("/etc/ssh/sshd_config", "B8"),
    ("/etc/systemd/system/multi-user.target.wants/ssh.service", "B8: disabled"),
    ("/etc/apt/apt.conf.d/99periodic", "N29"),
    ("/etc/systemd/system/apt-daily*", "N29: no longer masked"),
    ("/etc/systemd/system/timers.target.wants/apt-daily*", "N29: enabled"),
    (
        "/etc/systemd/system/slipway-accounts.service",
        "B3: the program that changes accounts runs after Ready",
    ),
    // The network.
    ("/etc/environment", "B9"),
    ("/etc/apt/apt.conf.d/95proxy", "B9"),
    ("/etc/systemd/system.conf.d/proxy.conf", "B9"),
    ("/etc/slipway/proxy.env", "ours: what services read of the proxy is 0600, for its password"),
    ("/usr/local/share/ca-certificates/proxyCA.crt", "B9"),
    ("/usr/share/pki/ca-trust-source/anchors/proxyCA.crt", "B9"),
    ("/opt/certs/*", "B10"),
    ("/etc/systemd/network/10-secondary-nic-*", "N11: networkd's form on every system"),
    ("/etc/systemd/networkd.conf.d/10-slipway.conf", "B22: a drop-in, not an edit"),
    ("/etc/slipway/firewall*.rules", "1.3 (1) and (2): the rules, once per boot"),
    ("/etc/systemd/system/slipway-firewall.service", "1.3 (1) and (2): sets them before kubelet"),
    ("/etc/systemd/system/multi-user.target.wants/slipway-firewall.service", "1.3 (1) and (2): enabled"),
    ("/etc/systemd/system/reconcile-private-hosts.service.d/10-fqdn.conf", "B24"),
    ("/etc/systemd/system/multi-user.target.wants/reconcile-private-hosts.service", "B24: enabled"),
    ("/etc/systemd/system/multi-user.target.wants/dhcpv6.service", "B22: enabled"),
    ("/run/outbound-check-skipped", "N9"),
    ("/opt/azure/outbound-check-skipped", "N9"),
    // The DNS server on the node.
    ("/opt/azure/containers/localdns/localdns.corefile", "B29, 1.6"),
    ("/etc/localdns/environment", "B1, B29"),
    ("/etc/localdns/hosts", "B1"),
    ("/etc/systemd/system/localdns.slice", "B29"),
    ("/etc/systemd/system/aks-localdns-hosts-setup.timer.d/10-refresh-interval.conf", "B1"),
    ("/etc/systemd/system/timers.target.wants/aks-localdns-hosts-setup.timer", "B1: enabled"),
    ("/etc/systemd/system/localdns-exporter.socket.d/10-listen-address.conf", "N23"),
    ("/etc/systemd/system/sockets.target.wants/localdns-exporter.socket", "N23: enabled"),
    ("/etc/systemd/system/multi-user.target.wants/localdns.service", "B29: enabled"),
    // Units of the image that are switched on.
    ("/etc/systemd/system/multi-user.target.wants/containerd.service", "B23: enabled"),
    ("/etc/systemd/system/multi-user.target.wants/kubelet.service", "N21: enabled"),
    ("/etc/systemd/system/kubelet.service.wants/ensure-no-dup.service", "N24: enabled"),
    ("/etc/systemd/system/multi-user.target.wants/acr-mirror.service", "B28: enabled"),
    ("/etc/systemd/system/multi-user.target.wants/overlaybd-*", "B28: enabled"),
    ("/etc/systemd/system/multi-user.target.wants/nvidia-*", "N13: enabled"),
    ("/etc/systemd/system/multi-user.target.wants/node-exporter*", "N25: enabled"),
    ("/etc/systemd/system/timers.target.wants/aks-log-collector.timer", "N28: enabled"),
    ("/etc/systemd/system/timers.target.wants/snapshot-update.timer", "N28: enabled"),
    // Results, and what Slipway keeps to resume and undo.
    ("/var/log/azure/aks/provision.json", "1.4, 3.1"),
    ("/var/log/azure/Microsoft.Azure.Extensions.CustomScript/events/N.json", "3.2"),
    ("/var/lib/slipway*", "ours: the journal and the ledger"),
    ("/opt/azure/containers/provision.complete", "1.4, 3.4"),
];

/// What scripts leave on some nodes and a native run on none, with the reason.
const LEFT_OUT: &[(&str, &str)] = &[
    (
        "/etc/systemd/system/kubelet.service.d/10-credential-validation.conf",
        "1.3 (8): nothing runs before kubelet; the bootstrap request is the proof",
    ),
    (
        "/etc/systemd/system/kubelet.service.d/10-ensure-imds-restriction.conf",
        "1.3 (2): the firewall is a unit of its own",
    ),
    ("/opt/azure/containers/tls-bootstrap-start-time", "N21: the timeline has it"),
    (
        "/opt/azure/containers/imds_instance_metadata_cache.json",
        "B6: facts are gathered once, and kept in memory",
    ),
    ("/etc/netplan/*", "N11: networkd's form is the same on every system"),
    ("/opt/m", "P7, N31: the timeline has it"),
    ("/etc/modprobe.d/disable-*", "B27: which kernels need it is the image's knowledge"),
    ("/etc/oras/*", "B12: nothing is pulled with oras"),
    ("/etc/crictl.yaml", "5.1: the image has it"),
];

/// What a path comes from.
pub(crate) fn citation(path: &str) -> Option<&'static str> {
    CITATIONS.iter().find(|(pattern, _)| fits(pattern, path)).map(|(_, citation)| *citation)
}

/// Why scripts leave a path and a native run does not.
pub(crate) fn left_out(path: &str) -> Option<&'static str> {
    LEFT_OUT.iter().find(|(pattern, _)| fits(pattern, path)).map(|(_, reason)| *reason)
}

/// The patterns that fit none of these paths.
pub(crate) fn unused(paths: &BTreeSet<String>) -> Vec<&'static str> {
    let is_used = |pattern: &str| paths.iter().any(|path| fits(pattern, path));
    CITATIONS.iter().map(|(pattern, _)| *pattern).filter(|pattern| !is_used(pattern)).collect()
}

fn fits(pattern: &str, path: &str) -> bool {
    match pattern.split_once('*') {
        None => pattern == path,
        Some((head, tail)) => {
            path.strip_prefix(head).is_some_and(|rest| rest.len() >= tail.len() && rest.ends_with(tail))
        }
    }
}
