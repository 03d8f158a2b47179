//! What we may do, as the API server says.

use serde::Deserialize;
use serde_json::json;
use slipway_fetch::Patience;

use crate::server::retrying;
use crate::{ApiError, ApiServer};

/// Something that one may be allowed to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Access<'a> {
    /// Such as `create`.
    pub verb: &'a str,
    /// The API group; empty for the core.
    pub group: &'a str,
    /// Such as `nodes`.
    pub resource: &'a str,
    /// The object's name; empty for any.
    pub name: &'a str,
}

#[derive(Deserialize)]
struct Review {
    status: Status,
}

#[derive(Deserialize)]
struct Status {
    allowed: bool,
}

impl ApiServer {
    /// Whether we may do this. The server decides by what it knows now, so this is how a role assignment is seen to have
    /// arrived.
    pub fn may(&self, access: Access<'_>, patience: Patience<'_>) -> Result<bool, ApiError> {
        let Access { verb, group, resource, name } = access;
        let body = json!({
            "apiVersion": "authorization.k8s.io/v1",
            "kind": "SelfSubjectAccessReview",
            "spec": { "resourceAttributes": { "verb": verb, "group": group, "resource": resource, "name": name } },
        });
        let path = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews";
        let review: Review = retrying(patience, || self.post(path, &body, patience))?;
        Ok(review.status.allowed)
    }
}
