//! A live cluster, asked for what a launch request leaves out.

use std::path::Path;
use std::time::{Duration, Instant};

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use serde_json::Value;
use slipway_kubernetes::Patience;
use slipway_launch::detect::{LiveCluster, Sighting, fill};

use super::kubeconfig::Kubeconfig;
use crate::failure::Failure;
use crate::screen::Screen;

/// What the cluster says, within this time.
pub(super) fn sightings(kubeconfig: &Path, within: Duration) -> Result<Vec<Sighting>, Failure> {
    let kubeconfig = Kubeconfig::read(kubeconfig)?;
    let cluster = slipway_kubernetes::LiveCluster::new(kubeconfig.api_server()?);
    let answer = cluster.facts(Patience::new(Instant::now() + within, &|| false)).map_err(|error| {
        let blame = error.blame();
        Failure { blame, ..Failure::machine("cluster-silent", "cannot ask the cluster", error) }
    })?;
    let facts = answer.facts;
    let live = LiveCluster {
        endpoint: kubeconfig.endpoint_of_nodes().unwrap_or_default().to_owned(),
        ca_bundle_base64: BASE64_STANDARD.encode(&kubeconfig.ca_pem),
        version: facts.version,
        dns_service_ip: facts.dns_service_ip,
        bootstrap_token: facts.bootstrap_token,
    };
    Ok(live.sightings())
}

/// A request's text with its blanks filled; what the cluster says otherwise is a warning.
pub(super) fn filled(
    text: &str,
    kubeconfig: &Path,
    within: Duration,
    name: &str,
    screen: &Screen,
) -> Result<String, Failure> {
    let request: Value = serde_json::from_str(text)
        .map_err(|error| Failure::input("not-json", format!("cannot use {name}"), error))?;
    let (request, disagreements) = fill(request, sightings(kubeconfig, within)?);
    for disagreement in disagreements {
        screen.warning(disagreement);
    }
    Ok(request.to_string())
}
