use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use slipway_fetch::Patience;

use crate::{ApiError, ApiServer};

/// Events about Nodes are in this namespace, as kubelet's are.
const EVENTS: &str = "/api/v1/namespaces/default/events";
const CONFLICT: u16 = 409;
const NOT_FOUND: u16 = 404;

/// Something that happened to a Node. The same thing again is the same event with a larger count.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NodeEvent<'a> {
    /// The Node's name.
    pub node: &'a str,
    /// What tells it from another Node of the same name.
    pub uid: &'a str,
    /// Why it happened: one word in camel case, such as `DriftRepaired`.
    pub reason: &'a str,
    /// What happened.
    pub message: &'a str,
    /// Whether somebody should look at it.
    pub is_warning: bool,
    /// When, in seconds since 1970 as RFC 3339 writes them.
    pub time: &'a str,
    /// How often it happened so far, as far as the teller knows.
    pub count: u32,
    /// Who tells.
    pub component: &'a str,
}

impl ApiServer {
    /// Tells an event. A node may create and change events, and not read them: who tells keeps the count.
    pub fn tell_event(&self, event: &NodeEvent<'_>, patience: Patience<'_>) -> Result<(), ApiError> {
        let name = event.name();
        let create = || self.post::<Value>(EVENTS, &event.document(&name), patience).map(drop);
        let again = || {
            let change = json!({ "count": event.count, "lastTimestamp": event.time });
            self.patch(&format!("{EVENTS}/{name}"), &change, patience)
        };
        if event.count > 1 {
            return match again() {
                // The server forgets events after an hour.
                Err(error) if error.has_status(NOT_FOUND) => create(),
                told => told,
            };
        }
        match create() {
            Err(error) if error.has_status(CONFLICT) => again(),
            told => told,
        }
    }
}

impl NodeEvent<'_> {
    fn name(&self) -> String {
        let digest = Sha256::digest(format!("{}\n{}\n{}", self.uid, self.reason, self.message));
        let end = digest.iter().take(8).fold(0_u64, |number, byte| number << 8 | u64::from(*byte));
        // The longest name that the server takes has 253 characters.
        let node: String = self.node.chars().take(230).collect();
        format!("{node}.{end:016x}")
    }

    fn document(&self, name: &str) -> Value {
        json!({
            "apiVersion": "v1",
            "kind": "Event",
            "metadata": { "name": name, "namespace": "default" },
            "involvedObject": { "apiVersion": "v1", "kind": "Node", "name": self.node, "uid": self.uid },
            "reason": self.reason,
            "message": self.message,
            "type": if self.is_warning { "Warning" } else { "Normal" },
            "source": { "component": self.component, "host": self.node },
            "firstTimestamp": self.time,
            "lastTimestamp": self.time,
            "count": self.count,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_thing_has_the_same_name_and_another_thing_another() {
        let event = NodeEvent {
            node: "n1",
            uid: "u",
            reason: "DriftRepaired",
            message: "kubelet.service was started",
            is_warning: false,
            time: "2026-01-01T00:00:00Z",
            count: 1,
            component: "slipwayd",
        };
        assert_eq!(event.name(), NodeEvent { count: 7, time: "later", ..event.clone() }.name());
        assert_ne!(event.name(), NodeEvent { uid: "v", ..event.clone() }.name());
        assert!(event.name().starts_with("n1.") && event.name().len() == 19, "{}", event.name());
    }
}
