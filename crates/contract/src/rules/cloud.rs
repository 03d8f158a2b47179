//! What the cloud provider and the cloud's environment are told.

use super::findings::Findings;
use super::rules;
use crate::Contract;
use crate::codec::quote;
use crate::messages::{ClusterConfig, VmType};

rules! {
    VM_SET: Warning "vm-set",
    summary: "A scale set goes with the VM type `VMSS`, an availability set with `STANDARD`.",
    reason: "The cloud provider looks for the node in the set that fits the type, and does not find it elsewhere.",
    good: r#"{"cluster_config": {"vm_type": "VM_TYPE_VMSS", "primary_scale_set": "aks-pool-vmss"}}"#,
    bad: r#"{"cluster_config": {"vm_type": "VM_TYPE_STANDARD", "primary_scale_set": "aks-pool-vmss"}}"#;

    SCALE_SET_MISSING: Warning "scale-set-missing",
    summary: "The VM type `VMSS` comes with the name of the scale set.",
    reason: "The cloud provider adds nodes of that scale set to load balancers.",
    good: r#"{"cluster_config": {"vm_type": "VM_TYPE_VMSS", "primary_scale_set": "aks-pool-vmss"}}"#,
    bad: r#"{"cluster_config": {"vm_type": "VM_TYPE_VMSS"}}"#;

    LOCATION_FORM: Warning "location-form",
    summary: "A location is the region's name, without blanks and in lower case.",
    reason: "It goes into `azure.json` as it is, and some readers compare it as text.",
    good: r#"{"cluster_config": {"location": "westeurope"}}"#,
    bad: r#"{"cluster_config": {"location": "West Europe"}}"#;

    BACKOFF_IGNORED: Warning "backoff-ignored",
    summary: "Exponent and jitter of the backoff are set only for the mode `v1`.",
    reason: "In the mode `v2`, which is the default, the node leaves them out of `azure.json`.",
    good: r#"{"cluster_config": {"cloud_provider_config": {"backoff_mode": "v1", "backoff_exponent": 1.5}}}"#,
    bad: r#"{"cluster_config": {"cloud_provider_config": {"backoff_exponent": 1.5}}}"#;

    CUSTOM_CLOUD_ENVIRONMENT: Error "custom-cloud-environment",
    summary: "A custom cloud comes with its environment.",
    reason: "Every Azure client on the node reads the environment file to find the cloud's endpoints.",
    good: r#"{"custom_cloud_config": {"custom_cloud_env_name": "akscustom", "custom_env_json_content": "eyJuYW1lIjoiYWtzY3VzdG9tIn0="}}"#,
    bad: r#"{"custom_cloud_config": {"custom_cloud_env_name": "akscustom"}}"#;

    CUSTOM_CLOUD_OFF: Warning "custom-cloud-off",
    summary: "Settings of a custom cloud come with the environment name `akscustom`.",
    reason: "With any other name the node is one of a public cloud and ignores them.",
    good: r#"{"custom_cloud_config": {"custom_cloud_env_name": "akscustom", "custom_env_json_content": "eyJuYW1lIjoiYWtzY3VzdG9tIn0=", "repo_depot_endpoint": "https://repo.example"}}"#,
    bad: r#"{"custom_cloud_config": {"repo_depot_endpoint": "https://repo.example"}}"#;

    CUSTOM_CLOUD_NAME: Warning "custom-cloud-name",
    summary: "The environment name is `akscustom`, or that of a public Azure cloud.",
    reason: "The node knows custom clouds by that name only, and takes others for public ones.",
    good: r#"{"custom_cloud_config": {"custom_cloud_env_name": "AzurePublicCloud"}}"#,
    bad: r#"{"custom_cloud_config": {"custom_cloud_env_name": "aks-custom"}}"#;
}

const PUBLIC_CLOUDS: [&str; 4] =
    ["AzurePublicCloud", "AzureChinaCloud", "AzureUSGovernmentCloud", "AzureGermanCloud"];

pub(super) fn check(contract: &Contract, findings: &mut Findings<'_>) {
    if let Some(cluster) = &contract.cluster_config {
        vm_set(cluster, findings);
        location(&cluster.location, findings);
        backoff(cluster, findings);
    }
    custom_cloud(contract, findings);
}

fn vm_set(cluster: &ClusterConfig, findings: &mut Findings<'_>) {
    const SCALE_SET: &str = "cluster_config.primary_scale_set";
    const AVAILABILITY_SET: &str = "cluster_config.primary_availability_set";
    let (scale_set, availability_set) =
        (!cluster.primary_scale_set.is_empty(), !cluster.primary_availability_set.is_empty());
    match cluster.vm_type {
        VmType::Vmss if availability_set => {
            let message = "an availability set is named, and the VM type is VMSS";
            findings.advise(
                &VM_SET,
                AVAILABILITY_SET,
                message,
                format!("use {SCALE_SET}, or VM_TYPE_STANDARD"),
            );
        }
        VmType::Vmss if !scale_set => {
            let message = "the VM type is VMSS, and no scale set is named";
            findings.advise(
                &SCALE_SET_MISSING,
                "cluster_config.vm_type",
                message,
                format!("set {SCALE_SET}"),
            );
        }
        VmType::Standard if scale_set => {
            let message = "a scale set is named, and the VM type is STANDARD";
            findings.advise(&VM_SET, SCALE_SET, message, format!("use {AVAILABILITY_SET}, or VM_TYPE_VMSS"));
        }
        _ => {}
    }
}

fn location(location: &str, findings: &mut Findings<'_>) {
    let plain: String = location.split_whitespace().collect::<String>().to_lowercase();
    if plain != location && !location.chars().any(char::is_control) {
        let message = format!("{} is not the plain name of a region", quote(location));
        findings.advise(&LOCATION_FORM, "cluster_config.location", message, format!("write {plain}"));
    }
}

fn backoff(cluster: &ClusterConfig, findings: &mut Findings<'_>) {
    let Some(provider) = &cluster.cloud_provider_config else { return };
    if !matches!(provider.backoff_mode.as_str(), "" | "v2") {
        return;
    }
    for (field, set) in [
        ("backoff_exponent", provider.backoff_exponent.is_some()),
        ("backoff_jitter", provider.backoff_jitter.is_some()),
    ] {
        if set {
            let path = format!("cluster_config.cloud_provider_config.{field}");
            findings.advise(
                &BACKOFF_IGNORED,
                &path,
                format!("{field} has no effect in the mode v2"),
                "remove it, or set backoff_mode to v1",
            );
        }
    }
}

fn custom_cloud(contract: &Contract, findings: &mut Findings<'_>) {
    let Some(cloud) = &contract.custom_cloud_config else { return };
    let name = &cloud.custom_cloud_env_name;
    if name.eq_ignore_ascii_case("akscustom") {
        if cloud.custom_env_json_content.is_empty() {
            findings.advise(
                &CUSTOM_CLOUD_ENVIRONMENT,
                "custom_cloud_config.custom_cloud_env_name",
                "the custom cloud has no environment",
                "set custom_cloud_config.custom_env_json_content to base64 of the environment's JSON",
            );
        }
        return;
    }
    if !name.is_empty() && !PUBLIC_CLOUDS.iter().any(|known| known.eq_ignore_ascii_case(name)) {
        let message = format!("{} is not a cloud that nodes know", quote(name));
        findings.advise(
            &CUSTOM_CLOUD_NAME,
            "custom_cloud_config.custom_cloud_env_name",
            message,
            "write akscustom for a custom cloud",
        );
    }
    for (field, value) in [
        ("repo_depot_endpoint", &cloud.repo_depot_endpoint),
        ("custom_env_json_content", &cloud.custom_env_json_content),
    ] {
        if !value.is_empty() {
            let message = format!("{field} has no effect: this is not a custom cloud");
            let hint = "set custom_cloud_config.custom_cloud_env_name to akscustom";
            findings.advise(&CUSTOM_CLOUD_OFF, &format!("custom_cloud_config.{field}"), message, hint);
        }
    }
}
