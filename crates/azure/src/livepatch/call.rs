//! One unary gRPC call over a connection of its own.

use std::sync::Arc;
use std::time::Instant;

use rustls::ClientConfig;
use rustls::pki_types::ServerName;
use slipway_fetch::{Connection, HttpError, Patience};
use slipway_grpc::{CallError, Code, Request, Status, Wire};
use slipway_model::Secret;

use super::{LivePatchError, Service, message};

const PORT: u16 = 443;
const METHOD: &str = "/akslivepatching.v1.LivePatchingService/GetComponentConfig";

/// Makes the call and returns the configuration in the answer.
pub(super) fn unary(
    service: &Service,
    tls: ClientConfig,
    component: &str,
    token: &Secret<String>,
) -> Result<String, LivePatchError> {
    // Who asks has no way to change their mind; the deadline is short.
    let patience = Patience::new(Instant::now() + service.deadline, &|| false);
    if ServerName::try_from(service.host.as_str()).is_err() {
        return Err(LivePatchError::BadHost(service.host.clone()));
    }
    if !token.expose().bytes().all(|byte| matches!(byte, b' '..=b'~' | b'\t')) {
        return Err(transport(service, &"the attested document cannot be sent as a header"));
    }
    let connection = Connection::open(&service.host, PORT, service.address, Arc::new(tls), patience);
    let connection = connection.map_err(|error| unconnected(service, &error))?;
    // Only what was offered can be selected, so any selection will do.
    if connection.protocol().is_none() {
        return Err(transport(service, &"the server selected none of the protocols offered"));
    }
    let authority =
        if service.host.contains(':') { format!("[{}]", service.host) } else { service.host.clone() };
    let request = Request {
        scheme: "https",
        authority: &authority,
        method: METHOD,
        within: service.deadline,
        credential: Some(token),
        message: &message::request(component),
    };
    let answer = slipway_grpc::unary(Line(connection), &request).map_err(|error| match error {
        CallError::Wire(error) => unconnected(service, &error),
        CallError::Protocol(problem) => transport(service, &problem),
        CallError::Status(status) => status.into(),
    })?;
    message::config(&answer)
        .ok_or_else(|| Status::new(Code::INTERNAL, "the answer is not the message that was asked for").into())
}

/// A connection, as the call wants it.
struct Line<'a>(Connection<'a>);

impl Wire for Line<'_> {
    type Error = HttpError;

    fn send(&mut self, bytes: &[u8]) -> Result<(), HttpError> {
        self.0.send(bytes)
    }

    fn receive(&mut self, bytes: &mut [u8]) -> Result<usize, HttpError> {
        self.0.receive(bytes)
    }
}

fn transport(service: &Service, problem: &dyn std::fmt::Display) -> LivePatchError {
    LivePatchError::Transport { host: service.host.clone(), problem: problem.to_string() }
}

/// What became of the connection, without the host, which our own error names.
fn unconnected(service: &Service, error: &HttpError) -> LivePatchError {
    match error {
        HttpError::Late { .. } => LivePatchError::Late(service.host.clone(), service.deadline),
        HttpError::Refused { .. } => transport(service, &"Connection refused"),
        HttpError::Untrusted { problem, .. } => {
            transport(service, &format_args!("invalid peer certificate: {problem}"))
        }
        HttpError::Tls { problem, .. } => transport(service, problem),
        HttpError::Unreachable { problem, .. } | HttpError::Broken { problem, .. } => {
            transport(service, problem)
        }
        error => transport(service, error),
    }
}
