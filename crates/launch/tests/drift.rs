//! Drift against the recordings of the real provider.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod vectors;

use std::collections::BTreeMap;

use serde_json::{Value, json};
use slipway_launch::computed::tags;
use slipway_launch::drift::{DriftError, Situation, drift, drift_report, in_place_hash, node_class_hash};
use slipway_launch::request::{NodeClaim, NodeClass, NodeClassSpec, Options};

#[test]
fn nodes_drift_for_the_recorded_reasons() {
    for (name, vector) in vectors::named("drift", "drift") {
        let situation: Situation = serde_json::from_value(vector["input"].clone()).unwrap();
        let found = serde_json::to_value(drift_report(&situation)).unwrap();
        assert_eq!(found["reason"], vector["expected"]["reason"], "{name}");
        assert_eq!(found["error"].is_null(), vector["expected"]["error"].is_null(), "{name}: {found}");
    }
}

#[test]
fn a_drift_has_both_values() {
    let find = |name: &str| vectors::named("drift", "drift").find(|case| case.0 == name).unwrap().1;
    for (name, node, wanted) in [
        ("vm-hash", "1", "2"),
        ("vm-version", "1.33.0", "1.33.1"),
        ("vm-identity", "id-2", "id-1"),
        ("machine-machine-recreate", "Recreate", "Synced"),
    ] {
        let situation: Situation = serde_json::from_value(find(name)["input"].clone()).unwrap();
        let found = drift(&situation).unwrap().unwrap();
        assert_eq!((found.node.as_str(), found.wanted.as_str()), (node, wanted), "{name}");
    }
}

/// The recorded situation of this name.
fn situation(name: &str) -> Situation {
    let (_, vector) = vectors::named("drift", "drift").find(|case| case.0 == name).unwrap();
    serde_json::from_value(vector["input"].clone()).unwrap()
}

#[test]
fn without_a_node_class_nothing_drifts() {
    let drifted = Situation { node_kubelet_version: "v1.0.0".to_owned(), ..situation("vm-none") };
    assert!(drift(&drifted).unwrap().is_some());
    for change in [
        (|s| s.node_pool_label = false) as fn(&mut Situation),
        |s| s.node_pool_exists = false,
        |s| s.node_class_exists = false,
        |s| s.node_class_deleting = true,
        |s| s.kubernetes_version_ready = false,
        |s| s.kubernetes_version_generation_current = false,
        |s| s.node_count = 0,
        |s| s.node_deleting = true,
    ] {
        let mut situation = drifted.clone();
        change(&mut situation);
        assert_eq!(drift(&situation), Ok(None), "{situation:?}");
    }
}

#[test]
fn what_cannot_be_told_is_an_error() {
    let vm = situation("vm-none");
    let with = |change: fn(&mut Situation)| {
        let mut changed = vm.clone();
        change(&mut changed);
        drift(&changed).unwrap_err()
    };
    assert_eq!(with(|s| s.provider_id.clear()), DriftError::NoProviderId);
    assert_eq!(with(|s| s.node_count = 2), DriftError::SeveralNodes(2, vm.provider_id.clone()));
    assert_eq!(with(|s| s.status_images = None), DriftError::NoImages);
    assert_eq!(with(|s| s.node_claim_image_id.clear()), DriftError::NoNodeImage);
    let machine = Situation { machine_found: false, ..situation("machine-none") };
    assert_eq!(drift(&machine), Err(DriftError::NoMachine(machine.provider_id.clone())));
    let community = Situation { status_images: vm.status_images.clone(), ..situation("machine-none") };
    assert!(matches!(drift(&community), Err(DriftError::MachineImage(_))));
}

#[test]
fn node_classes_have_the_recorded_hashes() {
    for row in vectors::table("drift", "nodeclass-hash") {
        assert_eq!(json!(node_class_hash(&row["spec"]).unwrap().to_string()), row["hash"], "{row}");
    }
}

#[test]
fn what_changes_in_place_has_the_recorded_hashes() {
    for row in vectors::table("drift", "in-place-hash") {
        let map = |value: &Value| -> BTreeMap<String, String> {
            serde_json::from_value::<Option<_>>(value.clone()).unwrap().unwrap_or_default()
        };
        let options = Options {
            cluster_name: row["clusterName"].as_str().unwrap().to_owned(),
            additional_tags: map(&row["additionalTags"]),
            ..Options::default()
        };
        let spec = NodeClassSpec { tags: map(&row["nodeClassTags"]), ..NodeClassSpec::default() };
        let node_class = NodeClass { spec, ..NodeClass::default() };
        let node_claim = NodeClaim { labels: map(&row["nodeClaimLabels"]), ..NodeClaim::default() };
        let tags = tags(&options, &node_class, &node_claim);
        let identities: Option<Vec<String>> = serde_json::from_value(row["nodeIdentities"].clone()).unwrap();
        let identities = identities.filter(|_| row["isAKSMachine"] == json!(false)).unwrap_or_default();
        assert_eq!(json!(in_place_hash(&identities, &tags).to_string()), row["hash"], "{row}");
    }
}
