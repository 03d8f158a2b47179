//! Kubelet's part of a contract: flags, labels, and where its binaries are.

use slipway_contract::messages::{KubeBinaryConfig, KubeletConfig};

use super::Impossible;
use crate::Fidelity;
use crate::computed::{KubeletSettings, Release, Taints, base_flags, kubelet_flags};
use crate::nps::profile::{Architecture, HelperValues, KubeletSettings as Asked, ProvisionProfile};
use crate::request::{GoDuration, Kubelet, NodeClass, NodeClassSpec, Options, Taint};
use crate::sizes::{Reservation, kube_reserved};

/// Sizes beyond this are mistakes.
const MOST: f64 = 100_000.0;
const PAUSE: &str = "--pod-infra-container-image";

/// The architecture, as addresses of binaries name it.
pub(super) fn arch(profile: &ProvisionProfile) -> &'static str {
    match profile.architecture {
        Architecture::X64 => "amd64",
        Architecture::Arm64 => "arm64",
    }
}

/// The Kubernetes version.
pub(super) fn release(profile: &ProvisionProfile) -> Result<Release<'_>, Impossible> {
    Release::parse(&profile.orchestrator_version)
        .map_err(|problem| Impossible::member("orchestratorVersion", problem.to_string()))
}

/// Where the node gets its binaries.
pub(super) fn binaries(profile: &ProvisionProfile) -> Result<KubeBinaryConfig, Impossible> {
    let release = release(profile)?;
    Ok(KubeBinaryConfig {
        kube_binary_url: release.kube_binary_url(arch(profile)),
        linux_credential_provider_url: release.credential_provider_url(arch(profile)),
        // containerd needs it whether or not kubelet still has a flag for it.
        pod_infra_container_image_url: base_flags(Release { minor: 0, ..release })
            .get(PAUSE)
            .unwrap_or_default()
            .to_owned(),
        ..KubeBinaryConfig::default()
    })
}

/// Flags and labels.
pub(super) fn kubelet_config(
    options: &Options,
    profile: &ProvisionProfile,
    size: HelperValues,
) -> Result<KubeletConfig, Impossible> {
    let mut asked = profile.custom_kubelet_config.as_ref().map(class).transpose()?.unwrap_or_default();
    let swap = profile.custom_linux_os_config.as_ref().and_then(|system| system.swap_file_size_mb);
    // Whoever asks for swap and says no more wants a kubelet that starts with it.
    if asked.fail_swap_on.is_none() && swap.is_some_and(|size| size > 0) {
        asked.fail_swap_on = Some(false);
    }
    let spec =
        NodeClassSpec { kubelet: Some(asked), max_pods: Some(profile.max_pods), ..NodeClassSpec::default() };
    let node_class = NodeClass { spec, ..NodeClass::default() };
    let settings = KubeletSettings::prepare(options, &node_class, reserved(size)?, Fidelity::Ours);
    let taints = Taints {
        general: taints(&profile.node_taints),
        startup: taints(&profile.node_initialization_taints),
    };
    let flags = kubelet_flags(release(profile)?, &taints, Some(&settings), Fidelity::Ours);
    Ok(KubeletConfig {
        kubelet_flags: flags
            .iter()
            .map(|(flag, value)| (flag.to_owned(), value.value.clone().into_owned()))
            .collect(),
        kubelet_node_labels: profile.custom_node_labels.clone(),
        ..KubeletConfig::default()
    })
}

fn reserved(size: HelperValues) -> Result<Reservation, Impossible> {
    let fits = |amount: f64| (0.0..MOST).contains(&amount);
    if !fits(size.sku_cpu) || !fits(size.sku_memory) {
        let problem = format!("skuCPU and skuMemory must be from 0 to {MOST}");
        return Err(Impossible::member("provisionHelperValues", problem));
    }
    #[expect(clippy::cast_possible_truncation, reason = "it was looked at whether it fits")]
    let processors = size.sku_cpu as i64;
    Ok(kube_reserved(processors, size.sku_memory))
}

/// A request's settings as a node class has them.
fn class(asked: &Asked) -> Result<Kubelet, Impossible> {
    let period = asked.cpu_cfs_quota_period.as_deref().filter(|period| !period.is_empty());
    let period = period.map(|period| {
        GoDuration::parse(period).ok_or_else(|| {
            Impossible::member(
                "customKubeletConfig",
                format!("cpuCfsQuotaPeriod: {period:?} is not a duration"),
            )
        })
    });
    let word = |word: &Option<String>| word.clone().unwrap_or_default();
    Ok(Kubelet {
        cpu_manager_policy: word(&asked.cpu_manager_policy),
        cpu_cfs_quota: asked.cpu_cfs_quota,
        cpu_cfs_quota_period: period.transpose()?.unwrap_or_default(),
        image_gc_high_threshold_percent: asked.image_gc_high_threshold,
        image_gc_low_threshold_percent: asked.image_gc_low_threshold,
        topology_manager_policy: word(&asked.topology_manager_policy),
        allowed_unsafe_sysctls: asked.allowed_unsafe_sysctls.clone().unwrap_or_default(),
        container_log_max_size: asked
            .container_log_max_size_mb
            .map_or(String::new(), |size| format!("{size}Mi")),
        container_log_max_files: asked.container_log_max_files,
        pod_pids_limit: asked.pod_max_pids.map(i64::from),
        fail_swap_on: asked.fail_swap_on,
    })
}

/// The taints that mean something: those without an effect do not, and kubelet does not start with them.
fn taints(texts: &[String]) -> Vec<Taint> {
    let parsed = texts.iter().filter_map(|text| {
        let (rest, effect) = text.rsplit_once(':').filter(|(_, effect)| !effect.is_empty())?;
        let (key, value) = rest.split_once('=').unwrap_or((rest, ""));
        Some(Taint { key: key.to_owned(), value: value.to_owned(), effect: effect.to_owned() })
    });
    parsed.collect()
}
