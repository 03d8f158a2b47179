//! Which kubelet and kubectl run: from the image's cache or from an artifact.
//!
//! A cached program is chosen by a link, so that choosing it again finds the same cache and undoing it costs nothing.

use std::time::Duration;

use slipway_model::node::{Component, Download};
use slipway_model::{Attributes, Cached, ExitReason, Facts, Node, Sources};

use crate::draft::Draft;
use crate::op::{Action, Artifact};
use crate::places::KUBERNETES_BINARIES;
use crate::plan::Refusal;
use crate::step::{Step, StepId};

use super::supplies;

const DROP_OTHERS: StepId = StepId("drop-other-kubernetes-binaries");
const TITLE: &str = "choose kubelet and kubectl";
/// Where images keep archives of private builds.
const PRIVATE_CACHE: &str = "/opt/kubernetes/downloads/private-packages";

type Versions = fn(&Cached) -> &[String];
const PROGRAMS: [(&str, Versions); 2] =
    [("kubelet", |cached| cached.kubelet.as_slice()), ("kubectl", |cached| cached.kubectl.as_slice())];

pub(crate) fn steps(node: &Node, facts: &Facts, draft: &mut Draft) {
    let mut of = Sources::none();
    if let Some(kubelet) = supplies::supply(node, &mut of, Component::Kubelet) {
        draft.add(linked(&of, &kubelet.version).after(&supplies::KUBERNETES));
        return;
    }
    let version = of.read(&node.cluster.kubernetes).as_str();
    if let Some(archive) = of.read(&node.binaries.kubernetes_override) {
        draft.add(fetched(of, archive));
        return;
    }
    let cached = of.fact("cached", &facts.cached).as_ref();
    // Versions are names here: 1.34.1 is not 1.34.10.
    let holds = |versions: &[String]| versions.iter().any(|held| held == version);
    if cached.is_none_or(|cached| PROGRAMS.iter().all(|(_, versions)| holds(versions(cached)))) {
        if version.is_empty() {
            draft.refuse(unknown());
            return;
        }
        draft.add(linked(&of, version));
    } else if let Some(archive) = of.read(&node.binaries.kubernetes) {
        draft.add(fetched(of.clone(), archive));
    } else {
        draft.refuse(missing(version, cached.unwrap_or(&Cached::default())));
        return;
    }
    drop_others(&of, version, cached, draft);
}

fn linked(of: &Sources, version: &str) -> Step {
    let mut step = Step::bake(KUBERNETES_BINARIES, TITLE).or_fail(ExitReason::KubernetesInstall).because(of);
    for (program, _) in PROGRAMS {
        step = step.link(of.clone(), format!("/opt/bin/{program}"), format!("{program}-{version}"));
    }
    step
}

fn fetched(of: Sources, archive: &Download) -> Step {
    let member =
        |program: &str| (format!("kubernetes/node/bin/{program}"), format!("/opt/bin/{program}").into());
    let artifact = Artifact {
        url: archive.url.clone(),
        sha256: archive.sha256.clone(),
        cached: archive.file_name().map(|name| format!("{PRIVATE_CACHE}/{name}").into()),
        members: PROGRAMS.map(|(program, _)| member(program)).to_vec(),
        attributes: Attributes::root(0o755),
    };
    Step::bake(KUBERNETES_BINARIES, TITLE)
        .or_fail(ExitReason::KubernetesDownload)
        .taking(Duration::from_mins(5))
        .because(&of)
        .op(of, Action::Artifact(artifact))
}

/// Versions that the node will not run are a hundred megabytes each.
fn drop_others(of: &Sources, version: &str, cached: Option<&Cached>, draft: &mut Draft) {
    let mut step = Step::after_ready(DROP_OTHERS, "remove the other versions of kubelet and kubectl")
        .or_degrade(ExitReason::KubernetesInstall)
        .because(of);
    for (program, versions) in PROGRAMS {
        for other in cached.map_or(&[][..], versions).iter().filter(|held| *held != version) {
            step = step.remove(of.clone(), format!("/opt/bin/{program}-{other}"));
        }
    }
    if !step.ops.is_empty() {
        draft.add(step);
    }
}

fn unknown() -> Refusal {
    Refusal {
        what: "kubernetes_version".to_owned(),
        message: "the node's Kubernetes version is not said".to_owned(),
        hint: "say which version the node is to run, such as 1.33.2".to_owned(),
    }
}

fn missing(version: &str, cached: &Cached) -> Refusal {
    let held = if cached.kubelet.is_empty() { "none".to_owned() } else { cached.kubelet.join(", ") };
    Refusal {
        what: "kubernetes_version".to_owned(),
        message: format!("the image does not hold Kubernetes {version} (it holds {held}), and no address to fetch it from is given"),
        hint: "use an image that holds it, set kube_binary_config.kube_binary_url, or provision with --mode scripts".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{facts, lines, plain, refusals, with};

    #[test]
    fn a_cached_version_is_linked_by_its_exact_name() {
        let mut facts = facts();
        let both = vec!["1.34.10".to_owned(), "1.34.1".to_owned()];
        facts.cached = Some(Cached { kubelet: both.clone(), kubectl: both });
        let node = with(r#""kubernetes_version":"v1.34.1""#);
        assert_eq!(
            lines(steps, &node, &facts),
            [
                "kubernetes-binaries link /opt/bin/kubelet -> kubelet-1.34.1",
                "kubernetes-binaries link /opt/bin/kubectl -> kubectl-1.34.1",
                "drop-other-kubernetes-binaries remove /opt/bin/kubelet-1.34.10",
                "drop-other-kubernetes-binaries remove /opt/bin/kubectl-1.34.10",
            ]
        );
    }

    #[test]
    fn an_override_counts_before_the_cache_and_custom_before_private() {
        let node = with(
            r#""kube_binary_config":{"custom_kube_binary_url":"https://c/k.tgz","private_kube_binary_url":"https://p/k.tgz"}"#,
        );
        assert_eq!(
            lines(steps, &node, &facts()),
            ["kubernetes-binaries artifact /opt/bin/kubelet /opt/bin/kubectl"]
        );
    }

    #[test]
    fn a_version_that_is_nowhere_is_refused_and_an_unknown_cache_is_trusted() {
        let mut facts = facts();
        facts.cached = Some(Cached { kubelet: vec!["1.30.0".to_owned()], kubectl: Vec::new() });
        let refused = refusals(steps, &plain(), &facts);
        assert!(refused[0].message.contains("it holds 1.30.0"), "{refused:?}");
        let node = with(r#""kube_binary_config":{"kube_binary_url":"https://d/k.tgz"}"#);
        assert_eq!(
            lines(steps, &node, &facts)[0],
            "kubernetes-binaries artifact /opt/bin/kubelet /opt/bin/kubectl"
        );
        facts.cached = None;
        assert_eq!(lines(steps, &plain(), &facts).len(), 2);
    }
}
