//! Tokens of managed identities. They have the shape of real ones and nobody's signature.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::{Value, json};

use super::answer::Answer;
use super::http::Request;
use super::machine::{Identity, Machine};

const LIFETIME: Duration = Duration::from_hours(24);

/// The answer to a request for a token.
pub(super) fn answer(machine: &Machine, request: &Request) -> Answer {
    let Some(resource) = request.query("resource").filter(|resource| !resource.is_empty()) else {
        return refusal("invalid_request", "Required query variable 'resource' is missing");
    };
    match identity(machine, request.query("client_id").as_deref()) {
        Ok(identity) => Answer::json(200, &token(identity, &resource)),
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

fn token(identity: &Identity, resource: &str) -> Value {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let (not_before, expires) = (now.as_secs(), (now + LIFETIME).as_secs());
    let claims = json!({
        "aud": resource,
        "appid": identity.client_id,
        "oid": identity.object_id,
        "nbf": not_before,
        "exp": expires
    });
    let part = |value: &Value| URL_SAFE_NO_PAD.encode(value.to_string());
    let access_token = format!("{}.{}.", part(&json!({ "alg": "none", "typ": "JWT" })), part(&claims));
    json!({
        "access_token": access_token,
        "client_id": identity.client_id,
        "expires_in": LIFETIME.as_secs().to_string(),
        "expires_on": expires.to_string(),
        "ext_expires_in": LIFETIME.as_secs().to_string(),
        "not_before": not_before.to_string(),
        "resource": resource,
        "token_type": "Bearer"
    })
}
