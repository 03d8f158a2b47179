//! Nodes in the shapes that real ones have.

use slipway_timeline::evidence::{Certainty, Source};

use super::{anatomy, assert_whole, files, found, named, since};

const START: &str = "2026-11-15T08:00:00Z";

fn between(time: f64, expected: f64) -> bool {
    (time - expected).abs() < 0.002
}

#[test]
fn a_slow_agent_is_a_gap_with_a_name() {
    let anatomy = anatomy("slow-agent");
    assert_whole(&anatomy);
    let gap = anatomy.gaps.iter().max_by_key(|gap| gap.took()).unwrap();
    assert_eq!(
        (gap.after.as_str(), gap.before.as_str(), gap.why),
        ("cloud-init modules-final", "goal state", "waiting for the agent")
    );
    assert!(between(gap.took().as_secs_f64(), 8.1), "{gap:?}");
    assert_eq!(found(&anatomy)[0], "agent-waiting");
    assert!(anatomy.findings[0].message.starts_with("8.1 s between cloud-init modules-final and goal state"));
    assert_eq!(anatomy.shares[0].what, "waiting for the agent");
    let command = named(&anatomy, "command of Microsoft.Azure.Extensions.CustomScript");
    assert!(between(command.took().as_secs_f64(), 2.0));
    assert!(!command.evidence.text.contains("environment"), "{:?}", command.evidence);
    assert!(named(&anatomy, "extension enable").envelope);
}

#[test]
fn a_start_from_custom_data_waits_for_nobody() {
    let anatomy = anatomy("fast");
    assert_whole(&anatomy);
    assert_eq!(found(&anatomy), [] as [&str; 0]);
    assert!(between(since(START, anatomy.milestones["boothook-started"]), 3.9));
    assert!(between(since(START, anatomy.milestones["node-ready"]), 6.9));
    let stages = anatomy.intervals.iter().filter(|interval| interval.name == "cloud-init init-network");
    assert_eq!(stages.count(), 1, "the log and the status tell of the same stage");
    assert!(!named(&anatomy, "cloud-init modules-final").critical);
    assert!(named(&anatomy, "AKS.CSE.ensureContainerd").critical);
}

#[test]
fn a_lock_of_the_package_manager_is_found_and_a_traced_task_counts_once() {
    let anatomy = anatomy("apt-lock");
    assert_whole(&anatomy);
    let task = "AKS.CSE.configureKubeletAndKubectl.installKubeletKubectlFromPkg";
    assert_eq!(anatomy.intervals.iter().filter(|interval| interval.name == task).count(), 1);
    assert_eq!(found(&anatomy), ["apt-lock", "slow-step"]);
    assert!(anatomy.findings[0].evidence[0].text.contains("unattended-upgr"));
    assert_eq!(anatomy.shares[0].what, task);
    assert!(between(named(&anatomy, task).saves.as_secs_f64(), 33.4));
}

#[test]
fn a_task_that_gave_up_has_no_event_and_is_known_from_the_trace() {
    let anatomy = anatomy("failed-api-server");
    assert_whole(&anatomy);
    let task = named(&anatomy, "AKS.CSE.apiserverNslookup");
    assert_eq!(
        (task.source, task.certainty, task.outcome.as_deref()),
        (Source::Trace, Certainty::Inferred, Some("unfinished"))
    );
    assert!(task.critical && between(task.took().as_secs_f64(), 300.0), "until the scripts ended: {task:?}");
    assert_eq!(anatomy.shares[0].what, task.name);
    let ids = found(&anatomy);
    for id in ["attempt-failed", "step-failed", "api-server-unreachable", "dns-failover"] {
        assert!(ids.contains(&id), "{id} is not in {ids:?}");
    }
    assert!(
        anatomy.findings[0].message.starts_with("ended with exit code 52: ;; connection timed out"),
        "{:?}",
        anatomy.findings[0]
    );
    let told = serde_json::to_string(&anatomy).unwrap();
    assert!(!told.contains("marker-of-a-secret"), "settings are nobody's business");
    let settings =
        files("failed-api-server").into_iter().find(|(name, ..)| name.ends_with(".settings")).unwrap();
    assert!(String::from_utf8(settings.2).unwrap().contains("marker-of-a-secret"));
}

#[test]
fn a_native_start_is_told_by_slipways_journal_and_knows_what_ready_waited_for() {
    let anatomy = anatomy("native");
    assert_whole(&anatomy);
    let steps = anatomy.intervals.iter().filter(|interval| interval.source == Source::Journal);
    assert_eq!(steps.count(), 6);
    assert!(
        anatomy.intervals.iter().all(|interval| !interval.name.starts_with("AKS.")),
        "events say the same"
    );
    for (name, critical) in [
        ("tls-bootstrap", true),
        ("start-containerd", false),
        ("containerd.service", false),
        ("await-ready", true),
    ] {
        assert_eq!(named(&anatomy, name).critical, critical, "{name}");
    }
    let tls = named(&anatomy, "tls-bootstrap");
    assert!(between(tls.saves.as_secs_f64(), 0.05), "containerd took nearly as long: {tls:?}");
    assert_eq!(tls.evidence.file, "var/lib/slipway/journal.jsonl");
    assert_eq!(named(&anatomy, "start-kubelet").after.as_deref(), Some("tls-bootstrap"));
    assert!(between(named(&anatomy, "platform").took().as_secs_f64(), 22.0));
    assert!(between(since(START, anatomy.milestones["node-ready"]), 5.0 + 1.28));
}

#[test]
fn an_attempt_that_was_made_again_is_told_of() {
    let anatomy = anatomy("retried");
    assert_whole(&anatomy);
    let first = named(&anatomy, "attempt a1");
    assert_eq!(first.outcome.as_deref(), Some("interrupted"));
    assert!(found(&anatomy).contains(&"attempt-retried"));
    let steps = anatomy.intervals.iter().filter(|interval| interval.name == "start-containerd");
    assert_eq!(steps.count(), 1, "only the last attempt is told step by step");
}

#[test]
fn the_published_timings_of_an_early_start_are_told_phase_by_phase() {
    let anatomy = anatomy("early-start-16-cores");
    assert_whole(&anatomy);
    let scripts = named(&anatomy, "AKS.CSE.cse_start");
    assert!(between(since(START, scripts.start), 13.0));
    assert!(between(scripts.took().as_secs_f64(), 10.9));
    for (name, after) in [("containerd-active", 7.0), ("node-registered", 12.0), ("node-ready", 13.0)] {
        let told = anatomy.milestones[name].duration_since(scripts.start).as_secs_f64();
        assert!(between(told, after), "{name} {told}");
    }
    assert!(between(anatomy.phases["registration"], 0.1) && between(anatomy.phases["ready"], 1.0));
    assert!(between(anatomy.total_seconds, 13.0 + 13.0));
}

/// Of the row for two cores only two times are published, and the evidence has no others.
#[test]
fn the_published_timings_of_two_cores_are_told_and_what_is_not_published_is_a_gap() {
    let anatomy = anatomy("early-start-2-cores");
    assert_whole(&anatomy);
    assert!(between(anatomy.phases["bootstrap"], 2.9), "containerd's configuration: {:?}", anatomy.phases);
    assert!(between(anatomy.total_seconds, 21.0), "Ready");
    let [gap] = &anatomy.gaps[..] else { panic!("{:?}", anatomy.gaps) };
    assert!(between(gap.took().as_secs_f64(), 18.1), "{gap:?}");
    assert_eq!(found(&anatomy), ["unexplained-time"]);
}
