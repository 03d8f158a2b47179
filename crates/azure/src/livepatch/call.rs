//! One unary gRPC call over a connection of its own.

use std::sync::Arc;
use std::time::Instant;

use rustls::ClientConfig;
use rustls::pki_types::ServerName;
use slipway_fetch::{Connection, HttpError, Patience};
use slipway_model::Secret;

use super::http2::{Event, Exchange, Fields, Http2Error, Literal};
use super::status::{Code, Status};
use super::{LivePatchError, Service, message};

const PORT: u16 = 443;
const METHOD: &str = "/akslivepatching.v1.LivePatchingService/GetComponentConfig";
const GRPC: &str = "application/grpc";
/// What gRPC clients accept unless told otherwise.
const LARGEST_MESSAGE: usize = 4 * 1024 * 1024;

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
    let (exchange, opening) = request(service, component, token)?;
    let connection = Connection::open(&service.host, PORT, service.address, Arc::new(tls), patience);
    let mut connection = connection.map_err(|error| unconnected(service, &error))?;
    // Only what was offered can be selected, so any selection will do.
    if connection.protocol().is_none() {
        return Err(transport(service, &"the server selected none of the protocols offered"));
    }
    connection.send(opening.expose()).map_err(|error| unconnected(service, &error))?;
    Call { service, connection, exchange }.answer()
}

/// A call whose request is on its way.
struct Call<'a> {
    service: &'a Service,
    connection: Connection<'a>,
    exchange: Exchange,
}

impl Call<'_> {
    fn answer(mut self) -> Result<String, LivePatchError> {
        let Event::Header { status, fields, is_end } = self.next()? else {
            return Err(transport(self.service, &"the answer has no header"));
        };
        let is_grpc = fields.get("content-type").is_some_and(|kind| kind.starts_with(GRPC.as_bytes()));
        if status != 200 || !is_grpc {
            return Err(Status::of_http(status).into());
        }
        // A call that fails at once has its trailers in place of the header.
        if let Some(status) = Status::of(&fields).filter(|_| is_end) {
            return Err(status_of_nothing(status).into());
        }
        let (message, trailers) = if is_end { Default::default() } else { self.body()? };
        let missing = || Status::new(Code::UNKNOWN, "the answer ends without a status");
        match Status::of(&trailers).unwrap_or_else(missing) {
            Status { code: Code::OK, .. } => Ok(unframed(&message)?),
            status => Err(status.into()),
        }
    }

    /// The body, and the trailers after it.
    fn body(&mut self) -> Result<(Vec<u8>, Fields), LivePatchError> {
        let mut body = Vec::new();
        loop {
            match self.next()? {
                Event::Body { bytes, is_end } => {
                    body.extend_from_slice(&bytes);
                    if body.len() > LARGEST_MESSAGE + 5 {
                        let problem = "the answer is larger than 4 MiB";
                        return Err(Status::new(Code::RESOURCE_EXHAUSTED, problem).into());
                    }
                    if is_end {
                        return Ok((body, Fields::default()));
                    }
                }
                Event::Trailers(trailers) => return Ok((body, trailers)),
                Event::Header { .. } => return Err(transport(self.service, &"the answer has two headers")),
            }
        }
    }

    /// Waits for the next piece of the answer.
    fn next(&mut self) -> Result<Event, LivePatchError> {
        let mut piece = [0; 16 * 1024];
        loop {
            if let Some(event) = self.exchange.event().map_err(|error| http2(self.service, error))? {
                return Ok(event);
            }
            let sent = self.connection.send(&self.exchange.take_output());
            let received = sent.and_then(|()| self.connection.receive(&mut piece));
            match received.map_err(|error| unconnected(self.service, &error))? {
                0 => return Err(http2(self.service, self.exchange.hung_up())),
                length => self.exchange.receive(&piece[..length]),
            }
        }
    }
}

fn request(
    service: &Service,
    component: &str,
    token: &Secret<String>,
) -> Result<(Exchange, Secret<Vec<u8>>), LivePatchError> {
    let token = token.expose();
    if !token.bytes().all(|byte| matches!(byte, b' '..=b'~' | b'\t')) {
        return Err(transport(service, &"the attested document cannot be sent as a header"));
    }
    let authority =
        if service.host.contains(':') { format!("[{}]", service.host) } else { service.host.clone() };
    let timeout = format!("{}m", service.deadline.as_millis());
    let plain = |name, value| Literal { name, value, secret: false };
    let fields = [
        plain(":method", "POST"),
        plain(":scheme", "https"),
        plain(":authority", &authority),
        plain(":path", METHOD),
        plain("content-type", GRPC),
        plain("te", "trailers"),
        plain("grpc-timeout", &timeout),
        Literal { name: "authorization", value: token, secret: true },
    ];
    Ok(Exchange::new(&fields, message::request(component)))
}

/// The message out of its frame.
fn unframed(body: &[u8]) -> Result<String, Status> {
    let broken = |problem| Status::new(Code::INTERNAL, problem);
    if body.is_empty() {
        return Err(status_of_nothing(Status::new(Code::OK, "")));
    }
    let (head, message) = body.split_at_checked(5).ok_or_else(|| broken("the answer is cut short"))?;
    let length = u32::from_be_bytes([head[1], head[2], head[3], head[4]]);
    if head[0] != 0 {
        return Err(broken("the answer is compressed, which was not asked for"));
    }
    if usize::try_from(length).ok() != Some(message.len()) {
        return Err(broken("the answer is not exactly one message"));
    }
    message::config(message).ok_or_else(|| broken("the answer is not the message that was asked for"))
}

/// A status without a message: OK is then a contradiction.
fn status_of_nothing(status: Status) -> Status {
    if status.code == Code::OK {
        Status::new(Code::INTERNAL, "the call is OK but has no answer")
    } else {
        status
    }
}

fn transport(service: &Service, problem: &dyn std::fmt::Display) -> LivePatchError {
    LivePatchError::Transport { host: service.host.clone(), problem: problem.to_string() }
}

fn http2(service: &Service, error: Http2Error) -> LivePatchError {
    match error {
        Http2Error::Reset(reason) => Status::of_reset(reason).into(),
        error => transport(service, &error),
    }
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
