//! The cluster that a machine joins.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::Deserialize;
use slipway_fetch::Patience;
use slipway_model::Secret;

use super::call::Question;
use super::{Arm, ArmError, ResourceId};

const API_VERSION: &str = "2024-02-01";
const READ: &str = "Microsoft.ContainerService/managedClusters/read";
const USER_CREDENTIAL: &str = "Microsoft.ContainerService/managedClusters/listClusterUserCredential/action";

/// What the Resource Manager knows about a cluster.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cluster {
    /// Its region.
    pub location: String,
    /// The version of its control plane.
    pub kubernetes_version: String,
    /// The name of its API server: the private one where that is all there is.
    pub fqdn: Option<String>,
    /// Whether Azure's own authorization decides what identities may do inside.
    pub azure_rbac: bool,
    /// The tenant whose identities it knows.
    pub tenant: Option<String>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Answer {
    location: String,
    properties: Properties,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Properties {
    kubernetes_version: String,
    current_kubernetes_version: String,
    fqdn: String,
    #[serde(rename = "privateFQDN")]
    private_fqdn: String,
    aad_profile: Directory,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Directory {
    #[serde(rename = "enableAzureRBAC")]
    enable_azure_rbac: bool,
    #[serde(rename = "tenantID")]
    tenant_id: String,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Credentials {
    kubeconfigs: Vec<Kubeconfig>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Kubeconfig {
    value: Option<Secret<String>>,
}

impl Arm {
    /// The cluster.
    pub fn cluster(&self, id: &ResourceId, patience: Patience<'_>) -> Result<Cluster, ArmError> {
        let path = id.path();
        let question = Question::new(READ, "GET", &path, API_VERSION);
        let Answer { location, properties } = question.read(&self.ask(question, patience)?)?;
        let some = |text: String| Some(text).filter(|text| !text.is_empty());
        Ok(Cluster {
            location,
            kubernetes_version: some(properties.current_kubernetes_version)
                .unwrap_or(properties.kubernetes_version),
            fqdn: some(properties.private_fqdn).or_else(|| some(properties.fqdn)),
            azure_rbac: properties.aad_profile.enable_azure_rbac,
            tenant: some(properties.aad_profile.tenant_id),
        })
    }

    /// The kubeconfig that users of the cluster get, for its server and its CA. It may hold a credential.
    pub fn user_kubeconfig(
        &self,
        id: &ResourceId,
        patience: Patience<'_>,
    ) -> Result<Secret<String>, ArmError> {
        let path = format!("{}/listClusterUserCredential", id.path());
        let question = Question::new(USER_CREDENTIAL, "POST", &path, API_VERSION);
        let credentials: Credentials = question.read_secret(&self.ask(question, patience)?)?;
        let encoded = credentials.kubeconfigs.into_iter().find_map(|kubeconfig| kubeconfig.value);
        let encoded = encoded.ok_or_else(|| question.unreadable(&"there is no kubeconfig in it"))?;
        let text = STANDARD.decode(encoded.expose()).ok().and_then(|bytes| String::from_utf8(bytes).ok());
        text.map(Secret::new).ok_or_else(|| question.unreadable(&"its kubeconfig is no base64 of a text"))
    }
}
