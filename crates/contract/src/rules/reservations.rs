//! Eviction thresholds, reservations, and how they are enforced.

use super::findings::Findings;
use super::kubelet::FILE;
use super::kubernetes::quantity;
use super::rules;
use crate::Contract;
use crate::codec::{map_key, quote};
use crate::messages::{KubeletConfig, KubeletConfigFileConfig};

rules! {
    EVICTION_WITHOUT_GRACE: Error "eviction-without-grace",
    summary: "A soft eviction threshold has a grace period.",
    reason: "The kubelet refuses to start without it.",
    good: r#"{"kubelet_config": {"kubelet_config_file_config": {"eviction_soft": {"memory.available": "1Gi"}, "eviction_soft_grace_period": {"memory.available": "1m30s"}}}}"#,
    bad: r#"{"kubelet_config": {"kubelet_config_file_config": {"eviction_soft": {"memory.available": "1Gi"}}}}"#;

    GRACE_WITHOUT_EVICTION: Warning "grace-without-eviction",
    summary: "A grace period has a soft eviction threshold.",
    reason: "Without the threshold there is nothing to wait for.",
    good: r#"{"kubelet_config": {"kubelet_config_file_config": {"eviction_soft": {"memory.available": "1Gi"}, "eviction_soft_grace_period": {"memory.available": "1m30s"}}}}"#,
    bad: r#"{"kubelet_config": {"kubelet_config_file_config": {"eviction_soft_grace_period": {"memory.available": "1m30s"}}}}"#;

    SOFT_BELOW_HARD: Warning "soft-below-hard",
    summary: "A soft eviction threshold is above the hard one.",
    reason: "Otherwise the hard one is reached first, and pods are killed without their grace.",
    good: r#"{"kubelet_config": {"kubelet_config_file_config": {"eviction_hard": {"memory.available": "100Mi"}, "eviction_soft": {"memory.available": "1Gi"}, "eviction_soft_grace_period": {"memory.available": "1m"}}}}"#,
    bad: r#"{"kubelet_config": {"kubelet_config_file_config": {"eviction_hard": {"memory.available": "1Gi"}, "eviction_soft": {"memory.available": "100Mi"}, "eviction_soft_grace_period": {"memory.available": "1m"}}}}"#;

    ENFORCE_NONE: Error "enforce-none",
    summary: "`none` stands alone in the list of what is enforced.",
    reason: "The kubelet refuses to start with `none` beside something else.",
    good: r#"{"kubelet_config": {"kubelet_config_file_config": {"enforce_node_allocatable": ["none"]}}}"#,
    bad: r#"{"kubelet_config": {"kubelet_config_file_config": {"enforce_node_allocatable": ["none", "pods"]}}}"#;

    ENFORCE_CGROUP: Error "enforce-cgroup",
    summary: "A reservation that is enforced names its cgroup.",
    reason: "The kubelet refuses to start without the cgroup that it should limit.",
    good: r#"{"kubelet_config": {"kubelet_config_file_config": {"enforce_node_allocatable": ["pods", "kube-reserved"], "kube_reserved_cgroup": "/kubereserved.slice"}}}"#,
    bad: r#"{"kubelet_config": {"kubelet_config_file_config": {"enforce_node_allocatable": ["pods", "kube-reserved"]}}}"#;

    ENFORCE_TWICE: Error "enforce-twice",
    summary: "A reservation is enforced in whole or for compressible resources.",
    reason: "The kubelet refuses to start with both.",
    good: r#"{"kubelet_config": {"kubelet_config_file_config": {"enforce_node_allocatable": ["pods", "kube-reserved-compressible"], "kube_reserved_cgroup": "/kubereserved.slice"}}}"#,
    bad: r#"{"kubelet_config": {"kubelet_config_file_config": {"enforce_node_allocatable": ["kube-reserved", "kube-reserved-compressible"], "kube_reserved_cgroup": "/kubereserved.slice"}}}"#;

    ENFORCE_WITHOUT_QOS: Error "enforce-without-qos",
    summary: "Without cgroups for QoS classes nothing is enforced.",
    reason: "The kubelet refuses to start with `cgroups_per_qos` off unless `enforce_node_allocatable` is `none`; \
             unset, it is `pods`.",
    good: r#"{"kubelet_config": {"kubelet_config_file_config": {"cgroups_per_qos": false, "enforce_node_allocatable": ["none"]}}}"#,
    bad: r#"{"kubelet_config": {"kubelet_config_file_config": {"cgroups_per_qos": false}}}"#;

    STATIC_CPU_RESERVATION: Error "static-cpu-reservation",
    summary: "The CPU manager's policy `static` comes with a reservation of CPU.",
    reason: "The kubelet refuses to start if all CPUs can be given away to pods.",
    good: r#"{"kubelet_config": {"kubelet_config_file_config": {"cpu_manager_policy": "static", "kube_reserved": {"cpu": "100m"}}}}"#,
    bad: r#"{"kubelet_config": {"kubelet_config_file_config": {"cpu_manager_policy": "static"}}}"#;
}

pub(super) fn check(contract: &Contract, findings: &mut Findings<'_>) {
    let Some(kubelet) = &contract.kubelet_config else { return };
    let Some(file) = &kubelet.kubelet_config_file_config else { return };
    eviction(kubelet, file, findings);
    enforcement(file, findings);
    static_cpus(kubelet, file, findings);
}

fn eviction(kubelet: &KubeletConfig, file: &KubeletConfigFileConfig, findings: &mut Findings<'_>) {
    let given_as_flag = |flag: &str| kubelet.kubelet_flags.contains_key(flag);
    for (signal, soft) in &file.eviction_soft {
        let path = format!("{FILE}.eviction_soft{}", map_key(signal));
        if !file.eviction_soft_grace_period.contains_key(signal)
            && !given_as_flag("--eviction-soft-grace-period")
        {
            let message = format!("the soft threshold of {} has no grace period", quote(signal));
            findings.advise(
                &EVICTION_WITHOUT_GRACE,
                &path,
                message,
                "add it to eviction_soft_grace_period, such as 1m30s",
            );
        }
        if let Some(hard) = file.eviction_hard.get(signal)
            && let (Some(soft_amount), Some(hard_amount)) = comparable(soft, hard)
            && soft_amount <= hard_amount
        {
            let message =
                format!("the soft threshold {} is not above the hard one, {}", quote(soft), quote(hard));
            findings.report(&SOFT_BELOW_HARD, &path, message);
        }
    }
    for signal in file.eviction_soft_grace_period.keys() {
        if !file.eviction_soft.contains_key(signal) && !given_as_flag("--eviction-soft") {
            let path = format!("{FILE}.eviction_soft_grace_period{}", map_key(signal));
            let message = format!("the grace period of {} has no soft threshold", quote(signal));
            findings.advise(&GRACE_WITHOUT_EVICTION, &path, message, "add the threshold to eviction_soft");
        }
    }
}

/// Two thresholds as numbers, if both are percentages or both are quantities.
fn comparable(soft: &str, hard: &str) -> (Option<f64>, Option<f64>) {
    match (soft.strip_suffix('%'), hard.strip_suffix('%')) {
        (Some(soft), Some(hard)) => (soft.parse().ok(), hard.parse().ok()),
        (None, None) => (quantity(soft), quantity(hard)),
        _ => (None, None),
    }
}

fn enforcement(file: &KubeletConfigFileConfig, findings: &mut Findings<'_>) {
    let enforced = &file.enforce_node_allocatable;
    let has = |word: &str| enforced.iter().any(|known| known == word);
    let path = format!("{FILE}.enforce_node_allocatable");
    if has("none") && enforced.len() > 1 {
        findings.advise(&ENFORCE_NONE, &path, "none stands beside other values", "keep none, or the others");
    }
    for (reservation, cgroup, field) in [
        ("kube-reserved", &file.kube_reserved_cgroup, "kube_reserved_cgroup"),
        ("system-reserved", &file.system_reserved_cgroup, "system_reserved_cgroup"),
    ] {
        let compressible = format!("{reservation}-compressible");
        if (has(reservation) || has(&compressible)) && cgroup.is_empty() {
            let message = format!("{reservation} is enforced, and {field} is missing");
            findings.advise(
                &ENFORCE_CGROUP,
                &path,
                message,
                format!("set {field}, such as /{}.slice", reservation.replace('-', "")),
            );
        }
        if has(reservation) && has(&compressible) {
            findings.advise(
                &ENFORCE_TWICE,
                &path,
                format!("{reservation} is enforced in two ways"),
                format!("keep {compressible} or {reservation}"),
            );
        }
    }
    if file.cgroups_per_qos == Some(false) && !has("none") {
        findings.advise(
            &ENFORCE_WITHOUT_QOS,
            &format!("{FILE}.cgroups_per_qos"),
            "cgroups for QoS classes are off, and allocatable resources are enforced",
            "set enforce_node_allocatable to [\"none\"], or leave out cgroups_per_qos",
        );
    }
}

fn static_cpus(kubelet: &KubeletConfig, file: &KubeletConfigFileConfig, findings: &mut Findings<'_>) {
    if file.cpu_manager_policy != "static" {
        return;
    }
    let in_file = [&file.kube_reserved, &file.system_reserved]
        .iter()
        .any(|reserved| reserved.get("cpu").and_then(|cpu| quantity(cpu)).is_some_and(|cpu| cpu > 0.0));
    let as_flag = ["--kube-reserved", "--system-reserved", "--reserved-cpus"]
        .iter()
        .any(|flag| kubelet.kubelet_flags.contains_key(*flag));
    if !in_file && !as_flag {
        findings.advise(
            &STATIC_CPU_RESERVATION,
            &format!("{FILE}.cpu_manager_policy"),
            "the CPU manager's policy is static, and no CPU is reserved",
            "set kube_reserved, such as {\"cpu\": \"100m\"}",
        );
    }
}
