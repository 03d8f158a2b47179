//! The answer: custom data and command, with a placeholder where the token goes.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use serde::{Deserialize as _, Serialize};
use serde_json::{Map, Value};
use slipway_contract::custom_data::{self, CSE, Form, Order, TooLarge};
use slipway_model::Secret;

use super::contract::{Impossible, contract};
use super::{Cluster, Request};

/// What stands where the client puts the bootstrap token.
pub const PLACEHOLDER: &str = "{{.TokenID}}.{{.TokenSecret}}";

/// The body of an answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Answer {
    /// What the custom script extension runs.
    pub cse: String,
    /// What the VM is created with, in base64.
    #[serde(rename = "customData")]
    pub custom_data: String,
}

/// Why a service gives no payload.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// No node can be made of the request.
    #[error(transparent)]
    Impossible(#[from] Impossible),
    /// The payload does not fit into a VM's custom data.
    #[error(transparent)]
    TooLarge(#[from] TooLarge),
    /// The payload fits only when it is compressed, and then no client finds the placeholder.
    #[error("the custom data fits only when compressed, and then the client cannot fill in the token")]
    Compressed,
}

/// Answers a request for a node of a cluster.
pub fn answer(cluster: &Cluster, request: &Request) -> Result<Answer, Refusal> {
    let contract = contract(cluster, request, Secret::from(PLACEHOLDER))?;
    let data = custom_data::render(&Order { contract: &contract, form: Form::Boothook, bring: None })?;
    if data.compressed {
        return Err(Refusal::Compressed);
    }
    // It holds no secret yet.
    Ok(Answer { cse: CSE.to_owned(), custom_data: data.base64().expose().clone() })
}

/// An answer that is of no use to a client.
#[derive(Debug, thiserror::Error)]
pub enum AnswerError {
    /// It is not what the service should send.
    #[error("the answer cannot be understood: {0}")]
    Json(#[from] serde_json::Error),
    /// There is no command.
    #[error("there is no command (cse) in the answer")]
    NoCommand,
    /// There is no custom data.
    #[error("there is no custom data (customData) in the answer")]
    NoCustomData,
    /// The custom data is not base64.
    #[error("the custom data of the answer is not base64: {0}")]
    Encoding(#[from] base64::DecodeError),
}

/// An answer with the token in it.
#[derive(Debug)]
pub struct Hydrated {
    /// What the custom script extension runs.
    pub command: Secret<String>,
    /// What the VM is created with, in base64.
    pub custom_data: Secret<String>,
}

impl Answer {
    /// Reads the body of an answer as the Go client does: keys count in any case, unknown ones and what comes after
    /// the object are passed over.
    pub fn parse(body: &[u8]) -> Result<Self, AnswerError> {
        let members = Map::deserialize(&mut serde_json::Deserializer::from_slice(body))?;
        let text = |name: &str| match members.iter().find(|(key, _)| key.eq_ignore_ascii_case(name)) {
            Some((_, Value::String(text))) if !text.is_empty() => Some(text.clone()),
            _ => None,
        };
        let cse = text("cse").ok_or(AnswerError::NoCommand)?;
        Ok(Self { cse, custom_data: text("customData").ok_or(AnswerError::NoCustomData)? })
    }

    /// The body.
    pub fn to_json(&self) -> Result<String, serde_json::Error> {
        serde_json::to_string(self)
    }

    /// Puts the token where the placeholders are.
    pub fn hydrate(&self, token: &Secret<String>) -> Result<Hydrated, AnswerError> {
        let plain = Secret::new(BASE64_STANDARD.decode(self.custom_data.replace(['\r', '\n'], ""))?);
        let filled = Secret::new(replace(plain.expose(), PLACEHOLDER.as_bytes(), token.expose().as_bytes()));
        Ok(Hydrated {
            command: Secret::new(self.cse.replace(PLACEHOLDER, token.expose())),
            custom_data: Secret::new(BASE64_STANDARD.encode(filled.expose())),
        })
    }
}

/// Custom data need not be text.
fn replace(bytes: &[u8], from: &[u8], to: &[u8]) -> Vec<u8> {
    let mut filled = Vec::with_capacity(bytes.len() + to.len());
    let mut rest = bytes;
    while let Some(at) = rest.windows(from.len()).position(|window| window == from) {
        filled.extend_from_slice(&rest[..at]);
        filled.extend_from_slice(to);
        rest = &rest[at + from.len()..];
    }
    filled.extend_from_slice(rest);
    filled
}
