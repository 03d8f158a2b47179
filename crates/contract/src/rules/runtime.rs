//! The container runtime.

use super::findings::Findings;
use super::kubernetes::Version;
use super::rules;
use crate::Contract;

rules! {
    KATA_STREAMING: Error "kata-streaming",
    summary: "Kata and artifact streaming are not both on.",
    reason: "Their parts of containerd's configuration define the same tables. The result is not TOML, and \
             containerd does not start.",
    good: r#"{"is_kata": true}"#,
    bad: r#"{"is_kata": true, "enable_artifact_streaming": true}"#;

    PAUSE_IMAGE_MISSING: Warning "pause-image-missing",
    summary: "The contract names the pause image.",
    reason: "containerd's configuration gets an empty name otherwise, and no pod starts until something else sets it.",
    good: r#"{"kube_binary_config": {"pod_infra_container_image_url": "mcr.microsoft.com/oss/v2/kubernetes/pause:3.10"}}"#,
    bad: r#"{"kube_binary_config": {}}"#;

    CGROUP_V1: Warning "cgroup-v1",
    summary: "Nodes of Kubernetes 1.35 and later use cgroup v2.",
    reason: "The kubelet refuses cgroup v1 there unless told otherwise, and the runtime's driver has to be the \
             kubelet's.",
    good: r#"{"kubernetes_version": "1.35.0", "needs_cgroupv2": true}"#,
    bad: r#"{"kubernetes_version": "1.35.0", "needs_cgroupv2": false}"#;
}

pub(super) fn check(contract: &Contract, findings: &mut Findings<'_>) {
    if contract.is_kata && contract.enable_artifact_streaming {
        findings.advise(
            &KATA_STREAMING,
            "enable_artifact_streaming",
            "artifact streaming cannot be on together with Kata",
            "turn off enable_artifact_streaming or is_kata",
        );
    }
    let pause = contract.kube_binary_config.as_ref().map(|kube| &kube.pod_infra_container_image_url);
    if pause.is_none_or(String::is_empty) {
        findings.advise(
            &PAUSE_IMAGE_MISSING,
            "kube_binary_config.pod_infra_container_image_url",
            "the pause image is missing",
            "set it, such as mcr.microsoft.com/oss/v2/kubernetes/pause:3.10",
        );
    }
    let new = Version::parse(&contract.kubernetes_version).is_some_and(|version| version.is_at_least(1, 35));
    if new && contract.needs_cgroupv2 == Some(false) {
        let message = "cgroup v1 is chosen, and the kubelet of this version wants cgroup v2";
        findings.advise(&CGROUP_V1, "needs_cgroupv2", message, "set needs_cgroupv2 to true");
    }
}
