//! A configuration to start from.
//!
//! Comments are members whose keys begin with `//`: the file stays JSON, and the peer's own readers pass over them too.

use serde_json::{Map, Value, json};
use slipway_contract::Issue;
use slipway_model::Secret;

use crate::config::{FlexConfig, read};

/// What is known about a machine that is to join.
#[derive(Debug, Clone, Default)]
pub struct Answers {
    /// The cluster's resource id.
    pub cluster: String,
    /// The cluster's region.
    pub location: Option<String>,
    /// The tenant.
    pub tenant: Option<String>,
    /// How the machine authenticates.
    pub way: Way,
    /// The node's name, if it is not the host's.
    pub node_name: Option<String>,
    /// The version of Kubernetes.
    pub kubernetes: Option<String>,
    /// The API server's address.
    pub server: Option<String>,
    /// The cluster's CA: PEM, then base64.
    pub ca: Option<String>,
}

/// How a machine authenticates.
#[derive(Debug, Clone, Default)]
pub enum Way {
    /// As the machine in Azure Arc.
    #[default]
    Arc,
    /// As a managed identity: the system's, or the one with this client id.
    Managed(Option<String>),
    /// As a service principal whose secret is in a file.
    Principal {
        /// Its application id.
        client: String,
        /// The file with its secret.
        secret_file: String,
    },
    /// With a bootstrap token.
    Token(Secret<String>),
    /// With the bootstrap token in this file.
    TokenFile(String),
}

/// The text of a commented configuration, or what keeps it from being one.
pub fn document(answers: &Answers, hostname: &str) -> Result<Secret<String>, Vec<Issue>> {
    let text = Secret::new(format!("{:#}\n", value(answers)));
    let reading = read(text.expose().as_bytes(), hostname);
    match reading.config {
        Some(FlexConfig { .. }) => Ok(text),
        None => Err(reading.issues),
    }
}

fn value(answers: &Answers) -> Value {
    let mut azure = Map::new();
    let mut cluster = Map::new();
    put(&mut cluster, "resourceId", Some(&answers.cluster));
    put(&mut cluster, "location", answers.location.as_ref());
    azure.insert("targetCluster".to_owned(), Value::Object(cluster));
    put(&mut azure, "tenantId", answers.tenant.as_ref());
    let (comment, object, members) = way(answers);
    azure.insert(format!("// {object}"), json!(comment));
    azure.insert(object.to_owned(), members);

    let mut kubelet = Map::new();
    put(&mut kubelet, "clusterFQDN", answers.server.as_ref());
    put(&mut kubelet, "caCertData", answers.ca.as_ref());

    let mut root = Map::new();
    let about = "A machine that joins an AKS cluster. Keys that begin with // are comments; every reader ignores them.";
    root.insert("//".to_owned(), json!(about));
    root.insert("azure".to_owned(), Value::Object(azure));
    if answers.node_name.is_some() {
        let mut agent = Map::new();
        put(&mut agent, "nodeName", answers.node_name.as_ref());
        root.insert("agent".to_owned(), Value::Object(agent));
    }
    root.insert(
        "// components".to_owned(),
        json!("The node's version must not be newer than the cluster's."),
    );
    let mut components = Map::new();
    put(&mut components, "kubernetes", answers.kubernetes.as_ref());
    root.insert("components".to_owned(), Value::Object(components));
    let mut node = Map::new();
    node.insert(
        "// labels".to_owned(),
        json!("Labels and taints with which the node registers; taints are key=value:Effect."),
    );
    node.insert("labels".to_owned(), json!({}));
    node.insert("taints".to_owned(), json!([]));
    if !kubelet.is_empty() {
        node.insert(
            "// kubelet".to_owned(),
            json!("The API server, and the CA that speaks for it (PEM, then base64)."),
        );
        node.insert("kubelet".to_owned(), Value::Object(kubelet));
    }
    root.insert("node".to_owned(), Value::Object(node));
    Value::Object(root)
}

/// What is said about the way to authenticate, the object for it, and what is in that.
fn way(answers: &Answers) -> (&'static str, &'static str, Value) {
    match &answers.way {
        Way::Arc => {
            let about = "The machine's identity comes from Azure Arc; name, group and region are the host's and the cluster's \
                         unless machineName, resourceGroup and location say otherwise.";
            (about, "arc", json!({ "enabled": true }))
        }
        Way::Managed(client) => {
            let mut members = Map::new();
            put(&mut members, "clientId", client.as_ref());
            (
                "The VM's managed identity; clientId names a user-assigned one.",
                "managedIdentity",
                Value::Object(members),
            )
        }
        Way::Principal { client, secret_file } => {
            let mut members = Map::new();
            put(&mut members, "tenantId", answers.tenant.as_ref());
            put(&mut members, "clientId", Some(client));
            put(&mut members, "clientSecretFile", Some(secret_file));
            (
                "A service principal; its secret stays in its own file.",
                "servicePrincipal",
                Value::Object(members),
            )
        }
        Way::Token(token) => (
            "Used once: the node trades it for a certificate.",
            "bootstrapToken",
            json!({ "token": token.expose() }),
        ),
        Way::TokenFile(path) => (
            "Used once: the node trades it for a certificate.",
            "bootstrapToken",
            json!({ "tokenFile": path }),
        ),
    }
}

fn put(members: &mut Map<String, Value>, name: &str, text: Option<&String>) {
    if let Some(text) = text.filter(|text| !text.is_empty()) {
        members.insert(name.to_owned(), json!(text));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CLUSTER: &str = "/subscriptions/11111111-2222-3333-4444-555555555555/resourceGroups/g/providers/Microsoft.ContainerService/managedClusters/c";

    fn answers(way: Way) -> Answers {
        Answers {
            cluster: CLUSTER.to_owned(),
            location: Some("westeurope".to_owned()),
            tenant: Some("t".to_owned()),
            way,
            ..Answers::default()
        }
    }

    #[test]
    fn what_is_written_can_be_read_whatever_the_way() {
        let principal = Way::Principal { client: "c".to_owned(), secret_file: "/s".to_owned() };
        for (way, name) in [
            (Way::Arc, "arc"),
            (Way::Managed(None), "managedIdentity"),
            (principal, "servicePrincipal"),
            (Way::Token(Secret::from("abcdef.0123456789abcdef")), "bootstrapToken"),
            (Way::TokenFile("/t".to_owned()), "bootstrapToken"),
        ] {
            let answers = Answers {
                server: Some("api.example".to_owned()),
                // A certificate's lines around nothing.
                ca: Some("LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0tCg==".to_owned()),
                ..answers(way)
            };
            let text = document(&answers, "edge").unwrap();
            let config = read(text.expose().as_bytes(), "edge").config.unwrap();
            assert_eq!(config.authentication(), [name]);
            assert!(text.expose().contains("\"// "), "{name}");
        }
    }

    #[test]
    fn what_is_missing_is_said_with_its_key() {
        let paths = |answers: &Answers| {
            let issues = document(answers, "edge").unwrap_err();
            issues.into_iter().map(|issue| issue.path).collect::<Vec<_>>()
        };
        let token = answers(Way::TokenFile("/t".to_owned()));
        assert_eq!(paths(&token), ["node.kubelet.clusterFQDN", "node.kubelet.caCertData"]);
        let nothing = Answers { tenant: None, ..answers(Way::Arc) };
        assert_eq!(paths(&nothing), ["azure.tenantId"]);
    }
}
