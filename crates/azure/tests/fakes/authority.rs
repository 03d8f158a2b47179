//! A cluster's CA, and certificates signed by it.

use rcgen::{
    BasicConstraints, CertificateParams, CertifiedIssuer, DnType, ExtendedKeyUsagePurpose, IsCa, KeyPair,
    KeyUsagePurpose,
};
use rustls::pki_types::{CertificateDer, PrivateKeyDer};

/// A certificate authority.
pub struct Authority {
    issuer: CertifiedIssuer<'static, KeyPair>,
    /// The chain from here up to, and without, the root.
    above: Vec<CertificateDer<'static>>,
}

/// A server's certificate with its chain and key.
pub struct Identity {
    pub chain: Vec<CertificateDer<'static>>,
    pub key: PrivateKeyDer<'static>,
}

impl Authority {
    /// A root.
    pub fn root() -> Self {
        let issuer =
            CertifiedIssuer::self_signed(params("cluster CA"), KeyPair::generate().unwrap()).unwrap();
        Self { issuer, above: Vec::new() }
    }

    /// An authority below this one.
    pub fn intermediate(&self) -> Self {
        let key = KeyPair::generate().unwrap();
        let issuer = CertifiedIssuer::signed_by(params("intermediate CA"), key, &self.issuer).unwrap();
        let mut above = vec![issuer.der().clone()];
        above.extend(self.above.iter().cloned());
        Self { issuer, above }
    }

    /// The certificate as the contract carries it, before base64.
    pub fn pem(&self) -> String {
        self.issuer.pem()
    }

    /// A certificate for a name and a purpose.
    pub fn certify(&self, name: &str, purpose: ExtendedKeyUsagePurpose) -> Identity {
        let key = KeyPair::generate().unwrap();
        let mut params = CertificateParams::new([name.to_owned()]).unwrap();
        params.extended_key_usages = vec![purpose];
        let leaf = params.signed_by(&key, &self.issuer).unwrap();
        let mut chain = vec![leaf.der().clone()];
        chain.extend(self.above.iter().cloned());
        Identity { chain, key: PrivateKeyDer::try_from(key.serialize_der()).unwrap() }
    }

    /// A server's certificate.
    pub fn server(&self, name: &str) -> Identity {
        self.certify(name, ExtendedKeyUsagePurpose::ServerAuth)
    }
}

fn params(name: &str) -> CertificateParams {
    let mut params = CertificateParams::default();
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    params.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::CrlSign];
    params.distinguished_name.push(DnType::CommonName, name);
    params
}
