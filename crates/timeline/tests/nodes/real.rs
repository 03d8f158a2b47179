//! The node that the reference program and its scripts made.

use serde_json::Value;
use slipway_timeline::Phase;
use slipway_timeline::evidence::{Certainty, Kind};

use super::{anatomy, assert_whole, files, found, named};

#[test]
fn every_event_is_an_interval_with_its_name_and_its_times() {
    let anatomy = anatomy("scripts");
    let events = files("scripts").into_iter().filter(|(_, kind, _)| *kind == Kind::Event);
    let mut count = 0;
    for (_, _, text) in events {
        let event: Value = serde_json::from_slice(&text).unwrap();
        let time =
            |name: &str| format!("{}Z", event[name].as_str().unwrap().replace(' ', "T")).parse().unwrap();
        let (start, end) = (time("Timestamp"), time("OperationId"));
        let same = anatomy.intervals.iter().filter(|interval| {
            interval.name == event["TaskName"].as_str().unwrap()
                && (interval.start, interval.end) == (start, end)
        });
        assert_eq!(same.count(), 1, "{event}");
        count += 1;
    }
    assert_eq!(count, 40);
    assert_whole(&anatomy);
    assert!(anatomy.intervals.is_sorted_by_key(|interval| interval.start));
    assert_eq!(anatomy.problems, []);
}

#[test]
fn the_clocks_are_reconciled_and_kubelets_own_times_count() {
    let anatomy = anatomy("scripts");
    for (name, expected) in [
        // Whole seconds of the service manager, sharpened by the time since the start.
        ("userspace-started", "2026-11-15T20:17:42.386303Z"),
        ("containerd-started", "2026-11-15T20:17:45.719605Z"),
        ("kubelet-started", "2026-11-15T20:17:49.435746Z"),
        ("kubelet-first-line", "2026-11-15T20:17:49.669342Z"),
        ("node-registered", "2026-11-15T20:17:50.585758Z"),
        ("node-ready", "2026-11-15T20:17:50.783303Z"),
    ] {
        let told = anatomy.milestones[name];
        let expected: jiff::Timestamp = expected.parse().unwrap();
        assert!(told.duration_since(expected).abs().as_millis() < 1, "{name}: {told}");
    }
    assert_eq!(anatomy.clock_steps, []);
    assert!(!anatomy.milestones.contains_key("kernel-started"), "a container has no kernel of its own");
}

#[test]
fn the_largest_shares_are_reloads_and_the_time_between_steps() {
    let anatomy = anatomy("scripts");
    let largest: Vec<&str> = anatomy.shares.iter().take(2).map(|share| share.what.as_str()).collect();
    assert_eq!(largest, ["between steps", "daemon-reload"]);
    assert_eq!(found(&anatomy), ["manager-reloads", "between-steps"]);
    let reloads = anatomy.intervals.iter().filter(|interval| interval.phase == Phase::Manager);
    assert_eq!(reloads.clone().count(), 15);
    assert!(reloads.clone().all(|interval| interval.certainty == Certainty::Inferred));
    assert!(reloads.filter(|interval| interval.critical).count() >= 5);
}

#[test]
fn what_came_after_ready_kept_nobody_waiting() {
    let anatomy = anatomy("scripts");
    for (name, critical) in [
        ("AKS.CSE.ensureKubelet", true),
        ("containerd.service", true),
        ("until Ready", true),
        ("AKS.CSE.configureNodeExporter", false),
        ("AKS.CSE.ubuntuSnapshotUpdate", false),
        ("AKS.CSE.cse_start", false),
    ] {
        assert_eq!(named(&anatomy, name).critical, critical, "{name}");
    }
    let evidence = &named(&anatomy, "until Ready").evidence;
    assert_eq!(evidence.file, "journal.jsonl");
    assert!(
        evidence.line.is_some() && evidence.text.contains("Successfully registered node"),
        "{evidence:?}"
    );
}
