//! Secondary network interfaces, search domains and IPv6 leases.

use slipway_model::{ExitReason, Facts, Node, Sources};
use slipway_render::{SecondaryInterface, UnitText, secondary_interface};

use crate::draft::Draft;
use crate::machine::{Distro, instance};
use crate::op::{Action, Unit};
use crate::step::{Step, StepId};

use super::units::image_unit;

const FILES: StepId = StepId("interface-files");
const NETWORKD: &str = "systemd-networkd.service";

pub(crate) fn steps(node: &Node, facts: &Facts, draft: &mut Draft) {
    let mut why = Sources::none();
    let files = Step::join(FILES, "describe network interfaces").or_degrade(ExitReason::SecondaryNic);
    let files = search_domains(secondary(files, &mut why, node, facts), &mut why, node, facts);
    if !files.ops.is_empty() {
        draft.add(files.because(&why));
        let restart = Unit {
            name: NETWORKD.into(),
            verb: Some(slipway_model::Verb::Restart),
            enabled: None,
            wait: None,
            required: true,
        };
        draft.add(
            Step::join(StepId("interfaces"), "configure network interfaces")
                .or_degrade(ExitReason::SecondaryNic)
                .after(&[FILES])
                .because(&why)
                .op(why, Action::Unit(restart)),
        );
    }
    let mut of = Sources::none();
    if *of.read(&node.network.dual_stack) {
        draft.add(
            Step::join(StepId("ipv6-lease"), "lease an IPv6 address")
                .or_degrade(ExitReason::UnitStart)
                .because(&of)
                .op(of.clone(), Action::Module("ip6_tables"))
                .op(of, image_unit("dhcpv6.service")),
        );
    }
}

fn secondary(mut step: Step, why: &mut Sources, node: &Node, facts: &Facts) -> Step {
    let mut of = Sources::none();
    if !*of.read(&node.network.secondary_interfaces) {
        return step;
    }
    // Routes of the first interface cost about 100 where netplan configures it, else networkd's 1024.
    let base = if Distro::of(facts, &mut of) == Distro::Ubuntu { 100 } else { 2000 };
    let interfaces = instance(facts, &mut of).map(|instance| instance.interfaces).unwrap_or_default();
    for (interface, at) in interfaces.iter().zip(0_u32..).skip(1) {
        let text = secondary_interface(SecondaryInterface {
            mac: &interface.mac,
            metric: base + at * 100,
            ipv6: !interface.ipv6.is_empty(),
        });
        let path = format!("/etc/systemd/network/10-secondary-nic-{at}.network");
        step = step.file(of.clone(), path, 0o644, text);
    }
    why.join(&of);
    step
}

/// Azure Linux leaves the search domains of leases alone unless told otherwise.
fn search_domains(step: Step, why: &mut Sources, node: &Node, facts: &Facts) -> Step {
    let mut of = Sources::none();
    if !matches!(Distro::of(facts, &mut of), Distro::AzureLinux | Distro::OsGuard) {
        return step;
    }
    let mut text = UnitText::section("DHCPv4").set("UseDomains", "yes");
    if *of.read(&node.network.dual_stack) {
        text = text.and("DHCPv6").set("UseDomains", "yes");
    }
    why.join(&of);
    step.file(of, "/etc/systemd/networkd.conf.d/10-slipway.conf", 0o644, text.finish())
}

#[cfg(test)]
mod tests {
    use crate::outline::{assert_named, file, plan, step};

    const ASKED: &str = r#"{"version":"v1","network_config":{"standard_secondary_nic_count":1}}"#;
    const NICS: &str = r#"{"os":{"id":"ubuntu"},"imds":{"network":{"interface":[{"macAddress":"000D3A000001"},{"macAddress":"000D3AABCDEF","ipv6":{"ipAddress":[{"privateIpAddress":"fd00::4"}]}}]}}}"#;

    #[test]
    fn each_interface_beyond_the_first_is_configured_by_its_address() {
        let plan = plan(ASKED, NICS);
        let text = file(&plan, "/etc/systemd/network/10-secondary-nic-1.network");
        assert!(text.contains("MACAddress=00:0d:3a:ab:cd:ef\n") && text.contains("RouteMetric=200\n"));
        assert!(text.contains("[DHCPv6]"));
        assert_eq!(step(&plan, "interfaces"), "Join or degrade 243\nrestart systemd-networkd.service\n");
        assert_named("network_config.standard_secondary_nic_count", ASKED, r#"{"version":"v1"}"#, NICS);
    }

    #[test]
    fn azure_linux_takes_search_domains_from_leases() {
        let azure = r#"{"os":{"id":"azurelinux"}}"#;
        let path = "/etc/systemd/networkd.conf.d/10-slipway.conf";
        assert_eq!(file(&plan(r#"{"version":"v1"}"#, azure), path), "[DHCPv4]\nUseDomains=yes\n");
        let dual = r#"{"version":"v1","ipv6_dual_stack_enabled":true}"#;
        assert!(file(&plan(dual, azure), path).contains("[DHCPv6]"));
        assert!(step(&plan(dual, "{}"), "ipv6-lease").contains("restart enable dhcpv6.service if there\n"));
        assert_named("ipv6_dual_stack_enabled", dual, r#"{"version":"v1"}"#, azure);
    }
}
