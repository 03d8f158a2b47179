//! Names and addresses: hosts, zones, URLs, images, registries, addresses and their ranges.

use core::net::IpAddr;

use super::super::rules;
use super::{Parse, Shape, Verdict, wrong, wrong_try};

rules! {
    HOST: Error "host",
    summary: "The value is a host name or an IP address, without scheme, port and path.",
    reason: "The node puts a scheme and a port around it, so anything more gives a URL that leads nowhere.",
    good: r#"{"api_server_config": {"api_server_name": "demo-dns-1a2b3c.hcp.westeurope.azmk8s.io"}}"#,
    bad: r#"{"api_server_config": {"api_server_name": "https://demo.hcp.westeurope.azmk8s.io:443"}}"#;

    FQDN: Error "fqdn",
    summary: "The value is a DNS name; blanks around it are ignored.",
    reason: "The names are resolved on the node and written to the hosts file of its DNS server.",
    good: r#"{"local_dns_profile": {"critical_fqdns": ["mcr.microsoft.com"]}}"#,
    bad: r#"{"local_dns_profile": {"critical_fqdns": ["https://mcr.microsoft.com/v2/"]}}"#;

    DNS_NAME: Error "dns-name",
    summary: "The value is a DNS name, or `.`.",
    reason: "It goes into the Corefile as it is. CoreDNS does not start with a line that it cannot read.",
    good: r#"{"local_dns_profile": {"vnet_dns_overrides": {".": {"health_check": {"duration": "5s", "domain": "."}}}}}"#,
    bad: r#"{"local_dns_profile": {"vnet_dns_overrides": {".": {"health_check": {"duration": "5s", "domain": "a b"}}}}}"#;

    REGISTRY: Error "registry",
    summary: "The value is a registry server: a host, perhaps with a port and a path, without scheme.",
    reason: "The node builds image names and mirror URLs from it by putting text around it.",
    good: r#"{"bootstrap_profile_container_registry_server": "mirror.azurecr.io/cache"}"#,
    bad: r#"{"bootstrap_profile_container_registry_server": "https://mirror.azurecr.io"}"#;

    DNS_SUFFIX: Error "dns-suffix",
    summary: "The value is the end of a DNS name, with or without a dot before it.",
    reason: "The credential provider matches image names against it.",
    good: r#"{"custom_cloud_config": {"container_registry_dns_suffix": ".azurecr.example"}}"#,
    bad: r#"{"custom_cloud_config": {"container_registry_dns_suffix": "*.azurecr.example/"}}"#;

    DNS_ZONE: Error "dns-zone",
    summary: "A key is a DNS zone: `.` for all names, or a domain.",
    reason: "Each key becomes a server block of the Corefile. CoreDNS does not start with a block that it cannot \
             read, and the node is left without DNS.",
    good: r#"{"local_dns_profile": {"vnet_dns_overrides": {".": {}, "corp.example": {}}}}"#,
    bad: r#"{"local_dns_profile": {"vnet_dns_overrides": {"corp.example:53": {}}}}"#;

    IP: Error "ip",
    summary: "The value is an IPv4 or IPv6 address.",
    reason: "The kubelet and CoreDNS refuse anything else, host names included.",
    good: r#"{"cluster_config": {"cluster_network_config": {"core_dns_service_ip": "10.0.0.10"}}}"#,
    bad: r#"{"cluster_config": {"cluster_network_config": {"core_dns_service_ip": "10.0.0.0/16"}}}"#;

    URL: Error "url",
    summary: "The value is an absolute http or https URL.",
    reason: "The node downloads from it, with no default for the scheme.",
    good: r#"{"custom_cloud_config": {"repo_depot_endpoint": "https://repo.example/ubuntu"}}"#,
    bad: r#"{"custom_cloud_config": {"repo_depot_endpoint": "repo.example/ubuntu"}}"#;

    ARTIFACT: Error "artifact",
    summary: "The value is an absolute http or https URL, or a registry reference with a tag.",
    reason: "The node downloads a URL and pulls a reference; it tells the two apart by their form.",
    good: r#"{"kube_binary_config": {"kube_binary_url": "https://packages.aks.azure.com/kubernetes/v1.33.2/binaries/kubernetes-node-linux-amd64.tar.gz"}}"#,
    bad: r#"{"kube_binary_config": {"kube_binary_url": "/kubernetes-node-linux-amd64.tar.gz"}}"#;

    PROXY_URL: Error "proxy-url",
    summary: "The value is the URL of an http or https proxy: scheme, host, port, and no path.",
    reason: "Every program on the node gets it through its environment, and they differ in what they forgive.",
    good: r#"{"http_proxy_config": {"http_proxy": "http://proxy.corp.example:3128/"}}"#,
    bad: r#"{"http_proxy_config": {"http_proxy": "http://proxy.corp.example:port"}}"#;

    NO_PROXY: Warning "no-proxy",
    summary: "An entry is a host, a domain, an address, a range of addresses, or `*`.",
    reason: "The entries are joined by commas for all programs of the node; an entry of another form matches nothing.",
    good: r#"{"http_proxy_config": {"http_proxy": "http://proxy:3128/", "no_proxy_entries": [".svc", "10.0.0.0/8"]}}"#,
    bad: r#"{"http_proxy_config": {"http_proxy": "http://proxy:3128/", "no_proxy_entries": ["10.0.0.0/33"]}}"#;

    IMAGE: Error "image",
    summary: "The value is an image reference: `registry/name:tag` or `registry/name@digest`.",
    reason: "Without a readable pause image no pod starts.",
    good: r#"{"kube_binary_config": {"pod_infra_container_image_url": "mcr.microsoft.com/oss/v2/kubernetes/pause:3.10"}}"#,
    bad: r#"{"kube_binary_config": {"pod_infra_container_image_url": "https://mcr.microsoft.com/oss/kubernetes/pause:3.10"}}"#;
}

pub(super) static SHAPES: &[Shape] = &[
    Shape { rule: &HOST, noun: "a host name or an IP address", parse: Parse::Text(host) },
    Shape { rule: &FQDN, noun: "a DNS name", parse: Parse::Text(|text| domain(text.trim())) },
    Shape { rule: &DNS_NAME, noun: "a DNS name", parse: Parse::Text(dns_zone) },
    Shape { rule: &REGISTRY, noun: "a registry server", parse: Parse::Text(registry) },
    Shape { rule: &DNS_SUFFIX, noun: "the end of a DNS name", parse: Parse::Text(dns_suffix) },
    Shape { rule: &DNS_ZONE, noun: "a DNS zone", parse: Parse::Key(dns_zone) },
    Shape { rule: &IP, noun: "an IP address", parse: Parse::Text(ip) },
    Shape { rule: &URL, noun: "an http or https URL", parse: Parse::Text(url) },
    Shape { rule: &ARTIFACT, noun: "a URL or a registry reference", parse: Parse::Text(artifact) },
    Shape { rule: &PROXY_URL, noun: "the URL of a proxy", parse: Parse::Text(proxy_url) },
    Shape { rule: &NO_PROXY, noun: "an exception from the proxy", parse: Parse::Text(no_proxy) },
    Shape { rule: &IMAGE, noun: "an image reference", parse: Parse::Text(image) },
];

/// Longest name and longest part of one, RFC 1035.
const LONGEST_NAME: usize = 253;
const LONGEST_PART: usize = 63;

pub(in crate::rules) fn domain(text: &str) -> Verdict {
    let name = text.strip_suffix('.').unwrap_or(text);
    if name.contains("://") {
        return wrong_try("it has a scheme", "leave out everything but the name");
    }
    if name.len() > LONGEST_NAME {
        return wrong("it is longer than 253 characters");
    }
    for part in name.split('.') {
        if part.is_empty() {
            return wrong("a part between two dots is empty");
        }
        if part.len() > LONGEST_PART {
            return wrong("a part between two dots is longer than 63 characters");
        }
        if !part.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_')) {
            return wrong("only letters, digits, hyphens and dots can stand in it");
        }
        if part.starts_with('-') || part.ends_with('-') {
            return wrong("a part begins or ends with a hyphen");
        }
    }
    Ok(())
}

fn host(text: &str) -> Verdict {
    if text.parse::<IpAddr>().is_ok() {
        return Ok(());
    }
    if text.contains("://") {
        return wrong_try("it has a scheme", "leave out everything but the host");
    }
    if text.contains([':', '/']) {
        return wrong_try("it has a port or a path", "leave out everything but the host");
    }
    let looks_like_ipv4 = text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    if looks_like_ipv4 {
        return wrong("an IPv4 address has four parts from 0 to 255");
    }
    domain(text)
}

/// A host with an optional port, as authorities are written.
fn authority(text: &str) -> Verdict {
    let (name, port) = match text.strip_prefix('[') {
        Some(rest) => {
            let Some((address, after)) = rest.split_once(']') else {
                return wrong("the bracket of its IPv6 address is not closed");
            };
            (address, after.strip_prefix(':'))
        }
        None => match text.split_once(':') {
            Some((name, port)) => (name, Some(port)),
            None => (text, None),
        },
    };
    if let Some(port) = port
        && !port.parse::<u16>().is_ok_and(|number| number > 0)
    {
        return wrong("its port is not a number from 1 to 65535");
    }
    if name.is_empty() {
        return wrong("it has no host");
    }
    host(name)
}

fn registry(text: &str) -> Verdict {
    if text.contains("://") {
        return wrong_try("it has a scheme", "leave out the scheme");
    }
    let (server, path) = text.split_once('/').unwrap_or((text, ""));
    authority(server)?;
    image_path(path)
}

fn dns_suffix(text: &str) -> Verdict {
    domain(text.strip_prefix('.').unwrap_or(text))
}

fn dns_zone(text: &str) -> Verdict {
    if text == "." {
        return Ok(());
    }
    if text.is_empty() {
        return wrong_try("it is empty", "write . for all names");
    }
    if text.contains(':') {
        return wrong_try("it has a port", "leave out the port: the node adds it");
    }
    domain(text)
}

pub(in crate::rules) fn ip(text: &str) -> Verdict {
    if text.parse::<IpAddr>().is_ok() {
        return Ok(());
    }
    if cidr(text).is_ok() {
        return wrong_try("it is a range of addresses", "leave out the part from the slash on");
    }
    wrong("")
}

/// A range of addresses: an address, a slash, and how many bits of it count.
pub(in crate::rules) fn cidr(text: &str) -> Verdict {
    let Some((address, bits)) = text.split_once('/') else { return wrong("it has no slash") };
    let Ok(address) = address.parse::<IpAddr>() else {
        return wrong("before the slash there is no IP address");
    };
    let most = if address.is_ipv4() { 32 } else { 128 };
    match bits.parse::<u8>() {
        Ok(bits) if bits <= most => Ok(()),
        _ if address.is_ipv4() => wrong("after the slash there is no number from 0 to 32"),
        _ => wrong("after the slash there is no number from 0 to 128"),
    }
}

/// The authority of an absolute URL, without the user's name, and what follows it.
fn split_url(text: &str) -> Result<(&str, &str), super::Wrong> {
    let failed = |why: &'static str| super::Wrong { why: why.into(), hint: "".into() };
    if text.contains(|c: char| c.is_whitespace() || c.is_control()) {
        return Err(failed("a blank or a control character stands in it"));
    }
    let (scheme, rest) = text.split_once("://").ok_or_else(|| failed("it has no scheme"))?;
    if !scheme.eq_ignore_ascii_case("http") && !scheme.eq_ignore_ascii_case("https") {
        return Err(failed("its scheme is neither http nor https"));
    }
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    let (server, path) = rest.split_at(end);
    Ok((server.rsplit_once('@').map_or(server, |(_, server)| server), path))
}

pub(in crate::rules) fn url(text: &str) -> Verdict {
    let (server, _) = split_url(text)?;
    authority(server)
}

fn artifact(text: &str) -> Verdict {
    if text.contains("://") {
        return url(text);
    }
    if text.starts_with('/') {
        return wrong("it is a path");
    }
    image(text)?;
    let name = text.rsplit('/').next().unwrap_or(text);
    if name.contains([':', '@']) && text.contains('/') {
        return Ok(());
    }
    wrong_try("it has neither a scheme nor a tag", "begin it with https://, or add the tag of the reference")
}

fn proxy_url(text: &str) -> Verdict {
    // Programs take a proxy without scheme as an http one.
    if !text.contains("://") {
        let server = text.rsplit_once('@').map_or(text, |(_, server)| server);
        return authority(server.trim_end_matches('/'));
    }
    let (server, path) = split_url(text)?;
    authority(server)?;
    if path.trim_matches('/').is_empty() { Ok(()) } else { wrong("it has a path, a query or a fragment") }
}

fn no_proxy(text: &str) -> Verdict {
    if text == "*" {
        return Ok(());
    }
    if text.contains("://") {
        return wrong_try("it has a scheme", "leave out everything but the host");
    }
    if text.contains(',') {
        return wrong_try("it holds more than one entry", "write each as an item of the list");
    }
    if text.contains('/') {
        return cidr(text);
    }
    if text.parse::<IpAddr>().is_ok() {
        return Ok(());
    }
    authority(text.trim_start_matches("*.").trim_start_matches('.'))
}

fn image(text: &str) -> Verdict {
    if text.contains("://") {
        return wrong_try("it has a scheme", "leave out the scheme");
    }
    let (name, digest) = match text.split_once('@') {
        Some((name, digest)) => (name, Some(digest)),
        None => (text, None),
    };
    if let Some(digest) = digest {
        let hex = digest.strip_prefix("sha256:").unwrap_or_default();
        if hex.len() != 64 || !hex.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return wrong("its digest is not sha256: and 64 hexadecimal digits");
        }
    }
    let (server, path) = match name.split_once('/') {
        // The first part is a server if it can only be one.
        Some((first, rest)) if first.contains(['.', ':']) || first == "localhost" => (Some(first), rest),
        _ => (None, name),
    };
    if let Some(server) = server {
        authority(server)?;
    }
    let (path, tag) = match path.rsplit_once(':') {
        Some((path, tag)) => (path, Some(tag)),
        None => (path, None),
    };
    if let Some(tag) = tag
        && (tag.is_empty()
            || tag.len() > 128
            || tag.starts_with(['.', '-'])
            || !tag.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'-')))
    {
        return wrong("its tag is not one");
    }
    if path.is_empty() {
        return wrong("it has no name");
    }
    image_path(path)
}

fn image_path(path: &str) -> Verdict {
    let part_of_name = |part: &str| {
        part.starts_with(|c: char| c.is_ascii_alphanumeric())
            && part.bytes().all(|byte| {
                byte.is_ascii_lowercase() || byte.is_ascii_digit() || matches!(byte, b'_' | b'.' | b'-')
            })
    };
    let path = path.trim_end_matches('/');
    if path.is_empty() || path.split('/').all(part_of_name) {
        return Ok(());
    }
    if path.split('/').all(|part| part_of_name(&part.to_ascii_lowercase())) {
        return wrong("upper case is not allowed in image names");
    }
    wrong("only lower-case letters, digits, dots, hyphens and underscores can stand in its path")
}
