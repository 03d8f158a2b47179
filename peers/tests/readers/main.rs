//! Our documents before their real readers: bash runs the boothook, cloud-init takes the MIME document and the
//! cloud-config apart, Ignition's own validator judges the Ignition document.
//!
//! These need Linux namespaces, cloud-init and Go; `./test` installs what is missing.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
#![expect(clippy::disallowed_methods, reason = "these tests are about files and processes")]

mod boothook;
mod bring;
mod cloud_init;
mod ignition;
mod machine;

use std::collections::BTreeMap;

use slipway_contract::Contract;
use slipway_contract::codec::{Policy, decode};
use slipway_contract::custom_data::{Bring, Form, Order, render};

const CONTRACT_FILE: &str = "/opt/azure/containers/aks-node-controller-config.json";
const FEATURES_FILE: &str = "/opt/azure/containers/enabled_features.sh";
const FEATURES: &str = "A=x $(id) 'q' \"\n";

/// A contract with characters that shells, MIME and YAML like to trip over.
fn contract() -> Contract {
    let text =
        r#"{"version": "v1", "vm_size": "'\"\\ $(id) `id` <EOF>\nEOF\r\n--\u0000\u007f é 😀 \ud83d\ude00"}"#;
    let mut contract: Contract = decode(text.as_bytes(), Policy::Careful).message;
    contract.enabled_features = BTreeMap::from([("A".to_owned(), "x $(id) 'q' \"".to_owned())]);
    contract
}

/// The same with a feature that is not ASCII, which an agent may damage.
fn accented() -> Contract {
    let mut contract = contract();
    contract.enabled_features = BTreeMap::from([("A".to_owned(), "é 😀 \u{1b}".to_owned())]);
    contract
}

/// The same, too large to go uncompressed.
fn large() -> Contract {
    let mut contract = contract();
    contract.message_of_the_day = "0123456789".repeat(20_000);
    contract
}

fn document(contract: &Contract, form: Form, bring: Option<&Bring>) -> Vec<u8> {
    render(&Order { contract, form, bring }).unwrap().document.expose().clone()
}

fn same_contract(file: &[u8], expected: &Contract) {
    let decoded = decode::<Contract>(file, Policy::Compatible);
    assert!(!decoded.stopped && decoded.issues.is_empty(), "{:?}", decoded.issues);
    assert_eq!(decoded.message, *expected);
    assert_eq!(file.split(|byte| *byte == b'\n').count(), 2, "one line");
}

/// The script that cloud-init takes from the first part of an uncompressed document.
fn boothook_script(document: &[u8]) -> String {
    let text = std::str::from_utf8(document).unwrap();
    let (_, script) = text.split_once("\n#cloud-boothook\n").unwrap();
    let (script, _) = script.split_once("\n--").unwrap();
    format!("{script}\n")
}
