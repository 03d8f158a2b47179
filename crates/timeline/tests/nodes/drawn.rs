//! What people see of a node, and clocks that were set.

use std::fmt::Write as _;

use slipway_timeline::evidence::Kind;
use slipway_timeline::{Anatomy, Comparison, Sorted, gantt};

use super::{anatomy, found, read};

#[test]
fn the_drawing_fits_every_width() {
    for node in ["scripts", "slow-agent", "native"] {
        let anatomy = anatomy(node);
        for width in [40, 80, 132, 250] {
            for line in gantt(&anatomy, width, Sorted::ByTime) {
                assert_eq!(line.chars().count(), width, "{line}");
            }
        }
    }
}

#[test]
fn nodes_are_compared_phase_by_phase() {
    let runs: Vec<_> = ["fast", "slow-agent"].map(|node| (node.to_owned(), anatomy(node))).into();
    let comparison = Comparison::of(&runs);
    let gaps = comparison.phases.iter().find(|row| row.name == "gaps").unwrap();
    assert!(gaps.seconds[1] > gaps.seconds[0], "{gaps:?}");
    let all = comparison.phases.last().unwrap();
    assert_eq!(all.name, "all");
    assert!((all.seconds[0].unwrap() - 6.9).abs() < 0.01, "{all:?}");
    assert!(comparison.lines(80)[0].contains("slow-agent") || comparison.lines(80)[0].contains("slow-age…"));
}

/// Lines of kubelet's log; the clock is set forward by 40 s between the fourth and the fifth second.
fn journal() -> String {
    let mut text = String::new();
    for (second, what) in [
        (1, "\"Kubelet version\""),
        (3, "\"Attempting to register node\""),
        (6, "\"Successfully registered node\""),
        (7, "event=\"NodeReady\""),
    ] {
        let wall = 1_800_000_000 + second + if second > 4 { 40 } else { 0 };
        let clock = jiff::Timestamp::from_second(wall).unwrap().strftime("%m%d %H:%M:%S.000000").to_string();
        let _ = writeln!(
            text,
            "{}",
            serde_json::json!({
                "__REALTIME_TIMESTAMP": format!("{wall}000000"),
                "__MONOTONIC_TIMESTAMP": format!("{}", second * 1_000_000),
                "SYSLOG_IDENTIFIER": "kubelet",
                "MESSAGE": format!("I{clock}    1 x.go:1] {what}"),
            })
        );
    }
    text
}

#[test]
fn a_clock_that_was_set_while_a_node_started_changes_no_duration_and_is_said() {
    let anatomy = Anatomy::of(read("journal", Kind::JournalJson, journal().as_bytes()));
    assert_eq!(anatomy.clock_steps.len(), 1);
    assert_eq!(anatomy.clock_steps[0].by.as_secs(), 40);
    assert!((anatomy.total_seconds - 6.0).abs() < 1e-6, "{}", anatomy.total_seconds);
    assert_eq!(found(&anatomy), ["clock-skew"]);
}

#[test]
fn what_an_earlier_start_left_behind_is_left_out_and_said() {
    let event = |task: &str, minute: u32| {
        let text = format!(
            "{{\"Timestamp\":\"2026-11-15 08:{minute:02}:05.000\",\"OperationId\":\"2026-11-15 08:{minute:02}:06.000\",\"TaskName\":\"{task}\"}}"
        );
        read("event", Kind::Event, text.as_bytes())
    };
    let boot = read("manager.txt", Kind::Units, b"KernelTimestamp=Sun 2026-11-15 08:30:00 UTC\n");
    let anatomy =
        Anatomy::of([boot, event("AKS.CSE.old", 1), event("AKS.CSE.new", 30)].into_iter().collect());
    let names: Vec<&str> = anatomy.intervals.iter().map(|interval| interval.name.as_str()).collect();
    assert_eq!(names, ["kernel", "AKS.CSE.new"]);
    assert!(anatomy.problems[0].message.starts_with("1 intervals of earlier starts"));
}
