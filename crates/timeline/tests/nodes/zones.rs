//! Machines whose clock on the wall does not show UTC.

use std::io::Cursor;

use jiff::tz::{Offset, TimeZone};
use slipway_timeline::Evidence;
use slipway_timeline::evidence::Kind;

fn read(kind: Kind, text: &str) -> Evidence {
    let zone = TimeZone::fixed(Offset::constant(2));
    Evidence::read(kind, "x", &zone, &mut Cursor::new(text.as_bytes()))
}

#[test]
fn events_are_in_the_machines_zone_and_cloud_inits_log_is_in_utc() {
    let event = r#"{"Timestamp":"2026-11-15 10:00:05.000","OperationId":"2026-11-15 10:00:06.000","TaskName":"AKS.CSE.x"}"#;
    assert_eq!(read(Kind::Event, event).spans[0].start.wall.to_string(), "2026-11-15T08:00:05Z");
    let log = "2026-11-15 08:00:01,500 - handlers.py[DEBUG]: start: init-local/check-cache: x\n\
               2026-11-15 08:00:02,500 - handlers.py[DEBUG]: finish: init-local/check-cache: SUCCESS: x\n";
    assert_eq!(read(Kind::CloudInitLog, log).spans[0].start.wall.to_string(), "2026-11-15T08:00:01.5Z");
}

/// A container's kubelet may have another zone than the machine, and so may the reader.
#[test]
fn kubelets_own_time_counts_where_it_is_near_the_journals() {
    let record = |hour: u32| {
        format!(
            r#"{{"__REALTIME_TIMESTAMP":"1794729605250000","__MONOTONIC_TIMESTAMP":"5250000","SYSLOG_IDENTIFIER":"kubelet","MESSAGE":"I1115 {hour:02}:00:05.125000 7 x.go:1] \"Kubelet version\""}}"#
        )
    };
    for (hour, expected) in [(10, "2026-11-15T08:00:05.125Z"), (8, "2026-11-15T08:00:05.25Z")] {
        let evidence = read(Kind::JournalJson, &record(hour));
        assert_eq!(evidence.seen[0].time.wall.to_string(), expected, "{hour}");
    }
}
