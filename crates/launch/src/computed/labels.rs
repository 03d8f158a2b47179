//! Labels that a node registers with.

use std::borrow::Cow;
use std::collections::BTreeMap;

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
const PRIORITIES: [&str; 2] = ["kubernetes.azure.com/scalesetpriority", "kubernetes.azure.com/priority"];

/// Labels with the layers that they came from, sorted by key.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Labels(BTreeMap<String, Layered<String>>);

impl Labels {
    /// The labels and their layers.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Layered<String>)> {
        self.0.iter().map(|(key, value)| (key.as_str(), value))
    }

    /// A label's value.
    pub fn get(&self, key: &str) -> Option<&str> {
        self.0.get(key).map(|value| value.value.as_str())
    }

    /// The labels as kubelet's flag has them.
    pub fn text(&self) -> String {
        let mut text = String::with_capacity(2048);
        for (key, value) in &self.0 {
            if !text.is_empty() {
                text.push(',');
            }
            text.extend([key, "=", &value.value]);
        }
        text
    }

    /// Puts a label on top of what is there. The same value from another layer is not worth a word.
    pub fn set(&mut self, key: &str, value: impl Into<String>, source: Source) {
        let value = value.into();
        match self.0.get_mut(key) {
            Some(before) if before.value == value => before.source = source,
            Some(before) => {
                let lost = std::mem::replace(before, Layered::new(String::new(), source));
                *before = lost.under(Some(value), source);
            }
            None => {
                self.0.insert(key.to_owned(), Layered::new(value, source));
            }
        }
    }

    /// The labels of a payload that runs neither the local resolver nor artifact streaming: they do not claim it.
    pub fn without_what_is_not_run(&self) -> Cow<'_, Self> {
        let is_claimed = self.get(LOCAL_DNS) == Some("enabled") || self.0.contains_key(ARTIFACT_STREAMING);
        if !is_claimed {
            return Cow::Borrowed(self);
        }
        let mut labels = self.clone();
        labels.set(LOCAL_DNS, "disabled", Source::Computed);
        labels.0.remove(ARTIFACT_STREAMING);
        Cow::Owned(labels)
    }

    /// Takes away the labels that kubelet may not set, and tells their keys.
    fn sanitise(&mut self) -> Vec<String> {
        let forbidden: Vec<String> = self.0.keys().filter(|key| !kubelet_may_set(key)).cloned().collect();
        for key in &forbidden {
            self.0.remove(key);
        }
        forbidden
    }
}

impl<K: Into<String>, V: Into<String>> FromIterator<(K, V)> for Labels {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(labels: I) -> Self {
        let layered = |value: V| Layered::new(value.into(), Source::NodePool);
        Self(labels.into_iter().map(|(key, value)| (key.into(), layered(value))).collect())
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
    let mut labels = Labels::default();
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
        options.kubelet_identity_client_id.as_str(),
        Source::GlobalOptions,
    );
    let family = spec.image_family.as_deref();
    let effective = Family::of(&Wanted::of(options, node_class));
    labels.set("kubernetes.azure.com/os-sku", os_sku(family), Source::NodeClass);
    labels.set("kubernetes.azure.com/os-sku-requested", family.unwrap_or_default(), Source::NodeClass);
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
    labels.set("kubernetes.azure.com/network-subnet", subnet.name, Source::Computed);
    labels.set(
        "kubernetes.azure.com/nodenetwork-vnetguid",
        options.vnet_guid.as_str(),
        Source::GlobalOptions,
    );
    labels.set("kubernetes.azure.com/azure-cni-overlay", "true", Source::GlobalOptions);
    labels.set("kubernetes.azure.com/podnetwork-type", "overlay", Source::GlobalOptions);
    labels.set("kubernetes.azure.com/network-stateless-cni", stateless.to_string(), Source::Detected);
}

/// The labels of one node, and the keys of those that kubelet may not set and that are left to the launcher.
pub fn node_labels(
    request: &Request,
    subnet_id: &str,
    size: &InstanceType,
    fidelity: Fidelity,
) -> Result<(Labels, Vec<String>), NotASubnet> {
    let mut labels = base_labels(&request.options, &request.node_class, subnet_id, size.architecture)?;
    for (key, value) in &request.node_claim.labels {
        labels.set(key, value.as_str(), Source::NodePool);
    }
    for (key, value) in claimed_values(&request.node_claim.requirements) {
        labels.set(key, value, Source::NodePool);
    }
    for requirement in &size.requirements {
        if let Some(value) = requirement.single() {
            labels.set(requirement.key, value, Source::Computed);
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
    labels.set("karpenter.azure.com/sku-storage-ultra-ssd", launch.ultra_ssd.to_string(), Source::Computed);
    let forbidden = labels.sanitise();
    Ok((labels, forbidden))
}
