//! What the native path cannot do, and what it does the same each time.

use serde_json::{Value, json};
use slipway_contract::node::{Fate, fates};

use crate::case::{cases, merged, plain};
use crate::root::Root;
use crate::tree::tree;

/// What a run that refuses its contract writes: the result, for those who wait for it, and Slipway's own record.
const RESULT: [&str; 3] =
    ["/opt/azure/containers/provision.complete", "/var/log/azure/", "/var/lib/slipway/"];

/// A value for a field that asks for something.
fn asking(path: &str) -> Value {
    let (_, name) = path.rsplit_once('.').unwrap_or(("", path));
    match name {
        "version" => json!("v9"),
        "enable_managed_gpu" | "enable_managed_gpu_dra" => json!(true),
        "mig_profile_layout" => json!(["1g.10gb"]),
        "containerd_package_url" | "repo_depot_endpoint" => json!("https://packages.example/containerd.deb"),
        "gpu_instance_profile" => json!("MIG1g"),
        _ => json!("corp.example"),
    }
}

#[test]
fn a_field_that_cannot_be_honoured_is_refused_by_name_before_anything_is_touched() {
    let refused = fates().filter(|(_, fate)| matches!(fate, Fate::Refused(_))).map(|(path, _)| *path);
    let mut tried = 0;
    for path in refused {
        let patch = path.rsplit('.').fold(asking(path), |value, name| json!({ name: value }));
        let mut case = plain();
        case.contract = merged(case.contract, patch);
        let root = Root::empty(&case);
        let output = root.run("provision", &["--progress", "none"]);
        let told = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(240), "{path}: {told}");
        assert!(told.contains(path), "{path}: {told}");
        let mut left = tree(&root.path());
        left.retain(|path, _| {
            !RESULT.iter().any(|result| result.starts_with(path.as_str()) || path.starts_with(result))
        });
        assert!(left.is_empty(), "{path}: {left:?}");
        tried += 1;
    }
    assert!(tried > 0);
}

#[test]
fn the_same_contract_and_facts_give_the_same_plan_byte_for_byte() {
    for case in cases() {
        let plan = || {
            let output = Root::empty(&case).run("plan", &["-o", "json"]);
            assert!(output.status.success(), "{}: {}", case.name, String::from_utf8_lossy(&output.stderr));
            output.stdout
        };
        assert!(plan() == plan(), "{}: two plans", case.name);
    }
}
