//! Multipart messages, as cloud-init takes them: any boundary, either line end, nested.

use super::{Place, ReadError, ReadProblem, Search, unpack};

/// A header block is not longer than this.
const LONGEST_HEADER: usize = 16 << 10;

/// Whether a text starts with headers, one of which names its type.
pub(super) fn is_message(bytes: &[u8]) -> bool {
    let start = &bytes[..bytes.len().min(LONGEST_HEADER)];
    let first = start.split(|byte| *byte == b'\n').next().unwrap_or_default();
    let name = first.split(|byte| *byte == b':').next().unwrap_or_default();
    let is_header = name.len() < first.len()
        && !name.is_empty()
        && name.iter().all(|byte| byte.is_ascii_alphanumeric() || *byte == b'-');
    is_header && Message::parse(bytes).content_type.starts_with("multipart/")
}

/// A message or a part of one: what its headers say, and its body.
struct Message<'a> {
    content_type: String,
    boundary: Option<String>,
    transfer: String,
    body: &'a [u8],
}

impl<'a> Message<'a> {
    fn parse(bytes: &'a [u8]) -> Self {
        let mut message = Self {
            content_type: "text/plain".to_owned(),
            boundary: None,
            transfer: String::new(),
            body: b"",
        };
        let mut header = String::new();
        let mut rest = bytes;
        loop {
            let (line, after) = split_line(rest);
            let blank = trim_end(line).is_empty();
            if !blank && line.first().is_some_and(|byte| matches!(byte, b' ' | b'\t')) {
                header.push_str(&String::from_utf8_lossy(trim_end(line)));
            } else {
                message.header(&header);
                header = String::from_utf8_lossy(trim_end(line)).into_owned();
            }
            rest = after;
            if blank || bytes.len() - rest.len() > LONGEST_HEADER {
                message.body = rest;
                return message;
            }
        }
    }

    fn header(&mut self, header: &str) {
        let Some((name, value)) = header.split_once(':') else { return };
        let value = value.trim();
        if name.eq_ignore_ascii_case("content-transfer-encoding") {
            self.transfer = value.to_ascii_lowercase();
        } else if name.eq_ignore_ascii_case("content-type") {
            let mut parameters = value.split(';');
            self.content_type = parameters.next().unwrap_or_default().trim().to_ascii_lowercase();
            self.boundary = parameters.find_map(|parameter| {
                let (name, value) = parameter.split_once('=')?;
                let boundary = value.trim().trim_matches('"');
                (name.trim().eq_ignore_ascii_case("boundary") && !boundary.is_empty())
                    .then(|| boundary.to_owned())
            });
        }
    }

    /// The parts between the boundaries, without the line break that belongs to the boundary.
    fn parts(&self) -> Option<Vec<&'a [u8]>> {
        let boundary = self.boundary.as_ref()?.as_bytes();
        let mut parts = Vec::new();
        let mut start = None;
        let mut rest = self.body;
        while !rest.is_empty() {
            let at = self.body.len() - rest.len();
            let (line, after) = split_line(rest);
            rest = after;
            let Some(tail) = line.strip_prefix(b"--").and_then(|line| line.strip_prefix(boundary)) else {
                continue;
            };
            let tail = trim_end(tail);
            if !tail.is_empty() && tail != b"--" {
                continue;
            }
            if let Some(start) = start.take() {
                parts.push(without_line_break(self.body.get(start..at).unwrap_or_default()));
            }
            if tail == b"--" {
                return Some(parts);
            }
            start = Some(self.body.len() - rest.len());
        }
        if let Some(start) = start {
            parts.push(&self.body[start..]);
        }
        Some(parts)
    }
}

impl Search {
    /// Reads every part of a message.
    pub(super) fn mime(&mut self, bytes: &[u8], place: &Place) -> Result<(), ReadError> {
        let message = Message::parse(bytes);
        let parts = message.parts();
        let parts = parts.ok_or_else(|| place.error(ReadProblem::Mime("the document names no boundary")))?;
        if parts.is_empty() {
            return Err(place.error(ReadProblem::Mime("the document has no parts")));
        }
        for (index, part) in parts.into_iter().enumerate() {
            let part = Message::parse(part);
            let place = place.inside(&format!("part {} {}", index + 1, part.content_type));
            if let Err(error) = self.part(&part, &place) {
                self.note(error);
            }
        }
        Ok(())
    }

    fn part(&mut self, part: &Message<'_>, place: &Place) -> Result<(), ReadError> {
        let decoded;
        let body = match part.transfer.as_str() {
            "base64" => {
                let plain = self.budget.required_base64(part.body);
                decoded = plain.map_err(|problem| place.error(problem))?;
                &decoded
            }
            "quoted-printable" => {
                decoded = unpack::quoted_printable(part.body);
                &decoded
            }
            _ => part.body,
        };
        match part.content_type.as_str() {
            "text/cloud-boothook" | "text/x-shellscript" if !body.starts_with(unpack::GZIP_MAGIC) => {
                self.script(&String::from_utf8_lossy(body), place);
                Ok(())
            }
            "text/cloud-config" if !body.starts_with(unpack::GZIP_MAGIC) => {
                self.cloud_config(&String::from_utf8_lossy(body), place)
            }
            kind if kind.starts_with("multipart/") => {
                // Its headers are the part's, so it is taken apart here and not recognised anew.
                let nested = format!(
                    "Content-Type: {kind}; boundary=\"{}\"\n\n",
                    part.boundary.as_deref().unwrap_or_default()
                );
                self.anything(&[nested.as_bytes(), body].concat(), place)
            }
            _ => self.anything(body, place),
        }
    }
}

/// The first line with its line break, and the rest.
fn split_line(bytes: &[u8]) -> (&[u8], &[u8]) {
    let end = bytes.iter().position(|byte| *byte == b'\n').map_or(bytes.len(), |at| at + 1);
    bytes.split_at(end)
}

fn trim_end(line: &[u8]) -> &[u8] {
    line.trim_ascii_end()
}

fn without_line_break(part: &[u8]) -> &[u8] {
    part.strip_suffix(b"\r\n").or_else(|| part.strip_suffix(b"\n")).unwrap_or(part)
}
