//! Node bootstrapping: a provision profile comes in, custom data and command go out.

use bytes::Bytes;
use http_body_util::{BodyExt as _, LengthLimitError, Limited};
use hyper::body::{Body as _, Incoming};
use slipway_launch::nps::{self, Clusters};
use tokio::time::timeout;

use super::{ClusterPath, Problem, RequestLimits};

/// Reads a body within its limits.
pub(super) async fn body(body: Incoming, limits: &RequestLimits) -> Result<Bytes, Problem> {
    // Announced lengths are refused before a byte is read.
    if body.size_hint().lower() > limits.body as u64 {
        return Err(Problem::TooLarge(limits.body));
    }
    match timeout(limits.body_time, Limited::new(body, limits.body).collect()).await {
        Ok(Ok(body)) => Ok(body.to_bytes()),
        Ok(Err(error)) if error.is::<LengthLimitError>() => Err(Problem::TooLarge(limits.body)),
        Ok(Err(_)) => Err(Problem::Malformed("the body ended before it was complete".to_owned())),
        Err(_) => Err(Problem::SlowBody),
    }
}

/// The answer's JSON. It holds no secret: the client fills in the token.
pub(super) fn answer(clusters: &Clusters, path: &str, body: &[u8]) -> Result<String, Problem> {
    let path = ClusterPath::parse(path).ok_or(Problem::NoSuchPath)?;
    let cluster = clusters
        .find(&path.subscription, &path.resource_group, &path.name)
        .ok_or_else(|| Problem::UnknownCluster(format!("{}/{}", path.resource_group, path.name)))?;
    let request = nps::Request::parse(body).map_err(|error| Problem::Malformed(error.to_string()))?;
    let answer = nps::answer(cluster, &request).map_err(|refusal| Problem::Refused(refusal.to_string()))?;
    answer.to_json().map_err(|error| Problem::Refused(error.to_string()))
}
