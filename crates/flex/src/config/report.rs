//! A configuration for people and programs: what it says with every default, and what follows from it.
//!
//! Names and places are those of the peer's own files, so that the two can be compared.

use serde_json::{Map, Value as Json, json};

use super::key::{Default, Fate, Key, Shape};
use super::keys::{self, KEYS};
use super::settings::{FlexConfig, Identity, Kept};
use super::values::Value;
use crate::node::{MANAGED, plugin};

/// Objects that are shown even if nothing is in them.
const ALWAYS: [&str; 5] = [
    "bootstrap.offlineArtifacts",
    "components",
    "hostRouting.routeOverlap",
    "hostRouting.staticRoutes",
    "node.labels",
];
/// Objects that are shown if they are there, even if nothing is in them.
const PRESENT: [&str; 3] = ["azure.arc", "azure.managedIdentity", "azure.servicePrincipal"];

impl FlexConfig {
    /// `{"effective", "derived"}`: every value with its default by the names of the file, and what follows from them.
    pub fn report(&self, show_secrets: bool) -> Json {
        json!({ "effective": self.effective(show_secrets), "derived": self.derived(show_secrets) })
    }

    fn effective(&self, show_secrets: bool) -> Json {
        let mut root = Map::new();
        put(&mut root, "azure.arc", Json::Null);
        for path in ALWAYS.into_iter().chain(PRESENT.into_iter().filter(|path| self.values.has(path))) {
            put(&mut root, path, Json::Object(Map::new()));
        }
        for key in KEYS.iter().filter(|key| !matches!(key.fate, Fate::Alias(_))) {
            if let Some(value) = self.shown(key, show_secrets) {
                put(&mut root, key.path, value);
            }
        }
        Json::Object(root)
    }

    fn shown(&self, key: &Key, show_secrets: bool) -> Option<Json> {
        // What is not as the file has it: normal forms, and what follows from other values.
        let text = match key.path {
            path if path == keys::SUBSCRIPTION.path => self.subscription.clone(),
            path if path == keys::TENANT.path => self.tenant.clone(),
            path if path == keys::ENDPOINT.path => self.arm.endpoint.clone(),
            path if path == keys::NODE_NAME_KEY.path => self.agent.node_name.clone(),
            path if path == keys::INTERVAL.path => self.agent.reconcile_interval.to_string(),
            path if path == keys::CA.path || path == keys::NODE_IP.path => self.values.words(key),
            path if path == keys::LABELS.path => return Some(json!(self.labels())),
            path if path == keys::FQDN.path && !self.values.is_set(key) => self.server.as_ref()?.authority(),
            path if path == keys::ARC_ENABLED.path && self.values.has("azure.arc") => {
                return Some(json!(self.arc.enabled));
            }
            _ => return self.as_said(key, show_secrets),
        };
        Some(Json::String(text))
    }

    fn as_said(&self, key: &Key, show_secrets: bool) -> Option<Json> {
        match (self.values.value(key), key.default) {
            (Some(value), _) => json_of(value, show_secrets),
            (None, Default::Text(text)) => Some(json!(text)),
            (None, Default::Whole(number)) => Some(json!(number)),
            (None, Default::Switch(on)) if key.path == keys::ROUTES_ENABLED.path => Some(json!(on)),
            _ => None,
        }
    }

    fn derived(&self, show_secrets: bool) -> Json {
        let principal = matches!(self.identity, Some(Identity::Principal { .. }));
        let (goal, goal_error) = match &self.versions.kubernetes {
            Some(version) => (self.machine_goal(version), ""),
            None => (Json::Null, "kubernetes version is empty"),
        };
        json!({
            "cluster": {
                "name": self.cluster.name,
                "resourceGroup": self.cluster.resource_group,
                "subscriptionId": self.cluster.subscription,
                "nodeResourceGroup": self.cluster.node_resource_group(&self.location),
            },
            "apiServerUrl": self.server.as_ref().map(super::ApiServer::url).unwrap_or_default(),
            "auth": self.authentication(),
            "userCredential": if principal { "servicePrincipal" } else { "azureCli" },
            "arc": {
                "enabled": self.arc.enabled,
                "machineName": self.arc.machine_name,
                "resourceGroup": self.arc.resource_group,
                "location": self.arc.location,
                "tags": self.arc.tags,
                "autoRoleAssignment": self.arc.assign_roles,
            },
            "arm": {
                "endpoint": self.arm.endpoint,
                "audience": self.arm.audience,
                "authorityHost": self.arm.authority,
                "tokenScope": self.arm.token_scope(),
                "azcmagentCloud": self.arm.agent_cloud,
            },
            "driftRemediation": self.agent.repairs_drift,
            "nodeInput": self.node_input(show_secrets),
            "machineGoal": goal,
            "machineGoalError": goal_error,
        })
    }

    fn node_input(&self, show_secrets: bool) -> Json {
        let said = |text: &Option<String>| text.clone().unwrap_or_default();
        let token = match &self.token {
            Some(Kept::Here(token)) => secret(token, show_secrets),
            Some(Kept::In(_)) | None => json!(""),
        };
        let exec = plugin(self).map(|plugin| {
            json!({
                "apiVersion": "client.authentication.k8s.io/v1",
                "command": plugin.program,
                "args": plugin.arguments,
                "env": {},
                "interactiveMode": "Never",
                "provideClusterInfo": false,
            })
        });
        let texts = |key| Some(self.values.texts(key)).filter(|texts| !texts.is_empty()).map(<[_]>::to_vec);
        json!({
            "nodeName": self.agent.node_name,
            "kubernetesVersion": said(&self.versions.kubernetes),
            "containerdVersion": said(&self.versions.containerd),
            "runcVersion": said(&self.versions.runc),
            "cniPluginVersion": said(&self.versions.cni),
            "sandboxImage": said(&self.versions.sandbox_image),
            "ociImage": self.values.words(keys::OCI_IMAGE),
            "offlineSource": self.offline_source,
            "additionalHostDevices": texts(keys::DEVICES),
            "clusterDNS": self.values.words(keys::DNS),
            "caCertBase64": self.values.words(keys::CA),
            "kubelet": {
                "apiServer": self.server.as_ref().map(super::ApiServer::url).unwrap_or_default(),
                "bootstrapToken": token,
                "exec": exec,
                "labels": self.labels(),
                "nodeIP": self.values.words(keys::NODE_IP),
                "registerWithTaints": texts(keys::TAINTS),
            },
        })
    }

    fn machine_goal(&self, version: &str) -> Json {
        let mut goal = json!({
            "kubernetesVersion": version,
            "settingsVersion": version,
            "maxPods": self.values.whole(keys::MAX_PODS),
            "nodeLabels": self.labels(),
            "kubeletConfig": {
                "imageGCHighThreshold": self.values.whole(keys::GC_HIGH),
                "imageGCLowThreshold": self.values.whole(keys::GC_LOW),
            },
        });
        let taints = self.values.texts(keys::TAINTS);
        if !taints.is_empty() {
            goal["nodeTaints"] = json!(taints);
        }
        goal
    }

    /// The labels of the node, with the one that keeps Azure's controllers from deleting it.
    pub(crate) fn labels(&self) -> std::collections::BTreeMap<String, String> {
        let mut labels = self.values.map(keys::LABELS);
        labels.insert(MANAGED.0.to_owned(), MANAGED.1.to_owned());
        labels
    }
}

fn secret(secret: &slipway_model::Secret<String>, show: bool) -> Json {
    json!(if show { secret.expose() } else { slipway_model::Secret::<String>::MASK })
}

fn json_of(value: &Value, show_secrets: bool) -> Option<Json> {
    Some(match value {
        Value::Text(text) => json!(text),
        Value::Secret(text) => secret(text, show_secrets),
        Value::Switch(on) => json!(on),
        Value::Whole(number) => json!(number),
        Value::Texts(texts) => json!(texts),
        Value::Secrets(texts) => texts.iter().map(|text| secret(text, show_secrets)).collect(),
        Value::Map(map) => json!(map),
        Value::Duration(duration) => json!(duration.to_string()),
        Value::Records(records) => {
            let record = |record: &std::collections::BTreeMap<&'static str, Value>| {
                let members = record.iter();
                let member = |(name, value): (&&'static str, &Value)| {
                    Some(((*name).to_owned(), json_of(value, show_secrets)?))
                };
                Json::Object(members.filter_map(member).collect())
            };
            records.iter().map(record).collect()
        }
        Value::Unread => return None,
    })
}

/// Puts a value where its path says, into objects that are made as needed.
fn put(members: &mut Map<String, Json>, path: &str, value: Json) {
    match path.split_once('.') {
        None => {
            members.insert(path.to_owned(), value);
        }
        Some((name, below)) => {
            let inner = members.entry(name).or_insert_with(|| Json::Object(Map::new()));
            if let Json::Object(inner) = inner {
                put(inner, below, value);
            }
        }
    }
}

impl Key {
    /// What a value may be, in words.
    pub fn shape_in_words(&self) -> String {
        match self.shape {
            Shape::Text | Shape::Secret => "text".to_owned(),
            Shape::Switch => "true or false".to_owned(),
            Shape::Whole => "whole number".to_owned(),
            Shape::Word(words) | Shape::AnyCase(words) => words.join(", "),
            Shape::Texts | Shape::Secrets => "list of texts".to_owned(),
            Shape::Map => "object of texts".to_owned(),
            Shape::Duration => "duration".to_owned(),
            Shape::Records(keys) => {
                format!("list of {{{}}}", keys.iter().map(|key| key.path).collect::<Vec<_>>().join(", "))
            }
            Shape::Unread => "not read".to_owned(),
        }
    }
}
