//! The node provisioning service: a GET with a body, over HTTP or HTTPS, one attempt.

use std::time::{Duration, Instant};

use slipway_fetch::{Call, Client, HttpError, Patience, Url, UrlError};
use slipway_model::Secret;

const WITHIN: Duration = Duration::from_secs(30);
const LARGEST_BODY: usize = 1024 * 1024;

/// A service, and who we are to it.
pub struct ProvisioningService {
    base: String,
    client: Client,
    authorization: Option<Secret<String>>,
}

/// What it answered, whatever the status.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProvisioningReply {
    /// The status code.
    pub status: u16,
    /// The content type, if there is one.
    pub content_type: Option<String>,
    /// The body.
    pub body: Vec<u8>,
}

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
pub enum ProvisioningError {
    /// The address is none.
    #[error("the address of the node provisioning service: {0}")]
    Address(#[from] UrlError),
    /// The way there or back failed.
    #[error(transparent)]
    Http(#[from] HttpError),
}

impl ProvisioningService {
    /// A service at an address: a host with a port, which is spoken to over plain HTTP as the peer does it, or the
    /// beginning of an http or https URL.
    pub fn new(
        address: &str,
        client: Client,
        token: Option<&Secret<String>>,
    ) -> Result<Self, ProvisioningError> {
        let address = address.trim_end_matches('/');
        let base = if address.contains("://") { address.to_owned() } else { format!("http://{address}") };
        Url::parse(&base)?;
        let authorization = token.map(|token| Secret::new(format!("Bearer {}", token.expose())));
        Ok(Self { base, client, authorization })
    }

    /// Asks for what is at a path, with a body. There is no second attempt: the caller knows what a launch is worth.
    pub fn get(&self, path: &str, body: &[u8]) -> Result<ProvisioningReply, ProvisioningError> {
        let url = Url::parse(&format!("{}{path}", self.base))?;
        let call = Call {
            method: "GET",
            url: &url,
            fields: &[("Accept", "application/json"), ("Content-Type", "application/json")],
            authorization: self.authorization.as_ref(),
            body,
        };
        let stop = || false;
        let mut answer = self.client.call(&call, Patience::new(Instant::now() + WITHIN, &stop))?;
        let content_type = answer.field("content-type").map(str::to_owned);
        Ok(ProvisioningReply { status: answer.status(), content_type, body: answer.bytes(LARGEST_BODY)? })
    }
}
