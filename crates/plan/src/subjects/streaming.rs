//! Artifact streaming: images run while they are still being fetched.

use std::time::Duration;

use slipway_model::{ExitReason, Facts, Node, Sources};

use crate::draft::Draft;
use crate::op::{Action, Await, Program};
use crate::places::START_CONTAINERD;
use crate::step::{Step, StepId};

use super::containerd;

const SERVICES: [&str; 3] = ["acr-mirror.service", "overlaybd-tcmu.service", "overlaybd-snapshotter.service"];
/// It writes which registries containerd reaches through the mirror.
const CONFIGURER: &str = "/opt/acr/bin/acr-config";

pub(crate) fn steps(node: &Node, _facts: &Facts, draft: &mut Draft) {
    let mut of = Sources::none();
    if !*of.read(&node.runtime.artifact_streaming) {
        return;
    }
    let services = StepId("artifact-streaming");
    let mut step = Step::join(services, "start the services that stream images")
        .or_degrade(ExitReason::ArtifactStreaming)
        .because(&of);
    for service in SERVICES {
        step = step.unit(of.clone(), service);
    }
    draft.add(step);
    let configure = Program {
        path: CONFIGURER.into(),
        arguments: vec!["--enable-containerd".into(), "azurecr.io".into()],
        input: None,
        within: Duration::from_secs(25),
        repeatable: true,
        undo: None,
    };
    draft.add(
        Step::after_ready(StepId("artifact-mirror"), "stream images of Azure's registries")
            .or_degrade(ExitReason::ArtifactStreaming)
            .after(&[services, START_CONTAINERD])
            .because(&of)
            .op(of.clone(), Action::Await(Await::Socket(containerd::SOCKET.into())))
            .op(of, Action::Program(configure)),
    );
}

#[cfg(test)]
mod tests {
    use crate::outline::{plan, step};

    #[test]
    fn streaming_services_start_before_pods_and_their_mirror_follows() {
        let plan = plan(r#"{"version":"v1","enable_artifact_streaming":true}"#, "{}");
        assert!(
            step(&plan, "artifact-streaming")
                .starts_with("Join or degrade 153\nrestart enable acr-mirror.service\n")
        );
        assert!(
            step(&plan, "artifact-mirror")
                .ends_with("run /opt/acr/bin/acr-config --enable-containerd azurecr.io\n")
        );
    }
}
