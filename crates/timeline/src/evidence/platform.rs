//! Azure's records of a machine, and the API server's of its Node, as JSON.

use std::io::BufRead;

use jiff::Timestamp;
use serde_json::Value;

use super::lines::document;
use super::{Certainty, Page, Seen, Source, Stamp};

/// What an activity log calls the making of a machine.
const WRITES: [&str; 3] = [
    "microsoft.compute/virtualmachines/write",
    "microsoft.compute/virtualmachinescalesets/write",
    "microsoft.compute/virtualmachinescalesets/virtualmachines/write",
];

pub(super) fn read(page: &mut Page<'_>, input: &mut dyn BufRead) {
    let Some(document) = document(page, input) else { return };
    let before = page.evidence.seen.len();
    // What Azure's API lists is in a member of its own.
    match document.get("value").unwrap_or(&document) {
        Value::Array(entries) => entries.iter().for_each(|entry| tell(page, entry)),
        one => tell(page, one),
    }
    if page.evidence.seen.len() == before {
        page.problem(None, "has no times of a machine: neither a VM, nor an activity log, nor a Node");
    }
}

fn tell(page: &mut Page<'_>, entry: &Value) {
    if entry.get("eventTimestamp").is_some() {
        return activity(page, entry);
    }
    for (pointer, name, source) in [
        ("/properties/timeCreated", "vm-created", Source::Platform),
        ("/timeCreated", "vm-created", Source::Platform),
        ("/metadata/creationTimestamp", "node-registered", Source::ApiServer),
        ("/created", "node-registered", Source::ApiServer),
        ("/ready", "node-ready", Source::ApiServer),
    ] {
        seen(page, name, entry.pointer(pointer), source);
    }
    for condition in list(entry, "/status/conditions") {
        if condition["type"] == "Ready" && condition["status"] == "True" {
            seen(page, "node-ready", condition.get("lastTransitionTime"), Source::ApiServer);
        }
    }
    for pointer in ["/statuses", "/instanceView/statuses", "/properties/instanceView/statuses"] {
        for status in list(entry, pointer) {
            if status["code"] == "ProvisioningState/succeeded" {
                seen(page, "vm-provisioned", status.get("time"), Source::Platform);
            }
        }
    }
}

fn activity(page: &mut Page<'_>, entry: &Value) {
    let text = |name: &str| {
        let member = entry.get(name);
        let value = member.and_then(|member| member.get("value")).or(member);
        value.and_then(Value::as_str).unwrap_or_default().to_ascii_lowercase()
    };
    if !WRITES.contains(&text("operationName").as_str()) {
        return;
    }
    let name = match text("status").as_str() {
        "started" => "vm-requested",
        "succeeded" => "vm-provisioned",
        _ => return,
    };
    seen(page, name, entry.get("eventTimestamp"), Source::Platform);
}

fn list<'a>(value: &'a Value, pointer: &str) -> &'a [Value] {
    value.pointer(pointer).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

fn seen(page: &mut Page<'_>, name: &'static str, value: Option<&Value>, source: Source) {
    let Some(text) = value.and_then(Value::as_str) else { return };
    let Ok(time) = text.parse::<Timestamp>() else { return };
    let certainty = if text.contains('.') { Certainty::Measured } else { Certainty::Rounded };
    let place = page.whole(&format!("{name}: {text}"));
    page.seen(Seen { name, time: Stamp::foreign(time), source, certainty, place });
}
