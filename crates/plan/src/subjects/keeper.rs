//! The service that keeps the node what it is. Its unit comes first: a machine that loses its power while it joins goes
//! on at its next start. The service itself comes last, when there is something to keep.

use slipway_model::{ExitReason, Facts, Node, Sources, Verb};
use slipway_render::UnitText;

use crate::draft::Draft;
use crate::op::{Action, Unit};
use crate::step::{Step, StepId};

const UNIT: &str = "slipway-flex.service";
const DESCRIBE: StepId = StepId("keeper-unit");
const START: StepId = StepId("start-keeper");

pub(crate) fn steps(node: &Node, _: &Facts, draft: &mut Draft) {
    let mut of = Sources::none();
    let Some(keeper) = of.read(&node.system.keeper) else { return };
    let command = format!("{} flex --config {}", word(&keeper.program), word(&keeper.config));
    let text = UnitText::section("Unit")
        .set("Description", "Keep this machine a node of its cluster")
        .set("Wants", "network-online.target")
        .set("After", "network-online.target containerd.service kubelet.service")
        .and("Service")
        .set("ExecStart", &command)
        // It says what it sees there; who stops it wants no word of yesterday.
        .set("RuntimeDirectory", "slipway")
        .set("Restart", "always")
        .set("RestartSec", "5")
        // What it had `slipway` begin comes to its end: leaving stops this service, and must not stop itself.
        .set("KillMode", "process")
        .and("Install")
        .set("WantedBy", "multi-user.target")
        .finish();
    let at_boot = Unit { name: UNIT.to_owned(), verb: None, enabled: Some(true), wait: None, required: true };
    // It may be this service that joins again: it is never restarted from within.
    let now = Unit { verb: Some(Verb::Start), enabled: None, ..at_boot.clone() };
    draft.add(
        Step::join(DESCRIBE, "describe the service that keeps the node")
            .or_fail(ExitReason::UnitStart)
            .because(&of)
            .file(of.clone(), format!("/etc/systemd/system/{UNIT}"), 0o644, text)
            .op(of.clone(), Action::Unit(at_boot)),
    );
    draft.add(
        Step::after_ready(START, "start the service that keeps the node")
            .or_degrade(ExitReason::UnitStart)
            .because(&of)
            .after(&[DESCRIBE])
            .op(of, Action::Unit(now)),
    );
}

/// A word of a unit's command line, whatever is in it.
fn word(text: &str) -> String {
    let mut word = String::with_capacity(text.len() + 2);
    word.push('"');
    for character in text.chars() {
        match character {
            '"' | '\\' => word.extend(['\\', character]),
            '%' => word.push_str("%%"),
            '$' => word.push_str("$$"),
            _ => word.push(character),
        }
    }
    word.push('"');
    word
}

#[cfg(test)]
mod tests {
    use slipway_model::Sourced;
    use slipway_model::node::Keeper;

    use super::*;
    use crate::testing::{facts, lines, plain};

    #[test]
    fn a_node_without_a_keeper_has_no_service_for_it() {
        assert!(lines(steps, &plain(), &facts()).is_empty());
    }

    #[test]
    fn the_unit_comes_first_and_the_service_after_ready() {
        let mut node = plain();
        node.system.keeper = Sourced::fixed(Some(Keeper {
            program: "/usr/bin/slipwayd".to_owned(),
            config: "/etc/it's 5%$x/config.json".to_owned(),
        }));
        assert_eq!(
            lines(steps, &node, &facts()),
            [
                "keeper-unit file /etc/systemd/system/slipway-flex.service 0644",
                "keeper-unit unit slipway-flex.service None enabled Some(true)",
                "start-keeper unit slipway-flex.service Some(Start) enabled None",
            ]
        );
        let plan = crate::plan(&node, &facts()).unwrap();
        assert_eq!(plan.steps()[0].id, DESCRIBE);
        let Some(Action::File(unit)) = plan.steps()[0].ops.first().map(|op| &op.action) else { panic!() };
        let text = format!("{:?}", unit.content);
        assert!(text.contains("5%%$$x/config.json"), "{text}");
    }
}
