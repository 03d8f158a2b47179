//! The recorded cases beside this file.
#![allow(dead_code, reason = "each test program uses the part that it needs")]
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::path::Path;

use serde_json::Value;

/// Every case of a directory, in the order of the file names.
#[expect(clippy::disallowed_methods, reason = "test data is read from files")]
pub(crate) fn all(directory: &str) -> Vec<Value> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/vectors").join(directory);
    let mut files: Vec<_> =
        std::fs::read_dir(&directory).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    assert!(!files.is_empty(), "{}", directory.display());
    files.iter().map(|file| serde_json::from_slice(&std::fs::read(file).unwrap()).unwrap()).collect()
}

/// The cases of one kind; there is at least one.
pub(crate) fn of_kind(directory: &str, kind: &str) -> Vec<Value> {
    let cases: Vec<_> = all(directory).into_iter().filter(|case| case["kind"] == kind).collect();
    assert!(!cases.is_empty(), "{directory}: no {kind}");
    cases
}

/// The cases of one kind with their names; there is at least one.
pub(crate) fn named(directory: &str, kind: &str) -> impl Iterator<Item = (String, Value)> {
    of_kind(directory, kind).into_iter().map(|case| (case["name"].as_str().unwrap().to_owned(), case))
}

/// The rows of a table; there is at least one.
pub(crate) fn table(directory: &str, name: &str) -> Vec<Value> {
    let mut tables = all(directory).into_iter().filter(|case| case["name"] == name);
    let rows = tables.next().unwrap_or_else(|| panic!("{directory}: no table {name}"))["rows"]
        .as_array()
        .unwrap()
        .clone();
    assert!(!rows.is_empty(), "{directory}/{name}");
    rows
}

/// A prepared kubelet configuration, as the recordings write it.
pub(crate) fn kubelet_settings(recorded: &Value) -> Option<slipway_launch::computed::KubeletSettings> {
    use slipway_launch::computed::{Amounts, KubeletSettings};
    use slipway_launch::request::GoDuration;
    use slipway_launch::{Layered, Source};

    let amounts = |member: &str| -> Amounts {
        let pairs = recorded[member].as_object().into_iter().flatten();
        pairs.map(|(name, amount)| (name.clone(), amount.as_str().unwrap().to_owned())).collect()
    };
    let graces = amounts("evictionSoftGracePeriod").into_iter();
    recorded.is_object().then(|| {
        let class: slipway_launch::request::Kubelet =
            serde_json::from_value(recorded["user"].clone()).unwrap();
        let pods = i32::try_from(recorded["maxPods"].as_i64().unwrap()).unwrap();
        KubeletSettings {
            class,
            max_pods: Layered::new(pods, Source::Computed),
            system_reserved: amounts("systemReserved"),
            kube_reserved: amounts("kubeReserved"),
            eviction_hard: amounts("evictionHard"),
            eviction_soft: amounts("evictionSoft"),
            eviction_soft_grace_period: graces
                .map(|(signal, grace)| (signal, GoDuration::parse(&grace).unwrap()))
                .collect(),
            eviction_max_pod_grace_period: recorded["evictionMaxPodGracePeriod"]
                .as_i64()
                .map(|grace| i32::try_from(grace).unwrap()),
            cluster_dns: recorded["clusterDNSServiceIP"].as_str().unwrap().to_owned(),
        }
    })
}
