//! The kubeconfig files of a node. They are written as JSON, which is YAML.

use serde_json::{Value, json};
use slipway_model::Secret;

/// What all of a node's kubeconfig files say.
#[derive(Debug, Clone, Copy)]
pub struct Cluster<'a> {
    /// The API server, such as `https://name:443`.
    pub server: &'a str,
    /// Where the cluster's CA is on the node.
    pub ca_file: &'a str,
}

/// The names that a kubeconfig file uses inside itself.
struct Names {
    cluster: &'static str,
    user: &'static str,
    context: &'static str,
}

/// As in the files of the AKS scripts; people search for them.
const BOOTSTRAP: Names =
    Names { cluster: "localcluster", user: "kubelet-bootstrap", context: "bootstrap-context" };
const STATIC: Names = Names { cluster: "localcluster", user: "client", context: "localclustercontext" };
/// As kubelet writes them after it has bootstrapped itself.
const JOINED: Names = Names { cluster: "default-cluster", user: "default-auth", context: "default-context" };

impl Cluster<'_> {
    /// What kubelet bootstraps with: `bootstrap-kubeconfig`.
    pub fn with_token(&self, token: &Secret<String>) -> Secret<String> {
        Secret::new(self.document(&BOOTSTRAP, &json!({"token": token.expose()})))
    }

    /// What kubelet works with after TLS bootstrap: one file with certificate and key.
    pub fn with_client_pem(&self, pem_file: &str) -> String {
        self.document(&JOINED, &json!({"client-certificate": pem_file, "client-key": pem_file}))
    }

    /// What kubelet works with when it was given a certificate.
    pub fn with_certificate(&self, certificate_file: &str, key_file: &str) -> String {
        self.document(&STATIC, &json!({"client-certificate": certificate_file, "client-key": key_file}))
    }

    fn document(&self, names: &Names, user: &Value) -> String {
        let document = json!({
            "apiVersion": "v1",
            "kind": "Config",
            "clusters": [{
                "name": names.cluster,
                "cluster": {"certificate-authority": self.ca_file, "server": self.server},
            }],
            "users": [{"name": names.user, "user": user}],
            "contexts": [{
                "name": names.context,
                "context": {"cluster": names.cluster, "user": names.user},
            }],
            "current-context": names.context,
        });
        format!("{document:#}\n")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CLUSTER: Cluster<'_> =
        Cluster { server: "https://api.example:443", ca_file: "/etc/kubernetes/certs/ca.crt" };

    #[test]
    fn the_current_context_leads_to_the_cluster_and_the_user() {
        for (text, context, key, value) in [
            (
                CLUSTER.with_token(&Secret::from("abcdef.x")).expose().clone(),
                "bootstrap-context",
                "token",
                "abcdef.x",
            ),
            (CLUSTER.with_client_pem("/p.pem"), "default-context", "client-key", "/p.pem"),
            (CLUSTER.with_certificate("/c", "/k"), "localclustercontext", "client-certificate", "/c"),
        ] {
            let document: Value = serde_json::from_str(&text).unwrap();
            assert_eq!(document["current-context"], context);
            let named = &document["contexts"][0];
            assert_eq!(named["name"], context);
            assert_eq!(named["context"]["cluster"], document["clusters"][0]["name"]);
            assert_eq!(named["context"]["user"], document["users"][0]["name"]);
            assert_eq!(document["clusters"][0]["cluster"]["server"], CLUSTER.server);
            assert_eq!(document["clusters"][0]["cluster"]["certificate-authority"], CLUSTER.ca_file);
            assert_eq!(document["users"][0]["user"][key], value);
        }
    }

    #[test]
    fn a_token_is_not_shown() {
        let text = CLUSTER.with_token(&Secret::from("abcdef.0123456789abcdef"));
        assert_eq!(format!("{text:?}"), "<secret>");
    }
}
