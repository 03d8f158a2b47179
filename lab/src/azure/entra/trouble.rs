//! Why there is no token, in the words and numbers of Entra.

use jiff::Timestamp;
use serde_json::json;

use super::seconds;
use crate::azure::answer::Answer;
use crate::azure::cloud::SIGN_IN;
use crate::azure::id::uuid;

/// Why there is no token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Trouble {
    NoTenant(String),
    NoGrant(String),
    NoParameter(&'static str),
    NoClient(String),
    NoProof,
    WrongSecret,
    NoScope(String),
    NoResource(String),
    UnknownCertificate,
    WrongSignature,
    WrongAudience,
    WrongTime,
}

impl Trouble {
    /// Status, error, number and words.
    fn told(&self) -> (u16, &'static str, u32, String) {
        match self {
            Self::NoTenant(tenant) => {
                (400, "invalid_request", 90002, format!("Tenant '{tenant}' not found. Check to make sure you have the correct tenant ID and are signing into the correct cloud."))
            }
            Self::NoGrant(grant) => (
                400,
                "unsupported_grant_type",
                70003,
                format!("The app requested an unsupported grant type '{grant}'."),
            ),
            Self::NoParameter(name) => (
                400,
                "invalid_request",
                900_144,
                format!("The request body must contain the following parameter: '{name}'."),
            ),
            Self::NoClient(client) => (
                400,
                "unauthorized_client",
                700_016,
                format!("Application with identifier '{client}' was not found in the directory."),
            ),
            Self::NoProof => (
                401,
                "invalid_client",
                7_000_218,
                "The request body must contain the following parameter: 'client_assertion' or 'client_secret'."
                    .to_owned(),
            ),
            Self::WrongSecret => (
                401,
                "invalid_client",
                7_000_215,
                "Invalid client secret provided. Ensure the secret being sent in the request is the client secret value, not the client secret ID.".to_owned(),
            ),
            Self::NoScope(scope) => (
                400,
                "invalid_scope",
                1_002_012,
                format!("The provided value for scope {scope} is not valid. Client credential flows must have a scope value with /.default suffixed to the resource identifier."),
            ),
            Self::NoResource(resource) => (
                400,
                "invalid_resource",
                500_011,
                format!("The resource principal named {resource} was not found in the tenant."),
            ),
            Self::UnknownCertificate => (
                401,
                "invalid_client",
                700_027,
                "The certificate with identifier used to sign the client assertion is not registered on application.".to_owned(),
            ),
            Self::WrongSignature => (
                401,
                "invalid_client",
                700_027,
                "Client assertion failed signature validation.".to_owned(),
            ),
            Self::WrongAudience => (
                401,
                "invalid_client",
                700_023,
                "Client assertion audience claim does not match Realm issuer.".to_owned(),
            ),
            Self::WrongTime => (
                401,
                "invalid_client",
                700_024,
                "Client assertion is not within its valid time range.".to_owned(),
            ),
        }
    }

    /// What the client is told.
    pub(super) fn answer(&self) -> Answer {
        let (status, error, number, words) = self.told();
        let now = Timestamp::from_second(seconds().cast_signed()).unwrap_or_default();
        let time = now.strftime("%Y-%m-%d %H:%M:%SZ").to_string();
        let (trace, correlation) = (uuid(&format!("trace {time}")), uuid(&format!("correlation {time}")));
        Answer::json(
            status,
            &json!({
                "error": error,
                "error_description": format!(
                    "AADSTS{number}: {words} Trace ID: {trace} Correlation ID: {correlation} Timestamp: {time}"
                ),
                "error_codes": [number],
                "timestamp": time,
                "trace_id": trace,
                "correlation_id": correlation,
                "error_uri": format!("https://{SIGN_IN}/error?code={number}"),
            }),
        )
    }
}
