//! What the rules of the table look at.

use slipway_contract::Contract;
use slipway_contract::messages::{NetworkPlugin, NetworkPolicy};
use slipway_model::{Facts, KubernetesVersion, Mode};
use slipway_render::{GpuImages, ManifestError, is_custom_cloud};

/// A contract, a machine, and what both together say about many variables at once.
pub(crate) struct Input<'a> {
    pub(crate) contract: &'a Contract,
    pub(crate) facts: &'a Facts,
    pub(crate) mode: Mode,
    pub(crate) gpu_images: GpuImages,
    kubernetes: Option<KubernetesVersion>,
}

impl<'a> Input<'a> {
    /// A manifest that cannot be read is an error for the peer; for us it matters only where there is a GPU, and
    /// there it is a notice.
    pub(crate) fn new(contract: &'a Contract, facts: &'a Facts, mode: Mode) -> Result<Self, ManifestError> {
        let manifest = facts.components.as_ref().map_or("null", |manifest| manifest.0.as_str());
        let gpu_images = match (GpuImages::from_manifest(manifest), mode) {
            (Err(error), Mode::Compat) => return Err(error),
            (images, _) => images.unwrap_or_default(),
        };
        let kubernetes = KubernetesVersion::parse(&contract.kubernetes_version);
        Ok(Self { contract, facts, mode, gpu_images, kubernetes })
    }

    /// Whether the node's Kubernetes is known to be this version or later.
    pub(crate) fn kubernetes_is_at_least(&self, major: u64, minor: u64) -> bool {
        self.kubernetes.is_some_and(|version| version.is_at_least(major, minor))
    }

    /// Whether the cloud brings its own endpoints.
    pub(crate) fn is_custom_cloud(&self) -> bool {
        let cloud = self.contract.custom_cloud_config.as_ref();
        cloud.is_some_and(|cloud| is_custom_cloud(&cloud.custom_cloud_env_name))
    }

    /// Whether containerd sets up kubenet's bridge; Calico brings a network of its own.
    pub(crate) fn has_kubenet_bridge(&self) -> bool {
        self.contract.network_config.as_ref().is_some_and(|network| {
            network.network_plugin == NetworkPlugin::Kubenet
                && network.network_policy != NetworkPolicy::Calico
        })
    }

    /// Whether the node runs a DNS server of its own.
    pub(crate) fn has_local_dns(&self) -> bool {
        self.contract.local_dns_profile.as_ref().is_some_and(|profile| profile.enable_local_dns)
    }

    /// Where the cluster is; empty if the contract does not say.
    pub(crate) fn location(&self) -> &'a str {
        self.contract.cluster_config.as_ref().map_or("", |cluster| &cluster.location)
    }
}
