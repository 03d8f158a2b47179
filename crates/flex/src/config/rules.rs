//! What single values have to fulfil.

use std::net::IpAddr;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use slipway_contract::Severity;
use slipway_fetch::ProxySettings;

use super::api_server::ApiServer;
use super::cloud::Arm;
use super::cluster_id::ClusterId;
use crate::supply::Mirror;

/// What a text has to fulfil.
#[derive(Debug)]
pub struct Rule {
    /// The rule in a few words.
    pub words: &'static str,
    /// The stable name of a breach.
    pub reason: &'static str,
    /// How bad a breach is: a warning where the configuration can be read and no node can be made of it.
    pub severity: Severity,
    /// What to do about a breach.
    pub hint: &'static str,
    pub(super) check: fn(&str) -> Result<(), String>,
}

impl Rule {
    const fn hard(words: &'static str, hint: &'static str, check: fn(&str) -> Result<(), String>) -> Self {
        Self { words, reason: "wrong-value", severity: Severity::Error, hint, check }
    }
}

/// The stable name of a value that can be read and that no node can be made of.
pub(super) const UNUSABLE: &str = "unusable-value";

pub(super) const CLUSTER_ID: Rule = Rule::hard(
    "a cluster's resource id, in any letter case",
    "it looks like /subscriptions/UUID/resourceGroups/GROUP/providers/Microsoft.ContainerService/managedClusters/NAME; \
     az aks show prints it as id",
    |text| ClusterId::parse(text).map(drop).map_err(|error| error.to_string()),
);

pub(super) const CLOUD_ENDPOINT: Rule = Rule::hard(
    "an https address of a host, without port, path or user",
    "such as https://management.azure.com",
    |text| Arm::at(text).map(drop).map_err(|error| error.to_string()),
);

pub(super) const SERVER: Rule = Rule::hard(
    "a host, host:port or https address without a path",
    "such as api.example or https://api.example:443",
    |text| ApiServer::parse(text).map(drop).map_err(|error| error.to_string()),
);

pub(super) const NODE_NAME: Rule = Rule::hard(
    "a DNS name in lower case",
    "letters a-z, digits, - and . in between, as in edge-01.example",
    |text| {
        if is_node_name(text) { Ok(()) } else { Err(format!("{text:?} cannot be the name of a node")) }
    },
);

pub(super) const TOKEN: Rule = Rule::hard(
    "six characters, a dot, sixteen characters: a-z and 0-9",
    "kubeadm token create prints one",
    |text| {
        if is_token(text) { Ok(()) } else { Err("this is not a bootstrap token".to_owned()) }
    },
);

pub(super) const CA_CERTIFICATE: Rule = Rule::hard(
    "certificates in PEM, then base64",
    "it is certificate-authority-data of a kubeconfig",
    |text| pem(text).map(drop),
);

pub(super) const IP_ADDRESS: Rule = Rule::hard("an IP address", "such as 10.0.0.10", |text| {
    text.parse::<IpAddr>().map(drop).map_err(|_| format!("{text:?} is not an IP address"))
});

pub(super) const NODE_ADDRESS: Rule =
    Rule::hard("an IP address, or one of each family with a comma", "such as 10.0.0.4", |text| {
        let fits = text.split(',').all(|part| part.trim().parse::<IpAddr>().is_ok());
        if fits { Ok(()) } else { Err(format!("{text:?} is not an IP address")) }
    });

pub(super) const DEVICE: Rule =
    Rule::hard("a path below /dev, or a device group such as char-drm", "such as /dev/kvm", |text| {
        let clean = text
            .strip_prefix("/dev/")
            .is_some_and(|rest| rest.split('/').all(|part| !matches!(part, "" | "." | "..")));
        let group = text.starts_with("char-") || text.starts_with("block-");
        if clean || group { Ok(()) } else { Err(format!("{text:?} is not a device")) }
    });

pub(super) const ONE_WORD: Rule =
    Rule::hard("one word", "quotes, backslashes and white space do not belong into it", |text| {
        if is_word(text) { Ok(()) } else { Err(format!("{text:?} is not one word")) }
    });

pub(super) const MIRROR: Rule = Rule::hard(
    "an address for everything, or FROM=TO for addresses that begin with FROM",
    "such as https://dl.k8s.io=https://mirror.example/k8s",
    |text| text.parse::<Mirror>().map(drop).map_err(|error| error.to_string()),
);

pub(super) const PROXY: Rule =
    Rule::hard("an http or https address", "such as http://proxy.example:3128", |text| {
        ProxySettings::always(text).map(drop).map_err(|_| "this is not the address of a proxy".to_owned())
    });

pub(super) const TAINT: Rule = Rule {
    words: "key=value:Effect or key:Effect",
    reason: UNUSABLE,
    severity: Severity::Warning,
    hint: "the effect is NoSchedule, PreferNoSchedule or NoExecute, as in dedicated=edge:NoSchedule",
    check: |text| {
        let taint = text.rsplit_once(':').filter(|(key, _)| !key.is_empty() && is_word(key));
        let known = ["NoSchedule", "PreferNoSchedule", "NoExecute"];
        match taint {
            Some((_, effect)) if known.contains(&effect) => Ok(()),
            _ => Err(format!("{text:?} is not a taint: kubelet would not start with it")),
        }
    },
};

/// Whether a text is one word for everyone who reads a file of variables.
pub(crate) fn is_word(text: &str) -> bool {
    !text.contains(|c: char| c.is_whitespace() || c.is_control() || matches!(c, '"' | '\'' | '\\'))
}

/// Whether a text is a DNS subdomain by Kubernetes' rule.
pub(crate) fn is_node_name(text: &str) -> bool {
    let alphanumeric = |byte: &u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    let label = |label: &str| {
        let bytes = label.as_bytes();
        bytes.first().is_some_and(alphanumeric)
            && bytes.last().is_some_and(alphanumeric)
            && bytes.iter().all(|byte| alphanumeric(byte) || *byte == b'-')
    };
    text.len() <= 253 && text.split('.').all(label)
}

/// Whether a text is a bootstrap token.
pub(crate) fn is_token(text: &str) -> bool {
    let part = |part: &str, length| {
        part.len() == length && part.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
    };
    text.split_once('.').is_some_and(|(id, secret)| part(id, 6) && part(secret, 16))
}

/// The PEM text inside base64.
pub(super) fn pem(text: &str) -> Result<String, String> {
    let line: String = text.split_whitespace().collect();
    let octets = BASE64_STANDARD.decode(line).map_err(|_| "this is not base64".to_owned())?;
    String::from_utf8(octets)
        .ok()
        .filter(|pem| pem.contains("-----BEGIN CERTIFICATE-----"))
        .ok_or_else(|| "there is no certificate in it".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_tokens_devices_and_taints_are_told_from_what_they_are_not() {
        for (rule, good, bad) in [
            (&NODE_NAME, &["a", "edge-01.example", "0"][..], &["", "A", "a_b", "-a", "a-", "a..b", "a."][..]),
            (
                &TOKEN,
                &["abcdef.0123456789abcdef"],
                &["", "ABCDEF.0123456789abcdef", "abcdef.0123456789abcde", "abcdef"],
            ),
            (
                &DEVICE,
                &["/dev/kvm", "/dev/dri/card0", "char-drm"],
                &["/dev", "/dev/", "/dev/../etc", "/dev//kvm", "/etc/passwd", "kvm"],
            ),
            (
                &TAINT,
                &["a=b:NoSchedule", "gpu:NoExecute"],
                &["nonsense", ":NoExecute", "a=b:Never", "a b:NoExecute"],
            ),
            (&NODE_ADDRESS, &["10.0.0.1", "10.0.0.1,fd00::1"], &["10.0.0", "10.0.0.1;fd00::1"]),
            (&ONE_WORD, &["1.34.1", "p:1"], &["a b", "a\"b"]),
        ] {
            for text in good {
                assert_eq!((rule.check)(text), Ok(()), "{text}");
            }
            for text in bad {
                assert!((rule.check)(text).is_err(), "{text}");
            }
        }
    }
}
