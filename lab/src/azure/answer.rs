//! HTTP/1.1 as a server writes it.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};

use serde_json::Value;

/// What a service says to a request.
pub(super) struct Answer {
    /// The status.
    pub status: u16,
    headers: Vec<(&'static str, String)>,
    body: Body,
}

enum Body {
    Bytes(Vec<u8>),
    Part { file: File, start: u64, length: u64 },
}

/// How an answer goes out.
#[derive(Clone, Copy)]
pub(super) struct Delivery {
    /// The header only, as for HEAD.
    pub header_only: bool,
    /// The connection stays for the next request.
    pub keeps_connection: bool,
    /// Only the first half of the body, under a header that promises all of it.
    pub truncated: bool,
}

impl Answer {
    /// A status and nothing else.
    pub(super) fn empty(status: u16) -> Self {
        Self { status, headers: Vec::new(), body: Body::Bytes(Vec::new()) }
    }

    /// A body of this media type.
    pub(super) fn of(status: u16, media_type: &str, body: impl Into<Vec<u8>>) -> Self {
        Self { body: Body::Bytes(body.into()), ..Self::empty(status) }.with("Content-Type", media_type)
    }

    /// A JSON body.
    pub(super) fn json(status: u16, body: &Value) -> Self {
        Self::of(status, "application/json; charset=utf-8", body.to_string())
    }

    /// With a JSON body in the place of what it has.
    pub(super) fn bearing(self, body: &Value) -> Self {
        Self { body: Body::Bytes(body.to_string().into()), ..self }
            .with("Content-Type", "application/json; charset=utf-8")
    }

    /// An XML body, as the wireserver writes it.
    pub(super) fn xml(status: u16, body: impl Into<Vec<u8>>) -> Self {
        Self::of(status, "text/xml; charset=utf-8", body)
    }

    /// Part of a file, read while it is sent.
    pub(super) fn part(status: u16, file: File, start: u64, length: u64) -> Self {
        Self { body: Body::Part { file, start, length }, ..Self::empty(status) }
            .with("Content-Type", "application/octet-stream")
    }

    /// With this header field; a field of the name is replaced.
    pub(super) fn with(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.headers.retain(|(other, _)| *other != name);
        self.headers.push((name, value.into()));
        self
    }

    /// Sends it.
    pub(super) fn write(self, to: &mut impl Write, delivery: Delivery) -> io::Result<()> {
        let length = match &self.body {
            Body::Bytes(bytes) => bytes.len() as u64,
            Body::Part { length, .. } => *length,
        };
        let mut message = Vec::new();
        write!(message, "HTTP/1.1 {} {}\r\n", self.status, reason(self.status))?;
        for (name, value) in &self.headers {
            write!(message, "{name}: {value}\r\n")?;
        }
        // These two have no body by definition; a length would promise one.
        if !matches!(self.status, 204 | 304) {
            write!(message, "Content-Length: {length}\r\n")?;
        }
        if !delivery.keeps_connection {
            write!(message, "Connection: close\r\n")?;
        }
        write!(message, "\r\n")?;
        let sent = if delivery.truncated { length / 2 } else { length };
        match self.body {
            _ if delivery.header_only => {}
            // In one piece, so that a small answer is one packet.
            Body::Bytes(bytes) => message.extend(bytes.into_iter().take(usize::try_from(sent).unwrap_or(0))),
            Body::Part { mut file, start, .. } => {
                to.write_all(&std::mem::take(&mut message))?;
                file.seek(SeekFrom::Start(start))?;
                let copied = io::copy(&mut file.take(sent), to)?;
                if copied < sent {
                    return Err(io::ErrorKind::UnexpectedEof.into());
                }
            }
        }
        to.write_all(&message)?;
        to.flush()
    }
}

fn reason(status: u16) -> &'static str {
    match status {
        200 => "OK",
        201 => "Created",
        202 => "Accepted",
        204 => "No Content",
        206 => "Partial Content",
        304 => "Not Modified",
        400 => "Bad Request",
        401 => "Unauthorized",
        403 => "Forbidden",
        404 => "Not Found",
        405 => "Method Not Allowed",
        409 => "Conflict",
        410 => "Gone",
        413 => "Content Too Large",
        416 => "Range Not Satisfiable",
        429 => "Too Many Requests",
        500 => "Internal Server Error",
        502 => "Bad Gateway",
        503 => "Service Unavailable",
        _ => "Status",
    }
}
