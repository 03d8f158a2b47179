//! Keys and certificates.

use std::io;
use std::path::Path;

use slipway_apply::{Outside, Patience, Problem, ReadyOrder, Unwatched};
use slipway_host::{Host, Recorded, Writer};
use slipway_model::Secret;
use slipway_plan::{Action, Artifact, Plan, SelfSigned, TlsBootstrap};

use crate::site::{apply, options, plan, reset, step, tree};

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

/// An API server that signs whatever it is asked for, unless it is out of order.
struct Signer {
    answers: bool,
}

impl Outside for Signer {
    fn fetch(
        &self,
        _artifact: &Artifact,
        _open: &mut dyn FnMut(&Path) -> io::Result<Box<dyn Writer>>,
        _patience: Patience<'_>,
    ) -> Result<(), Problem> {
        Ok(())
    }

    fn bootstrap(
        &self,
        order: &TlsBootstrap,
        ca: &[u8],
        key: &Secret<String>,
        _patience: Patience<'_>,
    ) -> Result<String, Problem> {
        assert_eq!(ca, b"the cluster's CA");
        if !self.answers {
            return Err(Problem::new("the API server", "does not answer"));
        }
        let key = rcgen::KeyPair::from_pem(key.expose()).unwrap();
        let mut parameters = rcgen::CertificateParams::new(Vec::new()).unwrap();
        parameters.distinguished_name.push(rcgen::DnType::OrganizationName, "system:nodes");
        parameters.distinguished_name.push(rcgen::DnType::CommonName, format!("system:node:{}", order.node));
        Ok(parameters.self_signed(&key).unwrap().pem())
    }

    fn wait_ready(&self, _order: &ReadyOrder<'_>, _patience: Patience<'_>) -> Result<(), Problem> {
        Ok(())
    }

    fn reach(&self, _host: &str, _port: u16, _patience: Patience<'_>) -> Result<String, Problem> {
        Ok("answers".to_owned())
    }
}

#[test]
fn a_first_credential_is_laid_out_as_kubelet_keeps_it_and_a_second_try_uses_the_same_key() {
    let order = TlsBootstrap {
        server: "https://api:443".to_owned(),
        ca: "/etc/ca.crt".into(),
        node: "n1".to_owned(),
        token: Secret::from("abcdef.0123456789abcdef"),
        kubeconfig: "/var/lib/kubelet/kubeconfig".into(),
        certificates: "/var/lib/kubelet/pki".into(),
    };
    let plan = plan(vec![step("bootstrap", &[], vec![Action::TlsBootstrap(order)])]);
    let host = Recorded::live().with_files([("/etc/ca.crt", "the cluster's CA", 0o644)]);
    let before = tree(&host);
    let run = |answers| {
        slipway_apply::apply(&plan, &host, &Signer { answers }, &options(1), &Unwatched, &|| false).unwrap()
    };
    let pending = Path::new("/var/lib/slipway/bootstrap.key");
    assert_eq!(run(false).failure.unwrap().problem.to_string(), "the API server: does not answer");
    let key = host.read(pending).unwrap();
    assert_eq!(host.entry(pending).unwrap().unwrap().attributes.mode, 0o600);
    assert_eq!(run(true).changed(), 1);
    assert_eq!(host.entry(pending).unwrap(), None);
    let current = host.read(Path::new("/var/lib/kubelet/pki/kubelet-client-current.pem")).unwrap();
    assert!(current.ends_with(&key));
    let kubeconfig = host.read(Path::new("/var/lib/kubelet/kubeconfig")).unwrap();
    assert!(
        String::from_utf8(kubeconfig).unwrap().contains("/var/lib/kubelet/pki/kubelet-client-current.pem")
    );
    assert_eq!(run(true).changed(), 0);
    reset(&host);
    assert_eq!(tree(&host), before);
}
