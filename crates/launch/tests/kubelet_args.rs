//! Computed values against the tables that were recorded from the peer.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod vectors;

use std::collections::BTreeMap;

use serde_json::{Value, json};
use slipway_launch::computed::{
    KubeletFlags, KubeletSettings, Release, SubnetId, Taints, api_server_name, base_flags, base_labels,
    cluster_label, default_max_pods, is_aks_label, is_kubelet_managed, kubelet_flags, kubelet_may_set,
    machine_name, managed_group, pod_pids, provider_id, tags, taint_text, taint_texts, whole_megabytes,
};
use slipway_launch::request::{NodeClaim, NodeClass, Options, Sku};
use slipway_launch::sizes::{Architecture, instance_type, kube_reserved};
use slipway_launch::{Fidelity, Layered, Source};

fn rows(name: &str) -> Vec<Value> {
    vectors::table("kubelet-args", name)
}

fn text<'v>(row: &'v Value, member: &str) -> &'v str {
    row[member].as_str().unwrap_or_else(|| panic!("{member} of {row}"))
}

fn read<T: serde::de::DeserializeOwned>(value: &Value) -> T {
    serde_json::from_value(value.clone()).unwrap()
}

#[test]
fn the_api_server_is_named_by_its_address() {
    for row in rows("api-server-name") {
        assert_eq!(api_server_name(text(&row, "clusterEndpoint")), text(&row, "apiServerName"));
    }
}

#[test]
fn a_resource_group_becomes_a_label() {
    for row in rows("cluster-label") {
        assert_eq!(cluster_label(text(&row, "resourceGroup")), text(&row, "label"));
    }
}

#[test]
fn options_and_node_class_give_every_node_its_labels() {
    for row in rows("base-labels") {
        let (options, node_class): (Options, NodeClass) = (read(&row["options"]), read(&row["nodeClass"]));
        let subnet = node_class.spec.vnet_subnet_id.as_ref().unwrap_or(&options.vnet_subnet_id);
        let architecture = Architecture::parse(text(&row, "arch")).unwrap();
        let labels = base_labels(&options, &node_class, subnet, architecture);
        if !row["error"].is_null() {
            assert!(labels.is_err(), "{row}");
            continue;
        }
        let labels = labels.unwrap();
        let labels: BTreeMap<_, _> = labels.iter().map(|(key, value)| (key, &*value.value)).collect();
        assert_eq!(json!(labels), row["labels"]);
    }
}

#[test]
fn keys_of_labels_are_told_apart_by_their_owner() {
    for row in rows("label-keys") {
        let key = text(&row, "key");
        let found = (is_aks_label(key), is_kubelet_managed(key), kubelet_may_set(key));
        let expected =
            ["aksLabel", "kubeletManaged", "kubeletMaySet"].map(|member| row[member].as_bool().unwrap());
        assert_eq!(found, expected.into(), "{key}");
    }
}

#[test]
fn a_share_of_cpu_and_memory_is_kept_for_kubelet() {
    for row in rows("kube-reserved") {
        let kept = kube_reserved(row["vcpus"].as_i64().unwrap(), row["memoryGiB"].as_f64().unwrap());
        assert_eq!(
            (kept.cpu.to_string(), kept.memory.to_string()),
            (text(&row, "cpu").into(), text(&row, "memory").into())
        );
    }
}

#[test]
fn long_names_of_node_claims_are_shortened_for_machines() {
    for row in rows("machine-names") {
        let name = machine_name(text(&row, "nodeClaimName"));
        if row["error"].is_null() && row["panic"].is_null() {
            assert_eq!(name.unwrap(), text(&row, "machineName"));
        } else {
            assert!(name.is_err(), "{row}");
        }
    }
}

#[test]
fn the_network_decides_how_many_pods_a_node_takes() {
    for row in rows("max-pods") {
        let default = default_max_pods(text(&row, "networkPlugin"), text(&row, "networkPluginMode"));
        let pods = row["nodeClassMaxPods"].as_i64().unwrap_or(i64::from(default));
        assert_eq!(Some(pods), row["maxPods"].as_i64(), "{row}");
    }
}

#[test]
fn the_managed_security_group_names_the_cluster() {
    for row in rows("nsg") {
        let groups: Vec<String> = read(&row["networkSecurityGroups"]);
        if let Ok(group) = managed_group(&groups) {
            assert_eq!((group.name, group.cluster_id), (text(&row, "name"), text(&row, "clusterID")));
        } else {
            assert!(!row["error"].is_null(), "{row}");
        }
    }
}

#[test]
fn limits_of_processes_and_sizes_fit_the_service() {
    for row in rows("pod-pids") {
        let limit = row["podPidsLimit"].as_i64();
        assert_eq!(json!(limit.map(pod_pids)), row["podMaxPids"], "{row}");
    }
    for row in rows("quantity-to-mb") {
        assert_eq!(
            json!(whole_megabytes(text(&row, "quantity"), Fidelity::Compat)),
            row["megabytes"],
            "{row}"
        );
    }
}

#[test]
fn a_vm_leads_to_its_provider_id() {
    for row in rows("provider-id") {
        assert_eq!(provider_id(text(&row, "resourceID")), text(&row, "providerID"));
    }
}

#[test]
fn a_subnet_is_read_from_its_id() {
    for row in rows("subnet-id") {
        let id = SubnetId::parse(text(&row, "subnetID"));
        let Ok(id) = id else {
            assert!(!row["error"].is_null(), "{row}");
            continue;
        };
        let parts = (id.subscription, id.resource_group, id.network, id.name);
        let expected = (
            text(&row, "subscriptionID"),
            text(&row, "resourceGroup"),
            text(&row, "vnet"),
            text(&row, "subnet"),
        );
        assert_eq!(parts, expected);
        assert_eq!(
            Some(id.is_managed_by_aks(text(&row, "nodeResourceGroup"))),
            row["managedVnet"].as_bool(),
            "{row}"
        );
    }
}

#[test]
fn tags_of_options_node_class_and_launcher_are_merged() {
    for row in rows("tags") {
        let options: Options =
            read(&json!({"clusterName": row["clusterName"], "additionalTags": row["additionalTags"]}));
        let node_class: NodeClass = read(&json!({"spec": {"tags": row["nodeClassTags"]}}));
        let claim: NodeClaim = read(&json!({"labels": row["nodeClaimLabels"]}));
        assert_eq!(json!(tags(&options, &node_class, &claim)), row["tags"]);
    }
}

#[test]
fn taints_are_registered_in_order_with_the_launchers_own() {
    for row in rows("taints") {
        let claim: NodeClaim = read(&json!({"taints": row["taints"], "startupTaints": row["startupTaints"]}));
        let taints = Taints::of(&claim);
        assert_eq!(taint_texts(taints.iter()), text(&row, "registerWithTaints"));
        let texts = |taints: &[_]| taints.iter().map(taint_text).collect::<Vec<_>>();
        assert_eq!(
            (json!(texts(&taints.general)), json!(texts(&taints.startup))),
            (row["general"].clone(), row["startup"].clone())
        );
    }
}

#[test]
fn releases_lead_to_downloads() {
    for row in rows("version-urls") {
        let (release, arch) = (Release::parse(text(&row, "kubernetesVersion")), text(&row, "arch"));
        let Ok(release) = release else {
            assert!(!row["panic"].is_null(), "{row}");
            continue;
        };
        assert_eq!(release.kube_binary_url(arch), text(&row, "kubeBinaryURL"));
        assert_eq!(release.credential_provider_url(arch), text(&row, "credentialProviderURL"));
    }
}

#[test]
fn releases_lead_to_flags() {
    for row in rows("version-flags") {
        let Ok(release) = Release::parse(text(&row, "kubernetesVersion")) else {
            assert!(!row["panic"].is_null(), "{row}");
            continue;
        };
        assert_eq!(map(&base_flags(release)), row["kubeletFlags"]);
        let arch = text(&row, "arch");
        assert_eq!(release.kube_binary_url(arch), text(&row, "kubeBinaryURL"));
        assert_eq!(release.credential_provider_url(arch), text(&row, "credentialProviderURL"));
    }
}

#[test]
fn options_node_class_and_size_are_prepared_for_kubelet() {
    for row in rows("prepared-kubelet") {
        let (options, node_class): (Options, NodeClass) = (read(&row["options"]), read(&row["nodeClass"]));
        let sku: Sku = read(&row["sku"]);
        let Ok(size) = instance_type(&options, &node_class, &sku, text(&row, "location")) else {
            assert_eq!(row["notOffered"], true, "{row}");
            continue;
        };
        let settings = KubeletSettings::prepare(&options, &node_class, size.kube_reserved, Fidelity::Compat);
        let pods = Layered::new(settings.max_pods.value, Source::Computed);
        let unlayered = KubeletSettings { max_pods: pods, ..settings.clone() };
        assert_eq!(unlayered, vectors::kubelet_settings(&row["kubeletConfig"]).unwrap(), "{row}");
        assert_eq!(added_flags(&settings), row["flags"]);
    }
}

#[test]
fn a_kubelet_configuration_becomes_flags() {
    for case in vectors::of_kind("kubelet-args", "kubelet-config-flags") {
        let settings = vectors::kubelet_settings(&case["input"]).unwrap();
        assert_eq!(added_flags(&settings), case["expected"]["flags"], "{}", case["name"]);
    }
}

fn map(flags: &KubeletFlags) -> Value {
    json!(flags.iter().map(|(flag, value)| (flag, &*value.value)).collect::<BTreeMap<_, _>>())
}

/// What a configuration changes about the flags of a release.
fn added_flags(settings: &KubeletSettings) -> Value {
    let release = Release::parse("1.33.0").unwrap();
    let flags = kubelet_flags(release, &Taints::default(), Some(settings), Fidelity::Compat);
    let is_added = |(_, value): &(&str, &Layered<std::borrow::Cow<'_, str>>)| value.source != Source::Fixed;
    let added = flags.iter().filter(is_added).map(|(flag, value)| (flag, &*value.value));
    json!(added.collect::<BTreeMap<_, _>>())
}
