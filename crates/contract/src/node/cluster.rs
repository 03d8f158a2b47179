use std::time::Duration;

use slipway_model::Sourced;
use slipway_model::node::{Cluster, Endpoint, Kubernetes};

use super::field::{decoded, demand, said};
use super::{Fate, Refused, take};
use crate::Contract;

/// How long provisioning may take, unless the contract says so within reason.
const SECONDS: i32 = 900;
const MOST_SECONDS: i32 = 21_600;

/// What becomes of the fields that this file reads.
#[rustfmt::skip]
pub(super) const FATES: &[(&str, Fate)] = &[
    ("version", Fate::Refused("a contract of another version than v1 or v0 means something else")),
    ("kubernetes_ca_cert", Fate::Honoured),
    ("kubernetes_version", Fate::Honoured),
    ("kube_proxy_url", Fate::Image("kube-proxy's image comes with the image or is pulled by its own pod")),
    ("is_vhd", Fate::Image("what an image holds is seen on it")),
    ("pre_provision_only", Fate::Honoured),
    ("cse_timeout", Fate::Honoured),
    ("provision_output", Fate::Image("no node reads it")),
    ("workload_runtime", Fate::Image("no node reads it")),
    ("disable_custom_data", Fate::Image("no node reads it")),
    ("enabled_features", Fate::Image("it is for the launcher, which reads it from custom data")),
    ("outbound_command", Fate::Honoured),
    ("azure_private_registry_server", Fate::Image("it was for docker, which nodes no longer have")),
    ("private_egress_proxy_address", Fate::Image("scripts log it and do nothing with it")),
    ("bootstrap_profile_container_registry_server", Fate::Honoured),
    ("api_server_config.api_server_public_key", Fate::Honoured),
    ("api_server_config.api_server_name", Fate::Honoured),
];

pub(super) fn read(contract: &Contract, refused: &mut Vec<Refused>) -> Cluster {
    let version = take!(contract, version);
    let understood = |version: &String| matches!(version.as_str(), "v1" | "v0");
    demand(&version, understood, refused, "only contracts of version v1 are understood");
    let outbound = take!(contract, outbound_command);
    let endpoint = outbound.map(|command| Endpoint::in_text(command));
    let found = |command: &String| command.is_empty() || Endpoint::in_text(command).is_some();
    demand(&outbound, found, refused, "no address can be found in it, and the native path runs no shell");
    let within = take!(contract, cse_timeout);
    Cluster {
        kubernetes: take!(contract, kubernetes_version).map(|text| Kubernetes::parse(text)),
        server: take!(contract, api_server_config.api_server_name),
        port: Sourced::default(),
        ca: decoded(&take!(contract, kubernetes_ca_cert), refused).map(|pem| pem.clone().unwrap_or_default()),
        server_certificate: decoded(&take!(contract, api_server_config.api_server_public_key), refused),
        registry_mirror: said(&take!(contract, bootstrap_profile_container_registry_server)),
        outbound: endpoint,
        within: within.map(|seconds| {
            // A time out of range is not bounded but ignored, as scripts do it.
            let seconds = seconds.filter(|seconds| (1..=MOST_SECONDS).contains(seconds)).unwrap_or(SECONDS);
            Duration::from_secs(u64::try_from(seconds).unwrap_or_default())
        }),
        bake_only: take!(contract, pre_provision_only),
    }
}
