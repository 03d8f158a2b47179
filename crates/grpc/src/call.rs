//! A call from its request to its answer.

use std::time::Duration;

use slipway_model::Secret;

use crate::http2::{Event, Exchange, Fields, Http2Error, Literal};
use crate::status::{Code, Status};

const GRPC: &str = "application/grpc";
/// What gRPC clients accept unless told otherwise.
const LARGEST_MESSAGE: usize = 4 * 1024 * 1024;

/// A connection that is open and waits for the first byte.
pub trait Wire {
    /// What can become of the connection.
    type Error;
    /// Sends all of the bytes.
    fn send(&mut self, bytes: &[u8]) -> Result<(), Self::Error>;
    /// Waits for some bytes and says how many; none is the end of the connection.
    fn receive(&mut self, bytes: &mut [u8]) -> Result<usize, Self::Error>;
}

/// What is asked.
#[derive(Debug, Clone, Copy)]
pub struct Request<'a> {
    /// `http`, or `https` over TLS.
    pub scheme: &'static str,
    /// The server's name.
    pub authority: &'a str,
    /// The method's path, `/package.Service/Method`.
    pub method: &'a str,
    /// How long the server may take; the connection has its own patience.
    pub within: Duration,
    /// The value of the `authorization` header; printable.
    pub credential: Option<&'a Secret<String>>,
    /// The protobuf message.
    pub message: &'a [u8],
}

/// Why a call has no answer.
#[derive(Debug)]
pub enum CallError<E> {
    /// The connection broke.
    Wire(E),
    /// The other side does not speak HTTP/2 as it should.
    Protocol(String),
    /// The service, or HTTP on its behalf, answered with a status that is not OK.
    Status(Status),
}

impl<E> From<Status> for CallError<E> {
    fn from(status: Status) -> Self {
        Self::Status(status)
    }
}

impl<E> From<Http2Error> for CallError<E> {
    fn from(error: Http2Error) -> Self {
        match error {
            Http2Error::Reset(reason) => Status::of_reset(reason).into(),
            error => Self::Protocol(error.to_string()),
        }
    }
}

/// Makes one call and returns the message in the answer.
pub fn unary<W: Wire>(mut wire: W, request: &Request<'_>) -> Result<Vec<u8>, CallError<W::Error>> {
    let timeout = format!("{}m", request.within.as_millis());
    let plain = |name, value| Literal { name, value, secret: false };
    let mut fields = vec![
        plain(":method", "POST"),
        plain(":scheme", request.scheme),
        plain(":authority", request.authority),
        plain(":path", request.method),
        plain("content-type", GRPC),
        plain("te", "trailers"),
        plain("grpc-timeout", &timeout),
    ];
    if let Some(credential) = request.credential {
        fields.push(Literal { name: "authorization", value: credential.expose(), secret: true });
    }
    let (exchange, opening) = Exchange::new(&fields, framed(request.message));
    wire.send(opening.expose()).map_err(CallError::Wire)?;
    Call { wire, exchange }.answer()
}

/// A call whose request is on its way.
struct Call<W> {
    wire: W,
    exchange: Exchange,
}

impl<W: Wire> Call<W> {
    fn answer(mut self) -> Result<Vec<u8>, CallError<W::Error>> {
        let Event::Header { status, fields, is_end } = self.next()? else {
            return Err(CallError::Protocol("the answer has no header".to_owned()));
        };
        let is_grpc = fields.get("content-type").is_some_and(|kind| kind.starts_with(GRPC.as_bytes()));
        if status != 200 || !is_grpc {
            return Err(Status::of_http(status).into());
        }
        // A call that fails at once has its trailers in place of the header.
        if let Some(status) = Status::of(&fields).filter(|_| is_end) {
            return Err(status_of_nothing(status).into());
        }
        let (body, trailers) = if is_end { Default::default() } else { self.body()? };
        let missing = || Status::new(Code::UNKNOWN, "the answer ends without a status");
        match Status::of(&trailers).unwrap_or_else(missing) {
            Status { code: Code::OK, .. } => Ok(unframed(&body)?.to_vec()),
            status => Err(status.into()),
        }
    }

    /// The body, and the trailers after it.
    fn body(&mut self) -> Result<(Vec<u8>, Fields), CallError<W::Error>> {
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
                Event::Header { .. } => {
                    return Err(CallError::Protocol("the answer has two headers".to_owned()));
                }
            }
        }
    }

    /// Waits for the next piece of the answer.
    fn next(&mut self) -> Result<Event, CallError<W::Error>> {
        let mut piece = [0; 16 * 1024];
        loop {
            if let Some(event) = self.exchange.event()? {
                return Ok(event);
            }
            self.wire.send(&self.exchange.take_output()).map_err(CallError::Wire)?;
            match self.wire.receive(&mut piece).map_err(CallError::Wire)? {
                0 => return Err(self.exchange.hung_up().into()),
                length => self.exchange.receive(&piece[..length]),
            }
        }
    }
}

/// A message in its frame: one byte for "not compressed", four for the length.
fn framed(message: &[u8]) -> Vec<u8> {
    let mut frame = vec![0];
    frame.extend_from_slice(&u32::try_from(message.len()).unwrap_or(u32::MAX).to_be_bytes());
    frame.extend_from_slice(message);
    frame
}

/// The message out of its frame.
fn unframed(body: &[u8]) -> Result<&[u8], Status> {
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
    Ok(message)
}

/// A status without a message: OK is then a contradiction.
fn status_of_nothing(status: Status) -> Status {
    if status.code == Code::OK {
        Status::new(Code::INTERNAL, "the call is OK but has no answer")
    } else {
        status
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_travels_in_a_frame() {
        assert_eq!(framed(b"abc"), b"\0\0\0\0\x03abc");
        assert_eq!(unframed(b"\0\0\0\0\x03abc"), Ok(&b"abc"[..]));
        for broken in [&b""[..], b"\0\0\0", b"\x01\0\0\0\0", b"\0\0\0\0\x04abc"] {
            assert_eq!(unframed(broken).unwrap_err().code, Code::INTERNAL, "{broken:?}");
        }
    }
}
