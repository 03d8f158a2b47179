//! Labels that a node registers with.

use std::borrow::Cow;

use slipway_model::KubernetesVersion;

use super::claimed::claimed_values;
use super::label_keys::kubelet_may_set;
use super::names::cluster_label;
use super::network::is_overlay;
use super::subnet::{NotASubnet, SubnetId};
use crate::images::{Family, Wanted, os_sku};
use crate::request::{CapacityType, LocalDnsState, NodeClass, Options, Request};
use crate::sizes::{Architecture, InstanceType};
use crate::{Fidelity, Layered, Source};

const LOCAL_DNS: &str = "kubernetes.azure.com/localdns-state";
const ARTIFACT_STREAMING: &str = "kubernetes.azure.com/artifactstreaming-enabled";
/// About as many labels as nodes have.
const MOST: usize = 48;
const PRIORITIES: [&str; 2] = ["kubernetes.azure.com/scalesetpriority", "kubernetes.azure.com/priority"];

type Text = Cow<'static, str>;

/// Labels with the layers that they came from, sorted by key.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Labels(Vec<(Text, Layered<Text>)>);

impl Labels {
    /// The labels and their layers.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Layered<Text>)> {
        self.0.iter().map(|(key, value)| (&**key, value))
    }

    /// Keys of labels that somebody gave, rather than we; only those can be wrong.
    pub(crate) fn given_keys(&self) -> impl Iterator<Item = &str> {
        self.0.iter().filter_map(|(key, _)| match key {
            Cow::Owned(key) => Some(key.as_str()),
            Cow::Borrowed(_) => None,
        })
    }

    /// A label's value.
    pub fn get(&self, key: &str) -> Option<&str> {
        self.place(key).ok().map(|at| &*self.0[at].1.value)
    }

    /// The labels as kubelet's flag has them.
    pub fn text(&self) -> String {
        let mut text = String::with_capacity(2048);
        for (key, value) in &self.0 {
            let comma = if text.is_empty() { "" } else { "," };
            text.extend([comma, key, "=", &value.value]);
        }
        text
    }

    /// Puts a label on top of what is there. The same value from another layer is not worth a word.
    pub fn set(&mut self, key: impl Into<Text>, value: impl Into<Text>, source: Source) {
        let (key, value) = (key.into(), value.into());
        match self.place(&key) {
            Ok(at) if self.0[at].1.value == value => self.0[at].1.source = source,
            Ok(at) => self.0[at].1.put_over(value, source),
            Err(at) => self.0.insert(at, (key, Layered::new(value, source))),
        }
    }

    fn place(&self, key: &str) -> Result<usize, usize> {
        self.0.binary_search_by(|(known, _)| (**known).cmp(key))
    }

    /// The labels of a payload that runs neither the local resolver nor artifact streaming: they do not claim it.
    pub fn without_what_is_not_run(&self) -> Cow<'_, Self> {
        let is_claimed = self.get(LOCAL_DNS) == Some("enabled") || self.get(ARTIFACT_STREAMING).is_some();
        if !is_claimed {
            return Cow::Borrowed(self);
        }
        let mut labels = self.clone();
        labels.set(LOCAL_DNS, "disabled", Source::Computed);
        labels.0.retain(|(key, _)| key != ARTIFACT_STREAMING);
        Cow::Owned(labels)
    }

    /// Takes away the labels that kubelet may not set, and tells their keys.
    fn sanitise(&mut self) -> Vec<String> {
        let forbidden = self.0.extract_if(.., |(key, _)| !kubelet_may_set(key));
        forbidden.map(|(key, _)| key.into_owned()).collect()
    }
}

impl<K: Into<Text>, V: Into<Text>> FromIterator<(K, V)> for Labels {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(labels: I) -> Self {
        let mut all = Self::default();
        for (key, value) in labels {
            all.set(key, value, Source::NodePool);
        }
        all
    }
}

/// The labels that options and node class give every node of an architecture. `subnet_id` is the node's subnet.
pub fn base_labels(
    options: &Options,
    node_class: &NodeClass,
    subnet_id: &str,
    architecture: Architecture,
) -> Result<Labels, NotASubnet> {
    let spec = &node_class.spec;
    let mut labels = Labels(Vec::with_capacity(MOST));
    for (key, value) in [
        ("kubernetes.azure.com/role", "agent"),
        ("kubernetes.azure.com/mode", "user"),
        ("karpenter.sh/do-not-sync-taints", "true"),
        (PRIORITIES[0], "regular"),
        (PRIORITIES[1], "regular"),
    ] {
        labels.set(key, value, Source::Fixed);
    }
    labels.set(
        "kubernetes.azure.com/cluster",
        cluster_label(&options.node_resource_group),
        Source::GlobalOptions,
    );
    labels.set(
        "kubernetes.azure.com/kubelet-identity-client-id",
        options.kubelet_identity_client_id.clone(),
        Source::GlobalOptions,
    );
    let family = spec.image_family.as_deref();
    let effective = Family::of(&Wanted::of(options, node_class));
    labels.set("kubernetes.azure.com/os-sku", os_sku(family).to_owned(), Source::NodeClass);
    labels.set(
        "kubernetes.azure.com/os-sku-requested",
        family.unwrap_or_default().to_owned(),
        Source::NodeClass,
    );
    labels.set("kubernetes.azure.com/os-sku-effective", effective.name(), Source::Computed);
    if spec.is_fips() {
        labels.set("kubernetes.azure.com/fips_enabled", "true", Source::NodeClass);
    }
    if options.network_dataplane == "cilium" {
        labels.set("kubernetes.azure.com/ebpf-dataplane", "cilium", Source::GlobalOptions);
    }
    if is_overlay(options) {
        overlay(&mut labels, options, node_class, SubnetId::parse(subnet_id)?);
    }
    let local_dns =
        if node_class.local_dns_state == Some(LocalDnsState::Enabled) { "enabled" } else { "disabled" };
    labels.set(LOCAL_DNS, local_dns, Source::NodeClass);
    if spec.streams_artifacts() && architecture != Architecture::Arm64 {
        labels.set(ARTIFACT_STREAMING, "true", Source::NodeClass);
    }
    Ok(labels)
}

fn overlay(labels: &mut Labels, options: &Options, node_class: &NodeClass, subnet: SubnetId<'_>) {
    let version = KubernetesVersion::parse(&node_class.kubernetes_version);
    let stateless = version.is_some_and(|version| version.is_at_least(1, 34));
    labels.set("kubernetes.azure.com/network-subnet", subnet.name.to_owned(), Source::Computed);
    labels.set("kubernetes.azure.com/nodenetwork-vnetguid", options.vnet_guid.clone(), Source::GlobalOptions);
    labels.set("kubernetes.azure.com/azure-cni-overlay", "true", Source::GlobalOptions);
    labels.set("kubernetes.azure.com/podnetwork-type", "overlay", Source::GlobalOptions);
    labels.set(
        "kubernetes.azure.com/network-stateless-cni",
        if stateless { "true" } else { "false" },
        Source::Detected,
    );
}

/// The labels of one node, and the keys of those that kubelet may not set and that are left to the launcher.
pub fn node_labels(
    request: &Request,
    subnet_id: &str,
    size: &InstanceType,
    fidelity: Fidelity,
) -> Result<(Labels, Vec<String>), NotASubnet> {
    let mut labels = base_labels(&request.options, &request.node_class, subnet_id, size.architecture)?;
    if fidelity.is_ours() && request.node_class.runs_local_dns() {
        labels.set(LOCAL_DNS, "enabled", Source::NodeClass);
    }
    for (key, value) in &request.node_claim.labels {
        labels.set(key.clone(), value.clone(), Source::NodePool);
    }
    for (key, value) in claimed_values(&request.node_claim.requirements) {
        labels.set(key.to_owned(), value.to_owned(), Source::NodePool);
    }
    for requirement in &size.requirements {
        if let Some(value) = requirement.single() {
            labels.set(requirement.key, value.clone(), Source::Computed);
        }
    }
    let launch = &request.launch;
    if fidelity.is_ours() {
        let priority = if launch.capacity_type == CapacityType::Spot { "spot" } else { "regular" };
        for key in PRIORITIES {
            labels.set(key, priority, Source::Computed);
        }
    }
    labels.set("karpenter.sh/capacity-type", launch.capacity_type.as_str(), Source::Computed);
    labels.set("karpenter.azure.com/placement-scope", launch.placement_scope.as_str(), Source::Computed);
    labels.set(
        "karpenter.azure.com/sku-storage-ultra-ssd",
        if launch.ultra_ssd { "true" } else { "false" },
        Source::Computed,
    );
    let forbidden = labels.sanitise();
    Ok((labels, forbidden))
}
