use std::sync::Arc;

use rustls::crypto::ring::default_provider;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ClientConfig, RootCertStore};
use slipway_model::Secret;

/// Where distributions keep the authorities that they trust, as one PEM file.
const SYSTEM_BUNDLES: [&str; 4] = [
    "/etc/ssl/certs/ca-certificates.crt",
    "/etc/pki/tls/certs/ca-bundle.crt",
    "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",
    "/etc/ssl/cert.pem",
];

/// Whose certificates are believed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Trust {
    /// These authorities only, as PEM text.
    Only(Vec<u8>),
    /// The authorities of the system and these, as PEM text that may be empty.
    SystemAnd(Vec<u8>),
    /// Nobody: for servers that are spoken to without TLS.
    Nobody,
}

/// Who we are to the server.
#[derive(Debug, Clone)]
pub struct Identity {
    /// Our certificate and those above it, as PEM text.
    pub chain_pem: String,
    /// The key of our certificate, as PEM text.
    pub key_pem: Secret<String>,
}

/// Certificates or keys that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TrustError {
    /// There is no authority to believe.
    #[error("there is no certificate of an authority in {0}")]
    NoAuthority(&'static str),
    /// Our own certificate does not serve.
    #[error("the client certificate cannot be used: {0}")]
    BadIdentity(String),
    /// The library refuses.
    #[error("TLS cannot be set up: {0}")]
    Setup(String),
}

impl Default for Trust {
    fn default() -> Self {
        Self::SystemAnd(Vec::new())
    }
}

impl Trust {
    pub(crate) fn config(&self, identity: Option<&Identity>) -> Result<ClientConfig, TrustError> {
        let roots = self.roots()?;
        let setup = |error: rustls::Error| TrustError::Setup(error.to_string());
        let builder = ClientConfig::builder_with_provider(Arc::new(default_provider()))
            .with_safe_default_protocol_versions()
            .map_err(setup)?
            .with_root_certificates(roots);
        let mut config = match identity {
            None => builder.with_no_client_auth(),
            Some(identity) => {
                let bad = |error: String| TrustError::BadIdentity(error);
                let chain: Result<Vec<_>, _> =
                    CertificateDer::pem_slice_iter(identity.chain_pem.as_bytes()).collect();
                let chain = chain.map_err(|error| bad(error.to_string()))?;
                let key = PrivateKeyDer::from_pem_slice(identity.key_pem.expose().as_bytes());
                let key = key.map_err(|_| bad("its key is no PEM private key".into()))?;
                builder.with_client_auth_cert(chain, key).map_err(|error| bad(error.to_string()))?
            }
        };
        config.alpn_protocols = vec![b"http/1.1".to_vec()];
        Ok(config)
    }

    fn roots(&self) -> Result<RootCertStore, TrustError> {
        let mut roots = RootCertStore::empty();
        // A certificate that cannot be read is passed over, as long as one remains.
        let mut add =
            |pem: &[u8]| roots.add_parsable_certificates(CertificateDer::pem_slice_iter(pem).flatten());
        let place = match self {
            Self::Nobody => return Ok(roots),
            Self::Only(pem) => {
                add(pem);
                "the given PEM text"
            }
            Self::SystemAnd(pem) => {
                add(&system_bundle());
                add(pem);
                "the system's bundle"
            }
        };
        if roots.is_empty() { Err(TrustError::NoAuthority(place)) } else { Ok(roots) }
    }
}

#[expect(clippy::disallowed_methods, reason = "the system's trust is a file, read once and never written")]
fn system_bundle() -> Vec<u8> {
    SYSTEM_BUNDLES.iter().find_map(|path| std::fs::read(path).ok()).unwrap_or_default()
}
