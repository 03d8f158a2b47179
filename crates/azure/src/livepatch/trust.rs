//! Whom to believe: the cluster's CA, for the service's own name.

use std::sync::Arc;

use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::ring::default_provider;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::version::{TLS12, TLS13};
use rustls::{ClientConfig, DigitallySignedStruct, Error, RootCertStore, SignatureScheme};

use super::LivePatchError;

/// The name that the service's certificate must be valid for. Not the name in the hello: as such it would be routed
/// to an older service.
pub const SERVICE_NAME: &str = "aks-security-patch.data.mcr.microsoft.com";

/// The protocols that the hello offers, in this order. The first is what the front proxy routes on; a server that
/// selects either of them speaks HTTP/2.
pub const PROTOCOLS: [&str; 2] = ["aks-live-patching", "h2"];

/// The TLS client for a cluster whose CA is this PEM text.
pub(super) fn client(authorities: &[u8]) -> Result<ClientConfig, LivePatchError> {
    if authorities.trim_ascii().is_empty() {
        return Err(LivePatchError::NoAuthority);
    }
    let unusable = |problem: &dyn std::fmt::Display| LivePatchError::BadAuthority(problem.to_string());
    let mut roots = RootCertStore::empty();
    // A certificate that cannot be read is passed over, as long as one remains.
    roots.add_parsable_certificates(CertificateDer::pem_slice_iter(authorities).flatten());
    if roots.is_empty() {
        return Err(unusable(&"there is no certificate in it"));
    }
    let provider = Arc::new(default_provider());
    let chain = WebPkiServerVerifier::builder_with_provider(Arc::new(roots), Arc::clone(&provider))
        .build()
        .map_err(|error| unusable(&error))?;
    let mut config = ClientConfig::builder_with_provider(provider)
        .with_protocol_versions(&[&TLS13, &TLS12])
        .map_err(|error| unusable(&error))?
        .dangerous()
        .with_custom_certificate_verifier(Arc::new(ServiceCertificate { chain }))
        .with_no_client_auth();
    config.alpn_protocols = PROTOCOLS.map(|name| name.as_bytes().to_vec()).to_vec();
    Ok(config)
}

/// The usual verification (chain with the presented intermediates, validity, server use), for the service's name in
/// place of the one that was dialled.
#[derive(Debug)]
struct ServiceCertificate {
    chain: Arc<WebPkiServerVerifier>,
}

impl ServerCertVerifier for ServiceCertificate {
    fn verify_server_cert(
        &self,
        leaf: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        _dialled: &ServerName<'_>,
        ocsp: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        let name = ServerName::try_from(SERVICE_NAME).map_err(|error| Error::General(error.to_string()))?;
        self.chain.verify_server_cert(leaf, intermediates, &name, ocsp, now)
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.chain.verify_tls12_signature(message, certificate, signature)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.chain.verify_tls13_signature(message, certificate, signature)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.chain.supported_verify_schemes()
    }
}
