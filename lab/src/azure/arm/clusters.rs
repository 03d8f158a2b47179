//! Clusters, and the kubeconfigs that they give away.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use super::Arm;
use super::refusal::Refusal;
use super::target::{Aim, Target};
use crate::azure::answer::Answer;
use crate::azure::cloud::{KUBERNETES, ManagedCluster};
use crate::azure::http::Request;
use crate::azure::id::uuid;

/// What is said about clusters.
pub(super) fn answer(arm: &Arm, target: &Target, request: &Request) -> Result<Answer, Refusal> {
    let find = || {
        let found = arm.clusters.iter().find(|it| it.id(&arm.subscription).eq_ignore_ascii_case(&target.id));
        found.ok_or_else(|| Refusal::not_found(target.kind, target.name(), target.group()))
    };
    match (request.method.as_str(), &target.aim) {
        ("GET", Aim::One) => Ok(Answer::json(200, &document(arm, find()?))),
        ("GET", Aim::All) => {
            let value: Vec<Value> = arm.clusters.iter().map(|cluster| document(arm, cluster)).collect();
            Ok(Answer::json(200, &json!({ "value": value })))
        }
        ("POST", Aim::Action(action)) => match action.as_str() {
            "listclusteradmincredential" => admin(find()?),
            "listclusterusercredential" => {
                let cluster = find()?;
                Ok(credential("clusterUser", &user_kubeconfig(cluster, &arm.tenant)))
            }
            _ => Err(super::not_allowed(&request.method)),
        },
        _ => Err(super::not_allowed(&request.method)),
    }
}

fn document(arm: &Arm, cluster: &ManagedCluster) -> Value {
    let ManagedCluster { name, kubernetes, .. } = cluster;
    let pools: Vec<Value> = cluster
        .agent_pools
        .iter()
        .map(|pool| json!({ "name": pool, "mode": "Machines", "provisioningState": "Succeeded" }))
        .collect();
    json!({
        "id": cluster.id(&arm.subscription),
        "name": name,
        "type": "Microsoft.ContainerService/ManagedClusters",
        "location": arm.location,
        "sku": { "name": "Base", "tier": "Free" },
        "identity": {
            "type": "SystemAssigned",
            "principalId": uuid(&format!("cluster {name}")),
            "tenantId": arm.tenant,
        },
        "properties": {
            "provisioningState": "Succeeded",
            "powerState": { "code": "Running" },
            "kubernetesVersion": kubernetes,
            "currentKubernetesVersion": kubernetes,
            "dnsPrefix": name,
            "fqdn": cluster.fqdn,
            "enableRBAC": true,
            "disableLocalAccounts": cluster.admin_kubeconfig.is_none(),
            "aadProfile": {
                "managed": true,
                "enableAzureRBAC": cluster.azure_rbac,
                "tenantID": arm.tenant,
            },
            "networkProfile": { "networkPlugin": "none", "dnsServiceIP": cluster.dns },
            "nodeResourceGroup": format!("MC_{}_{name}_{}", cluster.resource_group, arm.location),
            "agentPoolProfiles": pools,
        },
    })
}

fn admin(cluster: &ManagedCluster) -> Result<Answer, Refusal> {
    match &cluster.admin_kubeconfig {
        Some(kubeconfig) => Ok(credential("clusterAdmin", kubeconfig)),
        None => Err(Refusal::new(
            400,
            "BadRequest",
            "Getting static credential is not allowed because this cluster is set to disable local accounts.",
        )),
    }
}

fn credential(name: &str, kubeconfig: &str) -> Answer {
    let value = STANDARD.encode(kubeconfig);
    Answer::json(200, &json!({ "kubeconfigs": [{ "name": name, "value": value }] }))
}

/// A kubeconfig without a secret: whoever uses it signs in.
fn user_kubeconfig(cluster: &ManagedCluster, tenant: &str) -> String {
    let ManagedCluster { name, fqdn, resource_group, .. } = cluster;
    let authority = STANDARD.encode(&cluster.authority);
    let user = format!("clusterUser_{resource_group}_{name}");
    format!(
        "apiVersion: v1
clusters:
- cluster:
    certificate-authority-data: {authority}
    server: https://{fqdn}:443
  name: {name}
contexts:
- context:
    cluster: {name}
    user: {user}
  name: {name}
current-context: {name}
kind: Config
preferences: {{}}
users:
- name: {user}
  user:
    exec:
      apiVersion: client.authentication.k8s.io/v1beta1
      args:
      - get-token
      - --environment
      - AzurePublicCloud
      - --server-id
      - {KUBERNETES}
      - --client-id
      - 80faf920-1908-4b52-b5ef-a8e7bedfc67a
      - --tenant-id
      - {tenant}
      - --login
      - devicecode
      command: kubelogin
      env: null
      provideClusterInfo: false
"
    )
}
