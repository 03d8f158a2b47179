//! Container images that the machine holds in files: the runtime has them before kubelet asks for one.

use std::time::Duration;

use slipway_model::{ExitReason, Facts, Node, Sources};

use crate::draft::Draft;
use crate::op::{Action, Await, Image};
use crate::places::{START_CONTAINERD, START_KUBELET};
use crate::step::{Step, StepId};

use super::{containerd, supplies};

const IMPORT: StepId = StepId("import-images");
/// Some have gigabytes, and every byte is unpacked.
const LONGEST: Duration = Duration::from_mins(15);

pub(crate) fn steps(node: &Node, facts: &Facts, draft: &mut Draft) {
    let mut of = Sources::none();
    let images = of.read(&node.runtime.images);
    if images.is_empty() {
        return;
    }
    let mut step = Step::join(IMPORT, "give the container runtime the images that are here")
        .or_fail(ExitReason::PauseImage)
        .taking(LONGEST)
        .because(&of)
        .after(&[START_CONTAINERD])
        .op(of.clone(), Action::Await(Await::Socket(containerd::SOCKET.into())));
    // What a runtime of ours keeps goes with it.
    let outlived = !supplies::brings_runtime(node, facts, &mut of);
    for image in images {
        let image = Image {
            name: image.name.clone(),
            archive: image.archive.clone(),
            sha256: image.sha256.clone(),
            socket: containerd::SOCKET.into(),
            outlived,
        };
        step = step.op(of.clone(), Action::Image(image));
    }
    draft.add(step);
    draft.order(IMPORT, START_KUBELET);
}

#[cfg(test)]
mod tests {
    use slipway_model::Sourced;
    use slipway_model::node::HeldImage;

    use super::*;
    use crate::testing::{facts, lines, plain};

    #[test]
    fn images_come_after_containerd_and_before_kubelet() {
        let mut node = plain();
        assert!(lines(steps, &node, &facts()).is_empty());
        let image = HeldImage {
            name: "r.example/pause:3.10".to_owned(),
            archive: "/var/a".into(),
            sha256: "ab".repeat(32),
        };
        node.runtime.images = Sourced::fixed(vec![image]);
        let plan = crate::plan(&node, &facts()).unwrap();
        let needs = |id: StepId| {
            let step = plan.steps().iter().find(|step| step.id == id).unwrap();
            step.needs.clone()
        };
        assert!(needs(IMPORT).contains(&START_CONTAINERD));
        assert!(needs(START_KUBELET).contains(&IMPORT));
        let step = plan.steps().iter().find(|step| step.id == IMPORT).unwrap();
        let Action::Image(image) = &step.ops[1].action else { panic!("{:?}", step.ops) };
        assert!(image.outlived, "nobody brings this machine its runtime");
    }
}
