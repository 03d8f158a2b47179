//! Scheduled events: what Azure is going to do to a machine, and the machine's leave to do it.

use serde_json::{Value, json};

/// Something that is going to happen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScheduledEvent {
    /// Its id.
    pub id: String,
    /// `Reboot`, `Redeploy`, `Freeze`, `Preempt` or `Terminate`.
    pub kind: String,
    /// How far it is.
    pub status: EventStatus,
    /// The earliest time, as `Mon, 19 Sep 2016 18:29:47 GMT`; empty once it has started.
    pub not_before: String,
}

/// How far an event is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EventStatus {
    /// The machine was warned.
    Scheduled,
    /// It happens.
    Started,
}

impl ScheduledEvent {
    fn document(&self, machine: &str) -> Value {
        let (status, not_before) = match self.status {
            EventStatus::Scheduled => ("Scheduled", self.not_before.as_str()),
            EventStatus::Started => ("Started", ""),
        };
        json!({
            "EventId": self.id,
            "EventType": self.kind,
            "ResourceType": "VirtualMachine",
            "Resources": [machine],
            "EventStatus": status,
            "NotBefore": not_before,
            "Description": "",
            "EventSource": "Platform",
            "DurationInSeconds": -1
        })
    }
}

/// The document that a machine polls.
pub(super) fn document(machine: &str, events: &[ScheduledEvent], incarnation: u64) -> Value {
    let events: Vec<Value> = events.iter().map(|event| event.document(machine)).collect();
    json!({ "DocumentIncarnation": incarnation, "Events": events })
}

/// The ids of the events that a machine gives leave to; `None` when the body does not say.
pub(super) fn approved(body: &[u8]) -> Option<Vec<String>> {
    let body: Value = serde_json::from_slice(body).ok()?;
    let requests = body.get("StartRequests")?.as_array()?;
    requests.iter().map(|request| Some(request.get("EventId")?.as_str()?.to_owned())).collect()
}
