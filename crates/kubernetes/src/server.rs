use std::fmt::Write as _;
use std::time::Duration;

use serde::de::DeserializeOwned;
use slipway_fetch::{
    Backoff, Call, Client, HttpError, Identity, Impatience, Patience, ProxySettings, Response, Trust, Url,
};
use slipway_model::Secret;

use crate::ApiError;

/// How long one question and its answer may take.
const CALL_WITHIN: Duration = Duration::from_secs(10);
const LARGEST_ANSWER: usize = 8 * 1024 * 1024;
const LONGEST_MESSAGE: usize = 500;

/// An API server, and who we are to it.
pub struct ApiServer {
    client: Client,
    address: Url,
    authorization: Option<Secret<String>>,
}

/// How a node proves who it is.
#[derive(Debug, Clone)]
pub enum Credential {
    /// A bootstrap token, or any other bearer token.
    Token(Secret<String>),
    /// A client certificate.
    Certificate {
        /// The certificate and those above it, as PEM text.
        chain_pem: String,
        /// Its key, as PEM text.
        key_pem: Secret<String>,
    },
}

#[derive(Default, serde::Deserialize)]
#[serde(default)]
struct Status {
    message: String,
}

impl ApiServer {
    /// The server at an address such as `https://name:443`, whose certificate is signed by one of these authorities.
    pub fn new(
        address: &str,
        ca_pem: &[u8],
        credential: Credential,
        proxy: Option<&ProxySettings>,
    ) -> Result<Self, ApiError> {
        let url = Url::parse(address)
            .map_err(|problem| ApiError::BadAddress { address: address.to_owned(), problem })?;
        let (identity, authorization) = match credential {
            Credential::Token(token) => {
                let token = token.expose().trim();
                // What is not a visible character would end the header, or the request.
                if token.is_empty() || !token.bytes().all(|byte| byte.is_ascii_graphic()) {
                    return Err(ApiError::BadToken);
                }
                (None, Some(Secret::new(format!("Bearer {token}"))))
            }
            Credential::Certificate { chain_pem, key_pem } => (Some(Identity { chain_pem, key_pem }), None),
        };
        let client = Client::new(&Trust::Only(ca_pem.to_vec()), identity.as_ref(), proxy.cloned())?;
        Ok(Self { client, address: url, authorization })
    }

    /// Host and port, for messages.
    pub(crate) fn name(&self) -> String {
        format!("{}:{}", self.address.host(), self.address.port())
    }

    /// Asks for a document.
    pub(crate) fn get<T: DeserializeOwned>(&self, path: &str, patience: Patience<'_>) -> Result<T, ApiError> {
        let mut answer = self.ask("GET", path, &[], patience.at_most(CALL_WITHIN))?;
        self.document(&mut answer)
    }

    /// Creates a document.
    pub(crate) fn post<T: DeserializeOwned>(
        &self,
        path: &str,
        body: &serde_json::Value,
        patience: Patience<'_>,
    ) -> Result<T, ApiError> {
        let body = body.to_string();
        let mut answer = self.ask("POST", path, body.as_bytes(), patience.at_most(CALL_WITHIN))?;
        self.document(&mut answer)
    }

    /// Changes the members of a document that are given; null removes one.
    pub(crate) fn patch(
        &self,
        path: &str,
        body: &serde_json::Value,
        patience: Patience<'_>,
    ) -> Result<(), ApiError> {
        let (kind, body) = ("application/merge-patch+json", body.to_string());
        self.send("PATCH", path, kind, body.as_bytes(), patience.at_most(CALL_WITHIN)).map(drop)
    }

    /// Deletes a document.
    pub(crate) fn delete(
        &self,
        path: &str,
        body: &serde_json::Value,
        patience: Patience<'_>,
    ) -> Result<(), ApiError> {
        self.ask("DELETE", path, body.to_string().as_bytes(), patience.at_most(CALL_WITHIN)).map(drop)
    }

    /// Asks for an answer that is read by the caller.
    pub(crate) fn ask<'p>(
        &self,
        method: &'static str,
        path: &str,
        body: &[u8],
        patience: Patience<'p>,
    ) -> Result<Response<'p>, ApiError> {
        self.send(method, path, "application/json", body, patience)
    }

    fn send<'p>(
        &self,
        method: &'static str,
        path: &str,
        kind: &str,
        body: &[u8],
        patience: Patience<'p>,
    ) -> Result<Response<'p>, ApiError> {
        let url = self.address.with_target(path);
        let json = ("Accept", "application/json");
        let fields = [json, ("Content-Type", kind)];
        let fields = if body.is_empty() { &fields[..1] } else { &fields };
        let call = Call { method, url: &url, fields, authorization: self.authorization.as_ref(), body };
        let mut answer = self.client.call(&call, patience)?;
        match answer.status() {
            200..300 => Ok(answer),
            status => Err(self.refusal(status, &mut answer)),
        }
    }

    pub(crate) fn unreadable(&self, problem: &dyn std::fmt::Display) -> ApiError {
        ApiError::Unreadable { server: self.name(), problem: problem.to_string() }
    }

    fn document<T: DeserializeOwned>(&self, answer: &mut Response<'_>) -> Result<T, ApiError> {
        let body = answer.bytes(LARGEST_ANSWER)?;
        serde_json::from_slice(&body).map_err(|error| self.unreadable(&error))
    }

    fn refusal(&self, status: u16, answer: &mut Response<'_>) -> ApiError {
        let retry_after = answer.retry_after();
        let body = answer.bytes(LARGEST_ANSWER).unwrap_or_default();
        let said = serde_json::from_slice::<Status>(&body).unwrap_or_default().message;
        let said = if said.is_empty() { String::from_utf8_lossy(&body).into_owned() } else { said };
        let message: String = said.trim().chars().filter(|c| !c.is_control()).take(LONGEST_MESSAGE).collect();
        let server = self.name();
        match status {
            401 => ApiError::Unauthorized { server, message },
            403 => ApiError::Forbidden { server, message },
            _ => ApiError::Status { server, status, message, retry_after },
        }
    }
}

/// A name as a part of a path or a query.
pub(crate) fn escaped(name: &str) -> String {
    let mut text = String::with_capacity(name.len());
    for byte in name.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            text.push(char::from(byte));
        } else {
            let _ = write!(text, "%{byte:02X}");
        }
    }
    text
}

/// Asks again while the failure may pass and there is time. The last failure is what is returned.
pub(crate) fn retrying<T>(
    patience: Patience<'_>,
    mut attempt: impl FnMut() -> Result<T, ApiError>,
) -> Result<T, ApiError> {
    let mut backoff = Backoff::default();
    loop {
        match attempt() {
            Err(error) if error.is_transient() => pause(patience, &mut backoff, error)?,
            done => return done,
        }
    }
}

/// Waits before the next try, or gives the failure back when there is no time for one.
pub(crate) fn pause(patience: Patience<'_>, backoff: &mut Backoff, error: ApiError) -> Result<(), ApiError> {
    match patience.sleep(backoff.pause(error.retry_after())) {
        Ok(()) => Ok(()),
        Err(Impatience::Late) => Err(error),
        Err(Impatience::Stopped) => Err(stopped()),
    }
}

pub(crate) fn stopped() -> ApiError {
    HttpError::Stopped { doing: "waiting for the API server" }.into()
}
