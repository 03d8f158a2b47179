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

    CREDENTIAL_PROVIDER_PAIR: Warning "credential-provider-pair",
    summary: "The two flags of the image credential provider come together.",
    reason: "With one of them alone the kubelet uses no credential provider, and pulls from private registries fail.",
    good: r#"{"kubelet_config": {"kubelet_flags": {"--image-credential-provider-config": "/var/lib/kubelet/credential-provider-config.yaml", "--image-credential-provider-bin-dir": "/var/lib/kubelet/credential-provider"}}}"#,
    bad: r#"{"kubelet_config": {"kubelet_flags": {"--image-credential-provider-config": "/var/lib/kubelet/credential-provider-config.yaml"}}}"#;
}

const STREAMING_TIMEOUT: &str = "--streaming-connection-idle-timeout";
pub(super) const PROVIDER_CONFIG: &str = "--image-credential-provider-config";
pub(super) const PROVIDER_BINARIES: &str = "--image-credential-provider-bin-dir";

pub(super) fn check(contract: &Contract, findings: &mut Findings<'_>) {
    let Some(kubelet) = &contract.kubelet_config else { return };
    let version = Version::parse(&contract.kubernetes_version);
    for (name, value) in &kubelet.kubelet_flags {
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
    for (present, missing) in [(PROVIDER_CONFIG, PROVIDER_BINARIES), (PROVIDER_BINARIES, PROVIDER_CONFIG)] {
        if kubelet.kubelet_flags.contains_key(present) && !kubelet.kubelet_flags.contains_key(missing) {
            let message = format!("{present} is set without {missing}");
            findings.advise(
                &CREDENTIAL_PROVIDER_PAIR,
                &flag_path(present),
                message,
                format!("set {missing} too"),
            );
        }
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
    if findings.is_full() {
        return findings.report(&KUBELET_FLAG_UNKNOWN, path, "");
    }
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
