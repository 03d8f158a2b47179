//! `slipway config new`: a contract to start from.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use serde_json::{Map, Value, json};

use crate::Outcome;
use crate::cli::New;
use crate::failure::Failure;
use crate::files;
use crate::screen::Screen;

pub(crate) fn contract(arguments: &New, screen: &mut Screen) -> Result<Outcome, Failure> {
    let ca = match &arguments.ca_file {
        Some(path) => BASE64_STANDARD.encode(files::read(path)?.text),
        None => String::new(),
    };
    screen.json(&document(arguments, &ca));
    Ok(Outcome::Done)
}

/// The smallest contract that joins a node, each part with a comment. Values that were not given are empty, and
/// `config validate` says which of them a node cannot do without.
fn document(arguments: &New, ca: &str) -> Value {
    let given = |value: &Option<String>| value.clone().unwrap_or_default();
    let location = given(&arguments.location);
    let node_resource_group = match (&arguments.cluster, &arguments.resource_group) {
        (Some(cluster), group) if !location.is_empty() => {
            format!("MC_{}_{cluster}_{location}", group.as_ref().unwrap_or(cluster))
        }
        _ => String::new(),
    };
    let about = match &arguments.cluster {
        Some(cluster) => format!("A node of cluster {cluster}."),
        None => "A node.".to_owned(),
    };
    let parts = [
        (
            "// contract",
            json!(format!("{about} Keys that start with // are comments; every reader ignores them.")),
        ),
        ("version", json!("v1")),
        ("// api_server_config", json!("The API server's host name, without scheme or port.")),
        ("api_server_config", json!({ "api_server_name": given(&arguments.api_server) })),
        ("// kubernetes_ca_cert", json!("The cluster's CA certificate: PEM, then base64.")),
        ("kubernetes_ca_cert", json!(ca)),
        ("kubernetes_version", json!(given(&arguments.kubernetes_version))),
        (
            "kube_binary_config",
            json!({ "pod_infra_container_image_url": "mcr.microsoft.com/oss/v2/kubernetes/pause:3.10" }),
        ),
        (
            "// bootstrapping_config",
            json!("How kubelet proves who it is the first time: a token as kubeadm makes them."),
        ),
        (
            "bootstrapping_config",
            json!({
                "bootstrapping_auth_method": "BOOTSTRAPPING_AUTH_METHOD_BOOTSTRAP_TOKEN",
                "tls_bootstrapping_token": "",
            }),
        ),
        ("// auth_config", json!("Who the node is towards Azure; here its managed identity.")),
        (
            "auth_config",
            json!({
                "tenant_id": given(&arguments.tenant),
                "subscription_id": given(&arguments.subscription),
                "use_managed_identity_extension": true,
                "assigned_identity_id": "",
            }),
        ),
        (
            "// cluster_config",
            json!("resource_group is the node resource group (MC_...), not the cluster's own."),
        ),
        (
            "cluster_config",
            json!({
                "resource_group": node_resource_group,
                "location": location,
                "vm_type": "VM_TYPE_VMSS",
                "primary_scale_set": "",
                "use_instance_metadata": true,
                "cluster_network_config": { "vnet_name": "", "vnet_resource_group": "", "subnet": "", "route_table": "" },
                "load_balancer_config": { "load_balancer_sku": "LOAD_BALANCER_SKU_STANDARD" },
            }),
        ),
        (
            "// network_config",
            json!("NETWORK_PLUGIN_NONE leaves CNI to a DaemonSet; AZURE and KUBENET set it up on the node."),
        ),
        ("network_config", json!({ "network_plugin": "NETWORK_PLUGIN_NONE" })),
        ("vm_size", json!(given(&arguments.vm_size))),
        ("// kubelet_config", json!("Flags by name with their dashes; labels by key.")),
        (
            "kubelet_config",
            json!({
                "kubelet_flags": { "--max-pods": "110" },
                "kubelet_node_labels": { "kubernetes.azure.com/mode": "user" },
            }),
        ),
    ];
    Value::Object(parts.into_iter().map(|(key, value)| (key.to_owned(), value)).collect::<Map<_, _>>())
}
