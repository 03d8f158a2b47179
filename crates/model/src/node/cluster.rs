use std::time::Duration;

use crate::{KubernetesVersion, Sourced};

/// The cluster that the node joins.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Cluster {
    /// Which Kubernetes the node runs.
    pub kubernetes: Sourced<Kubernetes>,
    /// The API server, by name or address.
    pub server: Sourced<String>,
    /// The API server's port, where it is not that of HTTPS.
    pub port: Sourced<Option<u16>>,
    /// The certificates of the cluster's CA, PEM.
    pub ca: Sourced<String>,
    /// The API server's own certificate, PEM, for those who look for it.
    pub server_certificate: Sourced<Option<String>>,
    /// The registry that stands for the public ones where the cluster has no way out.
    pub registry_mirror: Sourced<Option<String>>,
    /// What has to answer for the node to be of use.
    pub outbound: Sourced<Option<Endpoint>>,
    /// How long provisioning may take.
    pub within: Sourced<Duration>,
    /// Whether only an image is prepared.
    pub bake_only: Sourced<bool>,
}

/// A Kubernetes version: the text by which programs are found, and what it means.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Kubernetes {
    text: String,
    version: Option<KubernetesVersion>,
}

/// A place in the network.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Endpoint {
    /// Its name or address.
    pub host: String,
    /// The port.
    pub port: u16,
}

impl Kubernetes {
    /// Reads a version; a leading `v` is dropped.
    pub fn parse(text: &str) -> Self {
        let text = text.strip_prefix('v').unwrap_or(text).to_owned();
        let version = KubernetesVersion::parse(&text);
        Self { text, version }
    }

    /// The version as images and packages spell it.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Whether it is known to be `major.minor.0` or later.
    pub fn is_at_least(&self, major: u64, minor: u64) -> bool {
        self.version.is_some_and(|version| version.is_at_least(major, minor))
    }
}

impl Endpoint {
    /// The place that the first `https` or `http` address in a text names.
    pub fn in_text(text: &str) -> Option<Self> {
        let (rest, port) = match (text.split_once("https://"), text.split_once("http://")) {
            (Some((_, rest)), _) => (rest, 443),
            (None, Some((_, rest))) => (rest, 80),
            (None, None) => return None,
        };
        let end = rest.find(|c: char| c.is_whitespace() || matches!(c, '/' | '?' | '#' | '\'' | '"'));
        let authority = &rest[..end.unwrap_or(rest.len())];
        let place = authority.rsplit_once('@').map_or(authority, |(_, place)| place);
        let (host, port) = match place.rsplit_once(':') {
            Some((host, digits)) if !host.contains(':') || host.ends_with(']') => {
                (host, digits.parse().ok()?)
            }
            _ => (place, port),
        };
        let host = host.trim_start_matches('[').trim_end_matches(']');
        let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | ':');
        (!host.is_empty() && host.chars().all(fits)).then(|| Self { host: host.to_owned(), port })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_address_in_a_command_is_found() {
        for (text, found) in [
            (
                "curl -v --insecure --proxy-insecure https://mcr.microsoft.com/v2/",
                Some(("mcr.microsoft.com", 443)),
            ),
            ("nc -vz x; curl 'http://user:word@mirror.example:8080/a'", Some(("mirror.example", 8080))),
            ("curl https://[fd00::1]/v2/", Some(("fd00::1", 443))),
            ("nc -vz mcr.microsoft.com 443", None),
            ("curl https://$(registry)/v2/", None),
            ("curl https://", None),
        ] {
            let found = found.map(|(host, port)| Endpoint { host: host.to_owned(), port });
            assert_eq!(Endpoint::in_text(text), found, "{text}");
        }
    }

    #[test]
    fn a_version_is_known_by_its_text_without_the_v() {
        let version = Kubernetes::parse("v1.34.1");
        assert_eq!(version.as_str(), "1.34.1");
        assert!(version.is_at_least(1, 34) && !version.is_at_least(1, 35));
        assert!(!Kubernetes::parse("newest").is_at_least(1, 0));
    }
}
