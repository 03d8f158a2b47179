//! Who may reach the metadata service and the wire server.
//!
//! One unit of ours sets the rules once per boot, before kubelet runs, and takes them back when it stops.

use slipway_model::node::Table;
use slipway_model::{ExitReason, Facts, Node, Sources};
use slipway_render::{Firewall, UnitText, firewall_removal, firewall_rules};

use crate::draft::Draft;
use crate::machine::address;
use crate::places::FIREWALL;
use crate::step::{Step, StepId};

const FILES: StepId = StepId("firewall-unit");
const RULES_FILE: StepId = StepId("firewall-rules");
const RULES: &str = "/etc/slipway/firewall.rules";
const REMOVAL: &str = "/etc/slipway/firewall-removal.rules";
const UNIT: &str = "slipway-firewall.service";

pub(crate) fn steps(node: &Node, facts: &Facts, draft: &mut Draft) {
    let mut of = Sources::none();
    let restriction = *of.read(&node.network.metadata_restriction);
    let firewall = Firewall {
        node: restriction.and_then(|_| address(facts, &mut of)),
        metadata_in_filter: restriction == Some(Table::Filter),
        metadata_in_mangle: restriction == Some(Table::Mangle),
    };
    draft.add(
        Step::bake(FILES, "describe how pods are kept from the platform's services")
            .or_fail(ExitReason::KubeletStart)
            .file(Sources::none(), REMOVAL, 0o644, firewall_removal())
            .file(Sources::none(), format!("/etc/systemd/system/{UNIT}"), 0o644, unit()),
    );
    draft.add(
        Step::join(RULES_FILE, "describe what pods may not reach").or_fail(ExitReason::KubeletStart).file(
            of,
            RULES,
            0o644,
            firewall_rules(&firewall),
        ),
    );
    draft.add(
        Step::join(FIREWALL, "keep pods from the platform's services")
            .or_fail(ExitReason::KubeletStart)
            .after(&[FILES, RULES_FILE])
            .unit(Sources::none(), UNIT),
    );
}

fn unit() -> String {
    // A bare --wait would take the file for a number of seconds, and then nothing for the rules.
    let restore = |rules: &str| format!("/usr/sbin/iptables-restore --wait=60 --noflush {rules}");
    UnitText::section("Unit")
        .set("Description", "Keep pods from the platform's services")
        .set("Before", "kubelet.service")
        .and("Service")
        .set("Type", "oneshot")
        .set("RemainAfterExit", "yes")
        .set("ExecStart", &restore(RULES))
        // Also after a start that failed half-way.
        .set("ExecStopPost", &restore(REMOVAL))
        .and("Install")
        .set("WantedBy", "multi-user.target")
        .finish()
}

#[cfg(test)]
mod tests {
    use crate::outline::{assert_named, file, plan, step};

    const MANGLED: &str = r#"{"version":"v1","imds_restriction_config":{"enable_imds_restriction":true,"insert_imds_restriction_rule_to_mangle_table":true}}"#;

    #[test]
    fn one_unit_sets_the_rules_and_takes_them_back() {
        let plan = plan(r#"{"version":"v1"}"#, "{}");
        let unit = file(&plan, "/etc/systemd/system/slipway-firewall.service");
        assert!(unit.contains("Before=kubelet.service\n") && unit.contains("RemainAfterExit=yes\n"));
        assert!(unit.contains(
            "ExecStart=/usr/sbin/iptables-restore --wait=60 --noflush /etc/slipway/firewall.rules\n"
        ));
        assert_eq!(step(&plan, "firewall"), "Join or fail 34\nrestart enable slipway-firewall.service\n");
    }

    #[test]
    fn the_node_itself_still_reaches_the_metadata_service() {
        let facts = r#"{"imds":{"network":{"interface":[{"macAddress":"000D3A","ipv4":{"ipAddress":[{"privateIpAddress":"10.1.0.4"}]}}]}}}"#;
        let rules = |contract: &str| file(&plan(contract, facts), super::RULES).to_owned();
        let mangled = rules(MANGLED);
        assert!(mangled.split_once("*mangle").unwrap().1.contains("! -s 10.1.0.4/32 -d 169.254.169.254/32"));
        let filtered = MANGLED.replace("table\":true", "table\":false");
        assert!(rules(&filtered).split_once("*mangle").unwrap().0.contains("169.254.169.254"));
        assert_named(
            "imds_restriction_config.insert_imds_restriction_rule_to_mangle_table",
            MANGLED,
            &filtered,
            facts,
        );
        assert_named(
            "imds_restriction_config.enable_imds_restriction",
            MANGLED,
            r#"{"version":"v1"}"#,
            facts,
        );
    }
}
