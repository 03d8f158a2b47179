//! What can wait until the node is Ready.

use slipway_model::{ExitReason, Facts, Node, Sources};
use slipway_render::UnitText;

use crate::draft::Draft;
use crate::op::{Action, Traces, Unit};
use crate::step::{Step, StepId};

use super::units::image_unit;

/// Units of images, with what a failure to start them is called.
const UNITS: [(StepId, &str, &[&str], ExitReason); 3] = [
    (
        StepId("node-exporter"),
        "show the node's numbers",
        &["node-exporter.service", "node-exporter-restart.path"],
        ExitReason::NodeExporter,
    ),
    (StepId("log-collector"), "collect logs regularly", &["aks-log-collector.timer"], ExitReason::UnitStart),
    (
        StepId("snapshot-updates"),
        "follow the image's package snapshots",
        &["snapshot-update.timer"],
        ExitReason::SnapshotTimer,
    ),
];

const ACCOUNTS: &str = "slipway-accounts.service";
const ACCOUNTS_FILE: StepId = StepId("accounts-unit");

pub(crate) fn steps(node: &Node, _facts: &Facts, draft: &mut Draft) {
    for (id, title, units, reason) in UNITS {
        let step = Step::after_ready(id, title).or_degrade(reason);
        draft.add(units.iter().fold(step, |step, unit| step.op(Sources::none(), image_unit(unit))));
    }
    accounts(node, draft);
}

/// The accounts of the administrator and of root do not expire. `chage` takes part in the locking of the accounts' file,
/// which cloud-init may be writing.
fn accounts(node: &Node, draft: &mut Draft) {
    let mut of = Sources::none();
    let admin = of.read(&node.system.admin);
    let unit = UnitText::section("Unit")
        .set("Description", "Keep the administrator's account from expiring")
        .and("Service")
        .set("Type", "oneshot")
        .set("RemainAfterExit", "yes")
        .set("ExecStart", &format!("-/usr/bin/chage -E -1 -I -1 -m 0 -M 99999 {admin}"))
        .set("ExecStart", "-/usr/bin/chage -I -1 -M -1 root");
    draft.add(
        Step::bake(ACCOUNTS_FILE, "describe accounts that do not expire")
            .or_degrade(ExitReason::Unspecified)
            .because(&of)
            .file(of.clone(), format!("/etc/systemd/system/{ACCOUNTS}"), 0o644, unit.finish()),
    );
    let traces = Traces { accounts: vec![admin.clone(), "root".to_owned()], ..Traces::of(ACCOUNTS) };
    let start = Unit {
        name: ACCOUNTS.into(),
        verb: Some(slipway_model::Verb::Start),
        enabled: None,
        wait: None,
        required: true,
    };
    draft.add(
        Step::after_ready(StepId("accounts"), "keep accounts from expiring")
            .or_degrade(ExitReason::Unspecified)
            .after(&[ACCOUNTS_FILE])
            .because(&of)
            .op(of.clone(), Action::Traces(traces))
            .op(of, Action::Unit(start)),
    );
}

#[cfg(test)]
mod tests {
    use crate::outline::{assert_named, file, plan, step};

    #[test]
    fn nothing_of_it_comes_before_ready_but_a_file() {
        let plan = plan(r#"{"version":"v1"}"#, "{}");
        for id in ["node-exporter", "log-collector", "snapshot-updates", "accounts"] {
            assert!(step(&plan, id).starts_with("AfterReady or degrade"), "{id}");
        }
        let unit = file(&plan, "/etc/systemd/system/slipway-accounts.service");
        assert!(unit.contains("ExecStart=-/usr/bin/chage -E -1 -I -1 -m 0 -M 99999 azureuser\n"));
        assert_named(
            "linux_admin_username",
            r#"{"version":"v1"}"#,
            r#"{"version":"v1","linux_admin_username":"ann"}"#,
            "{}",
        );
    }
}
