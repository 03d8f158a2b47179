//! HTTP/1.1 as a server reads it: requests of any framing, kept connections, expectations.

use std::io::{self, BufRead, Read, Write};

const LARGEST_HEADER: u64 = 64 * 1024;
/// The host plugin takes logs of up to 100 MB.
const LARGEST_BODY: u64 = 128 * 1024 * 1024;

/// A request as it came.
#[derive(Clone, Debug)]
pub struct Request {
    /// The method, in capitals as it came.
    pub method: String,
    /// Path and query, still encoded.
    pub target: String,
    /// The header fields in their order and spelling.
    pub headers: Vec<(String, String)>,
    /// The body without its framing.
    pub body: Vec<u8>,
    pub(super) keeps_connection: bool,
}

/// Why there is no request.
#[derive(Debug, thiserror::Error)]
pub(super) enum Unreadable {
    /// The connection broke.
    #[error(transparent)]
    Broken(#[from] io::Error),
    /// What came is not HTTP/1.1.
    #[error("{0}")]
    Malformed(&'static str),
}

impl Request {
    /// The first field of this name, whatever its case.
    pub fn header(&self, name: &str) -> Option<&str> {
        field(&self.headers, name)
    }

    /// The path, still encoded.
    pub fn path(&self) -> &str {
        self.target.split('?').next().unwrap_or_default()
    }

    /// The parameter of the query, decoded.
    pub fn query(&self, name: &str) -> Option<String> {
        let (_, query) = self.target.split_once('?')?;
        parameter(query, name)
    }

    /// The field of a form in the body, decoded.
    pub(super) fn form(&self, name: &str) -> Option<String> {
        parameter(str::from_utf8(&self.body).ok()?, name)
    }
}

fn parameter(pairs: &str, name: &str) -> Option<String> {
    let mut pairs = pairs.split('&').map(|pair| pair.split_once('=').unwrap_or((pair, "")));
    let decoded = |text: &str| decode(&text.replace('+', " "));
    pairs.find(|(key, _)| decoded(key) == name).map(|(_, value)| decoded(value))
}

/// The text with its percent signs resolved; what is no escape stays as it is.
pub(super) fn decode(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&first, others)) = rest.split_first() {
        let escaped =
            others.get(..2).filter(|_| first == b'%').and_then(|digits| str::from_utf8(digits).ok());
        if let Some(byte) = escaped.and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
            bytes.push(byte);
            rest = &others[2..];
        } else {
            bytes.push(first);
            rest = others;
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

fn field<'a>(headers: &'a [(String, String)], name: &str) -> Option<&'a str> {
    headers.iter().find(|(other, _)| other.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
}

/// The next request of a connection; `None` when the client has closed it. A client that waits for leave to send its
/// body gets it.
pub(super) fn read(stream: &mut (impl BufRead + Write)) -> Result<Option<Request>, Unreadable> {
    let mut header = Read::by_ref(stream).take(LARGEST_HEADER);
    let mut first = line(&mut header)?;
    // A line left over from the request before is allowed.
    if first.as_deref() == Some("") {
        first = line(&mut header)?;
    }
    let Some(first) = first else { return Ok(None) };
    let mut words = first.split(' ');
    let (Some(method), Some(target), Some(version), None) =
        (words.next(), words.next(), words.next(), words.next())
    else {
        return Err(Unreadable::Malformed("the request line is not method, target and version"));
    };
    if !matches!(version, "HTTP/1.0" | "HTTP/1.1") {
        return Err(Unreadable::Malformed("only HTTP/1.0 and HTTP/1.1 are spoken here"));
    }
    let headers = fields(&mut header)?;
    let connection = field(&headers, "connection").unwrap_or_default();
    let keeps_connection = match version {
        "HTTP/1.1" => !connection.eq_ignore_ascii_case("close"),
        _ => connection.eq_ignore_ascii_case("keep-alive"),
    };
    if field(&headers, "expect").is_some_and(|value| value.eq_ignore_ascii_case("100-continue")) {
        stream.write_all(b"HTTP/1.1 100 Continue\r\n\r\n")?;
    }
    let body = body(stream, &headers)?;
    let (method, target) = (method.to_owned(), origin_form(target));
    Ok(Some(Request { method, target, headers, body, keeps_connection }))
}

/// Clients that believe in a proxy name the whole address.
fn origin_form(target: &str) -> String {
    match target.strip_prefix("http://") {
        Some(rest) => rest.find('/').map_or("/", |slash| &rest[slash..]).to_owned(),
        None => target.to_owned(),
    }
}

fn fields(header: &mut impl BufRead) -> Result<Vec<(String, String)>, Unreadable> {
    let mut fields = Vec::new();
    loop {
        let line = line(header)?.ok_or(Unreadable::Malformed("it ends within the header"))?;
        if line.is_empty() {
            return Ok(fields);
        }
        let (name, value) =
            line.split_once(':').ok_or(Unreadable::Malformed("a header field has no colon"))?;
        fields.push((name.to_owned(), value.trim().to_owned()));
    }
}

fn body(stream: &mut impl BufRead, headers: &[(String, String)]) -> Result<Vec<u8>, Unreadable> {
    let mut body = Vec::new();
    if let Some(coding) = field(headers, "transfer-encoding") {
        if !coding.eq_ignore_ascii_case("chunked") {
            return Err(Unreadable::Malformed("the only transfer coding here is chunked"));
        }
        while let Some(size) = chunk_size(stream)? {
            exactly(stream, size, &mut body)?;
            if line(stream)?.as_deref() != Some("") {
                return Err(Unreadable::Malformed("a chunk is longer than it says"));
            }
        }
        return Ok(body);
    }
    if let Some(length) = field(headers, "content-length") {
        let length = length.parse().map_err(|_| Unreadable::Malformed("Content-Length is no number"))?;
        exactly(stream, length, &mut body)?;
    }
    Ok(body)
}

/// The size of the next chunk; `None` after the last, with its trailers read.
fn chunk_size(stream: &mut impl BufRead) -> Result<Option<u64>, Unreadable> {
    let line = line(stream)?.unwrap_or_default();
    let size = line.split(';').next().unwrap_or_default().trim();
    let size =
        u64::from_str_radix(size, 16).map_err(|_| Unreadable::Malformed("a chunk has no proper size"))?;
    if size == 0 {
        fields(stream)?;
        return Ok(None);
    }
    Ok(Some(size))
}

fn exactly(stream: &mut impl BufRead, length: u64, body: &mut Vec<u8>) -> Result<(), Unreadable> {
    if length.saturating_add(body.len() as u64) > LARGEST_BODY {
        return Err(Unreadable::Malformed("the body is larger than 128 MiB"));
    }
    let got = stream.take(length).read_to_end(body)?;
    if (got as u64) < length {
        return Err(Unreadable::Malformed("it ends within the body"));
    }
    Ok(())
}

/// A line without its end; `None` at the end of the stream.
fn line(stream: &mut impl BufRead) -> Result<Option<String>, Unreadable> {
    let mut bytes = Vec::new();
    stream.take(LARGEST_HEADER).read_until(b'\n', &mut bytes)?;
    if bytes.is_empty() {
        return Ok(None);
    }
    if bytes.pop() != Some(b'\n') {
        return Err(Unreadable::Malformed("a line is too long or does not end"));
    }
    if bytes.last() == Some(&b'\r') {
        bytes.pop();
    }
    String::from_utf8(bytes).map(Some).map_err(|_| Unreadable::Malformed("the header is not text"))
}
