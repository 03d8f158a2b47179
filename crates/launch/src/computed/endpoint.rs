//! The API server's name.

/// The host of an address, without scheme, user, port and brackets; empty where there is none.
pub fn api_server_name(endpoint: &str) -> &str {
    let Some((_, rest)) = endpoint.split_once("://") else { return "" };
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
    if let Some(inside) = host.strip_prefix('[') {
        return inside.split_once(']').map_or(host, |(address, _)| address);
    }
    host.rsplit_once(':').map_or(host, |(name, _)| name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_host_is_left_of_an_address() {
        for (endpoint, name) in [
            ("https://a.hcp.westus2.azmk8s.io:443", "a.hcp.westus2.azmk8s.io"),
            ("https://10.0.0.4:6443/path?q#f", "10.0.0.4"),
            ("https://user:word@a.example", "a.example"),
            ("https://[fd00::a]:443", "fd00::a"),
            ("https://[fd00::a]", "fd00::a"),
            ("a.example", ""),
            ("", ""),
        ] {
            assert_eq!(api_server_name(endpoint), name, "{endpoint}");
        }
    }
}
