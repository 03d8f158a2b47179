use slipway_apply::{FailureStatus, LastAttempt, Status};
use slipway_host::{Space, UnitState};

use super::*;

const NOW: i64 = 1_800_000_000;

fn messages(seen: &Observed) -> Vec<String> {
    let found = CHECKS.iter().flat_map(|check| {
        (check.look)(seen).into_iter().map(|finding| format!("{}: {}", check.name, finding.message))
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
        disks: vec![("/".into(), Space { free: 50, size: 100, free_files: Some(9) })],
        programs: vec![("kubelet", true)],
        swaps: Some("Filename Type Size Used Priority\n".into()),
        cgroup_v2: Some(true),
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
        disks: vec![("/".into(), Space { free: 5, size: 100, free_files: None })],
        programs: vec![("kubelet", false)],
        swaps: Some("Filename Type\n/swapfile file\n".into()),
        cgroup_v2: Some(false),
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
            "disk: /: 5% of its space is free",
            "swap: /swapfile is in use",
            "cgroups: they are of version 1",
            "managed-files: /etc/default/kubelet is not as planned",
        ]
    );
}
