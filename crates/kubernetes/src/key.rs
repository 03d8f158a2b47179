use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use ring::rand::SystemRandom;
use ring::signature::{ECDSA_P256_SHA256_ASN1_SIGNING, EcdsaKeyPair, KeyPair as _};
use rustls::pki_types::PrivatePkcs8KeyDer;
use rustls::pki_types::pem::PemObject as _;
use sha2::{Digest as _, Sha256};
use slipway_model::Secret;
use x509_cert::attr::Attributes;
use x509_cert::der::asn1::{Any, BitString, ObjectIdentifier};
use x509_cert::der::{Encode as _, Error as DerError};
use x509_cert::name::Name;
use x509_cert::request::{CertReq, CertReqInfo, Version};
use x509_cert::spki::{AlgorithmIdentifier, SubjectPublicKeyInfo};

const EC_PUBLIC_KEY: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.10045.2.1");
const P256: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.10045.3.1.7");
const ECDSA_WITH_SHA256: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.10045.4.3.2");

/// The key that a node's client certificate is for: ECDSA on P-256, as kubelet makes it.
pub struct ClientKey {
    pair: EcdsaKeyPair,
    pem: Secret<String>,
}

/// A key that cannot be had.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum KeyError {
    /// There is no randomness.
    #[error("no key can be made: the machine gives no random numbers")]
    NoRandomness,
    /// The text is no key of this kind.
    #[error("the client key is no PEM text of a P-256 key in PKCS #8; remove it, and a new one is made")]
    NotAKey,
}

impl ClientKey {
    /// A new key.
    pub fn generate() -> Result<Self, KeyError> {
        let random = SystemRandom::new();
        let document = EcdsaKeyPair::generate_pkcs8(&ECDSA_P256_SHA256_ASN1_SIGNING, &random);
        let document = document.map_err(|_| KeyError::NoRandomness)?;
        Self::from_der(document.as_ref())
    }

    /// A key that was made before.
    pub fn from_pem(pem: &Secret<String>) -> Result<Self, KeyError> {
        let der =
            PrivatePkcs8KeyDer::from_pem_slice(pem.expose().as_bytes()).map_err(|_| KeyError::NotAKey)?;
        Self::from_der(der.secret_pkcs8_der())
    }

    fn from_der(der: &[u8]) -> Result<Self, KeyError> {
        let pair = EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_ASN1_SIGNING, der, &SystemRandom::new());
        let pair = pair.map_err(|_| KeyError::NotAKey)?;
        Ok(Self { pair, pem: Secret::new(pem("PRIVATE KEY", der)) })
    }

    /// The key as PEM text, for the file that kubelet reads.
    pub fn pem(&self) -> &Secret<String> {
        &self.pem
    }

    /// The public half, in the form that certificates carry it.
    pub(crate) fn public_key(&self) -> Result<SubjectPublicKeyInfo<Any, BitString>, DerError> {
        Ok(SubjectPublicKeyInfo {
            algorithm: AlgorithmIdentifier { oid: EC_PUBLIC_KEY, parameters: Some(Any::from(P256)) },
            subject_public_key: BitString::from_bytes(self.pair.public_key().as_ref())?,
        })
    }

    /// A request for a certificate with this subject, as PEM text.
    pub(crate) fn request(&self, subject: Name) -> Result<String, DerError> {
        let info = CertReqInfo {
            version: Version::V1,
            subject,
            public_key: self.public_key()?,
            attributes: Attributes::default(),
        };
        let signature = self.pair.sign(&SystemRandom::new(), &info.to_der()?);
        let signature = signature.map_err(|_| DerError::incomplete(x509_cert::der::Length::ZERO))?;
        let request = CertReq {
            info,
            algorithm: AlgorithmIdentifier { oid: ECDSA_WITH_SHA256, parameters: None },
            signature: BitString::from_bytes(signature.as_ref())?,
        };
        Ok(pem("CERTIFICATE REQUEST", &request.to_der()?))
    }

    /// A name that the same key and subject always get, so that a second try finds the first one's request.
    pub(crate) fn fingerprint(&self, subject: &str) -> String {
        let mut hash = Sha256::new();
        hash.update(self.pair.public_key().as_ref());
        hash.update(subject.as_bytes());
        URL_SAFE_NO_PAD.encode(hash.finalize())
    }
}

fn pem(label: &str, der: &[u8]) -> String {
    let encoded = Secret::new(STANDARD.encode(der));
    let mut text = String::with_capacity(encoded.expose().len() * 2 + 2 * label.len() + 40);
    let mut put = |parts: &[&str]| parts.iter().for_each(|part| text.push_str(part));
    put(&["-----BEGIN ", label, "-----\n"]);
    let mut rest = encoded.expose().as_str();
    while !rest.is_empty() {
        let (line, tail) = rest.split_at(rest.len().min(64));
        put(&[line, "\n"]);
        rest = tail;
    }
    put(&["-----END ", label, "-----\n"]);
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_survives_its_pem_form_and_makes_the_same_name() {
        let key = ClientKey::generate().unwrap();
        let again = ClientKey::from_pem(key.pem()).unwrap();
        assert_eq!(key.pem(), again.pem());
        assert_eq!(key.fingerprint("n1"), again.fingerprint("n1"));
        assert_ne!(key.fingerprint("n1"), key.fingerprint("n2"));
        assert_ne!(key.fingerprint("n1"), ClientKey::generate().unwrap().fingerprint("n1"));
    }

    #[test]
    fn what_is_no_key_is_refused() {
        for text in ["", "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n"] {
            assert_eq!(ClientKey::from_pem(&Secret::from(text)).err(), Some(KeyError::NotAKey));
        }
    }
}
