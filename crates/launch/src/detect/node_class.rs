//! A node class as the cluster has it: an `AKSNodeClass` of `v1beta1`, or its specification alone.

use serde_json::Value;

use super::{Sighting, Witness};

/// What a node class says about a request.
pub fn node_class(document: &Value) -> Vec<Sighting> {
    let spec = document.get("spec").unwrap_or(document);
    let status = document.get("status");
    let status_text = |name: &str| status?.get(name)?.as_str().map(Value::from);
    [
        ("nodeClass.spec", Some(spec.clone())),
        ("nodeClass.kubernetesVersion", status_text("kubernetesVersion")),
        ("nodeClass.localDNSState", status_text("localDNSState")),
        ("nodeClass.latestImageVersion", status.and_then(newest_version).map(Value::from)),
    ]
    .into_iter()
    .filter_map(|(path, value)| Sighting::of(path, Witness::NodeClass, value?))
    .collect()
}

/// The version of the images that the class records; all have the same.
fn newest_version(status: &Value) -> Option<&str> {
    let id = status.get("images")?.as_array()?.first()?.get("id")?.as_str()?;
    id.rsplit_once('/').map(|(_, version)| version).filter(|version| !version.is_empty())
}
