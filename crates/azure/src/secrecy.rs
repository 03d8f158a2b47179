//! Where a secret may be sent.

use std::net::IpAddr;

use slipway_fetch::{Scheme, Url};

/// Whether an address is one of this machine.
pub(crate) fn is_this_machine(url: &Url) -> bool {
    url.host() == "localhost" || url.host().parse().is_ok_and(|address: IpAddr| address.is_loopback())
}

/// Whether nobody on the way can read what is sent there.
pub(crate) fn is_private(url: &Url) -> bool {
    url.scheme() == Scheme::Https || is_this_machine(url)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_leaves_the_machine_under_tls_only() {
        let private = |text| is_private(&Url::parse(text).unwrap());
        assert!(private("https://management.azure.com") && private("http://127.0.0.1:8080/x"));
        assert!(private("http://localhost:1") && private("http://[::1]:1"));
        assert!(!private("http://management.azure.com") && !private("http://127.0.0.1.example.test"));
    }
}
