//! The identity of an Azure machine, from its instance metadata service.

use std::net::SocketAddr;

use slipway_fetch::{Call, Client, Patience, Trust, Url};

use super::ask::{ask, is_weather};
use super::{AccessToken, Authority, Scope, TokenError, TokenSource, answer};
use crate::escape::escaped;
use crate::imds;

const API_VERSION: &str = "2018-02-01";
const AUTHORITY: Authority = Authority::Metadata;

/// A managed identity of this machine.
pub struct ManagedIdentity {
    service: SocketAddr,
    client_id: Option<String>,
    client: Client,
}

impl ManagedIdentity {
    /// The identity with this client id, or the only one that the machine has.
    pub fn new(client_id: Option<&str>) -> Result<Self, TokenError> {
        let client = Client::new(&Trust::Nobody, None, None);
        let client = client.map_err(|problem| TokenError::trust(AUTHORITY, &problem))?;
        let client_id = client_id.filter(|id| !id.is_empty()).map(str::to_owned);
        Ok(Self { service: imds::ADDRESS, client_id, client })
    }

    /// The same with the metadata service at another address.
    #[must_use]
    pub fn at(mut self, service: SocketAddr) -> Self {
        self.service = service;
        self
    }
}

impl TokenSource for ManagedIdentity {
    fn token(&self, scope: &Scope, patience: Patience<'_>) -> Result<AccessToken, TokenError> {
        let resource = escaped(scope.resource());
        let client_id = self.client_id.as_ref();
        let client_id = client_id.map(|id| format!("&client_id={}", escaped(id))).unwrap_or_default();
        let url = format!(
            "http://{}/metadata/identity/oauth2/token?api-version={API_VERSION}&resource={resource}{client_id}",
            self.service
        );
        let url = Url::parse(&url).map_err(|problem| TokenError::address(AUTHORITY, &problem))?;
        let call = Call { fields: &[("Metadata", "true")], ..Call::get(&url) };
        let reply = ask(AUTHORITY, &self.client, &call, may_pass, patience)?;
        match reply.status {
            200 => answer::token(AUTHORITY, reply.body.expose()),
            status => Err(answer::refusal(AUTHORITY, status, reply.body.expose())),
        }
    }
}

/// 404 and 410 are what the service says while it is being updated.
fn may_pass(status: u16) -> bool {
    is_weather(status) || matches!(status, 404 | 410)
}
