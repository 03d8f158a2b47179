//! The secrets that this machine was made with, so that they can be found elsewhere.

use std::path::Path;

use serde_json::Value;
use slipway_contract::Contract;
use slipway_contract::codec::{Options, Policy, Secrets, decode, encode};
use slipway_host::Host;
use slipway_model::Secret;
use slipway_scripts::paths;
use slipway_timeline::text;

/// The cloud's configuration, by whomever it was written; the principal's secret is in it.
const CLOUD: (&str, &str) = ("/etc/kubernetes/azure.json", "aadClientSecret");

/// What kubelet joins with; the token is in it.
const BOOTSTRAP: &str = "/var/lib/kubelet/bootstrap-kubeconfig";

/// What is secret in the machine's contract and in its flex configuration, and in what scripts made of a contract that is
/// not here.
pub(super) fn of(host: &dyn Host) -> Vec<Secret<String>> {
    let mut found = Vec::new();
    if let Ok(file) = host.read(Path::new(paths::CONTRACT)) {
        let contract: Contract = decode(&file, Policy::Careful).message;
        let written = |secrets| parsed(&encode(&contract, Options { secrets, ..Options::FILE }));
        differing(&written(Secrets::Reveal), &written(Secrets::Mask), &mut found);
    }
    let flex = host.read(Path::new(slipway_flex::CONFIG)).ok();
    if let Some(config) = flex.and_then(|file| slipway_flex::read(&file, "machine").config) {
        differing(&config.report(true), &config.report(false), &mut found);
    }
    let (cloud, secret) = CLOUD;
    let cloud = host.read(Path::new(cloud)).map(|file| parsed(&text(&file))).unwrap_or_default();
    found.extend(cloud[secret].as_str().map(|secret| Secret::new(secret.to_owned())));
    let kubeconfig = host.read(Path::new(BOOTSTRAP)).map(|file| text(&file)).unwrap_or_default();
    let token = |line: &str| {
        line.trim().strip_prefix("token:").map(|token| token.trim().trim_matches('"').to_owned())
    };
    found.extend(kubeconfig.lines().filter_map(token).map(Secret::new));
    found
}

fn parsed(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_default()
}

/// The texts that are not the same with secrets and without them.
fn differing(revealed: &Value, masked: &Value, found: &mut Vec<Secret<String>>) {
    match (revealed, masked) {
        (Value::Object(revealed), Value::Object(masked)) => {
            for (key, value) in revealed {
                differing(value, &masked[key], found);
            }
        }
        (Value::Array(revealed), Value::Array(masked)) => {
            revealed.iter().zip(masked).for_each(|(revealed, masked)| differing(revealed, masked, found));
        }
        (Value::String(secret), masked) if masked.as_str() != Some(secret) => {
            found.push(Secret::new(secret.clone()));
        }
        _ => {}
    }
}
