//! A node as it is with one set of programs.

use std::collections::BTreeSet;
use std::fmt;
use std::path::Path;

use slipway_flex::supply::{Architecture, Pick, Stock, Version};
use slipway_flex::{FlexConfig, Provisions};
use slipway_model::Facts;
use slipway_model::node::Component;
use slipway_plan::{Action, Artifact, Plan, Step};

use super::super::join;
use crate::failure::Failure;
use crate::screen::Screen;

/// What all editions of a node have in common.
pub(super) struct Base<'a> {
    pub(super) config: &'a FlexConfig,
    /// Where the configuration is.
    pub(super) file: &'a str,
    pub(super) facts: &'a Facts,
    /// The resolver file for pods that use the machine's, where it is not the usual one.
    pub(super) resolver: Option<&'static str>,
}

/// A node with these programs.
pub(super) struct Edition {
    pub(super) stock: Stock,
    pub(super) plan: Plan,
    kubelet: Version,
}

/// A component whose version changes.
pub(super) struct Change {
    component: Component,
    from: Option<Version>,
    to: Version,
}

impl Base<'_> {
    /// The node with these programs.
    pub(super) fn edition(&self, stock: Stock, screen: &Screen) -> Result<Edition, Failure> {
        let Some(kubelet) = kubelet(&stock).cloned() else {
            return Err(Failure::machine("no-kubelet", "cannot upgrade", "no kubelet is among the programs"));
        };
        let mut config = self.config.clone();
        config.versions.kubernetes = Some(kubelet.to_string());
        let containerd = stock.picks.iter().find(|pick| pick.component == Component::Containerd);
        config.versions.containerd = containerd.map(|pick| pick.version.to_string());
        let (supplies, images) = (stock.supplies(), stock.held_images());
        let provisions = Provisions {
            architecture: Architecture::own().name(),
            config_file: self.file,
            supplies: &supplies,
            images: &images,
            resolver: self.resolver,
        };
        let node = join::node(&config, provisions, screen)?;
        let plan = join::planned(&node, self.facts, screen)?;
        Ok(Edition { stock, plan, kubelet })
    }
}

/// The kubelet of a stock.
pub(super) fn kubelet(stock: &Stock) -> Option<&Version> {
    stock.picks.iter().find(|pick| pick.component == Component::Kubelet).map(|pick| &pick.version)
}

impl Edition {
    /// The version of Kubernetes.
    pub(super) fn kubelet(&self) -> &Version {
        &self.kubelet
    }

    /// What is installed, with the step that does it.
    fn artifacts(&self) -> impl Iterator<Item = (&Step, &Artifact)> {
        let artifact = |step| match_artifact(step).map(|artifact| (step, artifact));
        self.plan.steps().iter().filter_map(artifact)
    }

    /// The programs that this edition brings and another one has otherwise.
    pub(super) fn others<'a>(
        &'a self,
        other: &'a Self,
    ) -> impl Iterator<Item = (&'a Pick, Option<&'a Pick>)> {
        let brings = |pick: &&Pick| {
            let is_it = |it: &Artifact| it.sha256.as_deref() == Some(pick.sha256.as_str());
            self.artifacts().any(|(_, artifact)| is_it(artifact))
        };
        let same = |pick: &Pick| {
            other.stock.picks.iter().find(|it| it.component == pick.component).map(|it| it as &Pick)
        };
        let pairs = self.stock.picks.iter().filter(brings).map(move |pick| (pick, same(pick)));
        pairs.filter(|(pick, other)| other.is_none_or(|other| other.sha256 != pick.sha256))
    }

    /// What changes on the way to another edition.
    pub(super) fn changes(&self, to: &Self) -> Vec<Change> {
        let change = |(pick, from): (&Pick, Option<&Pick>)| Change {
            component: pick.component,
            from: from.map(|from| from.version.clone()),
            to: pick.version.clone(),
        };
        to.others(self).map(change).collect()
    }

    /// Every step but those that put programs where the other edition has none.
    pub(super) fn all_but_beside(&self, other: &Self) -> BTreeSet<String> {
        let taken: BTreeSet<&Path> = other.artifacts().flat_map(|(_, it)| places(it)).collect();
        let is_beside = |artifact: &Artifact| places(artifact).all(|path| !taken.contains(path));
        let stays = |step: &&Step| !match_artifact(step).is_some_and(is_beside);
        self.plan.steps().iter().filter(stays).map(|step| step.id.0.to_owned()).collect()
    }

    /// Whether the programs of a pick take the places of others.
    pub(super) fn replaces(&self, pick: &Pick, other: &Self) -> bool {
        let taken: BTreeSet<&Path> = other.artifacts().flat_map(|(_, it)| places(it)).collect();
        let is_it = |it: &&Artifact| it.sha256.as_deref() == Some(pick.sha256.as_str());
        let mut of_pick = self.artifacts().map(|(_, it)| it).filter(is_it);
        of_pick.any(|artifact| places(artifact).any(|path| taken.contains(path)))
    }
}

fn match_artifact(step: &Step) -> Option<&Artifact> {
    step.ops.iter().find_map(|op| match &op.action {
        Action::Artifact(artifact) => Some(artifact),
        _ => None,
    })
}

fn places(artifact: &Artifact) -> impl Iterator<Item = &Path> {
    artifact.members.iter().map(|(_, path)| path.as_path())
}

impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { component, from, to } = self;
        match from {
            Some(from) if from == to => write!(f, "{component} {to}: other bytes"),
            Some(from) => write!(f, "{component} {from} -> {to}"),
            None => write!(f, "{component} {to}: new"),
        }
    }
}

#[cfg(test)]
mod tests {
    use slipway_flex::supply::Digest;
    use slipway_model::Containerd;

    use super::*;

    const CONFIG: &str = r#"{"azure":{"targetCluster":{"resourceId":"/subscriptions/11111111-2222-3333-4444-555555555555/resourceGroups/g/providers/Microsoft.ContainerService/managedClusters/c"},"bootstrapToken":{"token":"abcdef.0123456789abcdef"}},"node":{"kubelet":{"clusterFQDN":"api.example","caCertData":"LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0tCkZBS0UKLS0tLS1FTkQgQ0VSVElGSUNBVEUtLS0tLQo="}}}"#;

    /// Another digest for each text.
    fn digest(text: &str) -> Digest {
        Digest::of(&text.bytes().chain([0; 32]).take(32).collect::<Vec<u8>>())
    }

    /// A node of these versions, on a machine that has this runtime of its own.
    fn edition(kubernetes: &str, containerd: &str, own: Containerd) -> Edition {
        let versions = [
            (Component::Kubelet, kubernetes),
            (Component::Kubectl, kubernetes),
            (Component::Containerd, containerd),
            (Component::Runc, "1.3.3"),
            (Component::CniPlugins, "1.7.1"),
        ];
        let pick = |(at, (component, version)): (usize, (Component, &str))| Pick {
            component,
            version: version.parse().unwrap(),
            url: format!("https://h/{component}"),
            sha256: digest(&format!("{at}{version}")),
            size: 1,
        };
        let picks = versions.into_iter().enumerate().map(pick).collect();
        let config = slipway_flex::read(CONFIG.as_bytes(), "n").config.unwrap();
        let facts = Facts { containerd: own, hostname: Some("n".to_owned()), ..Facts::default() };
        let base = Base { config: &config, file: "/c", facts: &facts, resolver: None };
        let edition = base.edition(Stock { picks, mirrors: Vec::new(), images: Vec::new() }, &Screen::new());
        edition.unwrap_or_else(|failure| panic!("{}: {}", failure.doing, failure.found))
    }

    fn changes(from: &Edition, to: &Edition) -> String {
        from.changes(to).iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
    }

    #[test]
    fn what_changes_is_what_the_machine_gets_from_us_and_has_otherwise() {
        let from = edition("1.33.4", "2.1.8", Containerd::Missing);
        assert_eq!(changes(&from, &edition("1.33.4", "2.1.8", Containerd::Missing)), "");
        assert_eq!(
            changes(&from, &edition("1.34.3", "2.1.9", Containerd::Missing)),
            "kubelet 1.33.4 -> 1.34.3, kubectl 1.33.4 -> 1.34.3, containerd 2.1.8 -> 2.1.9"
        );
        let own = || Containerd::Version("1.7.20".to_owned());
        assert_eq!(
            changes(&edition("1.34.3", "2.1.8", own()), &edition("1.34.3", "2.1.9", own())),
            "",
            "a runtime that is not ours is left alone"
        );
    }

    #[test]
    fn programs_of_kubernetes_come_beside_the_old_ones_and_the_runtime_in_their_place() {
        let from = edition("1.33.4", "2.1.8", Containerd::Missing);
        let to = edition("1.34.3", "2.1.9", Containerd::Missing);
        let later = to.all_but_beside(&from);
        for (step, waits) in [
            ("install-kubelet", false),
            ("install-kubectl", false),
            ("install-containerd", true),
            ("install-runc", true),
            ("kubernetes-binaries", true),
            ("start-kubelet", true),
        ] {
            assert_eq!(later.contains(step), waits, "{step}");
        }
        let replacing: Vec<Component> = to
            .others(&from)
            .filter(|(pick, _)| to.replaces(pick, &from))
            .map(|(pick, _)| pick.component)
            .collect();
        assert_eq!(replacing, [Component::Containerd]);
    }
}
