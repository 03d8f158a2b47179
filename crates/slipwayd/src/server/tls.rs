//! Who the service is to its callers, and whose certificates it believes.

use std::sync::Arc;

use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::server::WebPkiClientVerifier;
use rustls::{RootCertStore, ServerConfig};

/// Makes the TLS settings of the PEM texts of certificate chain, key and, perhaps, the authorities of clients.
/// An error says at which place of `files` it is.
///
/// A client without a certificate gets through the handshake: probes have none, and a status code tells a caller
/// more than an alert. Its requests are refused where they need one.
pub(crate) fn settings(files: &[Vec<u8>]) -> Result<ServerConfig, (usize, String)> {
    let file = |at: usize| files.get(at).map(Vec::as_slice).unwrap_or_default();
    let chain = certificates(file(0)).map_err(|problem| (0, problem))?;
    let key = PrivateKeyDer::from_pem_slice(file(1))
        .map_err(|_| (1, "there is no PEM private key in it".to_owned()))?;
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = ServerConfig::builder_with_provider(Arc::clone(&provider))
        .with_safe_default_protocol_versions()
        .map_err(|error| (0, error.to_string()))?;
    let builder = match files.get(2) {
        None => builder.with_no_client_auth(),
        Some(pem) => {
            let mut roots = RootCertStore::empty();
            for certificate in certificates(pem).map_err(|problem| (2, problem))? {
                roots.add(certificate).map_err(|error| (2, error.to_string()))?;
            }
            let verifier = WebPkiClientVerifier::builder_with_provider(Arc::new(roots), provider)
                .allow_unauthenticated()
                .build()
                .map_err(|error| (2, error.to_string()))?;
            builder.with_client_cert_verifier(verifier)
        }
    };
    let mut settings = builder.with_single_cert(chain, key).map_err(|error| (1, error.to_string()))?;
    settings.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(settings)
}

fn certificates(pem: &[u8]) -> Result<Vec<CertificateDer<'static>>, String> {
    let found: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(pem).collect();
    match found {
        Ok(found) if !found.is_empty() => Ok(found),
        Ok(_) => Err("there is no PEM certificate in it".to_owned()),
        Err(error) => Err(format!("a certificate in it cannot be read: {error}")),
    }
}
