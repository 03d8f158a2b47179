use rcgen::{
    BasicConstraints, CertificateParams, CertificateSigningRequestParams, CertifiedIssuer, DnType, IsCa,
    KeyPair, KeyUsagePurpose, date_time_ymd,
};
use rustls::pki_types::{CertificateDer, PrivateKeyDer};

/// A certificate authority.
pub struct Authority(CertifiedIssuer<'static, KeyPair>);

/// A server's certificate and key.
pub struct Identity {
    pub certificate: CertificateDer<'static>,
    pub key: PrivateKeyDer<'static>,
}

impl Authority {
    pub fn new() -> Self {
        let mut params = CertificateParams::default();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        params.key_usages = vec![KeyUsagePurpose::KeyCertSign];
        params.distinguished_name.push(DnType::CommonName, "test authority");
        Self(CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap())
    }

    pub fn pem(&self) -> String {
        self.0.pem()
    }

    /// A certificate for a server on this machine, and for `api.example.test`.
    pub fn server(&self) -> Identity {
        self.server_with(|_| {})
    }

    /// The same, whose time has not begun.
    pub fn server_of_tomorrow(&self) -> Identity {
        self.server_with(|params| params.not_before = date_time_ymd(2100, 1, 1))
    }

    fn server_with(&self, change: impl FnOnce(&mut CertificateParams)) -> Identity {
        let key = KeyPair::generate().unwrap();
        let names = ["127.0.0.1", "api.example.test"].map(str::to_owned);
        let mut params = CertificateParams::new(names).unwrap();
        change(&mut params);
        let leaf = params.signed_by(&key, &self.0).unwrap();
        Identity {
            certificate: leaf.der().clone(),
            key: PrivateKeyDer::try_from(key.serialize_der()).unwrap(),
        }
    }

    /// A client's certificate and key, as PEM texts.
    pub fn client(&self, name: &str) -> (String, String) {
        let key = KeyPair::generate().unwrap();
        let mut params = CertificateParams::default();
        params.distinguished_name.push(DnType::CommonName, name);
        (params.signed_by(&key, &self.0).unwrap().pem(), key.serialize_pem())
    }

    /// Signs a request, after checking its signature; its subject comes back too.
    pub fn sign(&self, request_pem: &str) -> (String, String) {
        let request = CertificateSigningRequestParams::from_pem(request_pem).unwrap();
        let subject: Vec<String> = request
            .params
            .distinguished_name
            .iter()
            .map(|(kind, value)| format!("{kind:?}={value:?}"))
            .collect();
        (request.signed_by(&self.0).unwrap().pem(), subject.join(","))
    }
}
