//! The moments of a kubelet's start, read from what it logs.

use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use serde_json::{Map, Value};

/// A moment of kubelet's start.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Milestone {
    /// It logged something.
    FirstLine,
    /// It reached the container runtime.
    RuntimeInitialised,
    /// It began to look after pods.
    MainSyncLoop,
    /// The API server has its Node.
    Registered,
    /// It reported the Node as Ready.
    Ready,
}

/// What kubelet says at each moment; the first that it says counts. The last is an event that the scripts look for, too.
const SAYINGS: [(&str, Milestone); 5] = [
    ("\"Container runtime initialized\"", Milestone::RuntimeInitialised),
    ("\"Starting kubelet main sync loop\"", Milestone::MainSyncLoop),
    ("\"Successfully registered node\"", Milestone::Registered),
    ("\"Fast updating node status as it just became ready\"", Milestone::Ready),
    ("\"NodeReady\"", Milestone::Ready),
];

impl Milestone {
    /// Its name in an anatomy.
    pub const fn name(self) -> &'static str {
        match self {
            Self::FirstLine => "kubelet-first-line",
            Self::RuntimeInitialised => "kubelet-runtime-initialised",
            Self::MainSyncLoop => "kubelet-main-sync-loop",
            Self::Registered => "node-registered",
            Self::Ready => "node-ready",
        }
    }
}

/// The moments in the lines of `journalctl -u kubelet -o json`, the first of each. Lines that are no JSON, and those of
/// the service manager about the unit, say nothing.
pub fn journal_milestones(lines: &str, zone: &TimeZone) -> Vec<(Milestone, Timestamp)> {
    let mut found: Vec<(Milestone, Timestamp)> = Vec::new();
    for line in lines.lines() {
        let Ok(Value::Object(members)) = serde_json::from_str(line) else { continue };
        let Some(written) = written(&members) else { continue };
        let message = members.get("MESSAGE").and_then(Value::as_str).unwrap_or_default();
        let Some(time) = klog_time(message, written, zone) else { continue };
        let said =
            SAYINGS.iter().find(|(saying, _)| message.contains(saying)).map(|(_, milestone)| *milestone);
        for milestone in [Some(Milestone::FirstLine), said].into_iter().flatten() {
            if found.iter().all(|(other, _)| *other != milestone) {
                found.push((milestone, time));
            }
        }
    }
    found.sort_by_key(|(milestone, time)| (*time, *milestone));
    found
}

/// When the first of these lines of the journal was written.
pub fn journal_start(lines: &str) -> Option<Timestamp> {
    lines.lines().find_map(|line| written(&serde_json::from_str(line).ok()?))
}

fn written(line: &Map<String, Value>) -> Option<Timestamp> {
    let micros = line.get("__REALTIME_TIMESTAMP")?.as_str()?.parse().ok()?;
    Timestamp::from_microsecond(micros).ok()
}

/// The time in the header of a log line, `I1115 20:17:43.123456    1234 server.go:417] …`. It has neither year nor zone:
/// the year is that of a moment near it.
pub fn klog_time(line: &str, near: Timestamp, zone: &TimeZone) -> Option<Timestamp> {
    let rest = line.strip_prefix(['I', 'W', 'E', 'F'])?;
    let (header, _) = rest.split_once("] ")?;
    let mut words = header.split_ascii_whitespace();
    let (date, clock) = (words.next()?, words.next()?);
    if date.len() != 4 {
        return None;
    }
    let year = near.to_zoned(zone.clone()).year();
    let read = |year: i16| {
        let time = DateTime::strptime("%Y%m%d %H:%M:%S%.f", format!("{year}{date} {clock}")).ok()?;
        Some(time.to_zoned(zone.clone()).ok()?.timestamp())
    };
    // Around New Year the two may disagree.
    [year, year - 1, year + 1].into_iter().filter_map(read).min_by_key(|time| time.duration_since(near).abs())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(micros: i64, message: &str) -> String {
        serde_json::json!({"__REALTIME_TIMESTAMP": micros.to_string(), "MESSAGE": message}).to_string()
    }

    #[test]
    fn a_journal_starts_with_its_first_line_that_has_a_time() {
        let lines = ["no JSON", "{}", &line(7, "start"), &line(8, "launching")].join("\n");
        assert_eq!(journal_start(&lines), Timestamp::from_microsecond(7).ok());
        assert_eq!(journal_start(""), None);
    }

    #[test]
    fn the_moments_of_a_start_are_found_once_each_with_the_times_of_the_log() {
        let at = |text: &str| text.parse::<Timestamp>().unwrap();
        let micros = at("2026-11-15T20:17:50Z").as_microsecond();
        let log = [
            line(micros, "Started kubelet.service - Kubelet."),
            line(micros, r#"I1115 20:17:45.000100    812 server.go:530] "Kubelet version" kubeletVersion="v1.33.2""#),
            line(micros, r#"I1115 20:17:46.250000    812 kuberuntime_manager.go:275] "Container runtime initialized" containerRuntime="containerd""#),
            line(micros, r#"I1115 20:17:46.500000    812 kubelet.go:2402] "Starting kubelet main sync loop""#),
            "not json".to_owned(),
            line(micros, r#"I1115 20:17:47.000000    812 kubelet_node_status.go:78] "Successfully registered node" node="n1""#),
            line(micros, r#"I1115 20:17:48.000000    812 kubelet_node_status.go:689] "Recording event message for node" node="n1" event="NodeReady""#),
            line(micros, r#"I1115 20:17:48.100000    812 kubelet_node_status.go:501] "Fast updating node status as it just became ready""#),
            line(micros, r#"I1115 20:18:48.000000    999 kubelet.go:2402] "Starting kubelet main sync loop""#),
        ]
        .join("\n");
        let found: Vec<String> = journal_milestones(&log, &TimeZone::UTC)
            .iter()
            .map(|(milestone, time)| format!("{} {time}", milestone.name()))
            .collect();
        assert_eq!(
            found,
            [
                "kubelet-first-line 2026-11-15T20:17:45.0001Z",
                "kubelet-runtime-initialised 2026-11-15T20:17:46.25Z",
                "kubelet-main-sync-loop 2026-11-15T20:17:46.5Z",
                "node-registered 2026-11-15T20:17:47Z",
                "node-ready 2026-11-15T20:17:48Z",
            ]
        );
    }

    #[test]
    fn a_header_is_read_across_new_year_and_anything_else_is_refused() {
        let near = "2027-01-01T00:00:01Z".parse().unwrap();
        let read = |line: &str| klog_time(line, near, &TimeZone::UTC).map(|time| time.to_string());
        assert_eq!(read("W1231 23:59:59.5 1 x.go:1] a").as_deref(), Some("2026-12-31T23:59:59.5Z"));
        for other in [
            "",
            "Started kubelet",
            "I1231 noon 1 x.go:1] a",
            "I9931 23:59:59 1 x] a",
            "I1231 23:59:59.5 1 x.go",
        ] {
            assert_eq!(read(other), None, "{other}");
        }
    }
}
