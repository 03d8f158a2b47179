//! Tokens of managed identities, as the services on and beside a machine give them.

use serde_json::{Value, json};

use super::answer::Answer;
use super::cloud::Principal;
use super::http::Request;
use super::machine::{Identity, Machine};
use super::state::State;

/// The answer to a request for a token.
pub(super) fn answer(state: &State, machine: &Machine, request: &Request) -> Answer {
    let Some(resource) = request.query("resource").filter(|resource| !resource.is_empty()) else {
        return refusal("invalid_request", "Required query variable 'resource' is missing");
    };
    match identity(machine, request.query("client_id").as_deref()) {
        Ok(Identity { client_id, object_id }) => {
            let (client_id, object_id) = (client_id.clone(), object_id.clone());
            let principal = Principal { client_id, object_id, ..Principal::default() };
            Answer::json(200, &document(state, &principal, &resource))
        }
        Err(why) => refusal("invalid_request", why),
    }
}

/// An error in the words of this part of the service, which are not those of its other parts.
pub(super) fn refusal(error: &str, description: &str) -> Answer {
    Answer::json(400, &json!({ "error": error, "error_description": description }))
}

fn identity<'a>(machine: &'a Machine, client_id: Option<&str>) -> Result<&'a Identity, &'static str> {
    match (client_id, machine.identities.as_slice()) {
        (None, [only]) => Ok(only),
        (None, [_, _, ..]) => Err(
            "Multiple user assigned identities exist, please specify the clientId / resourceId of the identity in the token request",
        ),
        (wanted, identities) => identities
            .iter()
            .find(|identity| wanted.is_some_and(|wanted| identity.client_id.eq_ignore_ascii_case(wanted)))
            .ok_or("Identity not found"),
    }
}

/// A token for a principal; numbers are texts here.
pub(super) fn document(state: &State, principal: &Principal, resource: &str) -> Value {
    let token = state.entra.issue(principal, resource);
    let lifetime = (token.expires - token.not_before).to_string();
    json!({
        "access_token": token.text,
        "client_id": principal.client_id,
        "expires_in": lifetime,
        "expires_on": token.expires.to_string(),
        "ext_expires_in": lifetime,
        "not_before": token.not_before.to_string(),
        "resource": resource,
        "token_type": "Bearer"
    })
}
