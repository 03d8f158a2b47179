//! What the cluster's network means for a node.

use crate::request::Options;

/// Whether pods have addresses of their own network, over the nodes' one.
pub fn is_overlay(options: &Options) -> bool {
    options.network_plugin == "azure" && options.network_plugin_mode == "overlay"
}

fn is_cilium_in_node_subnet(options: &Options) -> bool {
    options.network_plugin == "azure"
        && options.network_plugin_mode.is_empty()
        && options.network_dataplane == "cilium"
}

/// The plugin that the node itself sets up; with overlay and Cilium something in the cluster does it.
pub fn node_network_plugin(options: &Options) -> &'static str {
    if options.network_plugin == "none" || is_overlay(options) || is_cilium_in_node_subnet(options) {
        "none"
    } else {
        "azure"
    }
}

/// How many pods a node takes whose class does not say.
pub fn default_max_pods(plugin: &str, mode: &str) -> i32 {
    match (plugin, mode) {
        ("none", _) | ("azure", "overlay") => 250,
        ("azure", "") => 30,
        _ => 110,
    }
}

/// How many addresses the network interface of a node has: with pods in the nodes' subnet, one for each.
pub fn ip_configurations(options: &Options, max_pods: i32) -> i32 {
    if options.network_plugin == "azure" && !is_overlay(options) { max_pods } else { 1 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plugin_mode_and_dataplane_decide_the_nodes_plugin_and_addresses() {
        for (plugin, mode, dataplane, on_node, addresses) in [
            ("azure", "", "", "azure", 30),
            ("azure", "", "azure", "azure", 30),
            ("azure", "overlay", "", "none", 1),
            ("azure", "overlay", "cilium", "none", 1),
            ("azure", "", "cilium", "none", 30),
            ("none", "", "", "none", 1),
            ("none", "", "cilium", "none", 1),
        ] {
            let options = Options {
                network_plugin: plugin.to_owned(),
                network_plugin_mode: mode.to_owned(),
                network_dataplane: dataplane.to_owned(),
                ..Options::default()
            };
            assert_eq!(node_network_plugin(&options), on_node, "{plugin} {mode} {dataplane}");
            assert_eq!(ip_configurations(&options, 30), addresses, "{plugin} {mode} {dataplane}");
        }
    }
}
