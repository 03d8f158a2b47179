//! What one node needs of a manifest.

use serde::{Deserialize, Serialize};
use slipway_model::node::Component;

use super::component::{Architecture, is_needed};
use super::manifest::{Digest, Image, Manifest, Release};
use super::version::{Version, VersionError};

/// Which versions a node is to have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Order {
    kubernetes: Kubernetes,
    others: Vec<(Component, Version)>,
    architecture: Architecture,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Kubernetes {
    Exactly(Version),
    NewestOf((u32, u32)),
}

/// A release that was picked.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Pick {
    /// Of which component.
    pub component: Component,
    /// Which version.
    pub version: Version,
    /// Where it is published.
    pub url: String,
    /// What its bytes add up to.
    pub sha256: Digest,
    /// How many there are.
    pub size: u64,
}

/// Why an order cannot be filled.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum OrderError {
    /// The manifest does not have it.
    #[error("the manifest has no {component} {wanted}for {architecture}; it has {had}")]
    Missing {
        /// What is missing.
        component: Component,
        /// Which version was wanted, and a space; empty for any.
        wanted: String,
        /// For which architecture.
        architecture: Architecture,
        /// Which versions there are.
        had: String,
    },
}

impl Order {
    /// An order for a version of Kubernetes: a whole one such as 1.34.3, or 1.34 for its newest patch.
    pub fn new(kubernetes: &str, architecture: Architecture) -> Result<Self, VersionError> {
        let kubernetes = match Version::minor(kubernetes) {
            Some(minor) => Kubernetes::NewestOf(minor),
            None => Kubernetes::Exactly(kubernetes.parse()?),
        };
        Ok(Self { kubernetes, others: Vec::new(), architecture })
    }

    /// The same with this version of a component instead of the newest one.
    #[must_use]
    pub fn with(mut self, component: Component, version: Version) -> Self {
        self.others.push((component, version));
        self
    }

    /// What the node gets, in the order of [`Component::ALL`]. What is not needed is left out where the manifest does
    /// not have it.
    pub fn fill(&self, manifest: &Manifest) -> Result<Vec<Pick>, OrderError> {
        let kubernetes = match &self.kubernetes {
            Kubernetes::Exactly(version) => Some(version),
            Kubernetes::NewestOf(minor) => {
                let kubelet = |it: &&Release| it.component == Component::Kubelet && it.version.is_of(*minor);
                self.releases(manifest).filter(kubelet).map(|it| &it.version).max_by_key(|it| rank(it))
            }
        };
        let mut picks = Vec::new();
        for component in Component::ALL {
            let wanted = if component.is_kubernetes() {
                kubernetes
            } else {
                self.others.iter().rev().find_map(|(other, it)| (*other == component).then_some(it))
            };
            let of_component = || self.releases(manifest).filter(move |it| it.component == component);
            let found = if component.is_kubernetes() || wanted.is_some() {
                of_component().find(|it| Some(&it.version) == wanted)
            } else {
                of_component().max_by_key(|it| rank(&it.version))
            };
            match found {
                Some(release) => picks.push(Pick::of(release)),
                None if !is_needed(component) => {}
                None => return Err(self.missing(component, wanted, of_component())),
            }
        }
        Ok(picks)
    }

    /// The images that the manifest has for the node.
    pub fn images(&self, manifest: &Manifest) -> Vec<Image> {
        manifest.images.iter().filter(|it| it.architecture == self.architecture).cloned().collect()
    }

    fn releases<'a>(&self, manifest: &'a Manifest) -> impl Iterator<Item = &'a Release> + use<'a> {
        let architecture = self.architecture;
        manifest.releases.iter().filter(move |it| it.architecture == architecture)
    }

    fn missing<'a>(
        &self,
        component: Component,
        wanted: Option<&Version>,
        had: impl Iterator<Item = &'a Release>,
    ) -> OrderError {
        let wanted = match (wanted, &self.kubernetes) {
            (Some(version), _) => format!("{version} "),
            (None, Kubernetes::NewestOf((major, minor))) if component.is_kubernetes() => {
                format!("{major}.{minor} ")
            }
            (None, _) => String::new(),
        };
        let mut versions: Vec<&Version> = had.map(|it| &it.version).collect();
        versions.sort();
        let had = match versions.as_slice() {
            [] => "none".to_owned(),
            versions => versions.iter().rev().map(|it| it.as_str()).collect::<Vec<_>>().join(", "),
        };
        OrderError::Missing { component, wanted, architecture: self.architecture, had }
    }
}

/// Releases before candidates, then by value.
fn rank(version: &Version) -> (bool, &Version) {
    (version.is_released(), version)
}

impl Pick {
    fn of(release: &Release) -> Self {
        Self {
            component: release.component,
            version: release.version.clone(),
            url: release.url.clone(),
            sha256: release.sha256.clone(),
            size: release.size,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn manifest(releases: &[(Component, &str)]) -> Manifest {
        let release = |(component, version): &(Component, &str)| Release {
            component: *component,
            version: version.parse().unwrap(),
            architecture: Architecture::Amd64,
            url: format!("https://h/{component}-{version}"),
            sha256: Digest::of(&[7; 32]),
            size: 1,
        };
        Manifest::new(releases.iter().map(release).collect(), Vec::new())
    }

    fn whole() -> Manifest {
        use Component::{CniPlugins, Containerd, Kubeadm, Kubectl, Kubelet, Runc};
        manifest(&[
            (Kubelet, "1.33.7"),
            (Kubelet, "1.34.9"),
            (Kubelet, "1.34.10"),
            (Kubelet, "1.34.11-rc.0"),
            (Kubectl, "1.34.9"),
            (Kubectl, "1.34.10"),
            (Kubeadm, "1.34.9"),
            (Containerd, "2.1.8"),
            (Containerd, "2.0.4"),
            (Runc, "1.3.0"),
            (CniPlugins, "1.5.1"),
        ])
    }

    fn picked(order: &Order, manifest: &Manifest) -> String {
        let picks = order.fill(manifest).unwrap();
        picks.iter().map(|it| format!("{} {}", it.component, it.version)).collect::<Vec<_>>().join(", ")
    }

    #[test]
    fn a_minor_is_its_newest_patch_and_the_rest_is_the_newest_there_is() {
        let order = Order::new("1.34", Architecture::Amd64).unwrap();
        assert_eq!(
            picked(&order, &whole()),
            "kubelet 1.34.10, kubectl 1.34.10, containerd 2.1.8, runc 1.3.0, cni-plugins 1.5.1"
        );
        let order = Order::new("v1.34.9", Architecture::Amd64)
            .unwrap()
            .with(Component::Containerd, "2.0.4".parse().unwrap());
        assert_eq!(
            picked(&order, &whole()),
            "kubelet 1.34.9, kubectl 1.34.9, kubeadm 1.34.9, containerd 2.0.4, runc 1.3.0, cni-plugins 1.5.1"
        );
    }

    #[test]
    fn what_the_manifest_lacks_is_named_with_what_it_has() {
        let fails = |kubernetes: &str, architecture| {
            Order::new(kubernetes, architecture).unwrap().fill(&whole()).unwrap_err().to_string()
        };
        assert_eq!(
            fails("1.34.5", Architecture::Amd64),
            "the manifest has no kubelet 1.34.5 for amd64; it has 1.34.11-rc.0, 1.34.10, 1.34.9, 1.33.7"
        );
        assert!(fails("1.35", Architecture::Amd64).contains("no kubelet 1.35 for amd64"));
        assert!(fails("1.33", Architecture::Amd64).contains("no kubectl 1.33.7 for amd64"));
        assert!(fails("1.34", Architecture::Arm64).ends_with("it has none"));
        assert!(Order::new("newest", Architecture::Amd64).is_err());
    }
}
