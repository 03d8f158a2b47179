//! A certificate's key that signs who we are (RFC 7523).

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use ring::digest::{Algorithm, SHA1_FOR_LEGACY_USE_ONLY, SHA256, digest};
use ring::rand::{SecureRandom as _, SystemRandom};
use ring::signature::{KeyPair as _, RSA_PKCS1_SHA256, RsaKeyPair};
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use serde_json::json;
use slipway_model::Secret;
use x509_cert::Certificate;
use x509_cert::der::Decode as _;

use super::token::now;
use super::{Authority, TokenError};
use crate::uuid;

/// How long a signed statement counts: long enough for clocks that differ, short enough to be worthless in a log.
const LIFETIME: u64 = 600;
const CONVERT: &str = "give PEM text with an RSA key that has no password, and its certificate; \
                       `openssl pkcs12 -in FILE -nodes` makes it from a PFX file";

/// A certificate with its key and those above it.
#[derive(Debug)]
pub struct ClientCertificate {
    key: RsaKeyPair,
    chain: Vec<CertificateDer<'static>>,
    not_after: u64,
}

impl ClientCertificate {
    /// Reads key and certificates from one PEM text. The certificate of the key comes first in what is sent, in
    /// whatever order they stand here.
    pub fn from_pem(pem: &Secret<String>) -> Result<Self, TokenError> {
        let pem = pem.expose().as_bytes();
        let key =
            PrivateKeyDer::from_pem_slice(pem).map_err(|_| unusable("there is no private key in it"))?;
        let key = match &key {
            PrivateKeyDer::Pkcs8(der) => RsaKeyPair::from_pkcs8(der.secret_pkcs8_der()),
            PrivateKeyDer::Pkcs1(der) => RsaKeyPair::from_der(der.secret_pkcs1_der()),
            _ => return Err(unusable("its key is no RSA key")),
        };
        let key = key.map_err(|_| unusable("its key is no RSA key of 2048 to 4096 bits"))?;
        let chain: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(pem).collect();
        let mut chain = chain.map_err(|_| unusable("a certificate in it cannot be read"))?;
        let mut own = None;
        for (place, der) in chain.iter().enumerate() {
            let certificate =
                Certificate::from_der(der).map_err(|_| unusable("a certificate in it cannot be read"))?;
            let certificate = certificate.tbs_certificate();
            let public = certificate.subject_public_key_info().subject_public_key.raw_bytes();
            if own.is_none() && public == key.public_key().as_ref() {
                own = Some((place, certificate.validity().not_after.to_unix_duration().as_secs()));
            }
        }
        let (place, not_after) = own.ok_or_else(|| unusable("the certificate of its key is not in it"))?;
        chain.swap(0, place);
        Ok(Self { key, chain, not_after })
    }

    /// The signed statement that we are this client, for this audience only.
    pub(super) fn assertion(&self, audience: &str, client_id: &str) -> Result<Secret<String>, TokenError> {
        let now = now();
        if now > self.not_after {
            return Err(TokenError::Settings {
                authority: Authority::Entra,
                problem: "the client certificate has expired".to_owned(),
                hint: "make a new certificate for the application; if it is valid, correct this machine's clock",
            });
        }
        let no_randomness = || unusable("the machine gives no random numbers");
        let random = SystemRandom::new();
        let mut id = [0; 16];
        random.fill(&mut id).map_err(|_| no_randomness())?;
        let thumbprint =
            |algorithm: &'static Algorithm| URL_SAFE_NO_PAD.encode(digest(algorithm, &self.chain[0]));
        let chain: Vec<_> = self.chain.iter().map(|certificate| STANDARD.encode(certificate)).collect();
        // The directory finds the certificate by either thumbprint; with PKCS #1 signatures it documents the older.
        let header = json!({
            "alg": "RS256", "typ": "JWT", "x5t": thumbprint(&SHA1_FOR_LEGACY_USE_ONLY),
            "x5t#S256": thumbprint(&SHA256), "x5c": chain,
        });
        let claims = json!({
            "aud": audience, "iss": client_id, "sub": client_id, "jti": uuid::of_random(id),
            "iat": now, "nbf": now, "exp": now + LIFETIME,
        });
        let encoded = |part: serde_json::Value| URL_SAFE_NO_PAD.encode(part.to_string());
        let signed = format!("{}.{}", encoded(header), encoded(claims));
        let mut signature = vec![0; self.key.public().modulus_len()];
        let done = self.key.sign(&RSA_PKCS1_SHA256, &random, signed.as_bytes(), &mut signature);
        done.map_err(|_| no_randomness())?;
        Ok(Secret::new(format!("{signed}.{}", URL_SAFE_NO_PAD.encode(signature))))
    }
}

fn unusable(problem: &str) -> TokenError {
    let problem = format!("the client certificate cannot be used: {problem}");
    TokenError::Settings { authority: Authority::Entra, problem, hint: CONVERT }
}
