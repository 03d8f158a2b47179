//! Custom data: what the documents hold, how large they are, and that reading them gives back what was put in.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod limits;
mod reading;
mod resources;
mod vectors;

use std::collections::BTreeMap;

use slipway_contract::Contract;
use slipway_contract::codec::{Policy, decode};
use slipway_contract::custom_data::{Contents, CustomData, Form, Order, What, render};

const FORMS: [Form; 3] = [Form::Boothook, Form::Ignition, Form::CloudConfig];
const CONTRACT_PATH: &str = "/opt/azure/containers/aks-node-controller-config.json";
const FEATURES_PATH: &str = "/opt/azure/containers/enabled_features.sh";

fn contract(text: &str) -> Contract {
    decode(text.as_bytes(), Policy::Careful).message
}

/// A contract with secrets, features, and characters that documents like to trip over.
fn difficult() -> Contract {
    let mut contract = contract(
        r#"{"version": "v1", "vm_size": "'\"\\ $(id) `id` <EOF>\nEOF\r\n--\u0000\u007f é 😀", "auth_config":
        {"service_principal_secret": "hunter2"}}"#,
    );
    contract.enabled_features = BTreeMap::from([
        ("A".to_owned(), "x é $(id) 'q' \"".to_owned()),
        ("BAD NAME".to_owned(), "1".to_owned()),
    ]);
    contract
}

/// A contract of about this many bytes that gzip can do little about.
fn noisy(size: usize) -> Contract {
    let mut state = 1_u64;
    let noise = std::iter::repeat_with(|| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        char::from(b"0123456789abcdef"[usize::try_from(state >> 60).unwrap()])
    });
    let mut contract = contract(r#"{"version": "v1"}"#);
    contract.custom_ca_certs = vec![noise.take(size).collect(), "small".to_owned()];
    contract
}

fn rendered(contract: &Contract, form: Form) -> CustomData {
    render(&Order { contract, form, bring: None }).unwrap()
}

fn starts(contents: &Contents) -> Vec<&str> {
    let start = contents.findings.iter().filter_map(|finding| match &finding.what {
        What::Start(name) => Some(name.as_str()),
        _ => None,
    });
    start.collect()
}
