//! Programs for a machine that no image has prepared: each a step, so that all of them come at the same time.
//!
//! A container runtime that is there already is respected: neither it nor what belongs to it is installed.

use std::time::Duration;

use slipway_model::node::{Component, Supply};
use slipway_model::{Attributes, Containerd, ExitReason, Facts, Node, Sources};

use crate::draft::Draft;
use crate::op::{Action, Artifact};
use crate::places::START_CONTAINERD;
use crate::step::{Step, StepId};

/// What has to be there before kubelet can be chosen.
pub(crate) const KUBERNETES: [StepId; 2] = [StepId("install-kubelet"), StepId("install-kubectl")];

/// The largest has a hundred megabytes, and lines are slow where such machines are.
const LONGEST: Duration = Duration::from_mins(15);

pub(crate) fn steps(node: &Node, facts: &Facts, draft: &mut Draft) {
    let mut of = Sources::none();
    let supplies = of.read(&node.binaries.supplies);
    for supply in supplies {
        let mut of = of.clone();
        if is_runtime(supply.component) && has_runtime(&mut of, facts) {
            continue;
        }
        draft.add(step(of, supply));
    }
    for component in [Component::Containerd, Component::Runc, Component::CniPlugins] {
        draft.order(facts_of(component).0, START_CONTAINERD);
    }
}

/// What the machine is supplied with of a component.
pub(crate) fn supply<'a>(node: &'a Node, of: &mut Sources, component: Component) -> Option<&'a Supply> {
    of.read(&node.binaries.supplies).iter().find(|supply| supply.component == component)
}

/// Whether the machine gets its container runtime from us.
pub(crate) fn brings_runtime(node: &Node, facts: &Facts, of: &mut Sources) -> bool {
    supply(node, of, Component::Containerd).is_some() && !has_runtime(of, facts)
}

fn is_runtime(component: Component) -> bool {
    matches!(component, Component::Containerd | Component::Runc)
}

fn has_runtime(of: &mut Sources, facts: &Facts) -> bool {
    matches!(of.fact("containerd", &facts.containerd), Containerd::Version(_))
}

fn step(of: Sources, supply: &Supply) -> Step {
    let (id, title, reason) = facts_of(supply.component);
    let artifact = Artifact {
        url: supply.download.url.clone(),
        sha256: supply.download.sha256.clone(),
        cached: Some(supply.held.clone()),
        members: supply.members.clone(),
        attributes: Attributes::root(0o755),
    };
    Step::bake(id, title).or_fail(reason).taking(LONGEST).because(&of).op(of, Action::Artifact(artifact))
}

const fn facts_of(component: Component) -> (StepId, &'static str, ExitReason) {
    match component {
        Component::Kubelet => (KUBERNETES[0], "install kubelet", ExitReason::KubernetesDownload),
        Component::Kubectl => (KUBERNETES[1], "install kubectl", ExitReason::KubernetesDownload),
        Component::Kubeadm => (StepId("install-kubeadm"), "install kubeadm", ExitReason::KubernetesDownload),
        Component::Containerd => {
            (StepId("install-containerd"), "install containerd", ExitReason::ContainerdDownload)
        }
        Component::Runc => (StepId("install-runc"), "install runc", ExitReason::ContainerdDownload),
        Component::CniPlugins => {
            (StepId("install-cni-plugins"), "install the network plugins", ExitReason::CniDownload)
        }
    }
}

#[cfg(test)]
mod tests {
    use slipway_model::Sourced;
    use slipway_model::node::Download;

    use super::*;
    use crate::testing::{facts, lines, plain};

    fn supplied() -> Node {
        let supply = |component: Component, path: &str| Supply {
            component,
            version: "1.34.3".to_owned(),
            download: Download::parse(&format!("https://h/{component}")).unwrap(),
            held: "/var/cache/x".into(),
            members: vec![(String::new(), path.into())],
        };
        let mut node = plain();
        node.binaries.supplies = Sourced::fixed(vec![
            supply(Component::Kubelet, "/opt/bin/kubelet-1.34.3"),
            supply(Component::Containerd, "/usr/local/bin/containerd"),
            supply(Component::Runc, "/usr/bin/runc"),
        ]);
        node
    }

    #[test]
    fn every_supply_is_a_step_and_the_chosen_kubelet_is_a_link() {
        assert_eq!(
            lines(steps, &supplied(), &facts()),
            [
                "install-kubelet artifact /opt/bin/kubelet-1.34.3",
                "install-containerd artifact /usr/local/bin/containerd",
                "install-runc artifact /usr/bin/runc",
            ]
        );
        assert_eq!(
            lines(super::super::binaries::steps, &supplied(), &facts())[0],
            "kubernetes-binaries link /opt/bin/kubelet -> kubelet-1.34.3"
        );
    }

    #[test]
    fn a_runtime_that_is_there_is_respected() {
        let mut facts = facts();
        facts.containerd = Containerd::Version("2.0.4".to_owned());
        let lines = lines(steps, &supplied(), &facts);
        assert_eq!(lines, ["install-kubelet artifact /opt/bin/kubelet-1.34.3"]);
    }
}
