//! Kubelet's own loader and validation judge the kubelet configuration.

use serde_json::{Value, json};
use slipway_contract::Contract;
use slipway_scripts::Mode;

use super::contracts::{Family, contract, named, text};
use super::programs::{KUBELET_CONFIG, file};

/// What kubelet makes of a configuration; errors are empty where there are none.
#[derive(Debug)]
struct Verdict {
    /// Of the strict reader, which kubelet only logs.
    strict: String,
    /// Of the reader whose result kubelet uses.
    load: String,
    gates: String,
    validation: String,
    /// The configuration with its defaults.
    effective: Value,
}

fn judge(text: &str) -> Verdict {
    let output = KUBELET_CONFIG.command().arg(file("json", text)).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
    let error = |name: &str| answer[name].as_str().unwrap().to_owned();
    Verdict {
        strict: error("strict"),
        load: error("load"),
        gates: error("gates"),
        validation: error("validation"),
        effective: answer["effective"].clone(),
    }
}

fn kubelet_config(contract: &Contract, mode: Mode) -> String {
    text(contract, Family::V2, mode, "KUBELET_CONFIG_FILE_CONTENT").unwrap()
}

/// The recorded contract, without the feature gates that no kubelet has.
fn realistic(name: &str) -> Contract {
    let mut contract = named(name);
    let settings = contract.kubelet_config.as_mut().unwrap().kubelet_config_file_config.as_mut().unwrap();
    settings.feature_gates.retain(|name, _| name.len() > 1);
    contract
}

#[test]
fn print() {
    for name in ["041-kubelet-config-file", "042-kubelet-config-file-1-34"] {
        for mode in [Mode::Compat, Mode::Ours] {
            println!("{name} {mode:?} {:#?}", judge(&kubelet_config(&named(name), mode)));
            let mut v = judge(&kubelet_config(&realistic(name), mode));
            v.effective = Value::Null;
            println!("{name} {mode:?} {v:#?}");
        }
    }
}
