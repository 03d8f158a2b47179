//! Numbers within bounds, and words of a list.

use super::super::findings::Findings;
use super::super::{Rule, rules};
use super::Site;
use crate::codec::{View, names};
use crate::suggest::nearest;

rules! {
    RANGE: Error "range",
    summary: "A number lies within the bounds that its reader accepts.",
    reason: "The kubelet refuses to start with a setting outside its bounds; other readers fail later and say less.",
    good: r#"{"kubelet_config": {"kubelet_config_file_config": {"image_gc_high_threshold_percent": 85}}}"#,
    bad: r#"{"kubelet_config": {"kubelet_config_file_config": {"image_gc_high_threshold_percent": 185}}}"#;

    SYSCTL_RANGE: Warning "sysctl-range",
    summary: "A kernel setting lies within the bounds that AKS documents for it.",
    reason: "The kernel may accept more, but AKS refuses such a node pool, and values far outside have taken \
             nodes down. A value that the kernel refuses is left at its default without an error.",
    good: r#"{"custom_linux_os_config": {"sysctl_config": {"vm_swappiness": 10}}}"#,
    bad: r#"{"custom_linux_os_config": {"sysctl_config": {"vm_swappiness": 200}}}"#;

    ONE_OF: Error "one-of",
    summary: "A word is one of those that its reader knows, in the same case.",
    reason: "The kubelet refuses to start with a word that it does not know, and a kernel file refuses the write.",
    good: r#"{"kubelet_config": {"kubelet_config_file_config": {"cpu_manager_policy": "static"}}}"#,
    bad: r#"{"kubelet_config": {"kubelet_config_file_config": {"cpu_manager_policy": "Static"}}}"#;

    WORD_IGNORED: Warning "word-ignored",
    summary: "A word is one of those that its renderer knows, in the same case.",
    reason: "The renderer falls back to its default without a word, so the setting looks set and is not.",
    good: r#"{"local_dns_profile": {"kube_dns_overrides": {".": {"protocol": "PreferUDP"}}}}"#,
    bad: r#"{"local_dns_profile": {"kube_dns_overrides": {".": {"protocol": "UDP"}}}}"#;
}

/// Messages whose readers fall back to a default where a word is not known.
const FORGIVING: [&str; 3] = ["LocalDnsOverrides", "CloudProviderConfig", "GpuConfig"];

pub(super) fn one_of(site: &Site<'_>, words: &[&str], findings: &mut Findings<'_>) {
    let Some(text) = site.text() else { return };
    if text.is_empty() || words.contains(&text) {
        return;
    }
    let rule = if FORGIVING.contains(&site.table.name) { &WORD_IGNORED } else { &ONE_OF };
    let hint = match nearest(text, words.iter().copied()) {
        Some(meant) if words.len() > 1 => format!("did you mean {meant}?"),
        _ => format!("known: {}", names(words.iter().copied())),
    };
    findings.advise(rule, site.path, format!("{} is not a value of {}", site.shown(), site.field.name), hint);
}

pub(super) fn range(site: &Site<'_>, low: i64, high: i64, rule: &'static Rule, findings: &mut Findings<'_>) {
    let outside = match site.value {
        View::Int(number) => !(low..=high).contains(number),
        // Every bound is far below 2^53; not-a-number is within no bounds.
        #[expect(
            clippy::cast_precision_loss,
            reason = "bounds are small numbers, and the largest stands for none"
        )]
        View::Double(number) => !(low as f64..=high as f64).contains(number),
        _ => false,
    };
    if !outside {
        return;
    }
    let found = match site.value {
        View::Double(number) if !number.is_finite() => {
            return findings.report(rule, site.path, "the value is not a finite number");
        }
        View::Double(number) => number.to_string(),
        View::Int(number) => number.to_string(),
        _ => return,
    };
    let message = if high == i64::MAX {
        format!("{found} is out of bounds: expected {low} or more")
    } else {
        format!("{found} is out of bounds: expected {low} to {high}")
    };
    findings.report(rule, site.path, message);
}
