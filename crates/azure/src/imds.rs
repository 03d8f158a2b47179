//! The instance metadata service: plain HTTP on an address that only the machine itself can reach.

use std::io::{self, Read, Write};
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpStream};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Map, Value};
use slipway_model::{JsonText, Secret};

/// Where the service is on every Azure machine.
pub const ADDRESS: SocketAddr = SocketAddr::new(IpAddr::V4(Ipv4Addr::new(169, 254, 169, 254)), 80);

const ATTEMPTS: u32 = 2;
const CONNECT_WITHIN: Duration = Duration::from_secs(1);
const HEADER_WITHIN: Duration = Duration::from_secs(1);
const ATTEMPT_WITHIN: Duration = Duration::from_secs(2);
const LARGEST_BODY: usize = 1024 * 1024;
const LARGEST_HEADER: usize = 64 * 1024;
const ATTESTED: &str = "/metadata/attested/document?api-version=2025-04-07";
const INSTANCE: &str = "/metadata/instance?api-version=2021-02-01&format=json";
const FIRST_PAUSE: Duration = Duration::from_millis(100);
const LONGEST_PAUSE: Duration = Duration::from_secs(1);

/// Why the metadata service gave no document.
#[derive(Debug, thiserror::Error)]
pub enum ImdsError {
    /// It could not be reached, or fell silent.
    #[error("the instance metadata service at {0} did not answer: {1}")]
    Unreachable(SocketAddr, io::Error),
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
    let unreachable = |error| ImdsError::Unreachable(service, error);
    let left = end.checked_duration_since(Instant::now()).filter(|left| !left.is_zero());
    let left = left.ok_or_else(|| unreachable(io::ErrorKind::TimedOut.into()))?;
    let stream = TcpStream::connect_timeout(&service, left.min(CONNECT_WITHIN)).map_err(unreachable)?;
    let request = format!(
        "GET {path} HTTP/1.1\r\nHost: {}\r\nMetadata: true\r\nAccept: application/json\r\nConnection: close\r\n\r\n",
        service.ip()
    );
    stream.set_write_timeout(Some(CONNECT_WITHIN)).map_err(unreachable)?;
    (&stream).write_all(request.as_bytes()).map_err(unreachable)?;
    let mut answer = Answer { stream, end: end.min(Instant::now() + HEADER_WITHIN), received: Vec::new() };
    let header = answer.header(service)?;
    answer.end = end;
    match header.status {
        200 => answer.body(service, &header),
        other => Err(ImdsError::Status(other)),
    }
}

/// An answer as it arrives, and until when it may.
struct Answer {
    stream: TcpStream,
    end: Instant,
    received: Vec<u8>,
}

struct Header {
    status: u16,
    length: Option<usize>,
    chunked: bool,
}

impl Answer {
    /// Waits for more; `false` at the end of the stream.
    fn receive(&mut self, service: SocketAddr) -> Result<bool, ImdsError> {
        let unreachable = |error| ImdsError::Unreachable(service, error);
        let late = || unreachable(io::ErrorKind::TimedOut.into());
        let left = self.end.checked_duration_since(Instant::now()).filter(|left| !left.is_zero());
        self.stream.set_read_timeout(Some(left.ok_or_else(late)?)).map_err(unreachable)?;
        let mut piece = [0; 16 * 1024];
        match self.stream.read(&mut piece) {
            Ok(length) => {
                self.received.extend_from_slice(&piece[..length]);
                Ok(length > 0)
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => Ok(true),
            // A read that ran out of time says "would block".
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => Err(late()),
            Err(error) => Err(unreachable(error)),
        }
    }

    /// The header; what follows it stays in `received`.
    fn header(&mut self, service: SocketAddr) -> Result<Header, ImdsError> {
        let unreadable = ImdsError::Unreadable;
        let end = loop {
            if let Some(end) = self.received.windows(4).position(|four| four == b"\r\n\r\n") {
                break end;
            }
            if self.received.len() > LARGEST_HEADER {
                return Err(unreadable("the header does not end"));
            }
            if !self.receive(service)? {
                return Err(unreadable("it ends within the header"));
            }
        };
        let rest = self.received.split_off(end + 4);
        let header = std::mem::replace(&mut self.received, rest);
        let header = String::from_utf8_lossy(&header);
        let mut lines = header.split("\r\n");
        let mut first = lines.next().unwrap_or_default().split(' ');
        let is_http = first.next().is_some_and(|version| version.starts_with("HTTP/1."));
        let status = first.next().and_then(|status| status.parse().ok()).filter(|_| is_http);
        let fields: Vec<(&str, &str)> =
            lines.filter_map(|line| line.split_once(':')).map(|(name, value)| (name, value.trim())).collect();
        let field = |name: &str| fields.iter().find(|(other, _)| other.eq_ignore_ascii_case(name));
        Ok(Header {
            status: status.ok_or(unreadable("it is not HTTP"))?,
            length: field("content-length").and_then(|(_, value)| value.parse().ok()),
            chunked: field("transfer-encoding")
                .is_some_and(|(_, value)| value.eq_ignore_ascii_case("chunked")),
        })
    }

    fn body(&mut self, service: SocketAddr, header: &Header) -> Result<Vec<u8>, ImdsError> {
        loop {
            let complete = if header.chunked { unchunked(&self.received)? } else { None };
            if let Some(body) = complete {
                return Ok(body);
            }
            if self.received.len() > LARGEST_BODY {
                return Err(ImdsError::Unreadable("the body is larger than 1 MiB"));
            }
            if let Some(length) =
                header.length.filter(|length| !header.chunked && *length <= self.received.len())
            {
                self.received.truncate(length);
                return Ok(std::mem::take(&mut self.received));
            }
            if !self.receive(service)? {
                let to_the_end = !header.chunked && header.length.is_none();
                return if to_the_end {
                    Ok(std::mem::take(&mut self.received))
                } else {
                    Err(ImdsError::Unreadable("it ends within the body"))
                };
            }
        }
    }
}

/// The body out of its chunks; `None` while the last one has not arrived.
fn unchunked(received: &[u8]) -> Result<Option<Vec<u8>>, ImdsError> {
    let mut body = Vec::new();
    let mut rest = received;
    while let Some(end) = rest.windows(2).position(|two| two == b"\r\n") {
        let size = str::from_utf8(&rest[..end]).ok().and_then(|line| line.split(';').next());
        let size = size.and_then(|size| usize::from_str_radix(size.trim(), 16).ok());
        let size = size.filter(|size| *size <= LARGEST_BODY);
        let size = size.ok_or(ImdsError::Unreadable("a chunk has no proper size"))?;
        if size == 0 {
            return Ok(Some(body));
        }
        let Some(chunk) = rest.get(end + 2..end + 2 + size) else { return Ok(None) };
        body.extend_from_slice(chunk);
        let Some(next) = rest.get(end + 2 + size + 2..) else { return Ok(None) };
        rest = next;
    }
    Ok(None)
}
