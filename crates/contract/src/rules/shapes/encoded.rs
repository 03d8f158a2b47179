//! Texts that carry something else: base64, JSON in base64, certificates and keys in PEM in base64.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use x509_cert::Certificate;
use x509_cert::der::Decode as _;
use x509_cert::ext::pkix::BasicConstraints;

use super::super::findings::Findings;
use super::super::rules;
use super::{Parse, Shape, Verdict, wrong, wrong_try};
use crate::codec::{Reader, Secret};

rules! {
    BASE64: Error "base64",
    summary: "The value is standard base64, with padding.",
    reason: "The node decodes the value and fails, or writes a truncated file, where it is not base64.",
    good: r#"{"message_of_the_day": "SGVsbG8K"}"#,
    bad: r#"{"message_of_the_day": "Hello!"}"#;

    BASE64_JSON: Error "base64-json",
    summary: "The value is base64 of a JSON object.",
    reason: "The node writes it as the environment file of a custom cloud, which every Azure client on the node reads.",
    good: r#"{"custom_cloud_config": {"custom_env_json_content": "eyJuYW1lIjoiYWtzY3VzdG9tIn0="}}"#,
    bad: r#"{"custom_cloud_config": {"custom_env_json_content": "{\"name\":\"akscustom\"}"}}"#;

    PEM_CERTIFICATE: Error "pem-certificate",
    summary: "The value is base64 of one or more X.509 certificates in PEM form.",
    reason: "A certificate that cannot be read leaves the node without trust in the API server, a proxy or a registry.",
    good: include_str!("certificates/good.json"),
    bad: r#"{"custom_ca_certs": ["-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n"]}"#;

    CERTIFICATE_EXPIRED: Error "certificate-expired",
    summary: "A certificate has not expired.",
    reason: "Every TLS connection that needs it fails, and the node cannot join.",
    good: include_str!("certificates/good.json"),
    bad: include_str!("certificates/expired.json");

    CERTIFICATE_NOT_YET_VALID: Error "certificate-not-yet-valid",
    summary: "A certificate is valid already.",
    reason: "Every TLS connection that needs it fails until then. Often the clock of one of the machines is wrong.",
    good: include_str!("certificates/good.json"),
    bad: include_str!("certificates/future.json");

    CERTIFICATE_EXPIRES_SOON: Warning "certificate-expires-soon",
    summary: "A certificate is valid for 30 days or more.",
    reason: "Nodes are made from the same contract for weeks; they stop joining on the day it expires.",
    good: include_str!("certificates/good.json"),
    bad: include_str!("certificates/soon.json");

    CERTIFICATE_NOT_CA: Warning "certificate-not-ca",
    summary: "Where a CA is asked for, at least one of the certificates is one.",
    reason: "A server's certificate vouches for nobody else, so connections fail as if nothing were trusted.",
    good: include_str!("certificates/good.json"),
    bad: include_str!("certificates/leaf.json");

    KEY_AMONG_CERTIFICATES: Warning "key-among-certificates",
    summary: "No private key stands among certificates.",
    reason: "Certificates are written where everyone on the node can read them, and shown wherever a contract is.",
    good: include_str!("certificates/good.json"),
    bad: include_str!("certificates/with-key.json");

    PEM_PRIVATE_KEY: Error "pem-private-key",
    summary: "The value is base64 of one private key in PEM form, not encrypted.",
    reason: "The kubelet cannot read anything else, and cannot ask for a password.",
    good: r#"{"kubelet_config": {"kubelet_client_key": "LS0tLS1CRUdJTiBQUklWQVRFIEtFWS0tLS0tCkFBQUEKLS0tLS1FTkQgUFJJVkFURSBLRVktLS0tLQo="}}"#,
    bad: r#"{"kubelet_config": {"kubelet_client_key": "AAAA"}}"#;
}

pub(super) static SHAPES: &[Shape] = &[
    Shape { rule: &BASE64, noun: "base64", parse: Parse::Text(base64) },
    Shape { rule: &BASE64_JSON, noun: "base64 of a JSON object", parse: Parse::Text(base64_json) },
    Shape { rule: &PEM_CERTIFICATE, noun: "base64 of PEM certificates", parse: Parse::Whole(certificates) },
    Shape { rule: &PEM_PRIVATE_KEY, noun: "base64 of a PEM private key", parse: Parse::Text(private_key) },
];

/// The one certificate of a contract that is not a CA's.
const CLIENT_CERTIFICATE: &str = "kubelet_config.kubelet_client_cert_content";

const DAY: i64 = 86_400;

/// Nodes are ordered from a contract for about this long.
const SOON: i64 = 30 * DAY;

const ENCODE: &str = "encode it: base64 -w0 FILE";

/// What the text stands for. Line breaks are skipped, as `base64 -d` on the node skips them. Some of these texts
/// are secrets, so every copy is wiped after the look at it.
fn decoded(text: &str) -> Option<Secret<Vec<u8>>> {
    if text.contains(['\n', '\r']) {
        let joined = Secret::new(text.replace(['\n', '\r'], ""));
        return STANDARD.decode(joined.expose()).ok().map(Secret::new);
    }
    STANDARD.decode(text).ok().map(Secret::new)
}

fn base64(text: &str) -> Verdict {
    match decoded(text) {
        Some(_) => Ok(()),
        None => wrong_try("it has a character, a length or an end that base64 does not have", ENCODE),
    }
}

fn base64_json(text: &str) -> Verdict {
    if text.trim_start().starts_with('{') {
        return wrong_try("it is the JSON text itself", ENCODE);
    }
    let Some(json) = decoded(text) else { return wrong_try("it is not base64", ENCODE) };
    let json = json.expose();
    let opening = json.iter().find(|byte| !byte.is_ascii_whitespace());
    let mut reader = Reader::new(json);
    let depth_of_any_sane_document = 100;
    match reader.skip(depth_of_any_sane_document).and_then(|()| reader.finish()) {
        Err(_) => wrong("what it decodes to is not JSON"),
        Ok(()) if opening != Some(&b'{') => wrong("what it decodes to is JSON, but not an object"),
        Ok(()) => Ok(()),
    }
}

/// The PEM blocks of a decoded text: each with its label and its decoded body.
fn blocks(pem: &str) -> impl Iterator<Item = (&str, Option<Secret<Vec<u8>>>)> {
    pem.split("-----BEGIN ").skip(1).filter_map(|block| {
        let (label, rest) = block.split_once("-----")?;
        let body = rest.split("-----END ").next()?;
        // Headers such as `Proc-Type` stand before an empty line.
        let body = body.split_once("\n\n").map_or(body, |(_, body)| body);
        let body = Secret::new(body.split_ascii_whitespace().collect::<String>());
        let octets = STANDARD.decode(body.expose()).ok().filter(|octets| !octets.is_empty());
        Some((label, octets.map(Secret::new)))
    })
}

fn pem_of(text: &str) -> Result<Secret<String>, super::Wrong> {
    let failed = |why: &'static str, hint: &'static str| super::Wrong { why: why.into(), hint: hint.into() };
    if text.trim_start().starts_with("-----BEGIN ") {
        return Err(failed("it is the PEM text itself", ENCODE));
    }
    let octets = decoded(text).ok_or_else(|| failed("it is not base64", ENCODE))?;
    if octets.expose().first() == Some(&0x30) {
        let hint = "convert it first: openssl x509 -inform der -in FILE | base64 -w0";
        return Err(failed("it is base64 of DER, not of PEM", hint));
    }
    let Ok(pem) = str::from_utf8(octets.expose()) else {
        return Err(failed("what it decodes to is not text", ENCODE));
    };
    if pem.contains("-----BEGIN ") {
        Ok(Secret::from(pem))
    } else if decoded(pem.trim()).is_some_and(|inner| inner.expose().starts_with(b"-----BEGIN ")) {
        Err(failed("it is encoded twice", "decode it once"))
    } else {
        Err(failed("what it decodes to has no line \"-----BEGIN …-----\"", ENCODE))
    }
}

fn certificates(path: &str, text: &str, findings: &mut Findings<'_>) {
    let pem = match pem_of(text) {
        Ok(pem) => pem,
        Err(wrong) => {
            let message = format!("the value is not base64 of PEM certificates: {}", wrong.why);
            return findings.advise(&PEM_CERTIFICATE, path, message, wrong.hint);
        }
    };
    let (mut number, mut any_ca) = (0, false);
    for (label, body) in blocks(pem.expose()) {
        match label {
            "CERTIFICATE" | "TRUSTED CERTIFICATE" | "X509 CERTIFICATE" => number += 1,
            key if key.ends_with("PRIVATE KEY") => {
                let message = "a private key stands among the certificates";
                findings.advise(&KEY_AMONG_CERTIFICATES, path, message, "remove it, and replace the key");
                continue;
            }
            _ => continue,
        }
        if let Some(certificate) = body.and_then(|der| Certificate::from_der(der.expose()).ok()) {
            validity(path, number, &certificate, findings);
            any_ca |= is_ca(&certificate);
        } else {
            let message = format!("certificate {number} cannot be parsed as X.509");
            let hint = "look at it: base64 -d | openssl x509 -noout -text";
            findings.advise(&PEM_CERTIFICATE, path, message, hint);
            any_ca = true;
        }
    }
    if number == 0 {
        findings.report(&PEM_CERTIFICATE, path, "the PEM text holds no certificate");
    } else if !any_ca && path != CLIENT_CERTIFICATE {
        let hint = "use the CA's certificate, not the server's";
        findings.advise(&CERTIFICATE_NOT_CA, path, "none of the certificates is that of a CA", hint);
    }
}

/// Whether a certificate may vouch for others. Those without extensions are from before CAs were marked.
fn is_ca(certificate: &Certificate) -> bool {
    let certificate = certificate.tbs_certificate();
    match certificate.get_extension::<BasicConstraints>() {
        Ok(Some((_, constraints))) => constraints.ca,
        Ok(None) => certificate.extensions().is_none(),
        Err(_) => true,
    }
}

fn validity(path: &str, number: usize, certificate: &Certificate, findings: &mut Findings<'_>) {
    let validity = certificate.tbs_certificate().validity();
    let seconds =
        |time: &x509_cert::time::Time| i64::try_from(time.to_unix_duration().as_secs()).unwrap_or(i64::MAX);
    let date = |time: &x509_cert::time::Time| {
        let date = time.to_date_time();
        format!("{}-{:02}-{:02}", date.year(), date.month(), date.day())
    };
    let (from, until, now) = (seconds(&validity.not_before), seconds(&validity.not_after), findings.now());
    if until < now {
        let message = format!("certificate {number} expired on {}", date(&validity.not_after));
        findings.advise(&CERTIFICATE_EXPIRED, path, message, "get the renewed certificate");
    } else if from > now {
        let message = format!("certificate {number} is not valid before {}", date(&validity.not_before));
        findings.advise(&CERTIFICATE_NOT_YET_VALID, path, message, "check the clocks of both machines");
    } else if until - now < SOON {
        let days = (until - now) / DAY;
        let message =
            format!("certificate {number} expires in {days} days, on {}", date(&validity.not_after));
        findings.advise(&CERTIFICATE_EXPIRES_SOON, path, message, "renew it before ordering more nodes");
    }
}

fn private_key(text: &str) -> Verdict {
    let pem = pem_of(text)?;
    let mut keys = blocks(pem.expose()).filter(|(label, _)| label.ends_with("PRIVATE KEY"));
    match (keys.next(), keys.next()) {
        (None, _) => wrong("the PEM text holds no private key"),
        (Some(_), Some(_)) => wrong("the PEM text holds more than one private key"),
        (Some((label, _)), None) if label.starts_with("ENCRYPTED") || pem.expose().contains("ENCRYPTED") => {
            wrong_try("the key is encrypted", "decrypt it first: openssl pkey -in FILE")
        }
        (Some((_, None)), None) => wrong("the key's body is not base64"),
        (Some((_, Some(_))), None) => Ok(()),
    }
}
