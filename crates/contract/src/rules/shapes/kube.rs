//! Values in Kubernetes' notations.

use super::super::kubernetes::{Version, duration, quantity};
use super::super::rules;
use super::{Parse, Shape, Verdict, wrong, wrong_try};
use crate::codec::names;
use crate::suggest::nearest;

rules! {
    KUBERNETES_VERSION: Error "kubernetes-version",
    summary: "The value is a Kubernetes version such as `1.33.2`.",
    reason: "The node picks binaries, flags and parts of the containerd configuration by it. Where it cannot be \
             read, none of that happens.",
    good: r#"{"kubernetes_version": "1.33.2"}"#,
    bad: r#"{"kubernetes_version": "1.33.x"}"#;

    DURATION: Error "duration",
    summary: "The value is a duration with units, such as `4h0m0s` or `300ms`.",
    reason: "The readers are Go programs: a number without unit, days, and blanks are refused.",
    good: r#"{"kubelet_config": {"kubelet_config_file_config": {"node_status_update_frequency": "10s"}}}"#,
    bad: r#"{"kubelet_config": {"kubelet_config_file_config": {"node_status_update_frequency": "10"}}}"#;

    QUANTITY: Error "quantity",
    summary: "The value is a Kubernetes quantity, such as `50Mi` or `1.5G`.",
    reason: "The kubelet refuses to start with a quantity that it cannot read.",
    good: r#"{"kubelet_config": {"kubelet_config_file_config": {"container_log_max_size": "50Mi"}}}"#,
    bad: r#"{"kubelet_config": {"kubelet_config_file_config": {"container_log_max_size": "50MB"}}}"#;

    BOOTSTRAP_TOKEN: Error "bootstrap-token",
    summary: "The value is a bootstrap token: six characters, a dot, sixteen characters, of `a-z` and `0-9`.",
    reason: "The API server knows no other form and refuses the node.",
    good: r#"{"bootstrapping_config": {"tls_bootstrapping_token": "abcdef.0123456789abcdef"}}"#,
    bad: r#"{"bootstrapping_config": {"tls_bootstrapping_token": "ABCDEF.0123456789"}}"#;

    EVICTION_THRESHOLD: Error "eviction-threshold",
    summary: "An eviction threshold is a known signal with a quantity or a percentage.",
    reason: "The kubelet refuses to start with a signal or a value that it does not know.",
    good: r#"{"kubelet_config": {"kubelet_config_file_config": {"eviction_hard": {"memory.available": "750Mi", "nodefs.available": "10%"}}}}"#,
    bad: r#"{"kubelet_config": {"kubelet_config_file_config": {"eviction_hard": {"memory.free": "750Mi"}}}}"#;

    EVICTION_GRACE: Error "eviction-grace",
    summary: "An eviction grace period is a known signal with a duration above zero.",
    reason: "The kubelet refuses to start with a signal or a duration that it cannot read.",
    good: r#"{"kubelet_config": {"kubelet_config_file_config": {"eviction_soft": {"memory.available": "1Gi"}, "eviction_soft_grace_period": {"memory.available": "1m30s"}}}}"#,
    bad: r#"{"kubelet_config": {"kubelet_config_file_config": {"eviction_soft": {"memory.available": "1Gi"}, "eviction_soft_grace_period": {"memory.available": "90"}}}}"#;

    FEATURE_GATE: Error "feature-gate",
    summary: "A feature gate's name begins with an upper-case letter and has only letters and digits.",
    reason: "The kubelet refuses to start with a gate that it does not know, and knows none of another form.",
    good: r#"{"kubelet_config": {"kubelet_config_file_config": {"feature_gates": {"RotateKubeletServerCertificate": true}}}}"#,
    bad: r#"{"kubelet_config": {"kubelet_config_file_config": {"feature_gates": {"rotate-kubelet-server-certificate": true}}}}"#;

    RESERVED_RESOURCE: Error "reserved-resource",
    summary: "A reservation is for `cpu`, `memory`, `ephemeral-storage` or `pid`, with a quantity from zero on.",
    reason: "The kubelet refuses to start with a reservation for anything else.",
    good: r#"{"kubelet_config": {"kubelet_config_file_config": {"kube_reserved": {"cpu": "100m", "memory": "1638Mi"}}}}"#,
    bad: r#"{"kubelet_config": {"kubelet_config_file_config": {"kube_reserved": {"ram": "1638Mi"}}}}"#;

    CIPHER_SUITE: Error "cipher-suite",
    summary: "A cipher suite is one that Go's TLS knows, by its IANA name.",
    reason: "The kubelet refuses to start with a name that it does not know, OpenSSL's names included.",
    good: r#"{"kubelet_config": {"kubelet_config_file_config": {"tls_cipher_suites": ["TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256"]}}}"#,
    bad: r#"{"kubelet_config": {"kubelet_config_file_config": {"tls_cipher_suites": ["ECDHE-RSA-AES128-GCM-SHA256"]}}}"#;

    KUBELET_FLAG: Error "kubelet-flag",
    summary: "A key is a flag by its full name, with both hyphens and without value.",
    reason: "Flags are joined to one line, and the kubelet refuses to start with a word that is not a flag.",
    good: r#"{"kubelet_config": {"kubelet_flags": {"--max-pods": "110"}}}"#,
    bad: r#"{"kubelet_config": {"kubelet_flags": {"max-pods": "110"}}}"#;

    LABEL: Error "label",
    summary: "A node label is a qualified name with a value of at most 63 characters.",
    reason: "The API server refuses the whole node for one label that is not valid.",
    good: r#"{"kubelet_config": {"kubelet_node_labels": {"example.com/team": "payments"}}}"#,
    bad: r#"{"kubelet_config": {"kubelet_node_labels": {"example.com/team": "pay ments"}}}"#;
}

pub(super) static SHAPES: &[Shape] = &[
    Shape { rule: &KUBERNETES_VERSION, noun: "a Kubernetes version", parse: Parse::Text(kubernetes_version) },
    Shape { rule: &DURATION, noun: "a duration", parse: Parse::Text(is_duration) },
    Shape { rule: &QUANTITY, noun: "a quantity", parse: Parse::Text(is_quantity) },
    Shape { rule: &BOOTSTRAP_TOKEN, noun: "a bootstrap token", parse: Parse::Text(bootstrap_token) },
    Shape {
        rule: &EVICTION_THRESHOLD,
        noun: "an eviction threshold",
        parse: Parse::Entry(eviction_threshold),
    },
    Shape { rule: &EVICTION_GRACE, noun: "an eviction grace period", parse: Parse::Entry(eviction_grace) },
    Shape { rule: &FEATURE_GATE, noun: "a feature gate", parse: Parse::Key(feature_gate) },
    Shape { rule: &RESERVED_RESOURCE, noun: "a reservation", parse: Parse::Entry(reserved_resource) },
    Shape { rule: &CIPHER_SUITE, noun: "a cipher suite", parse: Parse::Text(cipher_suite) },
    Shape { rule: &KUBELET_FLAG, noun: "a kubelet flag", parse: Parse::Key(kubelet_flag) },
    Shape { rule: &LABEL, noun: "a node label", parse: Parse::Entry(label) },
];

/// What the kubelet can watch for eviction.
const SIGNALS: [&str; 9] = [
    "memory.available",
    "nodefs.available",
    "nodefs.inodesFree",
    "imagefs.available",
    "imagefs.inodesFree",
    "containerfs.available",
    "containerfs.inodesFree",
    "pid.available",
    "allocatableMemory.available",
];

const RESERVABLE: [&str; 4] = ["cpu", "memory", "ephemeral-storage", "pid"];

/// Go's `crypto/tls` suites that a server of TLS 1.2 or 1.3 can be told to use.
const CIPHERS: [&str; 24] = [
    "TLS_AES_128_GCM_SHA256",
    "TLS_AES_256_GCM_SHA384",
    "TLS_CHACHA20_POLY1305_SHA256",
    "TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA",
    "TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA256",
    "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256",
    "TLS_ECDHE_ECDSA_WITH_AES_256_CBC_SHA",
    "TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384",
    "TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305",
    "TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256",
    "TLS_ECDHE_ECDSA_WITH_RC4_128_SHA",
    "TLS_ECDHE_RSA_WITH_3DES_EDE_CBC_SHA",
    "TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA",
    "TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA256",
    "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256",
    "TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA",
    "TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384",
    "TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305",
    "TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256",
    "TLS_ECDHE_RSA_WITH_RC4_128_SHA",
    "TLS_RSA_WITH_AES_128_CBC_SHA",
    "TLS_RSA_WITH_AES_128_GCM_SHA256",
    "TLS_RSA_WITH_AES_256_CBC_SHA",
    "TLS_RSA_WITH_AES_256_GCM_SHA384",
];

/// Also accepted, and weaker than the rest; kept apart so that they are not suggested.
const OLD_CIPHERS: [&str; 3] =
    ["TLS_RSA_WITH_3DES_EDE_CBC_SHA", "TLS_RSA_WITH_AES_128_CBC_SHA256", "TLS_RSA_WITH_RC4_128_SHA"];

fn meant(text: &str, known: &[&'static str]) -> String {
    match nearest(text, known.iter().copied()) {
        Some(meant) => format!("did you mean {meant}?"),
        None => format!("known: {}", names(known.iter().copied())),
    }
}

fn kubernetes_version(text: &str) -> Verdict {
    match Version::parse(text) {
        Some(_) => Ok(()),
        None => wrong_try("expected numbers with dots between them", "write it like 1.33.2"),
    }
}

pub(in crate::rules) fn is_duration(text: &str) -> Verdict {
    if duration(text).is_some() {
        return Ok(());
    }
    if text.bytes().all(|byte| byte.is_ascii_digit()) {
        return wrong_try("it has no unit", format!("for seconds, write {text}s"));
    }
    wrong_try("", "write it like 1h30m, 45s or 300ms")
}

pub(in crate::rules) fn is_quantity(text: &str) -> Verdict {
    if quantity(text).is_some() {
        return Ok(());
    }
    if let Some(number) = text.strip_suffix("B").filter(|rest| quantity(rest).is_some()) {
        return wrong_try("its unit ends in B", format!("write {number}"));
    }
    wrong_try("", "write it like 100m, 2, 750Mi or 1.5G")
}

fn bootstrap_token(text: &str) -> Verdict {
    let plain = |part: &str, length: usize| {
        part.len() == length && part.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
    };
    match text.split_once('.') {
        None => wrong("it has no dot"),
        Some((id, _)) if !plain(id, 6) => wrong("before the dot there are not six characters of a-z and 0-9"),
        Some((_, secret)) if !plain(secret, 16) => {
            wrong("after the dot there are not sixteen characters of a-z and 0-9")
        }
        Some(_) => Ok(()),
    }
}

fn signal(text: &str) -> Verdict {
    if SIGNALS.contains(&text) {
        return Ok(());
    }
    wrong_try(format!("there is no signal {text}"), meant(text, &SIGNALS))
}

pub(in crate::rules) fn eviction_threshold(key: &str, value: &str) -> Verdict {
    signal(key)?;
    match value.strip_suffix('%') {
        Some(percent) => match percent.parse::<f64>() {
            Ok(percent) if (0.0..=100.0).contains(&percent) => Ok(()),
            _ => wrong("a percentage lies between 0% and 100%"),
        },
        None => not_negative(value),
    }
}

pub(in crate::rules) fn eviction_grace(key: &str, value: &str) -> Verdict {
    signal(key)?;
    is_duration(value)?;
    if duration(value).is_some_and(|seconds| seconds > 0.0) { Ok(()) } else { wrong("it is not above zero") }
}

pub(in crate::rules) fn feature_gate(name: &str) -> Verdict {
    let well_formed = name.starts_with(|c: char| c.is_ascii_uppercase())
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric());
    if well_formed { Ok(()) } else { wrong("gates are written like RotateKubeletServerCertificate") }
}

pub(in crate::rules) fn reserved_resource(key: &str, value: &str) -> Verdict {
    if !RESERVABLE.contains(&key) {
        return wrong_try(format!("{key} cannot be reserved"), meant(key, &RESERVABLE));
    }
    not_negative(value)
}

fn not_negative(value: &str) -> Verdict {
    is_quantity(value)?;
    if quantity(value).is_some_and(|amount| amount < 0.0) { wrong("it is negative") } else { Ok(()) }
}

pub(in crate::rules) fn cipher_suite(text: &str) -> Verdict {
    if CIPHERS.contains(&text) || OLD_CIPHERS.contains(&text) {
        return Ok(());
    }
    match nearest(text, CIPHERS) {
        Some(meant) => wrong_try("", format!("did you mean {meant}?")),
        None => wrong_try("", "use IANA names, such as TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256"),
    }
}

pub(in crate::rules) fn kubelet_flag(name: &str) -> Verdict {
    let Some(word) = name.strip_prefix("--") else {
        return wrong_try(
            "it does not begin with two hyphens",
            format!("write --{}", name.trim_start_matches('-')),
        );
    };
    if word.contains('=') {
        return wrong_try("it has a value in its name", "write the value as the entry's value");
    }
    if word.is_empty()
        || !word.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.'))
    {
        return wrong("only letters, digits, hyphens, underscores and dots can stand in it");
    }
    Ok(())
}

pub(in crate::rules) fn label(key: &str, value: &str) -> Verdict {
    qualified_name(key)?;
    label_value(value)
}

/// A label's or taint's key: a name, perhaps with a domain and a slash before it.
pub(in crate::rules) fn qualified_name(key: &str) -> Verdict {
    let name = match key.split_once('/') {
        Some((domain, name)) => {
            super::address::domain(domain).map_err(|mut wrong| {
                wrong.why = format!("what stands before the slash is no DNS name: {}", wrong.why).into();
                wrong
            })?;
            if domain.bytes().any(|byte| byte.is_ascii_uppercase() || byte == b'_') || domain.ends_with('.') {
                return wrong("what stands before the slash has only a-z, 0-9, hyphens and dots inside");
            }
            name
        }
        None => key,
    };
    if name.is_empty() {
        return wrong("its name is empty");
    }
    name_part(name)
}

/// A label's or taint's value, which may be empty.
pub(in crate::rules) fn label_value(value: &str) -> Verdict {
    if value.is_empty() { Ok(()) } else { name_part(value) }
}

fn name_part(text: &str) -> Verdict {
    if text.len() > 63 {
        return wrong(format!("{} characters are too many: 63 are allowed", text.len()));
    }
    if !text.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.')) {
        return wrong("only letters, digits, hyphens, underscores and dots are allowed");
    }
    let ends = [text.as_bytes().first(), text.as_bytes().last()];
    if ends.iter().flatten().all(|byte| byte.is_ascii_alphanumeric()) {
        Ok(())
    } else {
        wrong("it has to begin and end with a letter or a digit")
    }
}
