//! gRPC statuses: what the service says of a call, or what HTTP says on its behalf.

use std::fmt;

use crate::http2::{ErrorCode, Fields};

/// A gRPC status code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Code(pub u32);

/// The codes' names, by number.
const NAMES: [&str; 17] = [
    "OK",
    "Canceled",
    "Unknown",
    "InvalidArgument",
    "DeadlineExceeded",
    "NotFound",
    "AlreadyExists",
    "PermissionDenied",
    "ResourceExhausted",
    "FailedPrecondition",
    "Aborted",
    "OutOfRange",
    "Unimplemented",
    "Internal",
    "Unavailable",
    "DataLoss",
    "Unauthenticated",
];

impl Code {
    /// All is well.
    pub const OK: Self = Self(0);
    /// Nobody knows.
    pub const UNKNOWN: Self = Self(2);
    /// The request is wrong.
    pub const INVALID_ARGUMENT: Self = Self(3);
    /// There is no such thing.
    pub const NOT_FOUND: Self = Self(5);
    /// Whoever asks may not.
    pub const PERMISSION_DENIED: Self = Self(7);
    /// Too much was asked or answered.
    pub const RESOURCE_EXHAUSTED: Self = Self(8);
    /// The service does not know the call.
    pub const UNIMPLEMENTED: Self = Self(12);
    /// The answer makes no sense.
    pub const INTERNAL: Self = Self(13);
    /// The service is not there at the moment.
    pub const UNAVAILABLE: Self = Self(14);
    /// The credential was not accepted.
    pub const UNAUTHENTICATED: Self = Self(16);
}

impl fmt::Display for Code {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match NAMES.get(self.0 as usize) {
            Some(name) => out.write_str(name),
            None => write!(out, "Code({})", self.0),
        }
    }
}

/// A call that did not end well.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("rpc error: code = {code} desc = {message}")]
pub struct Status {
    /// What kind of failure.
    pub code: Code,
    /// The service's words.
    pub message: String,
}

impl Status {
    /// A status of our own making.
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        Self { code, message: message.into() }
    }

    /// The status in trailers, or in the header of an answer without a body; `None` where there is none.
    pub(crate) fn of(fields: &Fields) -> Option<Self> {
        let code = fields.get("grpc-status")?;
        let code = str::from_utf8(code).ok().and_then(|code| code.parse().ok()).map_or(Code::UNKNOWN, Code);
        let message = fields.get("grpc-message").map(percent_decoded);
        Some(Self { code, message: message.unwrap_or_default() })
    }

    /// The status that stands for an HTTP answer that is not gRPC, by the gRPC specification's table.
    pub(crate) fn of_http(status: u16) -> Self {
        let code = match status {
            400 => Code::INTERNAL,
            401 => Code::UNAUTHENTICATED,
            403 => Code::PERMISSION_DENIED,
            404 => Code::UNIMPLEMENTED,
            429 | 502 | 503 | 504 => Code::UNAVAILABLE,
            _ => Code::UNKNOWN,
        };
        Self::new(code, format!("the answer is not gRPC; HTTP status {status}"))
    }

    /// The status that stands for a stream that the server reset, by the gRPC specification's table.
    pub(crate) fn of_reset(reason: ErrorCode) -> Self {
        let code = match reason {
            ErrorCode::REFUSED_STREAM => Code::UNAVAILABLE,
            ErrorCode::CANCEL => Code(1),
            ErrorCode::ENHANCE_YOUR_CALM => Code::RESOURCE_EXHAUSTED,
            ErrorCode::INADEQUATE_SECURITY => Code::PERMISSION_DENIED,
            _ => Code::INTERNAL,
        };
        Self::new(code, format!("the server reset the stream: {reason}"))
    }
}

/// Text with `%XX` for bytes; what is not such a sequence stands for itself.
fn percent_decoded(text: &[u8]) -> String {
    let mut out = Vec::with_capacity(text.len());
    let mut at = 0;
    while at < text.len() {
        let hex = text.get(at + 1..at + 3).filter(|_| text[at] == b'%');
        let byte = hex
            .filter(|hex| hex.iter().all(u8::is_ascii_hexdigit))
            .and_then(|hex| u8::from_str_radix(str::from_utf8(hex).ok()?, 16).ok());
        out.push(byte.unwrap_or(text[at]));
        at += if byte.is_some() { 3 } else { 1 };
    }
    String::from_utf8_lossy(&out).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_percent_decoded() {
        for (text, expected) in [
            ("plain text", "plain text"),
            ("100%25 sure%0A", "100% sure\n"),
            ("%c3%A4%", "ä%"),
            ("%zz%4", "%zz%4"),
            ("%+1", "%+1"),
            ("%ff", "\u{fffd}"),
        ] {
            assert_eq!(percent_decoded(text.as_bytes()), expected);
        }
    }

    #[test]
    fn a_status_reads_as_operators_know_it() {
        let status =
            |code| Status::of(&[("grpc-status", code), ("grpc-message", "no%20such")].into()).unwrap();
        assert_eq!(Status::of(&Fields::default()), None);
        assert_eq!(status("5").to_string(), "rpc error: code = NotFound desc = no such");
        assert_eq!(status("77").code.to_string(), "Code(77)");
        assert_eq!(status("x").code, Code::UNKNOWN);
    }
}
