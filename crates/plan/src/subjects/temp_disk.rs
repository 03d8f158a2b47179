//! Kubelet's data on the VM's temporary disk.

use slipway_model::{ExitReason, Facts, Node, Sources};
use slipway_render::UnitText;

use crate::draft::Draft;
use crate::places::KUBELET_DROP_INS;
use crate::step::{Step, StepId};

const TEMP_DISK: StepId = StepId("temp-disk");
/// The image's own, which puts kubelet's directory on the disk.
const UNIT: &str = "bind-mount.service";

pub(crate) fn steps(node: &Node, _facts: &Facts, draft: &mut Draft) {
    let mut of = Sources::none();
    if !of.read(&node.kubelet.on_temp_disk) {
        return;
    }
    let text = UnitText::section("Unit").set("Requires", UNIT).set("After", UNIT).finish();
    draft.add(
        Step::bake(TEMP_DISK, "keep kubelet's data on the temporary disk")
            .or_fail(ExitReason::KubeletStart)
            .because(&of)
            .file(of, format!("{KUBELET_DROP_INS}/10-bindmount.conf"), 0o644, text),
    );
    draft.order(TEMP_DISK, crate::places::START_KUBELET);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{facts, lines, plain, with};

    #[test]
    fn only_a_node_that_asks_for_it_waits_for_the_temporary_disk() {
        assert!(lines(steps, &plain(), &facts()).is_empty());
        let node = with(r#""kubelet_config":{"kubelet_disk_type":"KUBELET_DISK_TEMP_DISK"}"#);
        assert_eq!(
            lines(steps, &node, &facts()),
            ["temp-disk file /etc/systemd/system/kubelet.service.d/10-bindmount.conf 0644"]
        );
    }
}
