//! HTTP/2 (RFC 9113) for one request on one connection.
//!
//! Bytes come in and go out as values: an [`Exchange`] never waits, the call does. Push is refused, priorities are
//! passed over, and the dynamic table is used by the server only.

mod exchange;
mod fields;
mod frame;
mod hpack;
mod huffman;
mod integer;
mod static_table;
mod window;

use std::fmt;

pub(crate) use exchange::{Event, Exchange};
pub(crate) use fields::{Fields, Literal};

/// Why an exchange cannot go on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Http2Error {
    #[error("the server reset the stream: {0}")]
    Reset(ErrorCode),
    #[error("the server went away: {0}")]
    GoneAway(ErrorCode),
    #[error("the server hung up before it had answered")]
    HungUp,
    #[error("the answer is not HTTP/2: {0}")]
    Malformed(&'static str),
    #[error("the header of the answer is larger than 64 KiB")]
    HeaderTooLarge,
}

/// An HTTP/2 error code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ErrorCode(pub(crate) u32);

/// The codes' names, by number.
const NAMES: [&str; 14] = [
    "NO_ERROR",
    "PROTOCOL_ERROR",
    "INTERNAL_ERROR",
    "FLOW_CONTROL_ERROR",
    "SETTINGS_TIMEOUT",
    "STREAM_CLOSED",
    "FRAME_SIZE_ERROR",
    "REFUSED_STREAM",
    "CANCEL",
    "COMPRESSION_ERROR",
    "CONNECT_ERROR",
    "ENHANCE_YOUR_CALM",
    "INADEQUATE_SECURITY",
    "HTTP_1_1_REQUIRED",
];

impl ErrorCode {
    pub(crate) const REFUSED_STREAM: Self = Self(7);
    pub(crate) const CANCEL: Self = Self(8);
    pub(crate) const ENHANCE_YOUR_CALM: Self = Self(11);
    pub(crate) const INADEQUATE_SECURITY: Self = Self(12);
}

impl fmt::Display for ErrorCode {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match NAMES.get(self.0 as usize) {
            Some(name) => out.write_str(name),
            None => write!(out, "error code {:#x}", self.0),
        }
    }
}
