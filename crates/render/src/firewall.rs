//! Rules that keep pods from the platform's own services, for `iptables-restore --noflush`.
//!
//! The rules are in chains of our own, so that they can be taken back without touching anybody else's. Only what is
//! forwarded passes them: the node itself, and pods in its network, reach these services as before.

use std::fmt::Write as _;
use std::net::IpAddr;

/// The chain of our own, in each table.
const CHAIN: &str = "SLIPWAY-FORWARD";
/// Where the platform's agent is told secrets.
const WIRE_SERVER: &str = "168.63.129.16/32";
/// The ports of the wire server and of its plugin for agents. Others, such as DNS, stay open.
const WIRE_PORTS: [u16; 2] = [80, 32526];
/// The metadata service.
const METADATA: &str = "169.254.169.254/32";

/// Which traffic of pods is dropped, beyond that to the wire server.
#[derive(Debug, Clone, Copy, Default)]
pub struct Firewall {
    /// The node's own address, if it is known: what comes from it may reach the metadata service.
    pub node: Option<IpAddr>,
    /// Whether the table `filter` keeps pods from the metadata service.
    pub metadata_in_filter: bool,
    /// Whether the table `mangle` keeps pods from the metadata service.
    pub metadata_in_mangle: bool,
}

/// The rules that are to be there.
pub fn firewall_rules(firewall: &Firewall) -> String {
    let mut out = String::with_capacity(512);
    for (table, metadata) in
        [("filter", firewall.metadata_in_filter), ("mangle", firewall.metadata_in_mangle)]
    {
        // What pods send is forwarded, whatever another program has made the default.
        let policy = if table == "filter" { ":FORWARD ACCEPT [0:0]\n" } else { "" };
        // Writing to a string cannot fail.
        let _ = writeln!(out, "*{table}\n{policy}:{CHAIN} - [0:0]\n-I FORWARD -j {CHAIN}");
        if table == "filter" {
            for port in WIRE_PORTS {
                let _ = writeln!(out, "-A {CHAIN} -d {WIRE_SERVER} -p tcp -m tcp --dport {port} -j DROP");
            }
        }
        if metadata {
            let node = match firewall.node {
                Some(IpAddr::V4(node)) => format!("! -s {node}/32 "),
                _ => String::new(),
            };
            let _ = writeln!(out, "-A {CHAIN} {node}-d {METADATA} -p tcp -m tcp --dport 80 -j DROP");
        }
        out.push_str("COMMIT\n");
    }
    out
}

/// What takes the rules back. Tables come in the same order: if only the first was filled, it is emptied.
pub fn firewall_removal() -> String {
    let mut out = String::with_capacity(128);
    for table in ["filter", "mangle"] {
        let _ = writeln!(out, "*{table}\n-D FORWARD -j {CHAIN}\n-F {CHAIN}\n-X {CHAIN}\nCOMMIT");
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pods_never_reach_the_wire_server_and_the_metadata_service_only_if_they_may() {
        let open = firewall_rules(&Firewall::default());
        assert_eq!(open.matches("168.63.129.16/32 -p tcp").count(), 2);
        assert!(!open.contains(METADATA));
        assert_eq!(open.matches(":FORWARD ACCEPT [0:0]\n").count(), 1);
        let node = Some(IpAddr::from([10, 0, 0, 4]));
        let mangle = firewall_rules(&Firewall { node, metadata_in_mangle: true, ..Firewall::default() });
        let (filter, mangle) = mangle.split_once("*mangle").unwrap();
        assert!(!filter.contains(METADATA));
        assert!(mangle.contains("! -s 10.0.0.4/32 -d 169.254.169.254/32 -p tcp -m tcp --dport 80 -j DROP"));
    }

    #[test]
    fn what_is_made_is_taken_back_table_by_table() {
        let (made, removed) = (firewall_rules(&Firewall::default()), firewall_removal());
        assert_eq!(made.matches("-I FORWARD").count(), removed.matches("-D FORWARD").count());
        assert_eq!(made.matches("COMMIT").count(), removed.matches("COMMIT").count());
    }
}
