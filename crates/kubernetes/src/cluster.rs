//! What a launcher asks an API server about its cluster, kept for a while.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use serde::Deserialize;
use slipway_fetch::Patience;
use slipway_model::Secret;

use crate::server::retrying;
use crate::{ApiError, ApiServer};

/// How long answers are good: a control plane is upgraded in more time than this.
const KEPT: Duration = Duration::from_mins(15);
const DNS_SERVICE: &str = "/api/v1/namespaces/kube-system/services/kube-dns";
const TOKENS: &str =
    "/api/v1/namespaces/kube-system/secrets?fieldSelector=type%3Dbootstrap.kubernetes.io%2Ftoken";

/// What a cluster says about itself.
#[derive(Debug, Clone)]
pub struct ClusterFacts {
    /// Its version, without `v`.
    pub version: String,
    /// The address of its DNS service; none where there is no such service, or we may not see it.
    pub dns_service_ip: Option<String>,
    /// A token that nodes can join with; none where there is none, or we may not see it.
    pub bootstrap_token: Option<Secret<String>>,
}

/// A cluster whose answers are kept, and asked for again when they are old.
pub struct LiveCluster {
    server: ApiServer,
    kept: Mutex<Option<(Instant, ClusterFacts)>>,
}

/// Facts, and whether they are of today.
#[derive(Debug)]
pub struct Freshness {
    /// What the cluster says, or said.
    pub facts: ClusterFacts,
    /// Why it could not be asked again, where it could not.
    pub stale: Option<ApiError>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Version {
    git_version: String,
}

#[derive(Deserialize)]
struct Service {
    spec: ServiceSpec,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ServiceSpec {
    #[serde(rename = "clusterIP")]
    cluster_ip: Option<String>,
}

#[derive(Deserialize)]
struct Tokens {
    items: Option<Vec<Token>>,
}

#[derive(Deserialize)]
struct Token {
    #[serde(default)]
    data: TokenData,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "kebab-case", default)]
struct TokenData {
    token_id: String,
    token_secret: Secret<String>,
    expiration: String,
    usage_bootstrap_authentication: String,
}

impl LiveCluster {
    /// A cluster that nothing is known of yet.
    pub fn new(server: ApiServer) -> Self {
        Self { server, kept: Mutex::new(None) }
    }

    /// What the cluster says: what it said not long ago, else asked within the patience. Where it cannot be asked again
    /// it is better to go on with what it said last.
    pub fn facts(&self, patience: Patience<'_>) -> Result<Freshness, ApiError> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((asked, facts)) = &*kept
            && asked.elapsed() < KEPT
        {
            return Ok(Freshness { facts: facts.clone(), stale: None });
        }
        match self.server.cluster_facts(patience) {
            Ok(facts) => {
                *kept = Some((Instant::now(), facts.clone()));
                Ok(Freshness { facts, stale: None })
            }
            Err(error) => match &*kept {
                Some((_, facts)) => Ok(Freshness { facts: facts.clone(), stale: Some(error) }),
                None => Err(error),
            },
        }
    }

    /// Forgets what was said, so that it is asked for again.
    pub fn refresh(&self) {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((asked, _)) = &mut *kept {
            *asked = asked.checked_sub(KEPT).unwrap_or(*asked);
        }
    }
}

impl ApiServer {
    /// The server's version, without `v`; asked for again while that may help and there is time.
    pub fn version(&self, patience: Patience<'_>) -> Result<String, ApiError> {
        let version: Version = retrying(patience, || self.get("/version", patience))?;
        Ok(version.git_version.strip_prefix('v').unwrap_or(&version.git_version).to_owned())
    }

    /// Asks for the facts of the cluster, again while that may help and there is time.
    pub fn cluster_facts(&self, patience: Patience<'_>) -> Result<ClusterFacts, ApiError> {
        let version = self.version(patience)?;
        let service = visible(retrying(patience, || self.get::<Service>(DNS_SERVICE, patience)))?;
        let tokens = visible(retrying(patience, || self.get::<Tokens>(TOKENS, patience)))?;
        Ok(ClusterFacts {
            version,
            dns_service_ip: service.and_then(|service| service.spec.cluster_ip).filter(|ip| ip != "None"),
            bootstrap_token: tokens.and_then(|tokens| best(tokens.items.unwrap_or_default())),
        })
    }
}

/// What is not there, or not for us, is nothing.
fn visible<T>(answer: Result<T, ApiError>) -> Result<Option<T>, ApiError> {
    match answer {
        Ok(answer) => Ok(Some(answer)),
        Err(ApiError::Forbidden { .. }) => Ok(None),
        Err(error) if error.has_status(404) => Ok(None),
        Err(error) => Err(error),
    }
}

/// The token that lives longest: one without an end, else the one whose end is last. What has ended the API server
/// deletes.
fn best(tokens: Vec<Token>) -> Option<Secret<String>> {
    let usable = tokens.into_iter().filter_map(|token| {
        let data = token.data;
        let usage = decoded(&data.usage_bootstrap_authentication)?;
        (usage == "true").then_some(())?;
        let end = decoded(&data.expiration).unwrap_or_default();
        let text = format!("{}.{}", decoded(&data.token_id)?, decoded(data.token_secret.expose())?);
        Some((end.is_empty(), end, Secret::new(text)))
    });
    usable.max_by(|one, other| (one.0, &one.1).cmp(&(other.0, &other.1))).map(|(_, _, token)| token)
}

fn decoded(base64: &str) -> Option<String> {
    String::from_utf8(BASE64_STANDARD.decode(base64).ok()?).ok()
}
