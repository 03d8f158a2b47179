//! Names of requests, so that a caller's records and ours can be held together.

use std::sync::atomic::{AtomicU64, Ordering};

use hyper::HeaderMap;
use hyper::header::{HeaderName, HeaderValue};

use crate::log::Line;

/// The name that a caller gave to its request, as Azure's clients do.
const CLIENT_REQUEST_ID: HeaderName = HeaderName::from_static("x-ms-client-request-id");
/// The name that we gave to it.
const REQUEST_ID: HeaderName = HeaderName::from_static("x-ms-request-id");
/// W3C trace context.
const TRACEPARENT: HeaderName = HeaderName::from_static("traceparent");

/// Longer names are not echoed or logged.
const LONGEST: usize = 128;

/// Gives names to requests: the same beginning for one process, then a number.
pub(crate) struct Names {
    process: u64,
    next: AtomicU64,
}

impl Names {
    /// Names that no other process gives, as far as chance goes.
    pub(crate) fn new() -> Self {
        let mut random = [0; 8];
        // Without randomness names begin alike; nothing depends on them.
        let _ = rustls::crypto::ring::default_provider().secure_random.fill(&mut random);
        Self { process: u64::from_ne_bytes(random), next: AtomicU64::new(1) }
    }

    fn next(&self) -> String {
        format!("{:016x}-{:08x}", self.process, self.next.fetch_add(1, Ordering::Relaxed))
    }
}

/// The names of one request.
pub(crate) struct Trace {
    id: String,
    client_id: Option<HeaderValue>,
    traceparent: Option<HeaderValue>,
}

impl Trace {
    /// Takes the caller's names, if they are fit to be repeated, and gives our own.
    pub(crate) fn new(names: &Names, fields: &HeaderMap) -> Self {
        let fit = |name: &HeaderName| {
            let value = fields.get(name)?;
            let printable = value.as_bytes().iter().all(u8::is_ascii_graphic);
            (printable && (1..=LONGEST).contains(&value.len())).then(|| value.clone())
        };
        Self { id: names.next(), client_id: fit(&CLIENT_REQUEST_ID), traceparent: fit(&TRACEPARENT) }
    }

    /// Puts the names into a line of the log.
    pub(crate) fn record<'a>(&self, line: Line<'a>) -> Line<'a> {
        let text = |value: &Option<HeaderValue>| Some(value.as_ref()?.to_str().ok()?.to_owned());
        line.with("requestId", self.id.as_str())
            .with_some("clientRequestId", text(&self.client_id))
            .with_some("traceparent", text(&self.traceparent))
    }

    /// Puts the names into the header of the answer.
    pub(crate) fn mark(self, fields: &mut HeaderMap) {
        // Ours consists of hexadecimal digits and a hyphen.
        if let Ok(id) = HeaderValue::try_from(self.id) {
            fields.insert(REQUEST_ID, id);
        }
        fields.extend(self.client_id.map(|id| (CLIENT_REQUEST_ID, id)));
        fields.extend(self.traceparent.map(|trace| (TRACEPARENT, trace)));
    }
}
