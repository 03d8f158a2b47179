//! Guest-agent events: one JSON document in each file. The end of a task is in its `OperationId`.

use std::io::BufRead;

use jiff::Timestamp;
use serde_json::{Map, Value};

use super::lines::document;
use super::{Certainty, Ended, Page, Seen, Source, Span, stamp};
use crate::phase::Phase;

/// Tasks that hold the others together, or watch them.
const ENVELOPES: [&str; 3] =
    ["AKS.CSE.cse_start", "AKS.AKSNodeController.Provision", "AKS.Runtime.waitForTLSBootstrapping"];

/// What the extension does while the node is made elsewhere.
const WAITING: &str = "AKS.AKSNodeController.ProvisionWait";

/// The task by which the scripts say that they have ended.
const LAST: &str = "AKS.CSE.cse_start";

/// The times in its message.
const MOMENTS: [(&str, &str); 8] = [
    ("KernelStartTime", "kernel-started"),
    ("CloudInitLocalStartTime", "cloud-init-started"),
    ("CloudInitStartTime", "cloud-init-network-started"),
    ("CloudFinalStartTime", "cloud-init-final-started"),
    ("NetworkdStartTime", "network-started"),
    ("GuestAgentStartTime", "guest-agent-started"),
    ("KubeletStartTime", "kubelet-started"),
    ("KubeletReadyTime", "node-ready"),
];

pub(super) fn read(page: &mut Page<'_>, input: &mut dyn BufRead) {
    match document(page, input) {
        Some(Value::Object(event)) => tell(page, &event),
        Some(Value::Array(events)) => {
            for event in events.iter().filter_map(Value::as_object) {
                tell(page, event);
            }
        }
        Some(_) => page.problem(None, "is not an event"),
        None => {}
    }
}

fn tell(page: &mut Page<'_>, event: &Map<String, Value>) {
    let text = |name: &str| event.get(name).and_then(Value::as_str).unwrap_or_default();
    let (task, message) = (text("TaskName"), text("Message"));
    if !task.starts_with("AKS.") {
        return;
    }
    let times = stamp::civil(text("Timestamp"), page.zone).zip(stamp::civil(text("OperationId"), page.zone));
    let Some((start, mut end)) = times else {
        page.problem(None, format!("the event {task} has no times"));
        return;
    };
    if end < start {
        page.problem(None, format!("{task} ends before it begins: the clock was set meanwhile"));
        end = start;
    }
    let failed = text("EventLevel") == "Error";
    page.span(Span {
        name: task.to_owned(),
        phase: if task == WAITING { Phase::Extension } else { Phase::Bootstrap },
        start: start.into(),
        end: end.into(),
        source: Source::Event,
        certainty: Certainty::Measured,
        place: page.whole(message),
        outcome: failed.then(|| "failed".to_owned()),
        after: None,
        critical: None,
        envelope: ENVELOPES.contains(&task),
    });
    if task == LAST {
        last(page, message, end);
    }
}

fn last(page: &mut Page<'_>, message: &str, end: Timestamp) {
    let Ok(Value::Object(members)) = serde_json::from_str(message) else { return };
    let text = |name: &str| members.get(name).and_then(Value::as_str).unwrap_or_default();
    for (key, name) in MOMENTS {
        // `date` makes midnight of an empty text.
        let known = Some(text(key)).filter(|time| !time.ends_with("00:00:00.000"));
        let time = known.and_then(|time| stamp::civil(time, page.zone).or(stamp::printed(time, page.zone)));
        if let Some(time) = time {
            let place = page.whole(&format!("{key}: {}", text(key)));
            let (source, certainty) = (Source::Event, Certainty::Rounded);
            page.seen(Seen { name, time: time.into(), source, certainty, place });
        }
    }
    if let Ok(code) = text("ExitCode").parse() {
        let place = page.whole(&format!("ExitCode: {code}"));
        let time = Some(end.into());
        page.evidence.ended.push(Ended { exit_code: Some(code), error: String::new(), time, place });
    }
}
