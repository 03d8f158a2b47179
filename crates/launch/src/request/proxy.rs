//! The proxy that nodes reach the outside through.

use slipway_model::Secret;

use super::record::record;

record! {
    /// The proxy that nodes reach the outside through.
    pub struct HttpProxy {
        /// For `http` addresses, such as `http://proxy.example:3128`.
        http: String = "httpProxy",
        /// For `https` addresses.
        https: String = "httpsProxy",
        /// Hosts, domains and networks that are reached directly.
        exceptions: Vec<String> = "noProxy",
        /// The certificates that the proxy is trusted by: PEM, in base64.
        trusted_ca: Secret<String> = "trustedCA",
    }
}

impl HttpProxy {
    /// Whether there is a proxy at all.
    pub fn is_set(&self) -> bool {
        !self.http.is_empty() || !self.https.is_empty()
    }
}
