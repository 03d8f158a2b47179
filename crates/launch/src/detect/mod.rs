//! Detection: what a cluster, its description and a launcher's settings say about a launch request.
//!
//! Comes in: texts and facts that somebody else has read. Goes out: sightings of members of the request; a request put
//! together from them, or blanks of one filled; and every disagreement between those who saw the same member, which a
//! launcher otherwise learns from nodes that never join. Never does: asking anybody.

mod cluster_document;
mod node_class;
mod settings;
mod size_list;

use std::fmt;

use serde_json::{Map, Value};
use slipway_model::Secret;

use crate::computed::api_server_name;

pub use cluster_document::cluster_document;
pub use node_class::node_class;
pub use settings::{document_settings, environment_settings};
pub use size_list::{NoSize, size};

/// Who says something about a request, the one that is believed first coming first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Witness {
    /// The request itself.
    Request,
    /// The launcher's settings.
    Settings,
    /// The node class.
    NodeClass,
    /// The running cluster.
    Live,
    /// What the AKS API says of the cluster.
    ClusterDocument,
    /// The list of sizes.
    SizeList,
    /// Worked out from what others say; only where nobody says it.
    Derived,
}

/// A member of a request that somebody has seen.
#[derive(Debug, Clone, PartialEq)]
pub struct Sighting {
    /// Which member: `options.networkPlugin`.
    pub path: &'static str,
    /// Who says so.
    pub witness: Witness,
    /// What it is.
    pub value: Value,
}

/// Two who do not say the same of a member.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Disagreement {
    /// Which member.
    pub path: &'static str,
    /// Who is believed, and what it says.
    pub used: (Witness, String),
    /// Who is not.
    pub ignored: (Witness, String),
}

/// Members that must not be seen.
pub const SECRETS: [&str; 2] = ["options.kubeletBootstrapToken", "options.httpProxy.trustedCA"];

impl Sighting {
    /// A sighting, unless there is nothing to see.
    fn of(path: &'static str, witness: Witness, value: impl Into<Value>) -> Option<Self> {
        let value = value.into();
        let is_empty = match &value {
            Value::Null => true,
            Value::Array(items) => items.is_empty(),
            Value::Object(members) => members.is_empty(),
            Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
        };
        (!is_empty).then_some(Self { path, witness, value })
    }
}

/// What a running cluster says.
#[derive(Debug, Clone, Default)]
pub struct LiveCluster {
    /// The API server's address.
    pub endpoint: String,
    /// The certificates that it is trusted by: PEM, in base64.
    pub ca_bundle_base64: String,
    /// Its version, without `v`.
    pub version: String,
    /// The address of the DNS service, where there is one.
    pub dns_service_ip: Option<String>,
    /// A token that nodes can join with, where we may see one.
    pub bootstrap_token: Option<Secret<String>>,
}

impl LiveCluster {
    /// What it says about a request.
    pub fn sightings(&self) -> Vec<Sighting> {
        let text = |text: &str| Some(text.to_owned()).filter(|text| !text.is_empty());
        [
            ("options.clusterEndpoint", text(&self.endpoint)),
            ("environment.caBundleBase64", text(&self.ca_bundle_base64)),
            ("nodeClass.kubernetesVersion", text(&self.version)),
            ("options.dnsServiceIP", self.dns_service_ip.clone()),
            (
                "options.kubeletBootstrapToken",
                self.bootstrap_token.as_ref().map(|token| token.expose().clone()),
            ),
        ]
        .into_iter()
        .filter_map(|(path, value)| Sighting::of(path, Witness::Live, value?))
        .collect()
    }
}

/// Puts a request together: each member as the most trusted of its witnesses says.
pub fn assemble(sightings: Vec<Sighting>) -> (Value, Vec<Disagreement>) {
    fill(Value::Object(Map::new()), sightings)
}

/// Fills the blanks of a request. What it already says stays, and is compared.
pub fn fill(mut request: Value, mut sightings: Vec<Sighting>) -> (Value, Vec<Disagreement>) {
    // Sorting keeps the order of equals, so each member is next to itself, its best witness first.
    sightings.sort_by(|one, other| one.path.cmp(other.path).then(one.witness.cmp(&other.witness)));
    let mut disagreements = Vec::new();
    let mut used: Option<(&'static str, Witness, Value)> = None;
    for Sighting { path, witness, value } in sightings {
        if used.as_ref().is_none_or(|(known, ..)| *known != path) {
            used = at(&request, path).map(|said| (path, Witness::Request, said.clone()));
        }
        match &used {
            None => {
                put(&mut request, path, value.clone());
                used = Some((path, witness, value));
            }
            Some((_, believed, said)) => {
                if witness != Witness::Derived && !agree(path, said, &value) {
                    disagreements.push(Disagreement {
                        path,
                        used: (*believed, shown(path, said)),
                        ignored: (witness, shown(path, &value)),
                    });
                }
            }
        }
    }
    (request, disagreements)
}

/// What a request says at a path; null and nothing at all are the same.
pub fn at<'v>(request: &'v Value, path: &str) -> Option<&'v Value> {
    path.split('.').try_fold(request, |value, name| value.get(name)).filter(|value| !value.is_null())
}

fn put(request: &mut Value, path: &str, value: Value) {
    let mut place = request;
    for name in path.split('.') {
        if !place.is_object() {
            *place = Value::Object(Map::new());
        }
        place = &mut place[name];
    }
    *place = value;
}

/// Whether two say the same. Azure's names do not differ by case; of an endpoint the host counts.
fn agree(path: &str, one: &Value, other: &Value) -> bool {
    match (one, other) {
        // Any of several tokens will do.
        _ if path == SECRETS[0] => true,
        (Value::String(one), Value::String(other)) if path == "options.clusterEndpoint" => {
            api_server_name(one).eq_ignore_ascii_case(api_server_name(other))
        }
        (Value::String(one), Value::String(other)) if is_a_name(path) => one.eq_ignore_ascii_case(other),
        // Additions of either side do not contradict the other.
        (Value::Array(_), Value::Array(_)) | (Value::Object(_), Value::Object(_)) => true,
        _ => one == other,
    }
}

fn is_a_name(path: &str) -> bool {
    !matches!(path, "environment.caBundleBase64" | "options.sshPublicKey")
}

/// A value for people: no secret, and no certificate of a page's length.
fn shown(path: &str, value: &Value) -> String {
    if SECRETS.contains(&path) {
        return Secret::<String>::MASK.to_owned();
    }
    let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    match text.char_indices().nth(80) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None if text.is_empty() => "nothing".to_owned(),
        None => text,
    }
}

impl fmt::Display for Witness {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::Request => "the request",
            Self::Settings => "the settings",
            Self::NodeClass => "the node class",
            Self::Live => "the API server",
            Self::ClusterDocument => "the cluster's description",
            Self::SizeList => "the list of sizes",
            Self::Derived => "its own reckoning",
        })
    }
}

impl fmt::Display for Disagreement {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { path, used: (believed, value), ignored: (witness, other) } = self;
        write!(out, "{path}: {value} by {believed}, {other} by {witness}; {value} is used")
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn seen(path: &'static str, witness: Witness, value: &str) -> Sighting {
        Sighting { path, witness, value: json!(value) }
    }

    #[test]
    fn the_most_trusted_witness_is_believed_and_the_others_are_compared_with_it() {
        let (request, disagreements) = assemble(vec![
            seen("options.networkPlugin", Witness::ClusterDocument, "none"),
            seen("options.networkPlugin", Witness::Settings, "azure"),
            seen("options.networkPlugin", Witness::Derived, "kubenet"),
            seen("options.clusterEndpoint", Witness::Live, "https://A.example:443"),
            seen("options.clusterEndpoint", Witness::ClusterDocument, "https://a.example"),
            seen("options.nodeResourceGroup", Witness::Derived, "MC_g"),
        ]);
        let expected = json!({"options": {
            "networkPlugin": "azure", "clusterEndpoint": "https://A.example:443", "nodeResourceGroup": "MC_g",
        }});
        assert_eq!(request, expected);
        let told: Vec<String> = disagreements.iter().map(ToString::to_string).collect();
        assert_eq!(
            told,
            [
                "options.networkPlugin: azure by the settings, none by the cluster's description; azure is used"
            ]
        );
    }

    #[test]
    fn what_a_request_says_stays() {
        let given = json!({"options": {"dnsServiceIP": "10.0.0.10", "networkPolicy": null}});
        let (request, disagreements) = fill(
            given,
            vec![
                seen("options.dnsServiceIP", Witness::Live, "10.2.0.10"),
                seen("options.networkPolicy", Witness::Live, "calico"),
            ],
        );
        assert_eq!(request, json!({"options": {"dnsServiceIP": "10.0.0.10", "networkPolicy": "calico"}}));
        assert_eq!(disagreements.len(), 1);
        assert_eq!(disagreements[0].ignored, (Witness::Live, "10.2.0.10".to_owned()));
    }

    #[test]
    fn tokens_are_neither_compared_nor_told() {
        let path = "options.kubeletBootstrapToken";
        let (_, disagreements) =
            assemble(vec![seen(path, Witness::Settings, "abcdef.1"), seen(path, Witness::Live, "fedcba.2")]);
        assert_eq!(disagreements, []);
        assert_eq!(shown(path, &json!("abcdef.1")), "<secret>");
    }
}
