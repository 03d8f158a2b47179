//! The secrets that this machine was made with, so that they can be found elsewhere.

use std::path::Path;

use serde_json::Value;
use slipway_contract::Contract;
use slipway_contract::codec::{Options, Policy, Secrets, decode, encode};
use slipway_host::Host;
use slipway_model::Secret;
use slipway_scripts::paths;

/// What is secret in the machine's contract and in its flex configuration.
pub(super) fn of(host: &dyn Host) -> Vec<Secret<String>> {
    let mut found = Vec::new();
    if let Ok(text) = host.read(Path::new(paths::CONTRACT)) {
        let contract: Contract = decode(&text, Policy::Careful).message;
        let written = |secrets| parsed(&encode(&contract, Options { secrets, ..Options::FILE }));
        differing(&written(Secrets::Reveal), &written(Secrets::Mask), &mut found);
    }
    let flex = host.read(Path::new(slipway_flex::CONFIG)).ok();
    if let Some(config) = flex.and_then(|text| slipway_flex::read(&text, "machine").config) {
        differing(&config.report(true), &config.report(false), &mut found);
    }
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
