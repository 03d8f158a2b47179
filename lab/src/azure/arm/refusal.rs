//! Why Azure Resource Manager does not do something.

use serde_json::{Value, json};

use crate::azure::answer::Answer;

/// A status, a code that programs read, and words for people.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Refusal {
    pub(super) status: u16,
    pub(super) code: &'static str,
    pub(super) message: String,
}

impl Refusal {
    pub(super) fn new(status: u16, code: &'static str, message: impl Into<String>) -> Self {
        Self { status, code, message: message.into() }
    }

    /// There is no resource of this kind and name.
    pub(super) fn not_found(kind: &str, name: &str, group: &str) -> Self {
        let message = format!("The Resource '{kind}/{name}' under resource group '{group}' was not found.");
        Self::new(404, "ResourceNotFound", message)
    }

    pub(super) fn answer(&self) -> Answer {
        Answer::json(self.status, &body(self.code, &self.message))
    }
}

/// The shape of every complaint.
pub(in crate::azure) fn body(code: &str, message: &str) -> Value {
    json!({ "error": { "code": code, "message": message } })
}

/// The code that goes with a status when nothing more is known.
pub(in crate::azure) fn usual_code(status: u16) -> &'static str {
    match status {
        400 => "BadRequest",
        401 => "AuthenticationFailed",
        403 => "AuthorizationFailed",
        404 => "ResourceNotFound",
        409 => "Conflict",
        429 => "TooManyRequests",
        503 => "ServiceUnavailable",
        _ => "InternalServerError",
    }
}
