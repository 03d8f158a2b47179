//! Keys, and certificates that vouch for themselves.

use std::borrow::Cow;
use std::time::{Duration, SystemTime};

use rcgen::{CertificateParams, DnType, ExtendedKeyUsagePurpose, KeyPair, KeyUsagePurpose};
use slipway_host::{Host, unix_seconds};
use slipway_kubernetes::{ClientCertificate, ClientKey};
use slipway_model::{Attributes, Secret};
use slipway_plan::SelfSigned;

use crate::attempt::{Effect, Problem};
use crate::tree::{Edit, There, Wanted, look};
use crate::work::{Work, at};

/// What is left of a certificate's time when it is made anew.
const DAY: u64 = 24 * 60 * 60;

pub(super) fn run(work: &Work<'_>, order: &SelfSigned) -> Result<Effect, Problem> {
    if is_good(work.host(), order)? {
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
    let now = SystemTime::now();
    parameters.not_before = (now - Duration::from_hours(1)).into();
    parameters.not_after = (now + Duration::from_hours(24 * u64::from(order.days))).into();
    let certificate = parameters.self_signed(&key)?;
    Ok((certificate.pem(), Secret::new(key.serialize_pem())))
}

/// Whether there is a pair that fits together, is for this host, and stays valid for a day at least.
pub(crate) fn is_good(host: &dyn Host, order: &SelfSigned) -> Result<bool, Problem> {
    let read = |path| look(host, path).map_err(|error| at(path, &error));
    let (
        There::File { content: certificate, attributes: public, .. },
        There::File { content: key, attributes, .. },
    ) = (read(&order.certificate)?, read(&order.key)?)
    else {
        return Ok(false);
    };
    if (public, attributes) != (Attributes::root(0o644), Attributes::root(0o600)) {
        return Ok(false);
    }
    let text = |bytes| String::from_utf8(bytes).unwrap_or_default();
    let key = ClientKey::from_pem(&Secret::new(text(key)));
    let (Ok(certificate), Ok(key)) = (ClientCertificate::parse(&text(certificate)), key) else {
        return Ok(false);
    };
    let now = u64::try_from(unix_seconds()).unwrap_or_default();
    Ok(certificate.is_for(&key)
        && certificate.subject == format!("CN={}", order.host)
        && certificate.is_valid_at(now)
        && certificate.is_valid_at(now + DAY))
}
