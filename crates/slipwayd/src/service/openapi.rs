//! The description of the API.

/// The document, as it is served.
pub(super) fn document() -> &'static str {
    include_str!("openapi.json")
}
