//! The configuration of a secondary network interface, for systemd-networkd.

use crate::unit::UnitText;

/// A secondary network interface.
#[derive(Debug, Clone, Copy)]
pub struct SecondaryInterface<'a> {
    /// Its hardware address, with colons. Names are no help: a virtual function may take the name first.
    pub mac: &'a str,
    /// How much its routes cost; more than those of the first interface.
    pub metric: u32,
    /// Whether it has IPv6 addresses.
    pub ipv6: bool,
}

/// The text of its `.network` file. Names are not looked up through it.
pub fn secondary_interface(interface: SecondaryInterface<'_>) -> String {
    let metric = interface.metric.to_string();
    let lease = |text: UnitText, section| {
        text.and(section).set("RouteMetric", &metric).set("UseDNS", "no").set("UseDomains", "no")
    };
    let text = UnitText::section("Match").set("MACAddress", interface.mac).and("Network");
    if !interface.ipv6 {
        return lease(text.set("DHCP", "ipv4"), "DHCPv4").set("SendRelease", "no").finish();
    }
    let text = text.set("DHCP", "yes").set("IPv6AcceptRA", "yes");
    lease(lease(text, "DHCPv4").set("SendRelease", "no"), "DHCPv6").finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interface_is_known_by_its_address_and_asks_for_what_it_has() {
        let four = SecondaryInterface { mac: "00:0d:3a:00:00:02", metric: 200, ipv6: false };
        let text = secondary_interface(four);
        assert!(text.starts_with("[Match]\nMACAddress=00:0d:3a:00:00:02\n\n[Network]\nDHCP=ipv4\n"));
        assert!(!text.contains("DHCPv6"));
        let text = secondary_interface(SecondaryInterface { ipv6: true, ..four });
        assert!(text.contains("DHCP=yes\nIPv6AcceptRA=yes\n") && text.ends_with("UseDomains=no\n"));
        assert_eq!(text.matches("RouteMetric=200").count(), 2);
    }
}
