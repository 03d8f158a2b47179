//! Every recognised trouble, in the words in which nodes tell of it.

use std::collections::BTreeSet;

use slipway_timeline::evidence::Kind;
use slipway_timeline::{Anatomy, Evidence, FINDINGS};

use super::{anatomy, found, read};

/// A record of the journal, seconds after the machine's start.
fn record(second: f64, program: &str, unit: &str, message: &str) -> String {
    let (start, micros) =
        (1_800_000_000_000_000_i64, jiff::SignedDuration::from_secs_f64(second).as_micros());
    let micros = i64::try_from(micros).unwrap();
    let mut record = serde_json::json!({
        "__REALTIME_TIMESTAMP": (start + micros).to_string(),
        "__MONOTONIC_TIMESTAMP": micros.to_string(),
        "SYSLOG_IDENTIFIER": program,
        "_PID": if program == "systemd" { "1" } else { "77" },
        "MESSAGE": message,
    });
    if !unit.is_empty() {
        record["UNIT"] = unit.into();
    }
    format!("{record}\n")
}

fn kubelet(second: f64, message: &str) -> String {
    let time =
        jiff::Timestamp::from_second(1_800_000_000).unwrap() + jiff::SignedDuration::from_secs_f64(second);
    let clock = time.strftime("%m%d %H:%M:%S.%6f").to_string();
    record(second, "kubelet", "", &format!("I{clock}       77 x.go:1] {message}"))
}

fn journal(records: &[String]) -> Evidence {
    read("journal", Kind::JournalJson, records.concat().as_bytes())
}

fn event(task: &str, from: &str, to: &str) -> Evidence {
    let event = serde_json::json!({
        "Timestamp": format!("2027-01-15 08:00:{from}"), "OperationId": format!("2027-01-15 08:00:{to}"),
        "TaskName": task, "EventLevel": "Informational", "Message": "Completed",
    });
    read("event", Kind::Event, event.to_string().as_bytes())
}

fn troubles(evidence: impl IntoIterator<Item = Evidence>) -> Vec<&'static str> {
    let mut ids: Vec<&str> =
        Anatomy::of(evidence.into_iter().collect()).findings.iter().map(|finding| finding.id).collect();
    ids.dedup();
    ids
}

fn registered(ready: Option<f64>) -> Vec<String> {
    let mut records = vec![
        kubelet(1.0, "\"Kubelet version\""),
        kubelet(1.5, "\"Attempting to register node\""),
        kubelet(1.6, "\"Successfully registered node\" node=\"n1\""),
        kubelet(
            1.7,
            "\"Container runtime network not ready\" networkReady=\"NetworkReady=false reason:NetworkPluginNotReady message:Network plugin returns error: cni plugin not initialized\"",
        ),
    ];
    records.extend(ready.map(|second| kubelet(second, "\"Recording event\" event=\"NodeReady\"")));
    records
}

const UNRESOLVED: &str = "level=error msg=\"PullImage failed\" error=\"failed to resolve reference \\\"mcr.microsoft.com/pause:3.6\\\"\"";

const BOOT: &[u8] =
    b"UserspaceTimestamp=Fri 2027-01-15 08:00:00 UTC\nFinishTimestamp=Fri 2027-01-15 08:00:02 UTC\n";

/// A kubelet that is started in the first second and has its first word then.
fn cold(first: f64) -> Vec<String> {
    let unit = "kubelet.service";
    vec![
        record(1.0, "systemd", unit, "Starting kubelet.service - Kubelet..."),
        record(1.1, "systemd", unit, "Started kubelet.service - Kubelet."),
        kubelet(first, "\"Kubelet version\""),
        kubelet(first + 0.1, "event=\"NodeReady\""),
    ]
}

#[test]
fn a_network_plugin_counts_when_the_node_waited_for_it() {
    assert_eq!(troubles([journal(&registered(Some(2.0)))]), [] as [&str; 0]);
    assert_eq!(troubles([journal(&registered(Some(9.0)))]), ["cni-not-ready"]);
    assert_eq!(troubles([journal(&registered(None))]), ["cni-not-ready", "not-ready"]);
}

#[test]
fn certificates_that_are_not_signed_or_late_are_found() {
    let refused = kubelet(
        2.0,
        "\"Failed while requesting a signed certificate\" err=\"certificate request was not signed: timed out waiting for the condition\"",
    );
    assert_eq!(
        troubles([journal(&[kubelet(1.0, "\"Kubelet version\""), refused])]),
        ["certificate-not-approved"]
    );
    let late = event("AKS.Runtime.waitForTLSBootstrapping", "01.000", "21.000");
    assert_eq!(troubles([late])[0], "certificate-not-approved");
}

#[test]
fn a_native_start_whose_certificate_comes_late_is_found_by_its_step() {
    let line = |event: &str, second: u32, rest: &str| {
        format!("{{\"event\":\"{event}\",\"time\":\"2027-01-15T08:00:{second:02}Z\",{rest}}}\n")
    };
    let (began, step) = ("\"id\":\"a1\",\"boot\":\"b\"", "\"step\":\"tls-bootstrap\"");
    let journal = |end: u32| {
        let ended = line("step-ended", end, &format!("{step},\"outcome\":\"done\""));
        let text = format!("{}{}{ended}", line("attempt-began", 1, began), line("step-began", 1, step));
        read("journal.jsonl", Kind::SlipwayJournal, text.as_bytes())
    };
    assert!(troubles([journal(21)]).contains(&"certificate-not-approved"));
    assert!(!troubles([journal(3)]).contains(&"certificate-not-approved"));
}

#[test]
fn a_resolver_that_took_long_is_told_as_what_it_is() {
    let late = event("AKS.CSE.apiserverNslookup", "01.000", "06.100");
    let finding = &Anatomy::of(late).findings[0];
    assert_eq!(
        (finding.id, finding.message.as_str()),
        ("dns-failover", "took 5.1 s: as long as a try of 5 s without an answer")
    );
}

#[test]
fn a_unit_that_reads_its_configuration_again_is_no_reload_of_the_manager() {
    let unit = "ssh.service";
    let records: Vec<String> = (1..6)
        .map(f64::from)
        .flat_map(|at| {
            [
                record(at, "systemd", unit, "Reloading ssh.service - OpenBSD Secure Shell server..."),
                record(at + 0.2, "systemd", unit, "Reloaded ssh.service - OpenBSD Secure Shell server."),
            ]
        })
        .collect();
    assert_eq!(journal(&records).spans.len(), 0);
    let manager: Vec<String> = (1..6).map(|at| record(f64::from(at), "systemd", "", "Reloading.")).collect();
    assert!(troubles([journal(&manager)]).contains(&"manager-reloads"));
}

#[test]
fn a_start_from_custom_data_does_not_wait_for_the_agent_that_runs_beside_it() {
    let log = "2027-01-15 08:00:01,000 - handlers.py[DEBUG]: start: modules-final: x\n\
               2027-01-15 08:00:02,000 - handlers.py[DEBUG]: finish: modules-final: SUCCESS: x\n";
    let boot = || read("cloud-init.log", Kind::CloudInitLog, log.as_bytes());
    let task = || event("AKS.CSE.a", "06.000", "07.000");
    let why = |evidence: Vec<Evidence>| Anatomy::of(evidence.into_iter().collect()).gaps[0].why;
    let agent = "2027-01-15T08:00:01.500000Z INFO Daemon Daemon Azure Linux Agent Version:2.9.1\n";
    let runs = || read("waagent.log", Kind::AgentLog, agent.as_bytes());
    assert_eq!(why(vec![boot(), task(), runs()]), "waiting for provisioning to begin");
    let asked = "2027-01-15T08:00:05.500000Z INFO ExtHandler [x-1] Target handler state: enabled\n";
    let asked = read("waagent.log", Kind::AgentLog, asked.as_bytes());
    assert_eq!(why(vec![boot(), task(), runs(), asked]), "waiting for the agent");
}

#[test]
fn a_certificate_from_the_future_is_a_matter_of_the_clock() {
    let refused = kubelet(2.0, "\"Unable\" err=\"x509: certificate has expired or is not yet valid\"");
    assert_eq!(troubles([journal(&[refused])]), ["clock-skew"]);
}

#[test]
fn a_metadata_service_that_does_not_answer_is_found_in_every_log() {
    let warning = "2027-01-15 08:00:01,000 - url_helper.py[WARNING]: Calling 'http://169.254.169.254/metadata/instance' failed [1/-1s]: request error\n";
    assert_eq!(troubles([read("cloud-init.log", Kind::CloudInitLog, warning.as_bytes())]), ["imds-retries"]);
    let agent = "2027-01-15T08:00:01.000000Z WARNING ExtHandler ExtHandler Failed to get http://169.254.169.254/metadata\n";
    assert_eq!(troubles([read("waagent.log", Kind::AgentLog, agent.as_bytes())]), ["imds-retries"]);
    let slow = event("AKS.CSE.fetch_and_cache_imds_instance_metadata", "01.000", "04.000");
    assert_eq!(troubles([slow]), ["imds-retries"]);
}

#[test]
fn a_registry_is_found_in_containerds_log_and_in_the_exit_code() {
    assert_eq!(troubles([journal(&[record(1.0, "containerd", "", UNRESOLVED)])]), ["registry-unreachable"]);
    let result = read("provision.json", Kind::Result, br#"{"ExitCode":"50","Error":"","Output":""}"#);
    assert_eq!(troubles([result]), ["attempt-failed", "registry-unreachable"]);
}

#[test]
fn a_kubelet_that_is_silent_for_long_was_read_from_a_cold_disk() {
    assert_eq!(troubles([journal(&cold(3.5))]), ["cold-binary"]);
    assert_eq!(troubles([journal(&cold(1.3))]), [] as [&str; 0]);
}

#[test]
fn a_unit_that_the_node_waits_for_and_that_never_starts_is_told_of() {
    let starting = |unit: &str| record(1.0, "systemd", unit, &format!("Starting {unit} - x..."));
    let later = record(9.0, "systemd", "", "Startup finished in 9s.");
    let with = |unit: &str| journal(&[starting(unit), later.clone()]);
    assert_eq!(troubles([with("containerd.service")]), ["step-failed"]);
    assert_eq!(troubles([with("cloud-final.service")]), [] as [&str; 0]);
}

#[test]
fn time_that_nobody_explains_is_said() {
    let steps = [event("AKS.CSE.a", "01.000", "01.500"), event("AKS.CSE.b", "09.000", "09.100")];
    let anatomy = Anatomy::of(steps.into_iter().collect());
    assert_eq!(found(&anatomy), ["between-steps"]);
    let boot = read("manager.txt", Kind::Units, BOOT);
    assert_eq!(troubles([boot, event("AKS.CSE.a", "09.000", "09.100")]), ["unexplained-time"]);
}

/// A node, or a part of one, that has this trouble.
fn with(id: &str) -> Anatomy {
    let of = |evidence: Evidence| Anatomy::of(evidence);
    match id {
        "attempt-failed" | "step-failed" | "api-server-unreachable" | "dns-failover" => {
            anatomy("failed-api-server")
        }
        "attempt-retried" => anatomy("retried"),
        "agent-waiting" => anatomy("slow-agent"),
        "apt-lock" | "slow-step" => anatomy("apt-lock"),
        "manager-reloads" | "between-steps" => anatomy("scripts"),
        "cni-not-ready" | "not-ready" => of(journal(&registered(None))),
        "certificate-not-approved" => of(event("AKS.Runtime.waitForTLSBootstrapping", "01.000", "21.000")),
        "clock-skew" => of(journal(&[kubelet(
            2.0,
            "\"Unable\" err=\"x509: certificate has expired or is not yet valid\"",
        )])),
        "imds-retries" => of(event("AKS.CSE.fetch_and_cache_imds_instance_metadata", "01.000", "04.000")),
        "registry-unreachable" => of(journal(&[record(1.0, "containerd", "", UNRESOLVED)])),
        "cold-binary" => of(journal(&cold(3.5))),
        "unexplained-time" => {
            of([read("manager.txt", Kind::Units, BOOT), event("AKS.CSE.a", "09.000", "09.100")]
                .into_iter()
                .collect())
        }
        _ => panic!("nothing here has the trouble {id}: it needs a fixture"),
    }
}

#[test]
fn every_trouble_of_the_table_is_found_where_it_is_and_not_on_a_node_without_troubles() {
    let fine = anatomy("fast");
    for known in &FINDINGS {
        let anatomy = with(known.id);
        let finding = anatomy.findings.iter().find(|finding| finding.id == known.id);
        let finding = finding.unwrap_or_else(|| panic!("{} is not in {:?}", known.id, found(&anatomy)));
        assert!(!finding.about.is_empty() && !finding.message.is_empty(), "{finding:?}");
        assert_eq!((finding.advice, finding.hinders()), (known.advice, known.hinders));
        assert!(!found(&fine).contains(&known.id));
    }
}

#[test]
fn troubles_are_named_as_names_are_and_once() {
    let ids: BTreeSet<&str> = FINDINGS.iter().map(|known| known.id).collect();
    assert_eq!(ids.len(), FINDINGS.len());
    for known in &FINDINGS {
        assert!(known.id.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-'), "{}", known.id);
        assert!(!known.title.is_empty() && !known.advice.is_empty());
    }
    let documented = include_str!("../../../../docs/anatomy.md");
    for known in &FINDINGS {
        let row = format!("| `{}` | {} |", known.id, known.title);
        assert!(documented.contains(&row), "the documentation has no row {row}");
    }
}
