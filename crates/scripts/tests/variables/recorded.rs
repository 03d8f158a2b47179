//! The recordings: contract and machine in, the peer's variables out.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::Path;

use serde_json::Value;
use slipway_contract::Contract;
use slipway_contract::codec::{Policy, decode};
use slipway_model::{Containerd, Facts, JsonText};
use slipway_scripts::{DIFFERENCES, Difference, Mode, TABLE, environment, variables};

use crate::meaning::meaning;

pub(crate) struct Case {
    pub(crate) name: String,
    pub(crate) contract: Contract,
    pub(crate) facts: Facts,
    inherited: BTreeMap<String, String>,
    expected: BTreeMap<String, Value>,
}

/// All recorded cases.
pub(crate) fn cases() -> Vec<Case> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/anc-env");
    let mut paths: Vec<_> =
        std::fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    assert_eq!(paths.len(), 51);
    paths.iter().map(|path| case(&std::fs::read_to_string(path).unwrap())).collect()
}

fn case(text: &str) -> Case {
    let case: Value = serde_json::from_str(text).unwrap();
    let host = &case["host"];
    let third_word = host["containerd_output"].as_str().and_then(|output| output.split_whitespace().nth(2));
    let containerd = match third_word {
        Some(version) if host["containerd_exit_code"] == 0 => Containerd::Version(version.to_owned()),
        _ => Containerd::Missing,
    };
    let components = Some(JsonText(host["components_json"].as_str().unwrap().to_owned()));
    let config = case["config_text"].as_str().unwrap();
    Case {
        name: case["name"].as_str().unwrap().to_owned(),
        contract: decode(config.as_bytes(), Policy::Compatible).message,
        facts: Facts { containerd, components, ..Facts::default() },
        inherited: serde_json::from_value(host["inherited_env"].clone()).unwrap(),
        expected: serde_json::from_value(case["env"].clone()).unwrap(),
    }
}

#[test]
fn every_recorded_case_gives_the_same_variables() {
    for case in cases() {
        let variables = variables(&case.contract, &case.facts, Mode::Compat).unwrap();
        let names: Vec<_> = variables.iter().map(slipway_scripts::Value::name).collect();
        assert_eq!(names, case.expected.keys().collect::<Vec<_>>(), "{}", case.name);
        let inherited =
            case.inherited.iter().map(|(name, value)| (OsString::from(name), OsString::from(value)));
        let environment = environment(inherited, &variables, Mode::Compat);
        for (name, expected) in &case.expected {
            let found = meaning(name, environment.get(name).unwrap().to_str().unwrap());
            if expected.get("unreadable").is_some() {
                assert!(found.get("unreadable").is_none(), "{}: {name} is unreadable", case.name);
            } else {
                assert_eq!(found, *expected, "{}: {name}", case.name);
            }
        }
    }
}

/// Where our rules give something else for a recorded contract, and only there.
const DIFFERENT: [(&str, &[&str]); 5] = [
    ("017-custom-cloud-base64", &["ARM_RESOURCE_ENDPOINT"]),
    ("025-kata-cgroupv2-containerd-v2", &["CONTAINERD_CONFIG_CONTENT", "CONTAINERD_CONFIG_NO_GPU_CONTENT"]),
    (
        "030-localdns-health-check-and-unset-numbers",
        &["LOCALDNS_COREFILE_BASE", "LOCALDNS_COREFILE_WITH_HOSTS", "LOCALDNS_GENERATED_COREFILE"],
    ),
    ("041-kubelet-config-file", &["KUBELET_CONFIG_FILE_CONTENT"]),
    ("042-kubelet-config-file-1-34", &["KUBELET_CONFIG_FILE_CONTENT"]),
];

/// Recorded contracts that our rules refuse: what the peer makes of them, containerd refuses.
const CONTRADICTORY: [&str; 2] = ["027-kata-and-artifact-streaming", "051-fully-populated"];

#[test]
fn our_own_rules_differ_only_where_the_list_says() {
    for case in cases() {
        let variables = match variables(&case.contract, &case.facts, Mode::Ours) {
            Ok(variables) => variables,
            Err(error) => {
                assert_eq!(error.refusal.reason(), "kata-with-artifact-streaming");
                assert!(CONTRADICTORY.contains(&case.name.as_str()), "{}", case.name);
                continue;
            }
        };
        // Whether an inherited value wins is a matter of the environment, not of the variable.
        let comparable = variables.iter().filter(|value| !case.inherited.contains_key(value.name()));
        let different: Vec<_> = comparable
            .filter(|value| meaning(value.name(), value.reveal()) != case.expected[value.name()])
            .map(slipway_scripts::Value::name)
            .collect();
        let expected =
            DIFFERENT.iter().find(|(name, _)| *name == case.name).map_or(&[][..], |(_, names)| names);
        assert_eq!(different, expected, "{}", case.name);
        for name in different {
            assert!(DIFFERENCES.iter().any(|difference| difference.variable == name), "{name} is not listed");
        }
    }
}

#[test]
fn ordinary_contracts_have_no_difference_at_all() {
    let cases = cases();
    let typical: Vec<_> = cases.iter().filter(|case| case.name.contains("typical-node")).collect();
    assert_eq!(typical.len(), 3);
    for case in typical {
        let compat = variables(&case.contract, &case.facts, Mode::Compat).unwrap();
        let ours = variables(&case.contract, &case.facts, Mode::Ours).unwrap();
        assert_eq!(format!("{compat:?}"), format!("{ours:?}"), "{}", case.name);
        assert!(ours.notices.is_empty(), "{:?}", ours.notices);
    }
}

#[test]
fn the_list_of_differences_is_documented_and_names_variables_that_exist() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/differences.md");
    let page = std::fs::read_to_string(path).unwrap();
    for difference in DIFFERENCES {
        let Difference { variable, peer, ours, reason } = difference;
        assert!(TABLE.iter().any(|row| row.name == variable), "{variable}");
        let row = format!("| `{variable}` | {peer} | {ours} | {reason} |\n");
        assert!(page.contains(&row), "docs/differences.md lacks: {row}");
    }
}
