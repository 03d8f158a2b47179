//! Kubelet flags: their names, their values, and the versions that have them.

use super::findings::Findings;
use super::flag_table::{FLAGS, Flag, Value, find};
use super::kubernetes::Version;
use super::shapes::Wrong;
use super::shapes::kube::kubelet_flag;
use super::{flag_values, labels, rules};
use crate::Contract;
use crate::codec::{map_key, quote};
use crate::suggest::nearest;

rules! {
    KUBELET_FLAG_UNKNOWN: Warning "kubelet-flag-unknown",
    summary: "A flag is one that the kubelet has.",
    reason: "The kubelet refuses to start with a flag that it does not know. It is a warning because newer \
             kubelets may know flags that this list does not.",
    good: r#"{"kubelet_config": {"kubelet_flags": {"--max-pods": "110"}}}"#,
    bad: r#"{"kubelet_config": {"kubelet_flags": {"--maxpods": "110"}}}"#;

    KUBELET_FLAG_REMOVED: Error "kubelet-flag-removed",
    summary: "A flag is one that the kubelet of this version still has.",
    reason: "The kubelet refuses to start with a flag that was removed.",
    good: r#"{"kubernetes_version": "1.34.1", "kubelet_config": {"kubelet_flags": {"--pod-infra-container-image": "pause:3.10"}}}"#,
    bad: r#"{"kubernetes_version": "1.35.0", "kubelet_config": {"kubelet_flags": {"--pod-infra-container-image": "pause:3.10"}}}"#;

    KUBELET_FLAG_VALUE: Error "kubelet-flag-value",
    summary: "A flag's value is of the kind that the flag takes: a number, a duration, an address, taints.",
    reason: "The kubelet refuses to start with a value that it cannot read.",
    good: r#"{"kubelet_config": {"kubelet_flags": {"--register-with-taints": "dedicated=gpu:NoSchedule"}}}"#,
    bad: r#"{"kubelet_config": {"kubelet_flags": {"--register-with-taints": "dedicated=gpu:NoScheduling"}}}"#;

    STREAMING_TIMEOUT_DROPPED: Warning "streaming-timeout-dropped",
    summary: "The idle timeout of streaming connections is not set for Kubernetes 1.34 and later.",
    reason: "The node removes the flag and empties the field there, so the setting has no effect.",
    good: r#"{"kubernetes_version": "1.33.2", "kubelet_config": {"kubelet_flags": {"--streaming-connection-idle-timeout": "4h0m0s"}}}"#,
    bad: r#"{"kubernetes_version": "1.34.0", "kubelet_config": {"kubelet_flags": {"--streaming-connection-idle-timeout": "4h0m0s"}}}"#;

    CLOUD_PROVIDER_GONE: Warning "cloud-provider-gone",
    summary: "The cloud provider is `external` for Kubernetes 1.31 and later.",
    reason: "The providers inside Kubernetes are gone since then; the cloud's own controllers do their work.",
    good: r#"{"kubernetes_version": "1.31.0", "kubelet_config": {"kubelet_flags": {"--cloud-provider": "external"}}}"#,
    bad: r#"{"kubernetes_version": "1.31.0", "kubelet_config": {"kubelet_flags": {"--cloud-provider": "azure"}}}"#;
}

const STREAMING_TIMEOUT: &str = "--streaming-connection-idle-timeout";

pub(super) fn check(contract: &Contract, findings: &mut Findings<'_>) {
    let Some(kubelet) = &contract.kubelet_config else { return };
    let version = Version::parse(&contract.kubernetes_version);
    for (name, value) in &kubelet.kubelet_flags {
        if findings.is_full() {
            return;
        }
        let path = flag_path(name);
        match find(name) {
            Some(flag) => known(flag, value, version, &path, findings),
            None if kubelet_flag(name).is_ok() => unknown(name, &path, findings),
            // The shape of the key is reported already.
            None => {}
        }
    }
    let timeout =
        kubelet.kubelet_config_file_config.as_ref().map(|file| &file.streaming_connection_idle_timeout);
    if timeout.is_some_and(|timeout| !timeout.is_empty()) {
        let path = "kubelet_config.kubelet_config_file_config.streaming_connection_idle_timeout";
        dropped_timeout(version, path, findings);
    }
}

/// Where a flag stands in the contract.
pub(super) fn flag_path(name: &str) -> String {
    format!("kubelet_config.kubelet_flags{}", map_key(name))
}

fn known(flag: &Flag, value: &str, version: Option<Version>, path: &str, findings: &mut Findings<'_>) {
    if flag.name == STREAMING_TIMEOUT {
        dropped_timeout(version, path, findings);
    }
    if let (Some(gone), Some(version)) = (flag.gone_in, version)
        && version.is_at_least(1, gone)
    {
        let message = format!("the kubelet has no flag {} since Kubernetes 1.{gone}", flag.name);
        return findings.advise(&KUBELET_FLAG_REMOVED, path, message, "remove it");
    }
    if value.is_empty() {
        return;
    }
    if flag.name == "--cloud-provider"
        && value != "external"
        && version.is_some_and(|version| version.is_at_least(1, 31))
    {
        let message = format!("Kubernetes has no cloud provider {} since 1.31", quote(value));
        findings.advise(&CLOUD_PROVIDER_GONE, path, message, "write external");
    }
    if let Err(Wrong { why, hint }) = flag_values::held_against(flag.value, value) {
        let colon = if why.is_empty() { "" } else { ": " };
        let message = format!("{} is not a value of {}{colon}{why}", quote(value), flag.name);
        if hint.is_empty() {
            findings.report(&KUBELET_FLAG_VALUE, path, message);
        } else {
            findings.advise(&KUBELET_FLAG_VALUE, path, message, hint);
        }
    }
    if matches!(flag.value, Value::Labels) {
        for (key, _) in value.split(',').filter_map(|label| label.split_once('=')) {
            labels::held_against_kubelet(key, path, findings);
        }
    }
}

fn unknown(name: &str, path: &str, findings: &mut Findings<'_>) {
    let message = format!("the kubelet has no flag {} as far as is known", quote(name));
    let hint = match nearest(name, FLAGS.iter().filter(|flag| flag.gone_in.is_none()).map(|flag| flag.name)) {
        Some(meant) => format!("did you mean {meant}?"),
        None => "look it up in the kubelet reference of your Kubernetes version".to_owned(),
    };
    findings.advise(&KUBELET_FLAG_UNKNOWN, path, message, hint);
}

fn dropped_timeout(version: Option<Version>, path: &str, findings: &mut Findings<'_>) {
    if drops_streaming_timeout(version) {
        findings.advise(
            &STREAMING_TIMEOUT_DROPPED,
            path,
            "the node drops this setting for Kubernetes 1.34 and later",
            "remove it",
        );
    }
}

/// Whether the node takes the idle timeout of streaming connections out of the contract.
pub(super) fn drops_streaming_timeout(version: Option<Version>) -> bool {
    version.is_some_and(|version| version.is_at_least(1, 34))
}
