//! Keys and certificates.

use std::path::Path;

use slipway_host::{Host, Recorded};
use slipway_plan::{Action, Plan, SelfSigned};

use crate::site::{apply, plan, step};

fn pair(host: &str) -> Plan {
    plan(vec![step(
        "pair",
        &[],
        vec![Action::SelfSigned(SelfSigned {
            certificate: "/etc/c.crt".into(),
            key: "/etc/c.key".into(),
            host: host.to_owned(),
            days: 7300,
        })],
    )])
}

#[test]
fn a_pair_is_made_again_when_it_is_for_another_host_or_does_not_fit_together() {
    let host = Recorded::below();
    assert_eq!(apply(&pair("n1"), &host).changed(), 1);
    assert_eq!(apply(&pair("n1"), &host).changed(), 0);
    let key = host.read(Path::new("/etc/c.key")).unwrap();
    assert_eq!(host.entry(Path::new("/etc/c.key")).unwrap().unwrap().attributes.mode, 0o600);
    assert_eq!(apply(&pair("n2"), &host).changed(), 1);
    host.remove(Path::new("/etc/c.key")).unwrap();
    let attributes = slipway_model::Attributes::root(0o600);
    host.create(Path::new("/etc/c.key"), attributes).unwrap().write_all(&key).unwrap();
    assert_eq!(apply(&pair("n2"), &host).changed(), 1);
    assert_eq!(apply(&pair("n2"), &host).changed(), 0);
}
