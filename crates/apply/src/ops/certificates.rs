//! Keys, and certificates that vouch for themselves.

use std::borrow::Cow;

use jiff::{SignedDuration, Timestamp};
use rcgen::{CertificateParams, DnType, ExtendedKeyUsagePurpose, KeyPair, KeyUsagePurpose};
use slipway_model::{Attributes, Secret};
use slipway_plan::SelfSigned;
use x509_cert::Certificate;
use x509_cert::der::{DecodePem as _, Encode as _};

use crate::attempt::{Effect, Problem};
use crate::tree::{Edit, There, Wanted, look};
use crate::work::{Work, at};

pub(super) fn run(work: &Work<'_>, order: &SelfSigned) -> Result<Effect, Problem> {
    if is_good(work, order)? {
        return Ok(Effect::Unchanged);
    }
    let what = order.certificate.display().to_string();
    let (certificate, key) =
        make(order).map_err(|error| Problem::new(what, format!("cannot be made: {error}")))?;
    let file = |path, mode, content: &str, secret| Edit {
        path: Cow::Borrowed(path),
        wanted: Wanted::File {
            attributes: Attributes::root(mode),
            content: Cow::Owned(content.as_bytes().to_vec()),
        },
        secret,
    };
    work.edit(vec![
        file(order.key.as_path(), 0o600, key.expose(), true),
        file(order.certificate.as_path(), 0o644, &certificate, false),
    ])
}

fn make(order: &SelfSigned) -> Result<(String, Secret<String>), rcgen::Error> {
    let key = KeyPair::generate()?;
    let mut parameters = CertificateParams::new(vec![order.host.clone()])?;
    parameters.distinguished_name.push(DnType::CommonName, order.host.as_str());
    parameters.key_usages = vec![KeyUsagePurpose::DigitalSignature, KeyUsagePurpose::KeyEncipherment];
    parameters.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
    let now = std::time::SystemTime::now();
    parameters.not_before = (now - std::time::Duration::from_hours(1)).into();
    parameters.not_after = (now + std::time::Duration::from_hours(24 * u64::from(order.days))).into();
    let certificate = parameters.self_signed(&key)?;
    Ok((certificate.pem(), Secret::new(key.serialize_pem())))
}

/// Whether there is a pair that fits together, is for this host, and stays valid for a day at least.
pub(crate) fn is_good(work: &Work<'_>, order: &SelfSigned) -> Result<bool, Problem> {
    let read = |path| look(work.host(), path).map_err(|error| at(path, &error));
    let (There::File { content: certificate, attributes: public, .. }, There::File { content: key, attributes, .. }) =
        (read(&order.certificate)?, read(&order.key)?)
    else {
        return Ok(false);
    };
    if (public, attributes) != (Attributes::root(0o644), Attributes::root(0o600)) {
        return Ok(false);
    }
    let Ok(certificate) = Certificate::from_pem(&certificate) else { return Ok(false) };
    let Some(key) = std::str::from_utf8(&key).ok().and_then(|key| KeyPair::from_pem(key).ok()) else {
        return Ok(false);
    };
    let certificate = certificate.tbs_certificate();
    let same_key = certificate.subject_public_key_info().to_der().is_ok_and(|der| der == public_key(&key));
    let same_host = certificate.subject().to_string() == format!("CN={}", order.host);
    let tomorrow = Timestamp::now() + SignedDuration::from_hours(24);
    let end = i64::try_from(certificate.validity().not_after.to_unix_duration().as_secs()).unwrap_or(i64::MAX);
    Ok(same_key && same_host && end > tomorrow.as_second())
}

fn public_key(key: &KeyPair) -> Vec<u8> {
    use rcgen::PublicKeyData as _;
    key.subject_public_key_info()
}
