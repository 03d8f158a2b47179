//! Progress as lines of JSON; their schema is docs/reference/progress.schema.json.

use jiff::Timestamp;
use serde_json::{Value, json};
use slipway_apply::{Event, StepReport};

/// An event as a line.
pub(super) fn line(event: &Event<'_>, time: Timestamp) -> String {
    let mut value = match event {
        Event::AttemptBegan { id, steps } => {
            json!({ "event": "attempt-began", "attempt": id, "steps": steps })
        }
        Event::StepBegan { step, title } => json!({ "event": "step-began", "step": step, "title": title }),
        Event::Changed { step, what } => json!({ "event": "changed", "step": step, "what": what }),
        Event::StepEnded(report) => ended(report),
        Event::AttemptEnded(attempt) => json!({
            "event": "attempt-ended",
            "attempt": attempt.id,
            "changed": attempt.changed(),
            "exit_code": attempt.failure.as_ref().map_or(0, |failure| failure.reason.code()),
            "reason": attempt.failure.as_ref().map(|failure| failure.reason.reason()),
            "interrupted": attempt.interrupted,
        }),
        Event::Undone { what } => json!({ "event": "undone", "what": what }),
    };
    value["time"] = time.to_string().into();
    value.to_string()
}

fn ended(report: &StepReport) -> Value {
    json!({
        "event": "step-ended",
        "step": report.id,
        "outcome": report.outcome.word(),
        "start": report.times.map(|(began, _)| began.to_string()),
        "end": report.times.map(|(_, ended)| ended.to_string()),
        "changed": report.changed(),
        "error": report.outcome.problem().map(ToString::to_string),
        "waited_for": report.waited_for,
    })
}
