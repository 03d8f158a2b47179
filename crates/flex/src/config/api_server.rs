//! Where the API server is.

/// The API server: a host and a port.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ApiServer {
    /// Its name or address, without brackets.
    pub host: String,
    /// Its port.
    pub port: u16,
    /// Whether the port was said.
    said: bool,
}

/// Why a text names no API server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NoApiServer {
    /// Another scheme than `https`.
    #[error("the API server is reached by https only")]
    Scheme,
    /// More than a host and a port.
    #[error("an API server has no path, query, fragment or user")]
    Path,
    /// No host, or one with characters that no host has.
    #[error("this is not the name or address of a host")]
    Host,
    /// A port that is none.
    #[error("this is not a port")]
    Port,
}

impl ApiServer {
    /// Reads `host`, `host:port` or an https address.
    pub fn parse(text: &str) -> Result<Self, NoApiServer> {
        let rest = match text.split_once("://") {
            Some((scheme, rest)) if scheme.eq_ignore_ascii_case("https") => rest,
            Some(_) => return Err(NoApiServer::Scheme),
            None => text,
        };
        let place = rest.strip_suffix('/').unwrap_or(rest);
        if place.contains(['/', '?', '#', '@']) {
            return Err(NoApiServer::Path);
        }
        let bare_address = place.parse::<std::net::Ipv6Addr>().is_ok();
        let (host, port) = match place.rsplit_once(':') {
            Some((host, digits)) if !bare_address && !place.ends_with(']') => {
                (host, Some(digits.parse().map_err(|_| NoApiServer::Port)?))
            }
            _ => (place, None),
        };
        let host = host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host);
        let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | ':');
        if host.is_empty() || !host.chars().all(fits) {
            return Err(NoApiServer::Host);
        }
        Ok(Self { host: host.to_owned(), port: port.unwrap_or(443), said: port.is_some() })
    }

    /// Its address, port included.
    pub fn url(&self) -> String {
        format!("https://{}:{}", self.bracketed(), self.port)
    }

    /// Host and port, the port only if it was said.
    pub fn authority(&self) -> String {
        if self.said { format!("{}:{}", self.bracketed(), self.port) } else { self.bracketed() }
    }

    fn bracketed(&self) -> String {
        if self.host.contains(':') { format!("[{}]", self.host) } else { self.host.clone() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_is_read_with_or_without_scheme_and_port() {
        for (text, url) in [
            ("api.example", "https://api.example:443"),
            ("api.example:6443", "https://api.example:6443"),
            ("https://api.example/", "https://api.example:443"),
            ("HTTPS://api.example:443", "https://api.example:443"),
            ("fd00::1", "https://[fd00::1]:443"),
            ("[fd00::1]:6443", "https://[fd00::1]:6443"),
        ] {
            assert_eq!(ApiServer::parse(text).unwrap().url(), url);
        }
        for (text, problem) in [
            ("http://api.example:8080", NoApiServer::Scheme),
            ("https://api.example/x", NoApiServer::Path),
            ("https://u@api.example", NoApiServer::Path),
            ("api example", NoApiServer::Host),
            ("https://", NoApiServer::Host),
            ("api.example:no", NoApiServer::Port),
        ] {
            assert_eq!(ApiServer::parse(text), Err(problem), "{text}");
        }
    }
}
