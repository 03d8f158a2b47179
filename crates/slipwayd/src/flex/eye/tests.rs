use std::time::Duration;

use rcgen::{CertificateParams, KeyPair, date_time_ymd};
use slipway_flex::keep::{Decision, Keeper};
use slipway_host::{Recorded, UnitState};

use super::*;

const CERTIFICATE: &str = "/var/lib/kubelet/pki/kubelet-client-current.pem";
const CONFIG: &str = r#"{"azure": {"managedIdentity": {}, "targetCluster": {"resourceId":
    "/subscriptions/11111111-2222-3333-4444-555555555555/resourceGroups/g/providers/Microsoft.ContainerService/managedClusters/c"}},
    "agent": {"nodeName": "edge-01", "logLevel": "debug"}}"#;

/// A certificate that is good from the beginning of a year to the beginning of another.
fn certificate(from: i32, until: i32) -> String {
    let mut parameters = CertificateParams::default();
    (parameters.not_before, parameters.not_after) = (date_time_ymd(from, 1, 1), date_time_ymd(until, 1, 1));
    parameters.self_signed(&KeyPair::generate().unwrap()).unwrap().pem()
}

/// A machine that joined, with this certificate, whose configuration is at a path.
fn machine(certificate: &str, config: &Path) -> Recorded {
    let record = Record {
        config: config.display().to_string(),
        node: "edge-01".to_owned(),
        applied: Some(digest(CONFIG.as_bytes())),
        ..Record::default()
    };
    let kubeconfig = format!("users:\n- user:\n    client-certificate: {CERTIFICATE}\n");
    let runs = || UnitState { exists: true, active: "active".to_owned(), ..UnitState::default() };
    Recorded::live()
        .with_files([
            ("/var/lib/slipway/flex.json", record.text().expose().as_str(), 0o600),
            (KUBECONFIG, kubeconfig.as_str(), 0o600),
            (CERTIFICATE, certificate, 0o600),
            (&*config.to_string_lossy(), CONFIG, 0o600),
        ])
        .with_unit_state(UNITS[0], runs())
        .with_unit_state(UNITS[1], runs())
}

/// The configuration itself is read from the disk.
fn config(name: &str) -> PathBuf {
    let path = std::env::temp_dir().join(format!("slipwayd-eye-{name}-{}.json", std::process::id()));
    slipway_host::publish(&path, CONFIG.as_bytes(), 0o600).unwrap();
    path
}

#[test]
fn a_certificate_that_is_over_is_not_one_that_is_not_valid_yet() {
    let path = config("certificate");
    for (from, until, seen) in [(2020, 2021, CredentialSeen::Expired), (2200, 2201, CredentialSeen::Early)] {
        let host = machine(&certificate(from, until), &path);
        assert_eq!(Eye::new(&host, &path).look(&mut Status::default()).credential, seen, "{from}");
    }
    let host = machine(&certificate(2020, 2200), &path);
    let seen = Eye::new(&host, &path).look(&mut Status::default());
    assert!(matches!(seen.credential, CredentialSeen::Until(_)), "{seen:?}");
    slipway_host::remove(&path).unwrap();
}

#[test]
fn a_thousand_looks_and_decisions_leave_no_growth() {
    let path = config("growth");
    let host = machine(&certificate(2020, 2200), &path);
    let (mut eye, mut keeper, mut status) = (Eye::new(&host, &path), Keeper::default(), Status::default());
    let mut turn = |second| {
        let seen = Observation { node: NodeSeen::Ready, ..eye.look(&mut status) };
        assert_eq!(eye.logs(), Some(Level::Debug));
        assert_eq!(keeper.decide(Duration::from_secs(second), &seen), Decision::Fine, "{seen:?}");
        host.forget_calls();
    };
    turn(0);
    let memory = allocation_counter::measure(|| (1..=1000).for_each(&mut turn));
    assert_eq!((memory.count_current, memory.bytes_current), (0, 0), "{memory:?}");
    slipway_host::remove(&path).unwrap();
}
