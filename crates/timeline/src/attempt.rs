//! An attempt at provisioning, read back from its result: by whomever it was written, wherever it has been through.

use jiff::civil::DateTime;
use serde_json::{Map, Value};

use crate::native::StepResult;

/// What a result says about one attempt.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Attempt {
    /// Where in a larger document it was found, such as `extensions[0].statuses[0].message`; empty for all of it.
    pub place: String,
    /// The exit code; `None` where the result does not say, or says no number.
    pub exit_code: Option<i64>,
    /// What failed, in the words of whoever wrote the result.
    pub error: String,
    /// The end of what the scripts printed.
    pub output: String,
    /// Whether the extension had cut the result's beginning off.
    pub cut: bool,
    /// How long the scripts ran.
    pub duration_seconds: Option<i64>,
    /// What began when, earliest first; what has no time is left out.
    pub moments: Vec<Moment>,
    /// systemd's summary of the boot.
    pub boot_summary: String,
    /// `native` where Slipway did the work; empty for the scripts.
    pub mode: String,
    /// Which attempt it was, where the result says.
    pub attempt: String,
    /// How each step ended, where the result says.
    pub steps: Vec<StepResult>,
}

/// Something that began on the node, with its time in the node's zone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Moment {
    /// The key in the result.
    pub key: &'static str,
    /// What began, for people.
    pub what: &'static str,
    /// When.
    pub time: DateTime,
}

/// The times that the scripts record, by key.
const MOMENTS: [(&str, &str); 8] = [
    ("KernelStartTime", "kernel"),
    ("CloudInitLocalStartTime", "cloud-init, local"),
    ("NetworkdStartTime", "network"),
    ("CloudInitStartTime", "cloud-init"),
    ("GuestAgentStartTime", "guest agent"),
    ("CloudFinalStartTime", "cloud-init, final"),
    ("CSEStartTime", "scripts"),
    ("KubeletStartTime", "kubelet"),
];

impl Attempt {
    /// Reads a result document; `None` where it has no member for the exit code.
    pub(crate) fn from_document(members: &Map<String, Value>) -> Option<Self> {
        let code = member(members, "ExitCode")?;
        let boot = member(members, "BootDatapoints").and_then(Value::as_object);
        let text = |name| member(members, name).map(plain).unwrap_or_default();
        let moment = |(key, what): (&'static str, &'static str)| {
            let value = member(members, key).or_else(|| boot.and_then(|boot| member(boot, key)))?;
            Some(Moment { key, what, time: time(&plain(value))? })
        };
        let mut moments: Vec<Moment> = MOMENTS.into_iter().filter_map(moment).collect();
        moments.sort_by_key(|moment| moment.time);
        Some(Self {
            place: String::new(),
            exit_code: plain(code).trim().parse().ok(),
            error: text("Error"),
            output: text("Output"),
            cut: false,
            duration_seconds: text("ExecDuration").trim().parse().ok(),
            moments,
            boot_summary: text("SystemdSummary"),
            mode: text("Mode"),
            attempt: text("AttemptId"),
            steps: member(members, "Steps")
                .and_then(|steps| serde_json::from_value(steps.clone()).ok())
                .unwrap_or_default(),
        })
    }

    /// Whether the node was provisioned.
    pub fn succeeded(&self) -> bool {
        self.exit_code == Some(0)
    }

    /// The last lines of the output that say something: not the shell's trace of commands, except for the command
    /// that made the scripts give up. Where there is nothing but trace, its last lines.
    pub fn telling_lines(&self, limit: usize) -> Vec<&str> {
        let lines: Vec<&str> = self.output.lines().filter(|line| !line.trim().is_empty()).collect();
        let gave_up = lines.iter().rposition(|line| traced(line).is_some_and(|it| it.starts_with("exit ")));
        // Between the command and the end stands only the test of its status.
        let is_command = |line: &&str| traced(line).is_some_and(|it| !it.starts_with(['\'', '[']));
        let command = gave_up.and_then(|end| lines[..end].iter().rposition(is_command));
        let told = |(at, line): &(usize, &&str)| traced(line).is_none() || Some(*at) == command;
        let mut telling: Vec<&str> = lines.iter().enumerate().filter(told).map(|(_, line)| *line).collect();
        if telling.is_empty() {
            telling = lines;
        }
        telling.split_off(telling.len().saturating_sub(limit))
    }
}

/// The command in a line of the shell's trace: `+ command`.
fn traced(line: &str) -> Option<&str> {
    let rest = line.trim_start_matches('+');
    if rest.len() < line.len() { rest.strip_prefix(' ') } else { None }
}

/// A member by its name in any case, as the readers of results match it.
fn member<'a>(members: &'a Map<String, Value>, name: &str) -> Option<&'a Value> {
    members.iter().find(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, value)| value)
}

fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Null => String::new(),
        other => other.to_string(),
    }
}

/// A time as systemd prints it (`Sun 2026-11-15 20:17:42 UTC`) or as `date` does (`Sun Nov 15 20:17:43 UTC 2026`, in
/// some locales with AM or PM). A node has one zone, so it is not needed to compare its times.
pub(crate) fn time(text: &str) -> Option<DateTime> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let parsed = match words[..] {
        [_, date, clock, ..] if date.contains('-') => {
            DateTime::strptime("%Y-%m-%d %H:%M:%S%.f", format!("{date} {clock}"))
        }
        [_, month, day, clock, half @ ("AM" | "PM"), _, year] => {
            DateTime::strptime("%Y %b %d %I:%M:%S %p", format!("{year} {month} {day} {clock} {half}"))
        }
        [_, month, day, clock, _, year] => {
            DateTime::strptime("%Y %b %d %H:%M:%S", format!("{year} {month} {day} {clock}"))
        }
        _ => return None,
    };
    parsed.ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_as_systemd_and_date_print_them() {
        for (text, expected) in [
            ("Sun 2026-11-15 20:17:42 UTC", Some("2026-11-15T20:17:42")),
            ("Sun Nov 15 20:17:43 UTC 2026", Some("2026-11-15T20:17:43")),
            ("Sun Nov  5 08:17:43 PM UTC 2026", Some("2026-11-05T20:17:43")),
            ("", None),
            ("n/a", None),
            ("Sun 2026-99-15 20:17:42 UTC", None),
        ] {
            assert_eq!(time(text).map(|time| time.to_string()).as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn the_trace_is_left_out_except_for_the_command_that_failed() {
        let output = "+ set -x\nfirst\n++ date\n+ nc -vz host 443\nnc: connect failed\n+ '[' 1 -ne 0 ']'\n+ exit 51\n\n";
        let attempt = Attempt { output: output.to_owned(), ..Attempt::default() };
        assert_eq!(attempt.telling_lines(2), ["+ nc -vz host 443", "nc: connect failed"]);
        let attempt = Attempt { output: "+ a\n+ b\n+ c".to_owned(), ..Attempt::default() };
        assert_eq!(attempt.telling_lines(2), ["+ b", "+ c"]);
    }
}
