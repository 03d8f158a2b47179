//! Proof by certificate: a token that the application signs itself.

use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use ring::digest::{SHA1_FOR_LEGACY_USE_ONLY, SHA256, digest};
use ring::signature::{RSA_PKCS1_2048_8192_SHA256, RSA_PSS_2048_8192_SHA256, VerificationAlgorithm};
use serde_json::Value;
use x509_cert::Certificate;
use x509_cert::der::Decode as _;

use super::signing::Parts;
use super::{Trouble, issuer, seconds};
use crate::azure::cloud::{Principal, SIGN_IN};

/// Clocks differ by a few minutes.
const SKEW: f64 = 300.0;

/// Believes an assertion that one of the principal's certificates has signed for this tenant.
pub(super) fn verify(text: &str, principal: &Principal, tenant: &str) -> Result<(), Trouble> {
    let assertion = Parts::of(text).ok_or(Trouble::WrongSignature)?;
    let certificate = principal
        .certificates
        .iter()
        .find(|certificate| is_named(&assertion.header, certificate))
        .ok_or(Trouble::UnknownCertificate)?;
    let algorithm: &'static dyn VerificationAlgorithm = match assertion.header["alg"].as_str() {
        Some("RS256") => &RSA_PKCS1_2048_8192_SHA256,
        Some("PS256") => &RSA_PSS_2048_8192_SHA256,
        _ => return Err(Trouble::WrongSignature),
    };
    let key = public_key(certificate).ok_or(Trouble::WrongSignature)?;
    assertion.verify(algorithm, &key).map_err(|_| Trouble::WrongSignature)?;
    let claims = &assertion.claims;
    let audiences = [format!("https://{SIGN_IN}/{tenant}/oauth2/v2.0/token"), issuer(tenant)];
    if !audiences.iter().any(|audience| claims["aud"] == **audience) {
        return Err(Trouble::WrongAudience);
    }
    if claims["iss"] != *principal.client_id || claims["sub"] != *principal.client_id {
        return Err(Trouble::NoClient(principal.client_id.clone()));
    }
    // Some clients write fractions of seconds.
    let now = Duration::from_secs(seconds()).as_secs_f64();
    let begins = claims["nbf"].as_f64().unwrap_or_default();
    match claims["exp"].as_f64() {
        Some(ends) if begins <= now + SKEW && now < ends + SKEW => Ok(()),
        _ => Err(Trouble::WrongTime),
    }
}

/// Whether the header names this certificate, by thumbprint and, where there is a chain, also by its first link.
fn is_named(header: &Value, certificate: &[u8]) -> bool {
    let print = |algorithm| URL_SAFE_NO_PAD.encode(digest(algorithm, certificate));
    let is =
        |name: &str, print: String| header[name].as_str().map(|named| named.trim_end_matches('=') == print);
    let by_print = is("x5t#S256", print(&SHA256)).or_else(|| is("x5t", print(&SHA1_FOR_LEGACY_USE_ONLY)));
    let by_chain =
        header["x5c"][0].as_str().map(|link| STANDARD.decode(link).is_ok_and(|it| it == certificate));
    // What is not said contradicts nothing, but something has to be said.
    by_print.or(by_chain).unwrap_or(false) && by_chain.unwrap_or(true)
}

/// The key of a certificate, as the signature is checked with it.
fn public_key(certificate: &[u8]) -> Option<Vec<u8>> {
    let certificate = Certificate::from_der(certificate).ok()?;
    let info = certificate.tbs_certificate().subject_public_key_info();
    Some(info.subject_public_key.as_bytes()?.to_vec())
}
