//! What an AKS cluster has in it so that nodes can join by bootstrap token.

use serde_json::{Value, json};

/// The binding that lets client certificates of bootstrap tokens be approved.
pub(crate) const APPROVAL: &str = "auto-approve-csrs-for-group";

/// Who may do what: role and group.
const BINDINGS: [(&str, &str, &str); 3] = [
    ("create-csrs-for-bootstrapping", "system:node-bootstrapper", "system:bootstrappers"),
    (APPROVAL, "system:certificates.k8s.io:certificatesigningrequests:nodeclient", "system:bootstrappers"),
    (
        "auto-approve-renewals-for-nodes",
        "system:certificates.k8s.io:certificatesigningrequests:selfnodeclient",
        "system:nodes",
    ),
];

/// Every object, as one list. The token is `ID.SECRET`.
pub(super) fn objects(token: (&str, &str)) -> Value {
    let bindings = BINDINGS.iter().map(|(name, role, group)| {
        json!({
            "apiVersion": "rbac.authorization.k8s.io/v1",
            "kind": "ClusterRoleBinding",
            "metadata": {"name": name},
            "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": role},
            "subjects": [{"apiGroup": "rbac.authorization.k8s.io", "kind": "Group", "name": group}],
        })
    });
    let (id, secret) = token;
    let token = json!({
        "apiVersion": "v1",
        "kind": "Secret",
        "type": "bootstrap.kubernetes.io/token",
        "metadata": {"name": format!("bootstrap-token-{id}"), "namespace": "kube-system"},
        "stringData": {
            "token-id": id,
            "token-secret": secret,
            "usage-bootstrap-authentication": "true",
            "usage-bootstrap-signing": "true",
        },
    });
    json!({"apiVersion": "v1", "kind": "List", "items": bindings.chain([token]).collect::<Vec<_>>()})
}

/// A pod that answers HTTP, bound to a node.
pub(super) fn pod(name: &str, node: &str, image: &str) -> Value {
    json!({
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "namespace": "default"},
        "spec": {
            "nodeSelector": {"kubernetes.io/hostname": node},
            "terminationGracePeriodSeconds": 0,
            "containers": [{"name": "serve", "image": image, "imagePullPolicy": "IfNotPresent", "args": ["serve"]}],
        },
    })
}
