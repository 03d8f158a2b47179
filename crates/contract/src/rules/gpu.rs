//! GPUs.

use super::findings::Findings;
use super::rules;
use crate::Contract;
use crate::codec::quote;
use crate::messages::GpuConfig;

rules! {
    MIG_WITHOUT_NVIDIA: Warning "mig-without-nvidia",
    summary: "GPU partitions come with `enable_nvidia`.",
    reason: "Without it the node is not a GPU node, whatever its size, and nothing is partitioned.",
    good: r#"{"gpu_config": {"enable_nvidia": true, "gpu_instance_profile": "MIG1g"}}"#,
    bad: r#"{"gpu_config": {"gpu_instance_profile": "MIG1g"}}"#;

    MIG_LAYOUT_WITHOUT_PROFILE: Warning "mig-layout-without-profile",
    summary: "A layout of GPU partitions comes with a profile.",
    reason: "The node turns partitioning on by the profile alone; a layout without one is not looked at.",
    good: r#"{"gpu_config": {"enable_nvidia": true, "gpu_instance_profile": "MIG1g", "mig_profile_layout": ["MIG1g", "MIG2g"]}}"#,
    bad: r#"{"gpu_config": {"enable_nvidia": true, "mig_profile_layout": ["MIG1g", "MIG2g"]}}"#;

    MIG_STRATEGY_UNUSED: Warning "mig-strategy-unused",
    summary: "A strategy for GPU partitions comes with a profile or a layout.",
    reason: "Without partitions there is nothing to expose.",
    good: r#"{"gpu_config": {"enable_nvidia": true, "gpu_instance_profile": "MIG1g", "mig_strategy": "Single"}}"#,
    bad: r#"{"gpu_config": {"enable_nvidia": true, "mig_strategy": "Single"}}"#;

    TWO_GPU_VENDORS: Warning "two-gpu-vendors",
    summary: "A node has GPUs of one vendor.",
    reason: "The containerd configuration is NVIDIA's then, and the AMD setting has no effect.",
    good: r#"{"gpu_config": {"enable_nvidia": true}}"#,
    bad: r#"{"gpu_config": {"enable_nvidia": true, "enable_amd_gpu": true}}"#;

    MANAGED_GPU_OFF: Warning "managed-gpu-off",
    summary: "Managed GPU settings come with the switches they build on.",
    reason: "The managed experience needs a GPU node, and its DRA driver needs the managed experience.",
    good: r#"{"gpu_config": {"enable_nvidia": true, "enable_managed_gpu": true, "enable_managed_gpu_dra": true}}"#,
    bad: r#"{"gpu_config": {"enable_managed_gpu": true}}"#;

    NVIDIA_SIZE: Warning "nvidia-size",
    summary: "`enable_nvidia` is set for a VM size that has an NVIDIA GPU.",
    reason: "The driver cannot be installed without a GPU, and provisioning fails.",
    good: r#"{"vm_size": "Standard_NC24ads_A100_v4", "gpu_config": {"enable_nvidia": true}}"#,
    bad: r#"{"vm_size": "Standard_D4s_v5", "gpu_config": {"enable_nvidia": true}}"#;

    GPU_UNUSED: Note "gpu-unused",
    summary: "A VM size with a GPU comes with a decision about `enable_nvidia`.",
    reason: "The node does not derive it from the size: unset, pods cannot use the GPU.",
    good: r#"{"vm_size": "Standard_NC24ads_A100_v4", "gpu_config": {"enable_nvidia": false}}"#,
    bad: r#"{"vm_size": "Standard_NC24ads_A100_v4"}"#;
}

pub(super) fn check(contract: &Contract, findings: &mut Findings<'_>) {
    size(contract, findings);
    if let Some(gpu) = &contract.gpu_config {
        partitions(gpu, findings);
        switches(gpu, findings);
    }
}

/// Sizes of the N family have GPUs, nearly all of them NVIDIA's.
fn size(contract: &Contract, findings: &mut Findings<'_>) {
    let size = contract.vm_size.to_ascii_lowercase();
    let Some(family) = size.strip_prefix("standard_") else { return };
    let has_gpu = family.starts_with('n') && !family.starts_with("np");
    let is_amd = family.contains("mi300")
        || family.starts_with("nv") && family.contains("as_v4")
        || family.contains("v710");
    let wanted = contract.gpu_config.as_ref().and_then(|gpu| gpu.enable_nvidia);
    if wanted == Some(true) && !has_gpu {
        let message = format!("{} has no NVIDIA GPU", quote(&contract.vm_size));
        findings.advise(
            &NVIDIA_SIZE,
            "gpu_config.enable_nvidia",
            message,
            "choose a size of the N family, or leave it out",
        );
    }
    if wanted.is_none() && has_gpu && !is_amd {
        let message =
            format!("{} has a GPU, and gpu_config.enable_nvidia is unset", quote(&contract.vm_size));
        findings.report(&GPU_UNUSED, "vm_size", message);
    }
}

fn partitions(gpu: &GpuConfig, findings: &mut Findings<'_>) {
    let (profile, layout) = (!gpu.gpu_instance_profile.is_empty(), !gpu.mig_profile_layout.is_empty());
    let nvidia = gpu.enable_nvidia == Some(true);
    for (field, set) in [("gpu_instance_profile", profile), ("mig_profile_layout", layout)] {
        if set && !nvidia {
            let message = format!("{field} has no effect: gpu_config.enable_nvidia is not set");
            findings.advise(
                &MIG_WITHOUT_NVIDIA,
                &format!("gpu_config.{field}"),
                message,
                "set gpu_config.enable_nvidia",
            );
        }
    }
    if layout && !profile && nvidia {
        findings.advise(
            &MIG_LAYOUT_WITHOUT_PROFILE,
            "gpu_config.mig_profile_layout",
            "the layout has no profile, and nodes look at the profile",
            "set gpu_config.gpu_instance_profile too",
        );
    }
    if !matches!(gpu.mig_strategy.as_str(), "" | "None") && !profile && !layout {
        let message = "the strategy has no effect: there are no GPU partitions";
        findings.advise(
            &MIG_STRATEGY_UNUSED,
            "gpu_config.mig_strategy",
            message,
            "set gpu_config.gpu_instance_profile",
        );
    }
}

fn switches(gpu: &GpuConfig, findings: &mut Findings<'_>) {
    if gpu.enable_nvidia == Some(true) && gpu.enable_amd_gpu == Some(true) {
        let message = "NVIDIA and AMD GPUs are both on";
        findings.advise(
            &TWO_GPU_VENDORS,
            "gpu_config.enable_amd_gpu",
            message,
            "keep the one that the size has",
        );
    }
    if gpu.enable_managed_gpu && gpu.enable_nvidia != Some(true) {
        let message = "the managed GPU experience is on, and enable_nvidia is not";
        findings.advise(
            &MANAGED_GPU_OFF,
            "gpu_config.enable_managed_gpu",
            message,
            "set gpu_config.enable_nvidia",
        );
    }
    if gpu.enable_managed_gpu_dra && !gpu.enable_managed_gpu {
        let message = "the DRA driver is on, and the managed GPU experience is not";
        findings.advise(
            &MANAGED_GPU_OFF,
            "gpu_config.enable_managed_gpu_dra",
            message,
            "set gpu_config.enable_managed_gpu",
        );
    }
}
