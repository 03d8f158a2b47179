//! How the API server believes tokens of the emulated Entra, and lets role assignments decide what they are good for.
//!
//! Neither keeps it from starting: Entra is looked for in the background, and asked about nobody but its own principals.

use std::path::Path;

use serde_json::{Value, json};

use super::certificates::secret;
use crate::Error;
use crate::azure::entra::issuer;
use crate::azure::{CLUSTER_ACCESS, KUBERNETES, TENANT};

/// The file that says who decides, in this order.
pub(super) const AUTHORIZATION: &str = "authorization.json";
const WEBHOOK: &str = "cluster-access.kubeconfig";

/// The names of Entra's principals are ids; nobody else's are.
const IS_PRINCIPAL: &str =
    "request.user.matches('^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$')";

/// Arguments of the API server: whose tokens it believes, and what they say about their owner.
pub(super) fn trust(authority: &str) -> [String; 6] {
    [
        format!("--oidc-issuer-url={}", issuer(TENANT)),
        format!("--oidc-client-id={KUBERNETES}"),
        format!("--oidc-ca-file={authority}"),
        "--oidc-username-claim=oid".to_owned(),
        "--oidc-username-prefix=-".to_owned(),
        "--oidc-groups-claim=groups".to_owned(),
    ]
}

/// Writes who decides what is allowed: nodes' own rules, the cluster's, and for principals role assignments.
pub(super) fn write(files: &Path) -> Result<(), Error> {
    let webhook = files.join(WEBHOOK);
    secret(&webhook, &kubeconfig().to_string())?;
    secret(&files.join(AUTHORIZATION), &authorization(&webhook).to_string())
}

fn authorization(webhook: &Path) -> Value {
    json!({
        "apiVersion": "apiserver.config.k8s.io/v1",
        "kind": "AuthorizationConfiguration",
        "authorizers": [
            { "type": "Node", "name": "node" },
            { "type": "RBAC", "name": "rbac" },
            { "type": "Webhook", "name": "azure", "webhook": {
                "timeout": "3s",
                // Short, so that an assignment that is honoured or gone is noticed soon.
                "authorizedTTL": "1s",
                "unauthorizedTTL": "1s",
                "subjectAccessReviewVersion": "v1",
                "matchConditionSubjectAccessReviewVersion": "v1",
                "failurePolicy": "NoOpinion",
                "connectionInfo": { "type": "KubeConfigFile", "kubeConfigFile": webhook },
                "matchConditions": [{ "expression": IS_PRINCIPAL }],
            } },
        ],
    })
}

fn kubeconfig() -> Value {
    json!({
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{ "name": "azure", "cluster": { "server": format!("http://{CLUSTER_ACCESS}/") } }],
        "users": [{ "name": "apiserver", "user": {} }],
        "contexts": [{ "name": "azure", "context": { "cluster": "azure", "user": "apiserver" } }],
        "current-context": "azure",
    })
}
