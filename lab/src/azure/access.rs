//! What the API server asks about principals of Entra: role assignments over the cluster decide, where AKS has it so.
//!
//! Only the role that allows everything is known here; about everybody else there is no opinion, and the cluster's own
//! rules decide.

use serde_json::{Value, json};

use super::answer::Answer;
use super::http::Request;
use super::state::{State, hold};

/// The answer to a `SubjectAccessReview`.
pub(super) fn answer(state: &State, request: &Request) -> Answer {
    let review = serde_json::from_slice::<Value>(&request.body).ok();
    let Some(review) = review.filter(|it| request.method == "POST" && it["kind"] == "SubjectAccessReview")
    else {
        return Answer::of(400, "text/plain; charset=utf-8", "a SubjectAccessReview is expected");
    };
    let spec = &review["spec"];
    let groups = spec["groups"].as_array().into_iter().flatten().filter_map(Value::as_str);
    let principals: Vec<String> =
        spec["user"].as_str().into_iter().chain(groups).map(str::to_owned).collect();
    let allowed = hold(&state.arm).is_cluster_admin(&principals);
    let reason =
        if allowed { "a role assignment over the cluster" } else { "no role assignment over the cluster" };
    Answer::json(
        200,
        &json!({
            "apiVersion": review["apiVersion"],
            "kind": "SubjectAccessReview",
            "status": { "allowed": allowed, "reason": reason },
        }),
    )
}
