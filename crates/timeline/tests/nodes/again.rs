//! What happened before this start, after Ready, or twice.

use slipway_timeline::evidence::{Kind, Source};
use slipway_timeline::{Anatomy, Evidence};

use super::{anatomy, assert_whole, found, named, read, since};

const START: &str = "2026-11-15T08:00:00Z";

fn trace(text: &str) -> Evidence {
    read("cluster-provision.log", Kind::Trace, text.as_bytes())
}

#[test]
fn scripts_that_ran_twice_are_told_of_and_what_the_first_run_gave_up_ended_with_it() {
    let anatomy = anatomy("scripts-twice");
    assert_whole(&anatomy);
    let retried = anatomy.findings.iter().find(|finding| finding.id == "attempt-retried").unwrap();
    assert_eq!(
        (retried.about.as_str(), retried.message.as_str()),
        ("AKS.CSE.cse_start", "the scripts ran 2 times")
    );
    assert!(!found(&anatomy).contains(&"attempt-failed"), "the last run ended well: {:?}", found(&anatomy));
    let task = named(&anatomy, "AKS.CSE.apiserverNslookup");
    assert_eq!((task.source, task.outcome.as_deref()), (Source::Trace, Some("unfinished")));
    assert!((since(START, task.end) - 18.0).abs() < 1e-6, "{task:?}");
}

#[test]
fn a_task_that_begins_again_was_given_up_the_first_time() {
    let run = |second: u32, rest: &str| {
        format!(
            "+ local task=AKS.CSE.a\n+ local 'startTime=2026-11-15 08:00:{second:02}.000'\n\
             + local task=AKS.CSE.b\n+ local 'startTime=2026-11-15 08:00:{:02}.000'\n{rest}",
            second + 1
        )
    };
    let ends = "+ local 'endTime=2026-11-15 08:00:33.000'\n+ local 'endTime=2026-11-15 08:00:34.000'\n";
    let evidence = trace(&format!("{}{}", run(10, "+ exit 52\n"), run(30, ends)));
    let told: Vec<(&str, String, Option<&str>)> = evidence
        .spans
        .iter()
        .map(|span| (span.name.as_str(), span.end.wall.strftime("%S").to_string(), span.outcome.as_deref()))
        .collect();
    let expected = [
        ("AKS.CSE.a", "11", Some("unfinished")),
        ("AKS.CSE.b", "11", Some("unfinished")),
        ("AKS.CSE.b", "33", None),
        ("AKS.CSE.a", "34", None),
    ];
    assert_eq!(told, expected.map(|(name, end, how)| (name, end.to_owned(), how)));
}

#[test]
fn an_earlier_start_in_cloud_inits_logs_is_left_out_and_said() {
    let start = |minute: u32| {
        let time = |second: u32| format!("2026-11-15 08:{minute:02}:{second:02},000");
        format!(
            "{} - util.py[DEBUG]: Cloud-init v. 24.4 running 'init-local' at Sun, 15 Nov 2026 08:{minute:02}:01 +0000. Up 5.23 seconds.\n\
             {} - handlers.py[DEBUG]: start: init-local/check-cache: x\n{} - handlers.py[DEBUG]: finish: init-local/check-cache: SUCCESS: x\n",
            time(1),
            time(2),
            time(3)
        )
    };
    let once = read("cloud-init.log", Kind::CloudInitLog, start(0).as_bytes());
    assert_eq!((once.spans.len(), once.problems.len()), (1, 0));
    let twice = read("cloud-init.log", Kind::CloudInitLog, format!("{}{}", start(0), start(30)).as_bytes());
    assert_eq!(twice.spans.len(), 1);
    assert_eq!(twice.problems[0].message, "tells of an earlier start of the machine, which is left out");
}

/// A node that was started at half past eight and is Ready ten seconds later.
fn started() -> Evidence {
    let boot = read("manager.txt", Kind::Units, b"KernelTimestamp=Sun 2026-11-15 08:30:00 UTC\n");
    let node = br#"{"metadata":{"creationTimestamp":"2026-11-15T08:30:09Z"},"ready":"2026-11-15T08:30:10Z"}"#;
    [boot, read("node.json", Kind::Platform, node)].into_iter().collect()
}

/// Kubelet's journal with an image that cannot be pulled, at a time of that day.
fn pull(time: &str) -> Evidence {
    let wall = format!("2026-11-15T{time}Z").parse::<jiff::Timestamp>().unwrap();
    let record = serde_json::json!({
        "__REALTIME_TIMESTAMP": wall.as_microsecond().to_string(),
        "SYSLOG_IDENTIFIER": "kubelet",
        "MESSAGE": format!("E1115 {time}.000000 7 pod_workers.go:1] err=\"ErrImagePull\" pod=\"default/theirs\""),
    });
    read("journal", Kind::JournalJson, record.to_string().as_bytes())
}

#[test]
fn troubles_before_this_start_and_after_ready_are_not_about_it() {
    let with = |evidence: Evidence| {
        let anatomy = Anatomy::of([started(), evidence].into_iter().collect());
        found(&anatomy).contains(&"registry-unreachable")
    };
    assert!(with(pull("08:30:05")), "while the node started");
    assert!(!with(pull("09:10:00")), "a pod of the node's user");
    assert!(!with(pull("08:10:00")), "an earlier start");
}

#[test]
fn a_result_of_an_earlier_start_is_not_this_ones() {
    let result = |minute: u32| {
        let text = format!(
            "{{\"ExitCode\":\"52\",\"Error\":\"\",\"Output\":\"\",\"CSEStartTime\":\"Sun Nov 15 08:{minute:02}:05 UTC 2026\"}}"
        );
        read("provision.json", Kind::Result, text.as_bytes())
    };
    let failed = |minute| {
        let anatomy = Anatomy::of([started(), result(minute)].into_iter().collect());
        found(&anatomy).contains(&"attempt-failed")
    };
    assert!(failed(30) && !failed(10));
}
