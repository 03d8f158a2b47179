use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use slipway_model::Secret;

/// An `http` or `https` address. What is shown of it never includes the query, where signatures are kept, nor
/// user and password.
#[derive(Clone, PartialEq, Eq)]
pub struct Url {
    scheme: Scheme,
    host: String,
    port: u16,
    target: Secret<String>,
    basic: Option<Secret<String>>,
}

/// How to speak to a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scheme {
    /// In the clear.
    Http,
    /// Over TLS.
    Https,
}

/// Text that is no address.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("not an address: {0}; give one such as https://host.example/path")]
pub struct UrlError(&'static str);

impl Url {
    /// Reads an address with its scheme.
    pub fn parse(text: &str) -> Result<Self, UrlError> {
        let (scheme, rest) = text.split_once("://").ok_or(UrlError("it has no scheme"))?;
        let scheme = match scheme.to_ascii_lowercase().as_str() {
            "http" => Scheme::Http,
            "https" => Scheme::Https,
            _ => return Err(UrlError("its scheme is neither http nor https")),
        };
        let rest = rest.split('#').next().unwrap_or_default();
        let end = rest.find(['/', '?']).unwrap_or(rest.len());
        let (authority, target) = rest.split_at(end);
        if target.bytes().any(|byte| !byte.is_ascii_graphic()) {
            return Err(UrlError("its path has characters that must be escaped"));
        }
        let (user, authority) = match authority.rsplit_once('@') {
            Some((user, authority)) => (Some(user), authority),
            None => (None, authority),
        };
        let (host, port) = host_and_port(authority)?;
        let target = if target.starts_with('/') { target.to_owned() } else { format!("/{target}") };
        Ok(Self {
            scheme,
            host,
            port: port.unwrap_or(scheme.port()),
            target: Secret::new(target),
            basic: user.map(basic).transpose()?,
        })
    }

    /// The same server with another path and query, which must begin with a slash.
    #[must_use]
    pub fn with_target(&self, target: &str) -> Self {
        Self { target: Secret::from(target), ..self.clone() }
    }

    /// Where a redirect leads: to another address, or to another path of the same server.
    pub(crate) fn follow(&self, location: &str) -> Option<Self> {
        if location.starts_with('/') && !location.starts_with("//") {
            let clean = location.bytes().all(|byte| byte.is_ascii_graphic());
            return clean.then(|| self.with_target(location.split('#').next().unwrap_or_default()));
        }
        Self::parse(location).ok()
    }

    /// How the server is spoken to.
    pub fn scheme(&self) -> Scheme {
        self.scheme
    }

    /// The server's name or address, without brackets.
    pub fn host(&self) -> &str {
        &self.host
    }

    /// The server's port.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Path and query.
    pub(crate) fn target(&self) -> &str {
        self.target.expose()
    }

    /// User and password, in the form of the header.
    pub(crate) fn basic(&self) -> Option<&Secret<String>> {
        self.basic.as_ref()
    }

    /// Host and port as CONNECT wants them.
    pub(crate) fn authority(&self) -> String {
        if self.host.contains(':') {
            format!("[{}]:{}", self.host, self.port)
        } else {
            format!("{}:{}", self.host, self.port)
        }
    }

    /// Host and port as the Host header has them.
    pub(crate) fn host_header(&self) -> String {
        let authority = self.authority();
        if self.port == self.scheme.port() {
            authority.rsplit_once(':').map_or(authority.clone(), |(host, _)| host.to_owned())
        } else {
            authority
        }
    }
}

impl Scheme {
    fn port(self) -> u16 {
        match self {
            Self::Http => 80,
            Self::Https => 443,
        }
    }

    fn word(self) -> &'static str {
        match self {
            Self::Http => "http",
            Self::Https => "https",
        }
    }
}

impl fmt::Display for Url {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = self.target().split('?').next().unwrap_or_default();
        write!(out, "{}://{}{path}", self.scheme.word(), self.host_header())
    }
}

impl fmt::Debug for Url {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, out)
    }
}

/// Splits `host`, `host:port`, `[v6]` and `[v6]:port`.
pub(crate) fn host_and_port(authority: &str) -> Result<(String, Option<u16>), UrlError> {
    let (host, port) = match authority.strip_prefix('[') {
        Some(rest) => {
            let (host, after) = rest.split_once(']').ok_or(UrlError("a bracket is not closed"))?;
            (host, after.strip_prefix(':'))
        }
        None => authority.split_once(':').map_or((authority, None), |(host, port)| (host, Some(port))),
    };
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b".-_:%".contains(&byte);
    if host.is_empty() || !host.bytes().all(plain) {
        return Err(UrlError("it has no proper host name"));
    }
    let port = port.filter(|port| !port.is_empty());
    let port = port.map(|port| port.parse().map_err(|_| UrlError("its port is not a number below 65536")));
    Ok((host.to_ascii_lowercase(), port.transpose()?))
}

fn basic(user: &str) -> Result<Secret<String>, UrlError> {
    let mut plain = Vec::with_capacity(user.len());
    let mut bytes = user.bytes();
    while let Some(byte) = bytes.next() {
        plain.push(if byte == b'%' {
            let digit = |byte: Option<u8>| byte.and_then(|byte| char::from(byte).to_digit(16));
            let (high, low) = (digit(bytes.next()), digit(bytes.next()));
            let value = high.zip(low).and_then(|(high, low)| u8::try_from(high * 16 + low).ok());
            value.ok_or(UrlError("its user or password is not escaped properly"))?
        } else {
            byte
        });
    }
    let plain = Secret::new(plain);
    Ok(Secret::new(format!("Basic {}", STANDARD.encode(plain.expose()))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_taken_apart() {
        for (text, host, port, target, header) in [
            ("https://a.example", "a.example", 443, "/", "a.example"),
            ("http://A.example:8080?x=1#f", "a.example", 8080, "/?x=1", "a.example:8080"),
            ("https://[fd00::1]:6443/v1/x?y", "fd00::1", 6443, "/v1/x?y", "[fd00::1]:6443"),
            ("https://10.0.0.1/", "10.0.0.1", 443, "/", "10.0.0.1"),
            ("https://[::1]", "::1", 443, "/", "[::1]"),
        ] {
            let url = Url::parse(text).unwrap();
            assert_eq!((url.host(), url.port(), url.target()), (host, port, target), "{text}");
            assert_eq!(url.host_header(), header);
        }
    }

    #[test]
    fn what_is_no_address_is_refused() {
        for text in [
            "a.example",
            "ftp://a",
            "https://",
            "https://a b/",
            "https://a/b c",
            "https://a:99999",
            "https://[::1",
            "http://u%zz@a",
            "https://a/\r\nX: y",
        ] {
            assert!(Url::parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn neither_signature_nor_password_is_shown() {
        let url = Url::parse("https://user:p%40ss@store.example/kube.tar?sig=abc").unwrap();
        assert_eq!(format!("{url} {url:?}").matches("https://store.example/kube.tar").count(), 2);
        assert!(!format!("{url} {url:?}").contains("sig") && !format!("{url:?}").contains("ss"));
        assert_eq!(url.basic().unwrap().expose(), "Basic dXNlcjpwQHNz");
    }
}
