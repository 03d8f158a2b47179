//! The live-patching service: which hotfix a node of this cluster should have.
//!
//! It answers behind the cluster's API server: the front proxy there routes by the protocol that the TLS hello asks
//! for, so the hello names the API server, while the certificate must be the service's own.

mod call;
mod message;
mod trust;

use std::net::SocketAddr;
use std::time::Duration;

use slipway_model::Secret;

pub use slipway_grpc::{Code, Status};
pub use trust::{PROTOCOLS, SERVICE_NAME};

/// Where to ask, and whom to believe.
#[derive(Debug, Clone)]
pub struct Service {
    host: String,
    address: Option<SocketAddr>,
    authorities: Vec<u8>,
    deadline: Duration,
}

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
pub enum LivePatchError {
    /// Nothing was asked: without the cluster's CA nobody could be believed.
    #[error("the cluster CA certificate is missing; refusing TLS that cannot be verified")]
    NoAuthority,
    /// Nothing was asked: the CA is no PEM certificate.
    #[error("the cluster CA certificate cannot be read: {0}")]
    BadAuthority(String),
    /// Nothing was asked: the API server's name is not one.
    #[error("{0:?} is not the name of a host")]
    BadHost(String),
    /// No connection, or it broke.
    #[error("the live-patching service behind {host} cannot be reached: {problem}")]
    Transport {
        /// The API server.
        host: String,
        /// What went wrong.
        problem: String,
    },
    /// The time for connection and call together ran out.
    #[error("the live-patching service behind {0} did not answer within {1:?}")]
    Late(String, Duration),
    /// The service, or HTTP on its behalf, answered with a gRPC status that is not OK.
    #[error(transparent)]
    Status(#[from] Status),
}

impl Service {
    /// The service behind an API server, whose certificate is signed by the cluster's CA (PEM, one or more). A port
    /// in the name does not count: the service is at 443.
    pub fn behind(api_server: &str, authorities: &[u8]) -> Self {
        Self {
            host: without_port(api_server).to_owned(),
            address: None,
            authorities: authorities.to_vec(),
            deadline: Duration::from_secs(3),
        }
    }

    /// The same service at another address than the one that its name stands for.
    #[must_use]
    pub fn at(mut self, address: SocketAddr) -> Self {
        self.address = Some(address);
        self
    }

    /// The same service with another time limit for connection and call together.
    #[must_use]
    pub fn within(mut self, deadline: Duration) -> Self {
        self.deadline = deadline;
        self
    }

    /// The host that is dialled and named in the hello.
    pub fn host(&self) -> &str {
        &self.host
    }

    /// Asks once for the configuration of a component: JSON text, possibly empty. No proxy, no second try.
    pub fn component_config(
        &self,
        component: &str,
        token: &Secret<String>,
    ) -> Result<String, LivePatchError> {
        let tls = trust::client(&self.authorities)?;
        call::unary(self, tls, component, token)
    }
}

fn without_port(host: &str) -> &str {
    let host = host.trim();
    match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) && !name.contains(':') => name,
        Some((name, _)) if name.starts_with('[') && name.ends_with(']') => &name[1..name.len() - 1],
        _ => host.trim_start_matches('[').trim_end_matches(']'),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_port_in_the_name_is_dropped() {
        for (name, expected) in [
            ("api.example", "api.example"),
            ("api.example:6443", "api.example"),
            (" api.example:443\n", "api.example"),
            ("10.0.0.1:443", "10.0.0.1"),
            ("[fd00::1]:443", "fd00::1"),
            ("[fd00::1]", "fd00::1"),
            ("fd00::1", "fd00::1"),
        ] {
            assert_eq!(without_port(name), expected);
        }
    }

    #[test]
    fn nothing_is_asked_without_a_certificate_to_believe() {
        let token = Secret::from("t");
        let ask =
            |authorities: &[u8]| Service::behind("api.example", authorities).component_config("c", &token);
        assert!(matches!(ask(b"").unwrap_err(), LivePatchError::NoAuthority));
        assert!(matches!(ask(b" \n").unwrap_err(), LivePatchError::NoAuthority));
        assert!(matches!(ask(b"no certificate").unwrap_err(), LivePatchError::BadAuthority(_)));
    }
}
