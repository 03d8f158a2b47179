//! The header of an answer, and the body behind it.

use std::time::Duration;

use crate::HttpError;
use crate::body::Framing;
use crate::patience::Patience;
use crate::wire::Wire;

const LONGEST_LINE: usize = 16 * 1024;
const MOST_FIELDS: usize = 256;

/// An answer: its header has arrived, its body arrives as it is read.
pub struct Response<'p> {
    status: u16,
    fields: Vec<(String, String)>,
    pub(crate) input: Input<'p>,
    pub(crate) framing: Framing,
}

impl<'p> Response<'p> {
    /// Reads a header; `method` decides whether a body follows.
    pub(crate) fn read_from(mut input: Input<'p>, method: &str) -> Result<Self, HttpError> {
        let (status, fields) = loop {
            let (status, fields) = header(&mut input)?;
            // "Continue" and its like come before the answer.
            if !(100..200).contains(&status) {
                break (status, fields);
            }
        };
        let mut response = Self { status, fields, input, framing: Framing::Done };
        response.framing = response.framing_for(method)?;
        Ok(response)
    }

    /// The same answer, with this patience for the rest of its body.
    #[must_use]
    pub fn patient(self, patience: Patience<'_>) -> Response<'_> {
        let Self { status, fields, input, framing } = self;
        Response { status, fields, input: input.patient(patience), framing }
    }

    /// The status code.
    pub fn status(&self) -> u16 {
        self.status
    }

    /// The first field of this name.
    pub fn field(&self, name: &str) -> Option<&str> {
        let found = self.fields.iter().find(|(other, _)| other.eq_ignore_ascii_case(name));
        found.map(|(_, value)| value.as_str())
    }

    /// How long the server wants us to wait, when it said so in seconds.
    pub fn retry_after(&self) -> Option<Duration> {
        self.field("retry-after")?.parse().ok().map(Duration::from_secs)
    }

    fn framing_for(&self, method: &str) -> Result<Framing, HttpError> {
        if matches!(self.status, 204 | 304) || method == "HEAD" || method == "CONNECT" {
            return Ok(Framing::Done);
        }
        if let Some(coding) = self.field("transfer-encoding") {
            return if coding.eq_ignore_ascii_case("chunked") {
                Ok(Framing::ChunkSize)
            } else {
                Err(self.input.unreadable("its transfer encoding is not known here"))
            };
        }
        match self.field("content-length").map(str::parse) {
            Some(Ok(length)) => Ok(Framing::Length(length)),
            Some(Err(_)) => Err(self.input.unreadable("its content length is no number")),
            None => Ok(Framing::ToTheEnd),
        }
    }
}

fn header(input: &mut Input<'_>) -> Result<(u16, Vec<(String, String)>), HttpError> {
    let first = input.line()?;
    let mut words = first.split(' ');
    let is_http = words.next().is_some_and(|version| version.starts_with("HTTP/1."));
    let status = words.next().and_then(|status| status.parse().ok()).filter(|_| is_http);
    let status = status.ok_or_else(|| input.unreadable("it is not HTTP"))?;
    let mut fields = Vec::new();
    loop {
        let line = input.line()?;
        if line.is_empty() {
            return Ok((status, fields));
        }
        let (name, value) =
            line.split_once(':').ok_or_else(|| input.unreadable("a header field has no colon"))?;
        fields.push((name.to_owned(), value.trim().to_owned()));
        if fields.len() > MOST_FIELDS {
            return Err(input.unreadable("the header does not end"));
        }
    }
}

/// What has arrived and was not read yet, and how more arrives.
pub(crate) struct Input<'p> {
    wire: Wire,
    patience: Patience<'p>,
    buffer: Vec<u8>,
    read: usize,
}

impl<'p> Input<'p> {
    pub(crate) fn new(wire: Wire, patience: Patience<'p>) -> Self {
        Self { wire, patience, buffer: Vec::new(), read: 0 }
    }

    fn patient(self, patience: Patience<'_>) -> Input<'_> {
        let Self { wire, patience: _, buffer, read } = self;
        Input { wire, patience, buffer, read }
    }

    /// The connection itself; nothing may have arrived beyond what was read.
    pub(crate) fn into_wire(self) -> Wire {
        self.wire
    }

    pub(crate) fn unreadable(&self, problem: &'static str) -> HttpError {
        HttpError::Unreadable { host: self.wire.host().to_owned(), problem }
    }

    /// What the connection's early end looks like.
    pub(crate) fn cut(&self) -> HttpError {
        HttpError::Broken {
            host: self.wire.host().to_owned(),
            problem: std::io::ErrorKind::UnexpectedEof.into(),
        }
    }

    /// What is there, after waiting for something; empty at the end of the stream.
    pub(crate) fn pending(&mut self) -> Result<&[u8], HttpError> {
        if self.read == self.buffer.len() {
            self.read = 0;
            self.buffer.resize(16 * 1024, 0);
            let received = self.wire.receive(&mut self.buffer, self.patience);
            self.buffer.truncate(*received.as_ref().unwrap_or(&0));
            received?;
        }
        Ok(&self.buffer[self.read..])
    }

    pub(crate) fn consume(&mut self, length: usize) {
        self.read = (self.read + length).min(self.buffer.len());
    }

    /// A line of the protocol, without its end.
    pub(crate) fn line(&mut self) -> Result<String, HttpError> {
        let mut line = Vec::new();
        loop {
            let pending = self.pending()?;
            if pending.is_empty() {
                return Err(self.cut());
            }
            let end = pending.iter().position(|byte| *byte == b'\n');
            let taken = end.map_or(pending.len(), |end| end + 1);
            line.extend_from_slice(&pending[..taken]);
            self.consume(taken);
            if end.is_some() {
                break;
            }
            if line.len() > LONGEST_LINE {
                return Err(self.unreadable("a line of its header does not end"));
            }
        }
        let line = String::from_utf8_lossy(line.trim_ascii_end()).into_owned();
        Ok(line)
    }
}
