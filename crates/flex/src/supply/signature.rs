//! Signatures in minisign's form: a manifest counts only with one.
//!
//! Checking is the crate's of minisign's author. Signing is done here, because the crate that signs brings the means to
//! encrypt keys along: Ed25519 over a `BLAKE2b` digest, with a key that carries no password (`minisign -G -W`).

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use blake2::{Blake2b512, Digest as _};
use ring::signature::Ed25519KeyPair;
use slipway_model::Secret;

use super::manifest::{Manifest, ManifestError};

/// A key with which signatures are checked.
pub struct PublicKey(minisign_verify::PublicKey);

/// A key with which signatures are made.
pub struct SecretKey {
    number: [u8; 8],
    pair: Ed25519KeyPair,
}

/// A manifest's text and its signature.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Signed {
    /// The manifest as it was signed.
    pub text: Vec<u8>,
    /// The signature, in minisign's four lines.
    pub signature: String,
}

/// Why a key or a signature does not count.
#[derive(Debug, thiserror::Error)]
pub enum SignatureError {
    /// The key cannot be read.
    #[error(
        "this is no public key of minisign: it is 56 characters of base64, alone or below a line of comment"
    )]
    PublicKey,
    /// The key cannot be read.
    #[error("this is no secret key of minisign")]
    SecretKey,
    /// The key wants a password.
    #[error(
        "the secret key is protected by a password; use one without (minisign -G -W), or sign the manifest with \
         minisign and give the signature"
    )]
    Password,
    /// There is no signature to speak of.
    #[error("the signature cannot be read: it has the four lines that minisign writes")]
    Unreadable,
    /// It was made with another key.
    #[error("the signature was made with another key than the one that is trusted")]
    OtherKey,
    /// What was signed is something else.
    #[error("the signature is not that of this manifest: one of them was changed, or the key is another one")]
    Wrong,
    /// The signature is right, and the manifest is none.
    #[error(transparent)]
    Manifest(#[from] ManifestError),
}

impl PublicKey {
    /// Reads a key: the file that minisign writes, or its second line alone.
    pub fn parse(text: &str) -> Result<Self, SignatureError> {
        let line = text.lines().map(str::trim).rfind(|line| !line.is_empty()).unwrap_or_default();
        let key = minisign_verify::PublicKey::from_base64(line);
        key.map(Self).map_err(|_| SignatureError::PublicKey)
    }
}

impl Signed {
    /// The manifest, if the signature is that of the key.
    pub fn open(&self, key: &PublicKey) -> Result<Manifest, SignatureError> {
        let signature =
            minisign_verify::Signature::decode(&self.signature).map_err(|_| SignatureError::Unreadable)?;
        key.0.verify(&self.text, &signature, false).map_err(|error| match error {
            minisign_verify::Error::UnexpectedKeyId => SignatureError::OtherKey,
            _ => SignatureError::Wrong,
        })?;
        Ok(Manifest::parse(&self.text)?)
    }
}

impl SecretKey {
    /// Reads a key without a password, as `minisign -G -W` writes it.
    pub fn parse(text: &Secret<String>) -> Result<Self, SignatureError> {
        let line = text.expose().lines().map(str::trim).rfind(|line| !line.is_empty()).unwrap_or_default();
        let octets = Secret::new(STANDARD.decode(line).map_err(|_| SignatureError::SecretKey)?);
        let octets = octets.expose().as_slice();
        // Algorithm, derivation, checksum algorithm (2 each), salt (32), limits (16), number (8), seed and public
        // key (32 each), checksum (32).
        if octets.len() != 158 || !octets.starts_with(b"Ed") {
            return Err(SignatureError::SecretKey);
        }
        if octets[2..4] != [0, 0] {
            return Err(SignatureError::Password);
        }
        let number = octets[54..62].try_into().map_err(|_| SignatureError::SecretKey)?;
        let pair = Ed25519KeyPair::from_seed_and_public_key(&octets[62..94], &octets[94..126]);
        Ok(Self { number, pair: pair.map_err(|_| SignatureError::SecretKey)? })
    }

    /// Signs a manifest. The comment is signed with it and may not have more than one line.
    pub fn sign(&self, manifest: &Manifest, comment: &str) -> Signed {
        let text = manifest.text().into_bytes();
        let comment = comment.lines().next().unwrap_or_default();
        let signature = self.pair.sign(&Blake2b512::digest(&text));
        let named = [b"ED".as_slice(), &self.number, signature.as_ref()].concat();
        let all = self.pair.sign(&[signature.as_ref(), comment.as_bytes()].concat());
        let signature = format!(
            "untrusted comment: signature of a manifest\n{}\ntrusted comment: {comment}\n{}\n",
            STANDARD.encode(named),
            STANDARD.encode(all)
        );
        Signed { text, signature }
    }
}
