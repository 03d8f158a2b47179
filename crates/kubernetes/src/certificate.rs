use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject as _;
use x509_cert::Certificate;
use x509_cert::der::{Decode as _, Encode as _};

use crate::ClientKey;

/// A node's client certificate, as far as it matters whether it still serves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClientCertificate {
    /// The second from which on it is valid, counted from 1970.
    pub not_before: u64,
    /// The second until which it is valid.
    pub not_after: u64,
    /// Its subject, such as `CN=system:node:n1,O=system:nodes`.
    pub subject: String,
    public_key: Vec<u8>,
}

/// Text without a certificate in it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the client certificate cannot be read: {0}")]
pub struct CertificateError(String);

impl ClientCertificate {
    /// Reads the first certificate of a PEM text; a key beside it is passed over.
    pub fn parse(pem: &str) -> Result<Self, CertificateError> {
        let unreadable = |error: &dyn std::fmt::Display| CertificateError(error.to_string());
        let der = CertificateDer::from_pem_slice(pem.as_bytes()).map_err(|error| unreadable(&error))?;
        let certificate = Certificate::from_der(&der).map_err(|error| unreadable(&error))?;
        let certificate = certificate.tbs_certificate();
        let public_key = certificate.subject_public_key_info().to_der();
        Ok(Self {
            not_before: certificate.validity().not_before.to_unix_duration().as_secs(),
            not_after: certificate.validity().not_after.to_unix_duration().as_secs(),
            subject: certificate.subject().to_string(),
            public_key: public_key.map_err(|error| unreadable(&error))?,
        })
    }

    /// Whether it is for this key.
    pub fn is_for(&self, key: &ClientKey) -> bool {
        key.public_key().and_then(|public| public.to_der()).is_ok_and(|public| public == self.public_key)
    }

    /// Whether it is over at a moment, in seconds since 1970. What is not valid yet is not: a clock that is slow sees that.
    pub fn has_expired_at(&self, seconds: u64) -> bool {
        seconds > self.not_after
    }

    /// Whether it is valid at a moment, in seconds since 1970.
    pub fn is_valid_at(&self, seconds: u64) -> bool {
        (self.not_before..=self.not_after).contains(&seconds)
    }
}
