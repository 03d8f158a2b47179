//! What kubelet, the runtime on its behalf and network plugins leave behind.

use slipway_model::node::Machine;
use slipway_model::{Node, Sources};

use super::UNIT;
use crate::op::Traces;
use crate::subjects::containerd::{SOCKET, bridges};

const DIRECTORIES: [&str; 3] = ["/var/lib/kubelet", "/var/lib/cni", "/etc/cni/net.d"];

/// Kubelet sets these at its start unless it is told to insist on them.
const SETTINGS: [(&str, &str); 6] = [
    ("/proc/sys/vm/overcommit_memory", "1"),
    ("/proc/sys/vm/panic_on_oom", "0"),
    ("/proc/sys/kernel/panic", "10"),
    ("/proc/sys/kernel/panic_on_oops", "1"),
    ("/proc/sys/kernel/keys/root_maxkeys", "1000000"),
    ("/proc/sys/kernel/keys/root_maxbytes", "25000000"),
];

/// The slice of pods, and what kubelet's unit pulls in.
const UNITS: [&str; 2] = ["network-online.target", "kubepods.slice"];

/// Of kubelet and kube-proxy, of network plugins.
const CHAINS: [&str; 2] = ["KUBE-", "CNI-"];

/// The bridge that kubenet's template names.
const BRIDGE: &str = "cbr0";

/// The bridge of the reference plugin, unless its configuration names another one.
const PLUGINS_BRIDGE: &str = "cni0";

pub(super) fn traces(node: &Node, of: &mut Sources) -> Traces {
    let bridge = match node.machine {
        Machine::Image => bridges(of, node).then_some(BRIDGE),
        Machine::Own => Some(PLUGINS_BRIDGE),
    };
    Traces {
        pods: Some(SOCKET.into()),
        units: UNITS.map(str::to_owned).into(),
        directories: DIRECTORIES.map(Into::into).into(),
        links: bridge.map(str::to_owned).into_iter().collect(),
        chains: CHAINS.map(str::to_owned).into(),
        settings: SETTINGS.map(|(path, value)| (path.into(), value.to_owned())).into(),
        ..Traces::of(UNIT)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{plain, with};

    #[test]
    fn only_kubenet_leaves_a_bridge() {
        let mut of = Sources::none();
        assert_eq!(traces(&plain(), &mut of).links, Vec::<String>::new());
        let kubenet = with(r#""network_config":{"network_plugin":"NETWORK_PLUGIN_KUBENET"}"#);
        assert_eq!(traces(&kubenet, &mut of).links, [BRIDGE]);
        assert!(of.names("network_config.network_plugin"));
    }
}
