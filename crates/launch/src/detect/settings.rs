//! A launcher's settings, wherever they are kept: an environment, a config map, a deployment, Helm values.

use serde_json::{Map, Value, json};

use super::{Sighting, Witness};
use crate::options::{Kind, SETTINGS};

/// Environment variables of the launcher, and the members of the request that they are. An earlier name wins.
const MEMBERS: [(&str, &str); 39] = [
    ("CLUSTER_NAME", "options.clusterName"),
    ("CLUSTER_ENDPOINT", "options.clusterEndpoint"),
    ("KUBELET_BOOTSTRAP_TOKEN", "options.kubeletBootstrapToken"),
    ("SSH_PUBLIC_KEY", "options.sshPublicKey"),
    ("LINUX_ADMIN_USERNAME", "options.linuxAdminUsername"),
    ("NETWORK_PLUGIN", "options.networkPlugin"),
    ("NETWORK_PLUGIN_MODE", "options.networkPluginMode"),
    ("NETWORK_POLICY", "options.networkPolicy"),
    ("NETWORK_DATAPLANE", "options.networkDataplane"),
    ("DNS_SERVICE_IP", "options.dnsServiceIP"),
    ("VNET_GUID", "options.vnetGUID"),
    ("VNET_SUBNET_ID", "options.vnetSubnetID"),
    ("KUBELET_IDENTITY_CLIENT_ID", "options.kubeletIdentityClientID"),
    ("NODE_IDENTITIES", "options.nodeIdentities"),
    ("AZURE_NODE_RESOURCE_GROUP", "options.nodeResourceGroup"),
    ("VM_MEMORY_OVERHEAD_PERCENT", "options.vmMemoryOverheadPercent"),
    ("USE_SIG", "options.useSIG"),
    ("SIG_SUBSCRIPTION_ID", "options.sigSubscriptionID"),
    ("NODE_OSDISK_DISKENCRYPTIONSET_ID", "options.diskEncryptionSetID"),
    ("ADDITIONAL_TAGS", "options.additionalTags"),
    ("PROVISION_MODE", "options.provisionMode"),
    ("NODEBOOTSTRAPPING_SERVER_URL", "options.nodeBootstrappingServerURL"),
    ("AKS_MACHINES_POOL_NAME", "options.aksMachinesPoolName"),
    ("AZURE_TENANT_ID", "environment.tenantID"),
    ("ARM_TENANT_ID", "environment.tenantID"),
    ("AZURE_SUBSCRIPTION_ID", "environment.subscriptionID"),
    ("ARM_SUBSCRIPTION_ID", "environment.subscriptionID"),
    ("LOCATION", "environment.location"),
    ("ARM_CLOUD", "environment.cloud"),
    ("ARM_RESOURCE_GROUP", "environment.clusterResourceGroup"),
    // Keys of the ConfigMap `karpenter-global-settings`, where settings were kept before.
    ("azure.clusterName", "options.clusterName"),
    ("azure.clusterEndpoint", "options.clusterEndpoint"),
    ("azure.kubeletClientTLSBootstrapToken", "options.kubeletBootstrapToken"),
    ("azure.sshPublicKey", "options.sshPublicKey"),
    ("azure.networkPlugin", "options.networkPlugin"),
    ("azure.networkPolicy", "options.networkPolicy"),
    ("azure.nodeIdentities", "options.nodeIdentities"),
    ("azure.vmMemoryOverheadPercent", "options.vmMemoryOverheadPercent"),
    ("azure.tags", "options.additionalTags"),
];

/// What lines of `NAME=value` say, with or without `export` and quotes.
pub fn environment_settings(text: &str) -> Vec<Sighting> {
    let said = text.lines().filter_map(|line| {
        let line = line.trim();
        let line = line.strip_prefix("export ").unwrap_or(line);
        let (name, value) = line.split_once('=')?;
        let value = value.trim();
        let inside = |quote| value.strip_prefix(quote)?.strip_suffix(quote);
        let value = inside('\'').or_else(|| inside('"')).unwrap_or(value);
        (!line.starts_with('#')).then(|| (name.trim().to_owned(), value.to_owned()))
    });
    sightings(&said.collect::<Vec<_>>())
}

/// What a document says: every list of `{name, value}` and every member with the name of a setting counts, so it need
/// not be said what kind of document it is.
pub fn document_settings(document: &Value) -> Vec<Sighting> {
    let mut said = Vec::new();
    collect(document, &mut said);
    sightings(&said)
}

fn collect(value: &Value, into: &mut Vec<(String, String)>) {
    match value {
        Value::Object(members) => {
            if let (Some(Value::String(name)), Some(value)) = (members.get("name"), members.get("value")) {
                into.extend(scalar(value).map(|value| (name.clone(), value)));
            }
            for (name, value) in members {
                match scalar(value) {
                    Some(value) => into.push((name.clone(), value)),
                    None => collect(value, into),
                }
            }
        }
        Value::Array(items) => items.iter().for_each(|item| collect(item, into)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

fn scalar(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Bool(_) | Value::Number(_) => Some(value.to_string()),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}

fn sightings(said: &[(String, String)]) -> Vec<Sighting> {
    let mut found: Vec<Sighting> = Vec::new();
    for (name, path) in MEMBERS {
        let value = said.iter().find(|(known, _)| known == name).and_then(|(_, text)| read(kind(path), text));
        let value = value.filter(|_| !found.iter().any(|sighting| sighting.path == path));
        found.extend(value.and_then(|value| Sighting::of(path, Witness::Settings, value)));
    }
    found
}

/// What a member holds, as the launcher's table of settings says.
fn kind(path: &str) -> Kind {
    let is_it =
        |(name, member): &&(&str, &str)| *member == path && SETTINGS.iter().any(|row| row.variable == *name);
    let variable = MEMBERS.iter().find(is_it).map(|(name, _)| *name);
    SETTINGS.iter().find(|row| Some(row.variable) == variable).map_or(Kind::Text, |row| row.kind)
}

/// A setting's value; what cannot be read is not there, and resolution says what is missing.
fn read(kind: Kind, text: &str) -> Option<Value> {
    let text = text.trim();
    match kind {
        Kind::Text | Kind::Duration => Some(json!(text)),
        Kind::Bool => match text.to_ascii_lowercase().as_str() {
            "true" | "t" | "1" => Some(json!(true)),
            "false" | "f" | "0" => Some(json!(false)),
            _ => None,
        },
        Kind::Fraction | Kind::Number => text.parse::<f64>().ok().map(Value::from),
        Kind::List if text.starts_with('[') => serde_json::from_str(text).ok(),
        Kind::List => Some(text.split(',').map(str::trim).filter(|item| !item.is_empty()).collect()),
        Kind::Pairs if text.starts_with('{') => serde_json::from_str(text).ok(),
        Kind::Pairs => {
            let pairs = text.split(',').filter_map(|pair| pair.split_once('='));
            Some(Value::Object(
                pairs.map(|(key, value)| (key.trim().to_owned(), json!(value.trim()))).collect::<Map<_, _>>(),
            ))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::detect::assemble;

    #[test]
    fn an_environment_a_deployment_and_helm_values_say_the_same() {
        let environment = "# Karpenter\nexport CLUSTER_NAME=demo\nNETWORK_POLICY=\"cilium\"\nUSE_SIG='true'\n\
                           NODE_IDENTITIES=/a,/b\nADDITIONAL_TAGS=a=1,b=2\nARM_SUBSCRIPTION_ID=s\n";
        let list = json!([
            {"name": "CLUSTER_NAME", "value": "demo"}, {"name": "NETWORK_POLICY", "value": "cilium"},
            {"name": "USE_SIG", "value": "true"}, {"name": "NODE_IDENTITIES", "value": "/a,/b"},
            {"name": "ADDITIONAL_TAGS", "value": "a=1,b=2"}, {"name": "ARM_SUBSCRIPTION_ID", "value": "s"},
            {"name": "FROM_SECRET", "valueFrom": {"secretKeyRef": {"name": "x", "key": "y"}}},
        ]);
        let expected = json!({
            "options": {
                "clusterName": "demo", "networkPolicy": "cilium", "useSIG": true, "nodeIdentities": ["/a", "/b"],
                "additionalTags": {"a": "1", "b": "2"},
            },
            "environment": {"subscriptionID": "s"},
        });
        let deployment = json!({"kind": "Deployment", "spec": {"template": {"spec": {"containers": [{"name": "c", "env": list}]}}}});
        assert_eq!(assemble(environment_settings(environment)).0, expected);
        assert_eq!(assemble(document_settings(&deployment)).0, expected);
        assert_eq!(assemble(document_settings(&json!({"controller": {"env": list}}))).0, expected);
    }

    #[test]
    fn an_empty_setting_is_one() {
        let sightings = environment_settings("NETWORK_PLUGIN_MODE=\n");
        assert_eq!((sightings[0].path, &sightings[0].value), ("options.networkPluginMode", &json!("")));
    }

    #[test]
    fn the_old_config_map_is_read_too() {
        let map = json!({"kind": "ConfigMap", "data": {
            "azure.clusterName": "demo", "azure.nodeIdentities": "[\"/a\"]", "azure.tags": "{\"k\":\"v\"}",
        }});
        let expected = json!({"options": {"clusterName": "demo", "nodeIdentities": ["/a"], "additionalTags": {"k": "v"}}});
        assert_eq!(assemble(document_settings(&map)).0, expected);
    }
}
