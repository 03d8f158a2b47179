//! What services leave behind, and how a reset removes it.

use std::path::Path;

use slipway_host::{Host, Recorded, UnitState};
use slipway_model::{Attributes, Verb};
use slipway_plan::{Action, Plan, Traces};

use crate::site::{apply, file, plan, reset, step, tree, unit};

const SOCKET: &str = "/run/containerd/containerd.sock";
const SAVED: &str =
    "*filter\n:INPUT ACCEPT [0:0]\n:KUBE-FIREWALL - [0:0]\n-A INPUT -j KUBE-FIREWALL\nCOMMIT\n";

fn running() -> UnitState {
    UnitState { exists: true, active: "active".to_owned(), ..UnitState::default() }
}

fn kubelet() -> Plan {
    let traces = Traces {
        pods: Some(SOCKET.into()),
        units: vec!["kubepods.slice".to_owned(), "network-online.target".to_owned()],
        directories: vec!["/var/lib/kubelet".into(), "/var/lib/cni".into()],
        links: vec!["cbr0".to_owned(), "old0".to_owned()],
        chains: vec!["KUBE-".to_owned()],
        settings: vec![("/proc/sys/kernel/panic".into(), "10".to_owned())],
        ..Traces::of("kubelet.service")
    };
    plan(vec![
        step("config", &[], vec![file("/var/lib/kubelet/pki/client.pem", 0o600, "ours")]),
        step("start-containerd", &["config"], vec![unit("containerd.service", Some(Verb::Restart), None)]),
        step(
            "start-kubelet",
            &["start-containerd"],
            vec![Action::Traces(traces), unit("kubelet.service", Some(Verb::Restart), None)],
        ),
    ])
}

fn machine() -> Recorded {
    Recorded::live()
        .with_unit("kubelet.service")
        .with_unit("containerd.service")
        .with_unit("kubepods.slice")
        .with_unit_state("network-online.target", running())
        .with_setting("/proc/sys/kernel/panic", "0")
        .with_directory("/proc/sys/net/ipv4/conf/old0", 0o755)
        .with_program("/sbin/ip", 0, "")
        .with_program("/usr/sbin/iptables-save", 0, SAVED)
        .with_program("/usr/sbin/iptables-restore", 0, "")
        .with_files([
            ("/usr/sbin/iptables-save", "", 0o755),
            ("/var/lib/kubelet/from-the-image/kept", "image", 0o644),
        ])
}

fn put(host: &Recorded, path: &str) {
    let above = Path::new(path).parent().unwrap();
    if host.entry(above).unwrap().is_none() {
        host.make_directory(above, Attributes::root(0o755)).unwrap();
    }
    host.create(Path::new(path), Attributes::root(0o600)).unwrap().write_all(b"x").unwrap();
}

/// Kubelet at work.
fn works(host: Recorded) -> Recorded {
    for path in [
        "/var/lib/kubelet/pki/kubelet.crt",
        "/var/lib/kubelet/from-the-image/new",
        "/var/lib/kubelet/pods/volume",
        "/var/lib/cni/result",
        "/proc/sys/net/ipv4/conf/cbr0",
    ] {
        put(&host, path);
    }
    host.set_setting(Path::new("/proc/sys/kernel/panic"), "10").unwrap();
    host.job("kubepods.slice", Verb::Start, None).unwrap();
    host.with_pod(SOCKET, "default/hello").with_mount("/var/lib/kubelet/pods/volume")
}

#[test]
fn what_a_service_left_goes_when_it_has_stopped_and_what_was_there_before_stays() {
    let host = machine();
    let before = tree(&host);
    apply(&kubelet(), &host);
    let host = works(host);
    host.forget_calls();
    let report = reset(&host);
    assert_eq!((&report.kept[..], &report.failed[..]), (&[][..], &[][..]));
    let told = ["job", "remove-pod", "unmount", "run", "set-setting"];
    let calls: Vec<String> =
        host.changes().into_iter().filter(|call| told.iter().any(|word| call.starts_with(word))).collect();
    assert_eq!(
        calls,
        [
            "job kubelet.service stop",
            "remove-pod default/hello",
            "unmount /var/lib/kubelet/pods/volume",
            "run /sbin/ip link delete cbr0",
            "run /usr/sbin/iptables-save",
            "run /usr/sbin/iptables-restore --wait=60 --noflush",
            "job kubepods.slice stop",
            "job containerd.service stop",
            "set-setting /proc/sys/kernel/panic 0",
        ]
    );
    host.remove(Path::new("/proc/sys/net/ipv4/conf/cbr0")).unwrap();
    assert_eq!(tree(&host), before);
}

#[test]
fn of_a_service_that_ran_before_nothing_is_removed() {
    let host = machine().with_unit_state("kubelet.service", running());
    apply(&kubelet(), &host);
    let host = works(host);
    let report = reset(&host);
    assert!(host.entry(Path::new("/var/lib/cni/result")).unwrap().is_some(), "{report:?}");
    assert_eq!(host.pods(Path::new(SOCKET)).unwrap().len(), 1);
}

#[test]
fn a_volume_that_stays_mounted_is_never_emptied() {
    let host = machine();
    apply(&kubelet(), &host);
    let host = works(host).with_stuck_mount("/var/lib/kubelet/pods/volume");
    let report = reset(&host);
    assert_eq!(report.failed.len(), 1, "{report:?}");
    assert_eq!(report.failed[0].what, "/var/lib/kubelet/pods");
    assert!(host.entry(Path::new("/var/lib/kubelet/pods/volume")).unwrap().is_some());
}

#[test]
fn a_runtime_that_does_not_answer_fails_the_reset_only_while_pods_run() {
    let host = machine();
    apply(&kubelet(), &host);
    host.job("kubepods.slice", Verb::Start, None).unwrap();
    let report = reset(&host);
    assert_eq!(report.failed.iter().map(|one| one.what.as_str()).collect::<Vec<_>>(), ["pods"]);
    // Stopping the slice has ended them meanwhile.
    assert_eq!(reset(&host).failed, []);
}
