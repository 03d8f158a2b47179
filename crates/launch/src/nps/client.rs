//! The service as a launcher's bootstrapper: asks it for the payload, and fills in the token.

use super::{Answer, Request, path};
use crate::payload::{Bootstrapper, NoPayload, Payload};
use crate::{Fidelity, Resolved};

/// The longest text of an answer that an error repeats, in characters.
const LONGEST: usize = 400;

/// What came back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reply {
    /// The status code.
    pub status: u16,
    /// The content type, if there is one.
    pub content_type: Option<String>,
    /// The body.
    pub body: Vec<u8>,
}

/// Sends a request: a GET of this path with this body. An error is a text for people.
pub type Send<'a> = dyn Fn(&str, &[u8]) -> Result<Reply, String> + 'a;

/// The client of the node provisioning service, for nodes of one launch request.
pub struct ServiceClient<'a> {
    /// The request that nodes are resolved from.
    pub launch: &'a crate::Request,
    /// The way to the service.
    pub send: &'a Send<'a>,
    /// How close the request stays to the peer's.
    pub fidelity: Fidelity,
}

impl Bootstrapper for ServiceClient<'_> {
    fn payload(&self, node: &Resolved) -> Result<Payload, NoPayload> {
        let told = |error: &dyn std::fmt::Display| NoPayload::Service(format!("node provisioning: {error}"));
        let request = Request::of(self.launch, node, self.fidelity).map_err(|error| told(&error))?;
        let body = request.to_body().map_err(|error| told(&error))?;
        let crate::Request { options, environment, .. } = self.launch;
        let place =
            path(&environment.subscription_id, &environment.cluster_resource_group, &options.cluster_name);
        let reply = (self.send)(&place, &body).map_err(|error| told(&error))?;
        let answer = reply.answer().map_err(|error| told(&error))?;
        let filled = answer.hydrate(&options.kubelet_bootstrap_token).map_err(|error| told(&error))?;
        Ok(Payload { custom_data: filled.custom_data, command: Some(filled.command), findings: Vec::new() })
    }
}

impl Reply {
    /// The answer in it. Only 200 is one, and only as JSON; a content type that says nothing is let pass.
    pub fn answer(&self) -> Result<Answer, String> {
        if self.status != 200 {
            let text = String::from_utf8_lossy(&self.body).replace(char::is_control, " ");
            let shown: String = text.trim().chars().take(LONGEST).collect();
            return Err(format!("the service answered {}: {shown}", self.status));
        }
        let kind = self.content_type.as_deref().unwrap_or_default();
        let kind = kind.split(';').next().unwrap_or_default().trim();
        if !["", "application/json", "application/octet-stream"]
            .iter()
            .any(|known| kind.eq_ignore_ascii_case(known))
        {
            return Err(format!("the service answered with {kind}, not with JSON"));
        }
        Answer::parse(&self.body).map_err(|error| error.to_string())
    }
}
