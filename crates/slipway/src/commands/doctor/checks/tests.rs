use jiff::tz::TimeZone;
use slipway_apply::{FailureStatus, LastAttempt, Status};
use slipway_host::UnitState;
use slipway_timeline::evidence::Kind;
use slipway_timeline::{Anatomy, Evidence};

use super::*;

const NOW: i64 = 1_800_000_000;

fn messages(seen: &Observed) -> Vec<String> {
    let found = CHECKS.iter().flat_map(|check| {
        (check.look)(seen).into_iter().map(|finding| format!("{}: {}", check.id, finding.message))
    });
    found.collect()
}

fn healthy() -> Observed {
    Observed { live: true, now: NOW, status: Some(Status::default()), ..Observed::default() }
}

#[test]
fn a_machine_with_nothing_wrong_has_no_findings() {
    let now = NOW.unsigned_abs();
    let seen = Observed {
        socket: Some(true),
        kubelet: Some(Ok(())),
        certificates: vec![("/ca".into(), Ok((now - 10, now + 90 * 86_400)))],
        authority: Some(("pem\n".into(), "pem".into())),
        metadata: Some(true),
        server: Some(("api".into(), Ok(()))),
        programs: vec![("kubelet", true)],
        contract: Some(Ok(Vec::new())),
        units: vec![(
            "kubelet.service",
            UnitState { exists: true, active: "active".into(), ..UnitState::default() },
        )],
        ..healthy()
    };
    assert_eq!(messages(&seen), Vec::<String>::new());
}

#[test]
fn each_ailment_is_found_by_its_check() {
    let now = NOW.unsigned_abs();
    let last = LastAttempt {
        id: "a".into(),
        version: String::new(),
        plan: String::new(),
        stages: Vec::new(),
        began: jiff::Timestamp::UNIX_EPOCH,
        ended: Some(jiff::Timestamp::UNIX_EPOCH),
        outcome: Some("failed".into()),
        failure: Some(FailureStatus { step: Some("cni".into()), code: 41, message: "no".into(), hint: None }),
        steps: Vec::new(),
    };
    let seen = Observed {
        status: Some(Status { attempts: 1, last: Some(last) }),
        units: vec![
            (
                "containerd.service",
                UnitState {
                    exists: true,
                    active: "failed".into(),
                    result: "exit-code".into(),
                    ..UnitState::default()
                },
            ),
            ("kubelet.service", UnitState::default()),
        ],
        socket: Some(false),
        kubelet: Some(Err("silent".into())),
        certificates: vec![
            ("/ended".into(), Ok((0, now - 3 * 86_400))),
            ("/soon".into(), Ok((0, now + 3_600))),
            ("/future".into(), Ok((now + 7_200, now + 90 * 86_400))),
            ("/bad".into(), Err("unreadable".into())),
        ],
        authority: Some(("a".into(), "b".into())),
        metadata: Some(false),
        server: Some(("api".into(), Err("no such name".into()))),
        programs: vec![("kubelet", false)],
        contract: Some(Err("permission denied".into())),
        drifted: vec!["/etc/default/kubelet".into()],
        ..healthy()
    };
    assert_eq!(
        messages(&seen),
        [
            "attempt: it failed with exit code 41: step cni: no",
            "contract: it cannot be read: permission denied",
            "programs: kubelet is in none of its usual places",
            "units: containerd.service failed: exit-code",
            "units: kubelet.service does not exist",
            "runtime-socket: /run/containerd/containerd.sock is not there",
            "kubelet-health: silent",
            "certificates: /ended ended 3 days ago",
            "certificates: /soon ends in 1 hours",
            "certificates: /bad: unreadable",
            "authority: /etc/kubernetes/certs/ca.crt is not the certificate that the contract names",
            "clock: /future begins 2 hours from now",
            "metadata: nothing answers at 169.254.169.254 as it does, so the machine cannot be held against its contract",
            "name-resolution: api: no such name",
            "managed-files: /etc/default/kubelet is not as planned",
        ]
    );
}

#[test]
fn what_kept_a_start_from_ready_is_told_until_the_node_is_ready() {
    let result = br#"{"ExitCode":"51","Error":"","Output":""}"#;
    let journal = |event: &str| {
        let message = format!("I0115 08:00:01.000000 1 x.go:1] {event}");
        serde_json::json!({
            "__REALTIME_TIMESTAMP": "1800000001000000", "SYSLOG_IDENTIFIER": "kubelet", "MESSAGE": message,
        })
    };
    let read = |kind: Kind, text: &[u8]| Evidence::read(kind, "x", &TimeZone::UTC, &mut &*text);
    let with = |event: &str| {
        let journal = read(Kind::JournalJson, journal(event).to_string().as_bytes());
        let start = Anatomy::of([read(Kind::Result, result), journal].into_iter().collect());
        Observed { start: Some(start), ..healthy() }
    };
    assert_eq!(
        messages(&with("\"Successfully registered node\"")),
        [
            "start: provisioning: ended with exit code 51",
            "start: API server: the scripts gave up on it with exit code 51",
            "start: node-ready: the node registered at 2027-01-15T08:00:01Z and has not become Ready",
        ]
    );
    assert_eq!(messages(&with("event=\"NodeReady\"")), Vec::<String>::new());
}
