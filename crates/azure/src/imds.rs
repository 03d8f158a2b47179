//! The instance metadata service: plain HTTP on an address that only the machine itself can reach.

use std::io::ErrorKind;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Map, Value};
use slipway_fetch::{Call, Client, HttpError, Patience, Trust, Url};
use slipway_model::{JsonText, Secret};

/// Where the service is on every Azure machine.
pub const ADDRESS: SocketAddr = SocketAddr::new(IpAddr::V4(Ipv4Addr::new(169, 254, 169, 254)), 80);

const ATTEMPTS: u32 = 2;
const HEADER_WITHIN: Duration = Duration::from_secs(1);
const ATTEMPT_WITHIN: Duration = Duration::from_secs(2);
const LARGEST_BODY: usize = 1024 * 1024;
const ATTESTED: &str = "/metadata/attested/document?api-version=2025-04-07";
const INSTANCE: &str = "/metadata/instance?api-version=2021-02-01&format=json";
const FIRST_PAUSE: Duration = Duration::from_millis(100);
const LONGEST_PAUSE: Duration = Duration::from_secs(1);

/// Why the metadata service gave no document.
#[derive(Debug, thiserror::Error)]
pub enum ImdsError {
    /// It could not be reached, or fell silent.
    #[error("the instance metadata service at {0} did not answer: {1}")]
    Unreachable(SocketAddr, String),
    /// It answered with something else than 200.
    #[error("the instance metadata service answered with status {0}")]
    Status(u16),
    /// Its answer is not HTTP, not JSON, or too large.
    #[error("the instance metadata service gave an answer that cannot be read: {0}")]
    Unreadable(&'static str),
    /// The document has no signature.
    #[error("the attested document of the instance metadata service has no signature")]
    Unsigned,
}

/// The machine's attested document: a signature by Azure that says which machine this is. It serves as a credential.
pub fn attested_document(service: SocketAddr) -> Result<Secret<String>, ImdsError> {
    let mut attempt = signature(service);
    for _ in 1..ATTEMPTS {
        if attempt.is_ok() {
            break;
        }
        attempt = signature(service);
    }
    attempt
}

/// The machine's instance document, without user and custom data: those may hold anything, and nobody reads them here.
/// Failures that may pass are tried again until the deadline.
pub fn instance_document(service: SocketAddr, deadline: Duration) -> Result<JsonText, ImdsError> {
    let end = Instant::now() + deadline;
    let mut pause = FIRST_PAUSE;
    loop {
        let attempt = get(service, INSTANCE, end.min(Instant::now() + ATTEMPT_WITHIN));
        let error = match attempt.and_then(|body| members(&body)) {
            Ok(document) => return Ok(without_payloads(document)),
            Err(error) => error,
        };
        if !error.may_pass() || Instant::now() + pause >= end {
            return Err(error);
        }
        thread::sleep(pause);
        pause = (pause * 2).min(LONGEST_PAUSE);
    }
}

fn without_payloads(mut document: Map<String, Value>) -> JsonText {
    if let Some(compute) = document.get_mut("compute").and_then(Value::as_object_mut) {
        compute.retain(|key, _| key != "userData" && key != "customData");
    }
    JsonText(Value::Object(document).to_string())
}

impl ImdsError {
    fn of(service: SocketAddr, error: HttpError) -> Self {
        match error {
            HttpError::Unreadable { problem, .. } => Self::Unreadable(problem),
            HttpError::Broken { problem, .. } if problem.kind() == ErrorKind::UnexpectedEof => {
                Self::Unreadable("it ends too early")
            }
            error => Self::Unreachable(service, error.to_string()),
        }
    }

    /// Whether the same request may succeed in a moment. 404 and 410 are what the service says while it updates.
    fn may_pass(&self) -> bool {
        match self {
            Self::Unreachable(..) | Self::Unreadable(_) => true,
            Self::Status(status) => *status >= 500 || matches!(status, 404 | 408 | 410 | 429),
            Self::Unsigned => false,
        }
    }
}

fn signature(service: SocketAddr) -> Result<Secret<String>, ImdsError> {
    let body = get(service, ATTESTED, Instant::now() + ATTEMPT_WITHIN)?;
    let signature = members(&body)?;
    let signature = signature.iter().find(|(key, _)| key.eq_ignore_ascii_case("signature"));
    match signature.and_then(|(_, value)| value.as_str()) {
        Some(text) if !text.is_empty() => Ok(Secret::from(text)),
        _ => Err(ImdsError::Unsigned),
    }
}

fn members(body: &[u8]) -> Result<Map<String, Value>, ImdsError> {
    match serde_json::from_slice(body) {
        Ok(Value::Object(members)) => Ok(members),
        Ok(_) => Err(ImdsError::Unreadable("the body is not an object")),
        Err(_) => Err(ImdsError::Unreadable("the body is not JSON")),
    }
}

fn get(service: SocketAddr, path: &str, end: Instant) -> Result<Vec<u8>, ImdsError> {
    let failed = |error| ImdsError::of(service, error);
    let url = Url::parse(&format!("http://{service}{path}"))
        .map_err(|_| ImdsError::Unreadable("its address is none"))?;
    // Nobody stands between a machine and its metadata service: no TLS, no proxy.
    let client = Client::new(&Trust::Nobody, None, None)
        .map_err(|error| ImdsError::Unreachable(service, error.to_string()))?;
    let call = Call { fields: &[("Metadata", "true"), ("Accept", "application/json")], ..Call::get(&url) };
    let patience = Patience::new(end, &|| false);
    let answer = client.call(&call, patience.at_most(HEADER_WITHIN)).map_err(failed)?;
    match answer.status() {
        200 => answer.patient(patience).bytes(LARGEST_BODY).map_err(failed),
        other => Err(ImdsError::Status(other)),
    }
}
