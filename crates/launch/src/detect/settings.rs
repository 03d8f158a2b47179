//! A launcher's settings, wherever they are kept: an environment, a ConfigMap, a Deployment, Helm values.

use serde_json::{Map, Value, json};

use super::{Sighting, Witness};

/// What a setting is.
#[derive(Clone, Copy)]
enum Kind {
    Text,
    Switch,
    Number,
    List,
    Pairs,
}

/// Environment variables of the launcher, and the members of the request that they are. An earlier name wins.
const SETTINGS: [(&str, &str, Kind); 33] = [
    ("CLUSTER_NAME", "options.clusterName", Kind::Text),
    ("CLUSTER_ENDPOINT", "options.clusterEndpoint", Kind::Text),
    ("KUBELET_BOOTSTRAP_TOKEN", "options.kubeletBootstrapToken", Kind::Text),
    ("SSH_PUBLIC_KEY", "options.sshPublicKey", Kind::Text),
    ("LINUX_ADMIN_USERNAME", "options.linuxAdminUsername", Kind::Text),
    ("NETWORK_PLUGIN", "options.networkPlugin", Kind::Text),
    ("NETWORK_PLUGIN_MODE", "options.networkPluginMode", Kind::Text),
    ("NETWORK_POLICY", "options.networkPolicy", Kind::Text),
    ("NETWORK_DATAPLANE", "options.networkDataplane", Kind::Text),
    ("DNS_SERVICE_IP", "options.dnsServiceIP", Kind::Text),
    ("VNET_GUID", "options.vnetGUID", Kind::Text),
    ("VNET_SUBNET_ID", "options.vnetSubnetID", Kind::Text),
    ("KUBELET_IDENTITY_CLIENT_ID", "options.kubeletIdentityClientID", Kind::Text),
    ("NODE_IDENTITIES", "options.nodeIdentities", Kind::List),
    ("AZURE_NODE_RESOURCE_GROUP", "options.nodeResourceGroup", Kind::Text),
    ("VM_MEMORY_OVERHEAD_PERCENT", "options.vmMemoryOverheadPercent", Kind::Number),
    ("USE_SIG", "options.useSIG", Kind::Switch),
    ("SIG_SUBSCRIPTION_ID", "options.sigSubscriptionID", Kind::Text),
    ("NODE_OSDISK_DISKENCRYPTIONSET_ID", "options.diskEncryptionSetID", Kind::Text),
    ("ADDITIONAL_TAGS", "options.additionalTags", Kind::Pairs),
    ("PROVISION_MODE", "options.provisionMode", Kind::Text),
    ("NODEBOOTSTRAPPING_SERVER_URL", "options.nodeBootstrappingServerURL", Kind::Text),
    ("AKS_MACHINES_POOL_NAME", "options.aksMachinesPoolName", Kind::Text),
    ("AZURE_TENANT_ID", "environment.tenantID", Kind::Text),
    ("ARM_TENANT_ID", "environment.tenantID", Kind::Text),
    ("AZURE_SUBSCRIPTION_ID", "environment.subscriptionID", Kind::Text),
    ("ARM_SUBSCRIPTION_ID", "environment.subscriptionID", Kind::Text),
    ("LOCATION", "environment.location", Kind::Text),
    ("ARM_CLOUD", "environment.cloud", Kind::Text),
    ("ARM_RESOURCE_GROUP", "environment.clusterResourceGroup", Kind::Text),
    // Keys of the ConfigMap `karpenter-global-settings` that were named otherwise.
    ("azure.kubeletClientTLSBootstrapToken", "options.kubeletBootstrapToken", Kind::Text),
    ("azure.vmMemoryOverheadPercent", "options.vmMemoryOverheadPercent", Kind::Number),
    ("azure.tags", "options.additionalTags", Kind::Pairs),
];

/// Keys of that ConfigMap that are the member's own name.
const GLOBAL_SETTINGS: [(&str, &str, Kind); 6] = [
    ("azure.clusterName", "options.clusterName", Kind::Text),
    ("azure.clusterEndpoint", "options.clusterEndpoint", Kind::Text),
    ("azure.sshPublicKey", "options.sshPublicKey", Kind::Text),
    ("azure.networkPlugin", "options.networkPlugin", Kind::Text),
    ("azure.networkPolicy", "options.networkPolicy", Kind::Text),
    ("azure.nodeIdentities", "options.nodeIdentities", Kind::List),
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
    sightings(&said.collect())
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

fn sightings(said: &Vec<(String, String)>) -> Vec<Sighting> {
    let mut found: Vec<Sighting> = Vec::new();
    for (name, path, kind) in SETTINGS.into_iter().chain(GLOBAL_SETTINGS) {
        let value = said.iter().find(|(known, _)| known == name).and_then(|(_, text)| read(kind, text));
        let value = value.filter(|_| !found.iter().any(|sighting| sighting.path == path));
        found.extend(value.and_then(|value| Sighting::of(path, Witness::Settings, value)));
    }
    found
}

/// A setting's value; what cannot be read is not there, and resolution says what is missing.
fn read(kind: Kind, text: &str) -> Option<Value> {
    let text = text.trim();
    match kind {
        Kind::Text => Some(json!(text)),
        Kind::Switch => match text.to_ascii_lowercase().as_str() {
            "true" | "t" | "1" => Some(json!(true)),
            "false" | "f" | "0" => Some(json!(false)),
            _ => None,
        },
        Kind::Number => text.parse::<f64>().ok().map(Value::from),
        Kind::List if text.starts_with('[') => serde_json::from_str(text).ok(),
        Kind::List => Some(text.split(',').map(str::trim).filter(|item| !item.is_empty()).collect()),
        Kind::Pairs if text.starts_with('{') => serde_json::from_str(text).ok(),
        Kind::Pairs => {
            let pairs = text.split(',').filter_map(|pair| pair.split_once('='));
            Some(Value::Object(pairs.map(|(key, value)| (key.trim().to_owned(), json!(value.trim()))).collect::<Map<_, _>>()))
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
