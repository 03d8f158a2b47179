//! Operations that do not end at once: a client is told where to ask how far they are.

use std::time::Instant;

use serde_json::json;

use super::refusal::Refusal;
use super::target::Target;
use super::{Arm, address};
use crate::azure::answer::Answer;
use crate::azure::http::Request;
use crate::azure::id::uuid;

/// The resource types of operations, one of each provider that has some.
pub(super) const HYBRID_COMPUTE: &str = "Microsoft.HybridCompute/locations/operationStatus";
pub(super) const CONTAINER_SERVICE: &str = "Microsoft.ContainerService/locations/operations";

impl Arm {
    /// Begins an operation of this type, and says in an answer where to ask for it. The moment is when it ends.
    pub(super) fn begin(&mut self, kind: &str, request: &Request, answer: Answer) -> (Answer, Instant) {
        let done = Instant::now() + self.patience;
        let id = uuid(&format!("operation {}", self.next_request()));
        let (provider, name) = kind.rsplit_once('/').unwrap_or((kind, "operations"));
        let Self { subscription, location, .. } = self;
        let path = format!("/subscriptions/{subscription}/providers/{provider}/{location}/{name}/{id}");
        let version = request.query("api-version").unwrap_or_default();
        let answer = answer.with("Azure-AsyncOperation", address(&path, &version)).with("Retry-After", "1");
        self.operations.insert(id, done);
        (answer, done)
    }
}

/// How far an operation is.
pub(super) fn answer(arm: &Arm, target: &Target) -> Result<Answer, Refusal> {
    let Some(done) = arm.operations.get(target.name()) else {
        let words = format!("The operation '{}' was not found.", target.name());
        return Err(Refusal::new(404, "OperationNotFound", words));
    };
    let is_done = *done <= Instant::now();
    let status = if is_done { "Succeeded" } else { "InProgress" };
    let answer = Answer::json(200, &json!({ "id": target.id, "name": target.name(), "status": status }));
    Ok(if is_done { answer } else { answer.with("Retry-After", "1") })
}
