use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::{Value, json};
use slipway_fetch::Patience;
use slipway_model::Blame;

use crate::follow::{Place, Unfollowed};
use crate::server::{escaped, retrying};
use crate::{ApiError, ApiServer};

const NODES: &str = "/api/v1/nodes";

/// A Node as the API server knows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NodeState {
    /// Its name.
    pub name: String,
    /// What tells it from another Node of the same name.
    pub uid: String,
    /// What changes with every change of it.
    pub version: String,
    /// When it registered, as the server writes times.
    pub created: String,
    /// Whether it is Ready; nothing when kubelet has not said yet.
    pub ready: Option<Readiness>,
    /// Its addresses: kind and value, such as `InternalIP` and `10.0.0.4`.
    pub addresses: Vec<(String, String)>,
    /// The version of its kubelet.
    pub kubelet_version: String,
    /// The machine's own id, as its system made it up.
    pub machine_id: String,
    /// The id of the machine's board.
    pub system_uuid: String,
    /// Whether no new pods may come to it.
    pub unschedulable: bool,
    /// Its taints, as `key=value:Effect` or `key:Effect`.
    pub taints: Vec<String>,
}

/// The Ready condition of a Node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Readiness {
    /// Whether it holds.
    pub holds: bool,
    /// Why, in one word.
    pub reason: String,
    /// Why, in more words.
    pub message: String,
    /// Since when; empty when nobody said.
    pub since: String,
    /// When kubelet last said so; empty when it never did.
    pub heard: String,
}

/// Why a Node was not seen Ready.
#[derive(Debug, thiserror::Error)]
pub enum WaitError {
    /// The server did not take part.
    #[error(transparent)]
    Api(#[from] ApiError),
    /// kubelet did not register it in time.
    #[error("the node {0} has not registered in time; look at kubelet's log")]
    Unregistered(String),
    /// It registered and did not become Ready in time.
    #[error("the node {} is not Ready in time: {}", .0.name, .0.why_not())]
    NotReady(Box<NodeState>),
}

impl WaitError {
    /// Who has to act.
    pub fn blame(&self) -> Blame {
        match self {
            Self::Api(error) => error.blame(),
            Self::Unregistered(_) | Self::NotReady(_) => Blame::Machine,
        }
    }
}

impl NodeState {
    /// Whether it is Ready.
    pub fn is_ready(&self) -> bool {
        self.ready.as_ref().is_some_and(|ready| ready.holds)
    }

    /// Why it is not Ready, where it is not.
    pub fn why_not(&self) -> String {
        match &self.ready {
            Some(ready) => format!("{}: {}", ready.reason, ready.message),
            None => "kubelet has not reported its state".to_owned(),
        }
    }
}

impl ApiServer {
    /// A Node; nothing when it has not registered.
    pub fn node(&self, name: &str, patience: Patience<'_>) -> Result<Option<NodeState>, ApiError> {
        match self.get::<Node>(&format!("{NODES}/{}", escaped(name)), patience) {
            Ok(node) => Ok(Some(node.into())),
            Err(error) if error.has_status(404) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Gives a Node these labels; those without a value go.
    pub fn set_labels(
        &self,
        name: &str,
        labels: &BTreeMap<String, Option<String>>,
        patience: Patience<'_>,
    ) -> Result<(), ApiError> {
        let body = json!({ "metadata": { "labels": labels } });
        retrying(patience, || self.patch(&format!("{NODES}/{}", escaped(name)), &body, patience))
    }

    /// Gives a Node these taints and no others, unless it has changed since it was looked at. A node's own credential may not.
    pub fn set_taints(
        &self,
        node: &NodeState,
        taints: &[String],
        patience: Patience<'_>,
    ) -> Result<(), ApiError> {
        let taints: Vec<_> = taints.iter().map(|text| taint(text)).collect();
        let body = json!({ "metadata": { "resourceVersion": node.version }, "spec": { "taints": taints } });
        self.patch(&format!("{NODES}/{}", escaped(&node.name)), &body, patience)
    }

    /// Waits until a Node is Ready.
    pub fn wait_ready(&self, name: &str, patience: Patience<'_>) -> Result<NodeState, WaitError> {
        let mut last: Option<NodeState> = None;
        let judge = |seen: Option<Node>| {
            last = seen.map(NodeState::from);
            last.clone().filter(NodeState::is_ready)
        };
        self.follow(&Place { collection: NODES, name }, None, patience, judge).map_err(|end| match end {
            Unfollowed::Failed(error) | Unfollowed::Late(Some(error)) => error.into(),
            Unfollowed::Late(None) => match last {
                Some(node) => WaitError::NotReady(Box::new(node)),
                None => WaitError::Unregistered(name.to_owned()),
            },
        })
    }
}

fn taint(text: &str) -> Value {
    let (name, effect) = text.rsplit_once(':').unwrap_or((text, ""));
    match name.split_once('=') {
        Some((key, value)) => json!({ "key": key, "value": value, "effect": effect }),
        None => json!({ "key": name, "effect": effect }),
    }
}

#[derive(Deserialize)]
struct Node {
    metadata: Metadata,
    #[serde(default)]
    spec: Spec,
    #[serde(default)]
    status: Status,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Spec {
    unschedulable: bool,
    taints: Vec<Taint>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Taint {
    key: String,
    value: String,
    effect: String,
}

impl From<Taint> for String {
    fn from(Taint { key, value, effect }: Taint) -> Self {
        if value.is_empty() { format!("{key}:{effect}") } else { format!("{key}={value}:{effect}") }
    }
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Metadata {
    name: String,
    uid: String,
    resource_version: String,
    creation_timestamp: Option<String>,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Status {
    conditions: Vec<Condition>,
    addresses: Vec<Address>,
    node_info: NodeInfo,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Condition {
    #[serde(rename = "type")]
    kind: String,
    status: String,
    reason: String,
    message: String,
    // A time that was never set is null.
    last_transition_time: Option<String>,
    last_heartbeat_time: Option<String>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Address {
    #[serde(rename = "type")]
    kind: String,
    address: String,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct NodeInfo {
    kubelet_version: String,
    #[serde(rename = "machineID")]
    machine_id: String,
    #[serde(rename = "systemUUID")]
    system_uuid: String,
}

impl From<Node> for NodeState {
    fn from(node: Node) -> Self {
        let Node { metadata, spec, status } = node;
        let ready = status.conditions.into_iter().find(|condition| condition.kind == "Ready");
        let ready = ready.map(|condition| Readiness {
            holds: condition.status == "True",
            reason: condition.reason,
            message: condition.message,
            since: condition.last_transition_time.unwrap_or_default(),
            heard: condition.last_heartbeat_time.unwrap_or_default(),
        });
        Self {
            name: metadata.name,
            uid: metadata.uid,
            version: metadata.resource_version,
            created: metadata.creation_timestamp.unwrap_or_default(),
            ready,
            addresses: status.addresses.into_iter().map(|address| (address.kind, address.address)).collect(),
            kubelet_version: status.node_info.kubelet_version,
            machine_id: status.node_info.machine_id,
            system_uuid: status.node_info.system_uuid,
            unschedulable: spec.unschedulable,
            taints: spec.taints.into_iter().map(String::from).collect(),
        }
    }
}
