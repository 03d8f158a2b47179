//! JSON Web Tokens, signed by a key that everybody may know: what it signs is good in the lab only.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::rand::SystemRandom;
use ring::rsa::{KeyPair, PublicKeyComponents};
use ring::signature::{
    RSA_PKCS1_2048_8192_SHA256, RSA_PKCS1_SHA256, UnparsedPublicKey, VerificationAlgorithm,
};
use rustls::pki_types::PrivatePkcs8KeyDer;
use rustls::pki_types::pem::PemObject as _;
use serde_json::{Value, json};

/// ring makes no keys of this kind, and the Kubernetes API server wants this kind.
const KEY: &str = include_str!("signing.pem");
const KEY_ID: &str = "slipway-lab";

/// Why a token is not believed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::azure) enum Unproven {
    /// It is none.
    Malformed,
    /// The signature is not what it says.
    Forged,
    /// Somebody else made it out.
    Foreign,
    /// It is good no more, or not yet.
    Expired,
}

/// The key that signs.
pub(super) struct Signing(KeyPair);

impl Default for Signing {
    fn default() -> Self {
        let key = PrivatePkcs8KeyDer::from_pem_slice(KEY.as_bytes()).ok();
        let pair = key.and_then(|key| KeyPair::from_pkcs8(key.secret_pkcs8_der()).ok());
        Self(pair.expect("the key is part of the source"))
    }
}

impl Signing {
    /// The key as others may have it.
    pub(super) fn public(&self) -> Value {
        let PublicKeyComponents { n, e } = PublicKeyComponents::<Vec<u8>>::from(self.0.public());
        let encoded = |number| URL_SAFE_NO_PAD.encode(number);
        json!({ "kty": "RSA", "use": "sig", "alg": "RS256", "kid": KEY_ID, "n": encoded(n), "e": encoded(e) })
    }

    /// A token with these claims.
    pub(super) fn sign(&self, claims: &Value) -> String {
        let header = json!({ "typ": "JWT", "alg": "RS256", "kid": KEY_ID });
        let part = |value: &Value| URL_SAFE_NO_PAD.encode(value.to_string());
        let message = format!("{}.{}", part(&header), part(claims));
        let mut signature = vec![0; self.0.public().modulus_len()];
        let signed = self.0.sign(&RSA_PKCS1_SHA256, &SystemRandom::new(), message.as_bytes(), &mut signature);
        signed.expect("the signature has the length of the modulus");
        format!("{message}.{}", URL_SAFE_NO_PAD.encode(signature))
    }

    /// The claims of a token that this key signed.
    pub(super) fn verify(&self, token: &str) -> Result<Value, Unproven> {
        let token = Parts::of(token).ok_or(Unproven::Malformed)?;
        if token.header["alg"] != "RS256" {
            return Err(Unproven::Forged);
        }
        token.verify(&RSA_PKCS1_2048_8192_SHA256, self.0.public().as_ref())?;
        Ok(token.claims)
    }
}

/// A token taken apart; nothing of it is believed yet.
pub(super) struct Parts<'a> {
    pub(super) header: Value,
    pub(super) claims: Value,
    message: &'a str,
    signature: Vec<u8>,
}

impl<'a> Parts<'a> {
    pub(super) fn of(token: &'a str) -> Option<Self> {
        let (message, signature) = token.rsplit_once('.')?;
        let (header, claims) = message.split_once('.')?;
        let octets = |text: &str| URL_SAFE_NO_PAD.decode(text.trim_end_matches('=')).ok();
        let value = |text: &str| serde_json::from_slice(&octets(text)?).ok();
        Some(Self { header: value(header)?, claims: value(claims)?, message, signature: octets(signature)? })
    }

    /// Whether the owner of this key, as in a certificate, has signed it.
    pub(super) fn verify(
        &self,
        algorithm: &'static dyn VerificationAlgorithm,
        key: &[u8],
    ) -> Result<(), Unproven> {
        let signed = UnparsedPublicKey::new(algorithm, key).verify(self.message.as_bytes(), &self.signature);
        signed.map_err(|_| Unproven::Forged)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_believed_only_as_it_was_signed() {
        let signing = Signing::default();
        let token = signing.sign(&json!({ "oid": "one" }));
        assert_eq!(signing.verify(&token).unwrap()["oid"], "one");
        let [header, _, signature] = token.split('.').collect::<Vec<_>>().try_into().unwrap();
        let other = URL_SAFE_NO_PAD.encode(json!({ "oid": "two" }).to_string());
        assert_eq!(signing.verify(&format!("{header}.{other}.{signature}")), Err(Unproven::Forged));
        let none = URL_SAFE_NO_PAD.encode(json!({ "alg": "none" }).to_string());
        assert_eq!(signing.verify(&format!("{none}.{other}.")), Err(Unproven::Forged));
        for broken in ["", "a.b", "a.b.c", &token[1..]] {
            assert_eq!(signing.verify(broken), Err(Unproven::Malformed), "{broken}");
        }
    }
}
