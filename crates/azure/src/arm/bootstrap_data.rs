//! What a pool tells a machine that wants to join it.

use std::collections::BTreeMap;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::Deserialize;
use serde_json::json;
use slipway_fetch::Patience;
use slipway_model::Secret;

use super::call::Question;
use super::{Arm, ArmError, ResourceId};

const API_VERSION: &str = "2026-05-02-preview";
const ACTION: &str = "Microsoft.ContainerService/managedClusters/agentPools/listBootstrapData/action";

/// What a pool says. What it leaves out is empty or absent here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BootstrapData {
    /// The token to join with.
    pub token: Option<Secret<String>>,
    /// The name of the API server.
    pub fqdn: Option<String>,
    /// The cluster's CA, as PEM text.
    pub ca_pem: Option<String>,
    /// The version of Kubernetes.
    pub kubernetes: Option<String>,
    /// The version of containerd.
    pub containerd: Option<String>,
    /// The version of runc.
    pub runc: Option<String>,
    /// The version of the network plugins.
    pub cni: Option<String>,
    /// The address of the cluster's DNS.
    pub dns_service_ip: Option<String>,
    /// How many pods a node takes.
    pub max_pods: Option<u32>,
    /// The labels of its Node.
    pub labels: BTreeMap<String, String>,
    /// The taints of its Node.
    pub taints: Vec<String>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Answer {
    azure: Option<Azure>,
    components: Option<Components>,
    networking: Option<Networking>,
    node: Option<Node>,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Azure {
    bootstrap_token: Option<Token>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Token {
    token: Option<Secret<String>>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Components {
    kubernetes: Option<String>,
    containerd: Option<String>,
    runc: Option<String>,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Networking {
    #[serde(alias = "dnsServiceIP")]
    dns_service_ip: Option<String>,
    cni_version: Option<String>,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Node {
    max_pods: Option<u32>,
    labels: Option<BTreeMap<String, String>>,
    taints: Option<Vec<String>>,
    kubelet: Option<Kubelet>,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Kubelet {
    #[serde(alias = "clusterFQDN")]
    cluster_fqdn: Option<String>,
    ca_cert_data: Option<String>,
}

impl Arm {
    /// What a pool tells a machine that wants to join.
    pub fn bootstrap_data(
        &self,
        pool: &ResourceId,
        patience: Patience<'_>,
    ) -> Result<BootstrapData, ArmError> {
        let path = format!("{}/listBootstrapData", pool.path());
        let body = json!({});
        let question = Question::new(ACTION, "POST", &path, API_VERSION).with(&body);
        let answer: Answer = question.read_secret(&self.ask(question, patience)?)?;
        let token = answer.azure.and_then(|azure| azure.bootstrap_token).and_then(|token| token.token);
        let components = answer.components.unwrap_or_default();
        let networking = answer.networking.unwrap_or_default();
        let node = answer.node.unwrap_or_default();
        let kubelet = node.kubelet.unwrap_or_default();
        let some = |text: Option<String>| text.filter(|text| !text.is_empty());
        let ca_pem = some(kubelet.ca_cert_data).map(|encoded| {
            let text = STANDARD.decode(encoded).ok().and_then(|bytes| String::from_utf8(bytes).ok());
            text.ok_or_else(|| question.unreadable(&"its CA is no base64 of a text"))
        });
        Ok(BootstrapData {
            token: token.filter(|token| !token.expose().is_empty()),
            fqdn: some(kubelet.cluster_fqdn),
            ca_pem: ca_pem.transpose()?,
            kubernetes: some(components.kubernetes),
            containerd: some(components.containerd),
            runc: some(components.runc),
            cni: some(networking.cni_version),
            dns_service_ip: some(networking.dns_service_ip),
            max_pods: node.max_pods,
            labels: node.labels.unwrap_or_default(),
            taints: node.taints.unwrap_or_default(),
        })
    }
}
