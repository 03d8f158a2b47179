use std::net::IpAddr;

use crate::exempt::Exempt;
use crate::trust::Trust;
use crate::url::{Scheme, Url, UrlError};

/// Which proxies lead out, and what is reached without one.
#[derive(Debug, Clone, Default)]
pub struct ProxySettings {
    http: Option<Url>,
    https: Option<Url>,
    exempt: Vec<Exempt>,
    leads_to_itself: bool,
    trust: Trust,
}

/// A proxy's address that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the {which} proxy is {problem}")]
pub struct ProxyError {
    which: &'static str,
    problem: UrlError,
}

impl ProxySettings {
    /// Settings by the values of `http_proxy`, `https_proxy` and `no_proxy`; empty means none. An address without a
    /// scheme is an `http` one.
    pub fn new(http: &str, https: &str, no_proxy: &str) -> Result<Self, ProxyError> {
        Ok(Self {
            http: address("http", http)?,
            https: address("https", https)?,
            exempt: Exempt::parse_list(no_proxy),
            leads_to_itself: false,
            trust: Trust::default(),
        })
    }

    /// One proxy for every address, this machine's too: whoever names a proxy for one server means that server.
    pub fn always(proxy: &str) -> Result<Self, ProxyError> {
        Ok(Self { leads_to_itself: true, ..Self::new(proxy, proxy, "")? })
    }

    /// The same, with another trust in proxies that are spoken to over TLS than in the system's authorities.
    #[must_use]
    pub fn trusting(self, trust: Trust) -> Self {
        Self { trust, ..self }
    }

    /// The proxy for an address. What is on this machine is asked for through a proxy only if that was said.
    pub(crate) fn for_url(&self, url: &Url) -> Option<&Url> {
        let is_local = url.host() == "localhost"
            || url.host().parse::<IpAddr>().is_ok_and(|address| address.is_loopback());
        if is_local && !self.leads_to_itself || self.exempt.iter().any(|entry| entry.covers(url)) {
            return None;
        }
        match url.scheme() {
            Scheme::Http => self.http.as_ref(),
            Scheme::Https => self.https.as_ref(),
        }
    }

    pub(crate) fn needs_tls(&self) -> bool {
        [&self.http, &self.https].into_iter().flatten().any(|url| url.scheme() == Scheme::Https)
    }

    pub(crate) fn trust(&self) -> &Trust {
        &self.trust
    }
}

fn address(which: &'static str, text: &str) -> Result<Option<Url>, ProxyError> {
    let text = text.trim();
    if text.is_empty() {
        return Ok(None);
    }
    let url = if text.contains("://") { Url::parse(text) } else { Url::parse(&format!("http://{text}")) };
    url.map(Some).map_err(|problem| ProxyError { which, problem })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_scheme_has_its_proxy_and_this_machine_has_none() {
        let settings =
            ProxySettings::new("http://p.example:3128", "s.example:3129", "internal.example").unwrap();
        for (url, proxy) in [
            ("http://a.example", Some("http://p.example:3128/")),
            ("https://a.example", Some("http://s.example:3129/")),
            ("https://x.internal.example", None),
            ("http://localhost:10248", None),
            ("https://127.0.0.1", None),
            ("https://[::1]", None),
        ] {
            let found = settings.for_url(&Url::parse(url).unwrap()).map(ToString::to_string);
            assert_eq!(found.as_deref(), proxy, "{url}");
        }
    }

    #[test]
    fn a_bad_proxy_is_named_without_its_password() {
        let error = ProxySettings::new("", "http://user:hunter2@ho st", "").unwrap_err().to_string();
        assert!(
            error.starts_with("the https proxy is not an address") && !error.contains("hunter2"),
            "{error}"
        );
    }
}
