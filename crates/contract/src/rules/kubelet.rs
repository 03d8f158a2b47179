//! The kubelet's configuration file, by itself and beside the flags.

use super::findings::Findings;
use super::flag_table::find;
use super::flags::{drops_streaming_timeout, flag_path};
use super::kubernetes::Version;
use super::rules;
use crate::Contract;
use crate::codec::{Message as _, View};
use crate::messages::{KubeletConfig, KubeletConfigFileConfig};

rules! {
    KUBELET_CONFIG_EMPTY: Error "kubelet-config-empty",
    summary: "A configuration file that is switched on has content, `kind` and `api_version`.",
    reason: "The kubelet refuses to start with a file that does not say what it is.",
    good: r#"{"kubelet_config": {"enable_kubelet_config_file": true, "kubelet_config_file_config": {"kind": "KubeletConfiguration", "api_version": "kubelet.config.k8s.io/v1beta1"}}}"#,
    bad: r#"{"kubelet_config": {"enable_kubelet_config_file": true}}"#;

    KUBELET_CONFIG_OFF: Warning "kubelet-config-off",
    summary: "Content of the configuration file comes with its switch.",
    reason: "Without `enable_kubelet_config_file` the kubelet is not told of the file, and runs with its flags alone.",
    good: r#"{"kubelet_config": {"enable_kubelet_config_file": true, "kubelet_config_file_config": {"kind": "KubeletConfiguration", "api_version": "kubelet.config.k8s.io/v1beta1", "max_pods": 110}}}"#,
    bad: r#"{"kubelet_config": {"kubelet_config_file_config": {"max_pods": 110}}}"#;

    KUBELET_SETTING_TWICE: Warning "kubelet-setting-twice",
    summary: "A setting stands in the configuration file or among the flags.",
    reason: "The flag wins, and whoever reads the file is misled.",
    good: r#"{"kubelet_config": {"kubelet_flags": {"--max-pods": "110"}}}"#,
    bad: r#"{"kubelet_config": {"enable_kubelet_config_file": true, "kubelet_flags": {"--max-pods": "110"}, "kubelet_config_file_config": {"max_pods": 250}}}"#;

    KUBELET_NAME_DIFFERS: Warning "kubelet-name-differs",
    summary: "Cache times of the kubelet's webhooks are not set by the contract.",
    reason: "The contract writes them as `…Ttl` and the kubelet reads `…TTL`, so they do not reach it.",
    good: r#"{"kubelet_config": {"kubelet_config_file_config": {"authentication": {"webhook": {"enabled": true}}}}}"#,
    bad: r#"{"kubelet_config": {"kubelet_config_file_config": {"authentication": {"webhook": {"enabled": true, "cache_ttl": "2m0s"}}}}}"#;

    FALSE_NOT_WRITTEN: Warning "false-not-written",
    summary: "The kubelet's token webhook is not turned off by the contract.",
    reason: "The contract cannot tell false from unset here and leaves it out, and the kubelet's default is true.",
    good: r#"{"kubelet_config": {"kubelet_config_file_config": {"authentication": {"webhook": {"enabled": true}}}}}"#,
    bad: r#"{"kubelet_config": {"kubelet_config_file_config": {"authentication": {"webhook": {"enabled": false}}}}}"#;

    KUBELET_OPEN: Warning "kubelet-open",
    summary: "The kubelet asks the API server who may do what.",
    reason: "With the mode `AlwaysAllow` whoever can authenticate, or anyone if anonymous requests are let in, \
             can run commands in every pod of the node.",
    good: r#"{"kubelet_config": {"kubelet_config_file_config": {"authorization": {"mode": "Webhook"}}}}"#,
    bad: r#"{"kubelet_config": {"kubelet_config_file_config": {"authorization": {"mode": "AlwaysAllow"}}}}"#;

    SERVING_CERTIFICATE_PAIR: Warning "serving-certificate-pair",
    summary: "The files of the serving certificate and its key come together.",
    reason: "With one of them alone the kubelet makes a self-signed certificate and uses neither.",
    good: r#"{"kubelet_config": {"kubelet_config_file_config": {"tls_cert_file": "/etc/kubernetes/certs/kubeletserver.crt", "tls_private_key_file": "/etc/kubernetes/certs/kubeletserver.key"}}}"#,
    bad: r#"{"kubelet_config": {"kubelet_config_file_config": {"tls_cert_file": "/etc/kubernetes/certs/kubeletserver.crt"}}}"#;

    SERVER_BOOTSTRAP_GATE: Error "server-bootstrap-gate",
    summary: "Serving certificates are requested only where the gate `RotateKubeletServerCertificate` is not off.",
    reason: "The kubelet refuses to start with the one without the other.",
    good: r#"{"kubelet_config": {"kubelet_config_file_config": {"server_tls_bootstrap": true}}}"#,
    bad: r#"{"kubelet_config": {"kubelet_config_file_config": {"server_tls_bootstrap": true, "feature_gates": {"RotateKubeletServerCertificate": false}}}}"#;

    IMAGE_GC_ORDER: Error "image-gc-order",
    summary: "Image garbage collection ends below where it begins.",
    reason: "The kubelet refuses to start unless the low threshold is below the high one. Unset, they are 80 and 85.",
    good: r#"{"kubelet_config": {"kubelet_config_file_config": {"image_gc_high_threshold_percent": 85, "image_gc_low_threshold_percent": 80}}}"#,
    bad: r#"{"kubelet_config": {"kubelet_config_file_config": {"image_gc_high_threshold_percent": 80, "image_gc_low_threshold_percent": 85}}}"#;
}

pub(super) const FILE: &str = "kubelet_config.kubelet_config_file_config";

pub(super) fn check(contract: &Contract, findings: &mut Findings<'_>) {
    let Some(kubelet) = &contract.kubelet_config else { return };
    switch(kubelet, findings);
    if let Some(file) = &kubelet.kubelet_config_file_config {
        if kubelet.enable_kubelet_config_file {
            said_twice(kubelet, file, Version::parse(&contract.kubernetes_version), findings);
        }
        access(file, findings);
        serving_certificate(file, findings);
        image_gc(file, findings);
    }
}

fn switch(kubelet: &KubeletConfig, findings: &mut Findings<'_>) {
    let file = kubelet.kubelet_config_file_config.as_ref();
    let settings = |file: &KubeletConfigFileConfig| {
        (0..file.table().fields.len()).any(|index| !matches!(file.view(index), View::Absent))
    };
    if kubelet.enable_kubelet_config_file {
        let missing = match file {
            None => "content",
            Some(file) if file.kind.is_empty() => "kind",
            Some(file) if file.api_version.is_empty() => "api_version",
            Some(_) => return,
        };
        findings.advise(
            &KUBELET_CONFIG_EMPTY,
            if file.is_some() { FILE } else { "kubelet_config.enable_kubelet_config_file" },
            format!("the kubelet's configuration file is on and has no {missing}"),
            "set kind to KubeletConfiguration and api_version to kubelet.config.k8s.io/v1beta1",
        );
    } else if file.is_some_and(settings) {
        findings.advise(
            &KUBELET_CONFIG_OFF,
            FILE,
            "the kubelet's configuration file has content and is off",
            "set kubelet_config.enable_kubelet_config_file",
        );
    }
}

fn said_twice(
    kubelet: &KubeletConfig,
    file: &KubeletConfigFileConfig,
    version: Option<Version>,
    findings: &mut Findings<'_>,
) {
    let table = file.table();
    for name in kubelet.kubelet_flags.keys() {
        let Some(field) = find(name).and_then(|flag| flag.same_as) else { continue };
        // The node drops this one where it would be said twice.
        if field == "streaming_connection_idle_timeout" && drops_streaming_timeout(version) {
            continue;
        }
        // Several flags lead into these messages; which of their settings is meant is not worth a guess.
        if matches!(field, "authentication" | "authorization") {
            continue;
        }
        let set = table.fields.iter().position(|known| known.name == field).map(|index| file.view(index));
        if set.is_some_and(|view| !matches!(view, View::Absent)) {
            findings.advise(
                &KUBELET_SETTING_TWICE,
                &flag_path(name),
                format!("{name} says the same as {field} of the configuration file, and wins"),
                "remove the flag",
            );
        }
    }
}

fn access(file: &KubeletConfigFileConfig, findings: &mut Findings<'_>) {
    let authentication = file.authentication.as_ref();
    let token_webhook = authentication.and_then(|authentication| authentication.webhook.as_ref());
    let access_webhook = file.authorization.as_ref().and_then(|authorization| authorization.webhook.as_ref());
    let times = [
        ("authentication.webhook.cache_ttl", token_webhook.map(|webhook| &webhook.cache_ttl)),
        (
            "authorization.webhook.cache_authorized_ttl",
            access_webhook.map(|webhook| &webhook.cache_authorized_ttl),
        ),
        (
            "authorization.webhook.cache_unauthorized_ttl",
            access_webhook.map(|webhook| &webhook.cache_unauthorized_ttl),
        ),
    ];
    for (field, value) in times {
        if value.is_some_and(|value| !value.is_empty()) {
            let path = format!("{FILE}.{field}");
            findings.report(
                &KUBELET_NAME_DIFFERS,
                &path,
                "the kubelet does not know this setting by the name it is written with",
            );
        }
    }
    let enabled = format!("{FILE}.authentication.webhook.enabled");
    if token_webhook.is_some_and(|webhook| !webhook.enabled) && findings.stands(&enabled) {
        findings.advise(
            &FALSE_NOT_WRITTEN,
            &enabled,
            "false is not written to the kubelet's configuration file, so the webhook stays on",
            "use the flag --authentication-token-webhook=false instead",
        );
    }
    if file.authorization.as_ref().is_some_and(|authorization| authorization.mode == "AlwaysAllow") {
        let anonymous = authentication.and_then(|it| it.anonymous.as_ref()).is_some_and(|it| it.enabled);
        let who = if anonymous { "anyone" } else { "anyone who authenticates" };
        let path = format!("{FILE}.authorization.mode");
        findings.advise(&KUBELET_OPEN, &path, format!("{who} may do anything on this node"), "write Webhook");
    }
}

fn serving_certificate(file: &KubeletConfigFileConfig, findings: &mut Findings<'_>) {
    let pair = [("tls_cert_file", &file.tls_cert_file), ("tls_private_key_file", &file.tls_private_key_file)];
    for ((name, value), (other_name, other)) in [(pair[0], pair[1]), (pair[1], pair[0])] {
        if !value.is_empty() && other.is_empty() {
            let path = format!("{FILE}.{name}");
            findings.advise(
                &SERVING_CERTIFICATE_PAIR,
                &path,
                format!("{name} is set without {other_name}"),
                format!("set {other_name}"),
            );
        }
    }
    if file.server_tls_bootstrap && file.feature_gates.get("RotateKubeletServerCertificate") == Some(&false) {
        findings.advise(
            &SERVER_BOOTSTRAP_GATE,
            &format!("{FILE}.server_tls_bootstrap"),
            "serving certificates are requested, and the feature gate for them is off",
            "remove the gate RotateKubeletServerCertificate",
        );
    }
}

fn image_gc(file: &KubeletConfigFileConfig, findings: &mut Findings<'_>) {
    let (high, low) = (file.image_gc_high_threshold_percent, file.image_gc_low_threshold_percent);
    let (start, end) = (high.unwrap_or(85), low.unwrap_or(80));
    if (high.is_some() || low.is_some()) && end >= start {
        let field =
            if low.is_some() { "image_gc_low_threshold_percent" } else { "image_gc_high_threshold_percent" };
        let message =
            format!("image garbage collection begins at {start}% and ends at {end}%, which is not below");
        findings.report(&IMAGE_GC_ORDER, &format!("{FILE}.{field}"), message);
    }
}
