//! Routes between the pods of different nodes: with kubenet, the cloud's route table has them.

use super::Cluster;
use crate::command::Run as _;
use crate::{Error, Space};

/// Each node's pod network and address.
const NODES: &str = r#"jsonpath={range .items[*]}{.spec.podCIDR} {.status.addresses[?(@.type=="InternalIP")].address}{"\n"}{end}"#;

/// The arguments are pairs of a network and the node behind which it is.
const ROUTE: &str = r#"set -e
echo 1 >/proc/sys/net/ipv4/ip_forward
while [ $# -gt 0 ]; do ip route replace "$1" via "$2"; shift 2; done"#;

impl Cluster {
    /// Leads packets for the pods of every node that there is to that node.
    pub fn route_pods(&self, space: &Space) -> Result<(), Error> {
        let nodes = self.kubectl(space, &["get", "nodes", "--output", NODES]).printed()?;
        let pairs = nodes.lines().filter_map(|line| line.split_once(' '));
        // A node that has just come may have no network yet.
        let pairs = pairs.filter(|(network, address)| !network.is_empty() && !address.is_empty());
        let words = pairs.flat_map(|(network, address)| [network, address]);
        space.command("bash").args(["-c", ROUTE, "routes"]).args(words).printed().map(drop)
    }
}
