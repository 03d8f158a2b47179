//! A node's way out: no new pods, the present ones asked to leave, its Node deleted.
//!
//! Pods leave by eviction, which disruption budgets may refuse for a while; pods of daemon sets and of the node's own
//! manifests stay, since they would only come back.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::Deserialize;
use serde_json::json;
use slipway_fetch::{Impatience, Patience};
use slipway_model::Blame;

use crate::server::{escaped, retrying, stopped};
use crate::{ApiError, ApiServer};

/// How often is looked which pods are still there.
const GLANCE: Duration = Duration::from_secs(1);
const MIRROR: &str = "kubernetes.io/config.mirror";

/// Which pods may be asked to leave besides those that come back elsewhere with all they need.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Drain {
    /// Pods that nobody makes again.
    pub unmanaged: bool,
    /// Pods whose data on this node are lost with them.
    pub local_data: bool,
}

/// A pod, by namespace and name.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct PodName {
    /// The namespace.
    pub namespace: String,
    /// The name.
    pub name: String,
}

/// What is told while pods leave.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Leaving {
    /// It was asked to leave.
    Asked(PodName),
    /// It may not leave yet, and why.
    Held(PodName, String),
    /// It has left.
    Gone(PodName),
}

/// Why pods are still there.
#[derive(Debug, thiserror::Error)]
pub enum DrainError {
    /// The server did not take part.
    #[error(transparent)]
    Api(#[from] ApiError),
    /// Nobody was asked to leave: some would be lost.
    #[error("pods would be lost: {}", in_words(.0))]
    Lost(Vec<(PodName, &'static str)>),
    /// They did not leave in time.
    #[error("pods have not left in time: {}", in_words(.0))]
    Late(Vec<(PodName, String)>),
}

impl DrainError {
    /// Who has to act.
    pub fn blame(&self) -> Blame {
        match self {
            Self::Api(error) => error.blame(),
            Self::Lost(_) => Blame::Input,
            Self::Late(_) => Blame::Service,
        }
    }
}

fn in_words<T: AsRef<str>>(pods: &[(PodName, T)]) -> String {
    let pod = |(pod, why): &(PodName, T)| format!("{pod} ({})", why.as_ref());
    pods.iter().map(pod).collect::<Vec<_>>().join(", ")
}

impl std::fmt::Display for PodName {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}/{}", self.namespace, self.name)
    }
}

#[derive(Deserialize)]
struct Pods {
    items: Option<Vec<Pod>>,
}

#[derive(Deserialize)]
struct Pod {
    metadata: Metadata,
    #[serde(default)]
    spec: Spec,
    #[serde(default)]
    status: Status,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Metadata {
    name: String,
    namespace: String,
    uid: String,
    annotations: BTreeMap<String, String>,
    owner_references: Vec<Owner>,
    deletion_timestamp: Option<String>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Owner {
    kind: String,
    controller: bool,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Spec {
    volumes: Vec<serde_json::Map<String, serde_json::Value>>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Status {
    phase: String,
}

impl Pod {
    fn name(&self) -> PodName {
        PodName { namespace: self.metadata.namespace.clone(), name: self.metadata.name.clone() }
    }

    fn controller(&self) -> Option<&str> {
        self.metadata.owner_references.iter().find(|it| it.controller).map(|it| it.kind.as_str())
    }

    /// Whether it ends with the node, or has ended.
    fn stays(&self) -> bool {
        self.metadata.annotations.contains_key(MIRROR)
            || self.controller() == Some("DaemonSet")
            || matches!(self.status.phase.as_str(), "Succeeded" | "Failed")
    }

    /// What would be lost with it.
    fn loses(&self, drain: Drain) -> Option<&'static str> {
        if self.metadata.deletion_timestamp.is_some() {
            return None;
        }
        if !drain.unmanaged && self.controller().is_none() {
            return Some("nobody makes it again");
        }
        let local = self.spec.volumes.iter().any(|volume| volume.contains_key("emptyDir"));
        (!drain.local_data && local).then_some("its data are on this node only")
    }
}

/// How far the pods have come.
#[derive(Default)]
struct Departure {
    /// Those that were asked, by what tells them from others of the same name.
    asked: BTreeMap<String, PodName>,
    /// Those that may not leave yet, and why.
    held: BTreeMap<PodName, String>,
}

impl Departure {
    fn ask(
        &mut self,
        server: &ApiServer,
        pods: &[Pod],
        patience: Patience<'_>,
        tell: &mut dyn FnMut(Leaving),
    ) -> Result<(), ApiError> {
        for pod in pods {
            let (name, uid) = (pod.name(), &pod.metadata.uid);
            if self.asked.contains_key(uid) {
                continue;
            }
            let ends = pod.metadata.deletion_timestamp.is_some();
            match if ends { None } else { server.evict(pod, patience)? } {
                None => {
                    self.held.remove(&name);
                    self.asked.insert(uid.clone(), name.clone());
                    tell(Leaving::Asked(name));
                }
                Some(why) => {
                    if self.held.get(&name) != Some(&why) {
                        tell(Leaving::Held(name.clone(), why.clone()));
                    }
                    self.held.insert(name, why);
                }
            }
        }
        Ok(())
    }

    fn see_off(&mut self, pods: &[Pod], tell: &mut dyn FnMut(Leaving)) {
        self.asked.retain(|uid, name| {
            let here = pods.iter().any(|pod| pod.metadata.uid == *uid);
            if !here {
                tell(Leaving::Gone(name.clone()));
            }
            here
        });
    }

    fn left(&self, pods: &[Pod]) -> Vec<(PodName, String)> {
        let why = |name: &PodName| self.held.get(name).map_or("it is ending", String::as_str).to_owned();
        pods.iter().map(Pod::name).map(|name| (name.clone(), why(&name))).collect()
    }
}

impl ApiServer {
    /// Lets no new pods come to a node, or lets them come again.
    pub fn set_schedulable(
        &self,
        node: &str,
        schedulable: bool,
        patience: Patience<'_>,
    ) -> Result<(), ApiError> {
        let body = json!({ "spec": { "unschedulable": if schedulable { None } else { Some(true) } } });
        let path = format!("/api/v1/nodes/{}", escaped(node));
        retrying(patience, || self.patch(&path, &body, patience))
    }

    /// Asks the pods of a node to leave, and waits until they have.
    pub fn drain(
        &self,
        node: &str,
        drain: Drain,
        patience: Patience<'_>,
        mut tell: impl FnMut(Leaving),
    ) -> Result<(), DrainError> {
        let mut pods = self.pods(node, patience)?;
        let lost: Vec<_> = pods.iter().filter_map(|pod| Some((pod.name(), pod.loses(drain)?))).collect();
        if !lost.is_empty() {
            return Err(DrainError::Lost(lost));
        }
        let mut departure = Departure::default();
        while !pods.is_empty() {
            departure.ask(self, &pods, patience, &mut tell)?;
            match patience.sleep(GLANCE) {
                Ok(()) => {}
                Err(Impatience::Stopped) => return Err(stopped().into()),
                Err(Impatience::Late) => return Err(DrainError::Late(departure.left(&pods))),
            }
            pods = self.pods(node, patience)?;
            departure.see_off(&pods, &mut tell);
        }
        Ok(())
    }

    /// Deletes a Node, if it is still this one. Whether there was one to delete.
    pub fn delete_node(&self, name: &str, uid: &str, patience: Patience<'_>) -> Result<bool, ApiError> {
        let body = json!({ "kind": "DeleteOptions", "apiVersion": "v1", "preconditions": { "uid": uid } });
        let path = format!("/api/v1/nodes/{}", escaped(name));
        match retrying(patience, || self.delete(&path, &body, patience)) {
            Ok(()) => Ok(true),
            // Another Node has taken its name.
            Err(error) if error.has_status(404) || error.has_status(409) => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// The pods of a node that have to leave before it goes.
    fn pods(&self, node: &str, patience: Patience<'_>) -> Result<Vec<Pod>, ApiError> {
        let path = format!("/api/v1/pods?fieldSelector=spec.nodeName%3D{}", escaped(node));
        let pods: Pods = retrying(patience, || self.get(&path, patience))?;
        let mut pods = pods.items.unwrap_or_default();
        pods.retain(|pod| !pod.stays());
        Ok(pods)
    }

    /// Asks one pod to leave; why it may not, where it may not yet.
    fn evict(&self, pod: &Pod, patience: Patience<'_>) -> Result<Option<String>, ApiError> {
        let Metadata { name, namespace, uid, .. } = &pod.metadata;
        let body = json!({
            "apiVersion": "policy/v1",
            "kind": "Eviction",
            "metadata": { "name": name, "namespace": namespace },
            "deleteOptions": { "preconditions": { "uid": uid } },
        });
        let path = format!("/api/v1/namespaces/{}/pods/{}/eviction", escaped(namespace), escaped(name));
        match self.post::<serde_json::Value>(&path, &body, patience) {
            Ok(_) => Ok(None),
            // It has gone, or another one has taken its name.
            Err(error) if error.has_status(404) || error.has_status(409) => Ok(None),
            // A disruption budget answers with 429.
            Err(ApiError::Status { message, .. }) => Ok(Some(message)),
            Err(error) if error.is_transient() => Ok(Some(error.to_string())),
            Err(error) => Err(error),
        }
    }
}
