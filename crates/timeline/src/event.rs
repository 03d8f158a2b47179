use jiff::Zoned;
use serde::Serialize;

use crate::html_escaped;

/// How much an event matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EventLevel {
    /// As it should be.
    Informational,
    /// Something failed.
    Error,
}

/// One event for Azure's guest agent, which picks up a file for each.
#[derive(Debug, Clone)]
pub struct Event {
    /// What was done, below `AKS.AKSNodeController.`.
    pub task: &'static str,
    /// How much it matters.
    pub level: EventLevel,
    /// What happened.
    pub text: String,
    /// When it began.
    pub start: Zoned,
    /// When it ended.
    pub end: Zoned,
}

/// One event of a native attempt: its times are in its own keys, as the scripts have it.
#[derive(Debug, Clone)]
pub struct TaskEvent {
    /// The whole name, such as `AKS.Slipway.start-containerd`.
    pub task: String,
    /// How much it matters.
    pub level: EventLevel,
    /// What happened.
    pub message: String,
    /// When it began.
    pub start: Zoned,
    /// When it ended.
    pub end: Zoned,
}

#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
struct Fields<'a> {
    timestamp: &'a str,
    operation_id: &'a str,
    version: &'static str,
    task_name: &'a str,
    event_level: &'static str,
    message: &'a str,
    event_pid: &'static str,
    event_tid: &'static str,
}

/// The guest agent takes messages of 3072 bytes; longer ones are cut by whoever comes next.
const MOST_BYTES: usize = 3_000;

impl Event {
    /// The file's content.
    pub fn json(&self) -> String {
        let (start, end) = (local(&self.start), local(&self.end));
        let elapsed = self.end.timestamp().as_millisecond() - self.start.timestamp().as_millisecond();
        let timing = format!("startTime={start} endTime={end} durationMs={elapsed}");
        let message = if self.text.is_empty() { timing } else { format!("{} | {timing}", self.text) };
        document(&format!("AKS.AKSNodeController.{}", self.task), self.level, &message, &start, &end)
    }

    /// The name of a file that is written at this moment.
    pub fn file_name(written: &Zoned) -> String {
        format!("{}.json", written.timestamp().as_nanosecond())
    }
}

impl TaskEvent {
    /// The file's content.
    pub fn json(&self) -> String {
        let message = self.message.get(..self.message.floor_char_boundary(MOST_BYTES)).unwrap_or_default();
        document(&self.task, self.level, message, &local(&self.start), &local(&self.end))
    }
}

fn local(time: &Zoned) -> String {
    time.strftime("%Y-%m-%d %H:%M:%S%.3f").to_string()
}

fn document(task: &str, level: EventLevel, message: &str, start: &str, end: &str) -> String {
    let fields = Fields {
        timestamp: start,
        operation_id: end,
        version: "1.23",
        task_name: task,
        event_level: match level {
            EventLevel::Informational => "Informational",
            EventLevel::Error => "Error",
        },
        message,
        event_pid: "0",
        event_tid: "0",
    };
    // Strings always have a JSON form.
    html_escaped(&serde_json::to_string(&fields).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_event_has_its_keys_in_order_and_escapes_what_html_would_act_on() {
        let start: Zoned = "2026-11-15T10:00:00.5+01:00[+01:00]".parse().unwrap();
        let end: Zoned = "2026-11-15T10:00:01.75+01:00[+01:00]".parse().unwrap();
        let event = Event {
            task: "Provision",
            level: EventLevel::Error,
            text: "a<b>&\"".to_owned(),
            start: start.clone(),
            end: end.clone(),
        };
        assert_eq!(
            event.json(),
            concat!(
                r#"{"Timestamp":"2026-11-15 10:00:00.500","OperationId":"2026-11-15 10:00:01.750","Version":"1.23","#,
                r#""TaskName":"AKS.AKSNodeController.Provision","EventLevel":"Error","#,
                r#""Message":"a\u003cb\u003e\u0026\" | startTime=2026-11-15 10:00:00.500 "#,
                r#"endTime=2026-11-15 10:00:01.750 durationMs=1250","EventPid":"0","EventTid":"0"}"#
            )
        );
        let event = TaskEvent {
            task: "AKS.Slipway.cni".to_owned(),
            level: EventLevel::Informational,
            message: "é".repeat(2_000),
            start,
            end,
        };
        let json = event.json();
        assert!(json.contains(r#""TaskName":"AKS.Slipway.cni","EventLevel":"Informational","Message":"é"#));
        assert_eq!(json.matches('é').count(), 1_500);
    }
}
