//! TLS: the service's certificate, and those of clients.

use std::time::{Duration, Instant};

use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, DnType, IsCa, KeyPair, KeyUsagePurpose};
use slipway_fetch::{Call, Client, HttpError, Identity, Patience, Trust, Url};
use slipway_model::Secret;

use crate::running::{Area, Running, request};

struct Authority(CertifiedIssuer<'static, KeyPair>);

impl Authority {
    fn new() -> Self {
        let mut params = CertificateParams::default();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        params.key_usages = vec![KeyUsagePurpose::KeyCertSign];
        params.distinguished_name.push(DnType::CommonName, "test authority");
        Self(CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap())
    }

    /// A certificate for this machine, and its key, as PEM.
    fn issue(&self) -> (String, String) {
        let key = KeyPair::generate().unwrap();
        let params = CertificateParams::new(["127.0.0.1".to_owned()]).unwrap();
        (params.signed_by(&key, &self.0).unwrap().pem(), key.serialize_pem())
    }

    fn client(&self) -> Identity {
        let (chain_pem, key) = self.issue();
        Identity { chain_pem, key_pem: Secret::new(key) }
    }

    fn trust(&self) -> Trust {
        Trust::Only(self.0.pem().into_bytes())
    }
}

fn ask(service: &Running, trust: &Trust, identity: Option<&Identity>) -> Result<u16, HttpError> {
    let (path, body) = request("request-00");
    let url = Url::parse(&format!("https://{}{path}", service.address)).unwrap();
    let client = Client::new(trust, identity, None).unwrap();
    let call = Call { body: body.as_bytes(), ..Call::get(&url) };
    let stop = || false;
    let patience = Patience::new(Instant::now() + Duration::from_secs(10), &stop);
    client.call(&call, patience).map(|answer| answer.status())
}

#[test]
fn a_client_certificate_of_a_known_authority_opens_the_door_and_no_other() {
    let (ours, theirs, stranger) = (Authority::new(), Authority::new(), Authority::new());
    let area = Area::new();
    let (certificate, key) = ours.issue();
    let certificate = area.write("tls.crt", certificate);
    let key = area.write("tls.key", key);
    let authority = area.write("ca.crt", theirs.0.pem());
    let service = Running::start(&[
        "--tls-certificate",
        certificate.to_str().unwrap(),
        "--tls-key",
        key.to_str().unwrap(),
        "--client-ca",
        authority.to_str().unwrap(),
    ]);
    assert_eq!(ask(&service, &ours.trust(), Some(&theirs.client())).unwrap(), 200);
    assert_eq!(ask(&service, &ours.trust(), None).unwrap(), 401);
    assert!(ask(&service, &ours.trust(), Some(&stranger.client())).is_err());
    assert!(ask(&service, &theirs.trust(), None).is_err(), "a client that trusts others goes away");
}

#[test]
fn a_renewed_certificate_is_used_without_a_restart() {
    let (before, after) = (Authority::new(), Authority::new());
    let area = Area::new();
    let (certificate, key) = before.issue();
    let certificate = area.write("tls.crt", certificate);
    let key = area.write("tls.key", key);
    let files = ["--tls-certificate", certificate.to_str().unwrap(), "--tls-key", key.to_str().unwrap()];
    let service = Running::start(&files);
    assert_eq!(ask(&service, &before.trust(), None).unwrap(), 200);
    let (certificate, key) = after.issue();
    area.write("tls.key", key);
    area.write("tls.crt", certificate);
    let start = Instant::now();
    while ask(&service, &after.trust(), None).is_err() {
        assert!(start.elapsed() < Duration::from_secs(10), "{}", service.log());
        std::thread::sleep(Duration::from_millis(100));
    }
}
