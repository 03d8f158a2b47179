use std::net::IpAddr;

use crate::url::{Url, host_and_port};

/// One entry of a no-proxy list, with the meaning that Go programs such as kubelet give it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Exempt {
    /// `*`
    Everything,
    /// `10.0.0.0/8`
    Network(IpAddr, u32),
    /// `10.0.0.1` or `10.0.0.1:8080`
    Address(IpAddr, Option<u16>),
    /// `.example.com`: what is below it. `example.com`: itself too.
    Domain { suffix: String, itself: bool, port: Option<u16> },
}

impl Exempt {
    /// Reads a list; what is no entry exempts nothing, as in Go.
    pub(crate) fn parse_list(text: &str) -> Vec<Self> {
        text.split([',', ' '])
            .map(str::trim)
            .filter(|entry| !entry.is_empty())
            .filter_map(Self::parse)
            .collect()
    }

    fn parse(entry: &str) -> Option<Self> {
        if entry == "*" {
            return Some(Self::Everything);
        }
        if let Some((address, length)) = entry.split_once('/') {
            let (address, length): (IpAddr, u32) = (address.parse().ok()?, length.parse().ok()?);
            let most = if address.is_ipv4() { 32 } else { 128 };
            return (length <= most).then_some(Self::Network(address, length));
        }
        if let Ok(address) = entry.parse() {
            return Some(Self::Address(address, None));
        }
        let (name, port) = host_and_port(entry.strip_prefix('*').unwrap_or(entry)).ok()?;
        if let Ok(address) = name.parse() {
            return Some(Self::Address(address, port));
        }
        Some(match name.strip_prefix('.') {
            Some(_) => Self::Domain { suffix: name, itself: false, port },
            None => Self::Domain { suffix: format!(".{name}"), itself: true, port },
        })
    }

    pub(crate) fn covers(&self, url: &Url) -> bool {
        let port_fits = |port: &Option<u16>| port.is_none_or(|port| port == url.port());
        let address: Option<IpAddr> = url.host().parse().ok();
        match self {
            Self::Everything => true,
            Self::Network(network, length) => {
                address.is_some_and(|address| bits(address, *length) == bits(*network, *length))
            }
            Self::Address(other, port) => address == Some(*other) && port_fits(port),
            Self::Domain { suffix, itself, port } => {
                let host = url.host().trim_end_matches('.');
                (host.ends_with(suffix.as_str()) || *itself && host == &suffix[1..]) && port_fits(port)
            }
        }
    }
}

/// The first bits of an address, and which kind of address it is.
fn bits(address: IpAddr, length: u32) -> (bool, u128) {
    match address {
        IpAddr::V4(address) => {
            (true, u128::from(u64::from(address.to_bits()) >> 32u32.saturating_sub(length)))
        }
        IpAddr::V6(address) => {
            (false, address.to_bits().checked_shr(128u32.saturating_sub(length)).unwrap_or_default())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_mean_what_they_mean_to_kubelet() {
        for (list, url, expected) in [
            ("example.com", "https://example.com", true),
            ("example.com", "https://a.example.com", true),
            ("example.com", "https://anexample.com", false),
            (".example.com", "https://example.com", false),
            (".example.com", "https://a.EXAMPLE.com", true),
            ("*.example.com", "https://a.example.com", true),
            ("example.com:443", "https://example.com", true),
            ("example.com:80", "https://example.com", false),
            ("localhost, 10.0.0.0/8", "https://10.200.3.4:6443", true),
            ("10.0.0.0/8", "https://11.0.0.1", false),
            ("0.0.0.0/0", "https://11.0.0.1", true),
            ("0.0.0.0/0", "https://[fd00::1]", false),
            ("fd00::/8", "https://[fd12::1]", true),
            ("::/0", "https://[fd12::1]", true),
            ("168.63.129.16", "http://168.63.129.16/machine", true),
            ("168.63.129.16:81", "http://168.63.129.16/machine", false),
            ("fd00::1", "https://[fd00::1]", true),
            ("*", "https://anything.example", true),
            ("10.0.0.0/33,a b", "https://10.0.0.1", false),
        ] {
            let url = Url::parse(url).unwrap();
            assert_eq!(
                Exempt::parse_list(list).iter().any(|entry| entry.covers(&url)),
                expected,
                "{list} {url}"
            );
        }
    }
}
