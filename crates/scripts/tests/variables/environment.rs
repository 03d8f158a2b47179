//! What the scripts inherit.

use std::ffi::OsString;

use serde_json::json;
use slipway_model::Facts;
use slipway_scripts::{Mode, environment, variables};

use crate::contract;

#[test]
fn the_contract_wins_over_what_is_inherited_and_the_peers_sorting_does_not_let_it() {
    let contract = contract(&json!({"cluster_config": {"location": "eastus", "resource_group": "rg"}}));
    let facts = Facts::default();
    let inherited =
        [("LOCATION", "a"), ("RESOURCE_GROUP", "zzz"), ("ENABLE_IMDS_RESTRICTION", "true"), ("MINE", "on")]
            .map(|(name, value)| (OsString::from(name), OsString::from(value)));
    for (mode, expected) in [
        (
            Mode::Compat,
            [("LOCATION", "eastus"), ("RESOURCE_GROUP", "zzz"), ("ENABLE_IMDS_RESTRICTION", "true")],
        ),
        (
            Mode::Ours,
            [("LOCATION", "eastus"), ("RESOURCE_GROUP", "rg"), ("ENABLE_IMDS_RESTRICTION", "false")],
        ),
    ] {
        let variables = variables(&contract, &facts, mode).unwrap();
        let environment = environment(inherited.clone(), &variables, mode);
        for (name, value) in expected {
            assert_eq!(environment.get(name).unwrap(), value, "{mode:?} {name}");
        }
        assert_eq!(environment.get("MINE").unwrap(), "on");
        assert_eq!(environment.iter().count(), 165);
    }
}

#[test]
fn printing_an_environment_shows_names_only() {
    let contract = contract(&json!({"bootstrapping_config": {"tls_bootstrapping_token": "abcdef.0123"}}));
    let facts = Facts::default();
    let variables = variables(&contract, &facts, Mode::Ours).unwrap();
    let environment = environment([(OsString::from("A"), OsString::from("hunter2"))], &variables, Mode::Ours);
    let shown = format!("{environment:?}");
    assert!(shown.contains("TLS_BOOTSTRAP_TOKEN") && !shown.contains("abcdef") && !shown.contains("hunter2"));
}

#[cfg(unix)]
#[test]
fn an_inherited_value_need_not_be_text() {
    use std::os::unix::ffi::OsStringExt as _;

    let odd = OsString::from_vec(vec![b'x', 0xff]);
    let (contract, facts) = (slipway_contract::Contract::default(), Facts::default());
    let variables = variables(&contract, &facts, Mode::Compat).unwrap();
    let environment = environment([(OsString::from("ODD"), odd.clone())], &variables, Mode::Compat);
    assert_eq!(environment.get("ODD").unwrap(), odd);
}
