//! The settings of kubelet's configuration file, each with its place in the contract.

use slipway_model::node::{Setting, SettingValue};
use slipway_model::{Source, Sourced, Sources};

use super::Fate;
use crate::Contract;
use crate::codec::{Message, View};

const FILE: &str = "kubelet_config.kubelet_config_file_config";

/// Without these kubelet does not know the file; a contract need not repeat them.
const HEAD: [(&str, &str, &str); 2] = [
    ("kind", "kind", "KubeletConfiguration"),
    ("api_version", "apiVersion", "kubelet.config.k8s.io/v1beta1"),
];

macro_rules! settings {
    ($($name:literal)*) => {
        &[$((concat!("kubelet_config.kubelet_config_file_config.", $name), Fate::Honoured)),*]
    };
}

/// What becomes of the fields that this file reads.
pub(super) const FATES: &[(&str, Fate)] = settings! {
    "kind" "api_version" "static_pod_path" "address" "read_only_port" "tls_cert_file" "tls_private_key_file"
    "tls_cipher_suites" "rotate_certificates" "server_tls_bootstrap" "authentication.x509.client_ca_file"
    "authentication.webhook.enabled" "authentication.webhook.cache_ttl" "authentication.anonymous.enabled"
    "authorization.mode" "authorization.webhook.cache_authorized_ttl" "authorization.webhook.cache_unauthorized_ttl"
    "event_record_qps" "cluster_domain" "cluster_dns" "streaming_connection_idle_timeout"
    "node_status_update_frequency" "node_status_report_frequency" "image_gc_high_threshold_percent"
    "image_gc_low_threshold_percent" "cgroups_per_qos" "cpu_manager_policy" "topology_manager_policy" "max_pods"
    "pod_pids_limit" "resolv_conf" "cpu_cfs_quota" "cpu_cfs_quota_period" "eviction_hard" "protect_kernel_defaults"
    "feature_gates" "fail_swap_on" "container_log_max_size" "container_log_max_files" "system_reserved"
    "kube_reserved" "enforce_node_allocatable" "eviction_soft" "eviction_soft_grace_period"
    "eviction_max_pod_grace_period" "kube_reserved_cgroup" "system_reserved_cgroup" "allowed_unsafe_sysctls"
    "serialize_image_pulls" "seccomp_default"
};

pub(super) fn read(contract: &Contract) -> Vec<Setting> {
    let mut settings = Vec::new();
    if let Some(file) =
        contract.kubelet_config.as_ref().and_then(|kubelet| kubelet.kubelet_config_file_config.as_ref())
    {
        walk(file, FILE, &[], &mut settings);
    }
    for (field, name, text) in HEAD {
        if !settings.iter().any(|setting| setting.path == [name]) {
            let source = Source::Unset(format!("{FILE}.{field}").into());
            let value = Sourced::new(SettingValue::Text(text.to_owned()), source);
            settings.push(Setting { path: vec![name.to_owned()], value });
        }
    }
    settings
}

fn walk(message: &dyn Message, above_path: &str, above: &[String], settings: &mut Vec<Setting>) {
    for (at, field) in message.table().fields.iter().enumerate() {
        let path = format!("{above_path}.{}", field.name);
        let mut names = above.to_vec();
        names.push(field.json_name.to_owned());
        match message.view(at) {
            View::Message(inner) => walk(inner, &path, &names, settings),
            View::Map(entries) => {
                for (key, view) in entries {
                    let mut names = names.clone();
                    names.push(key.to_string());
                    let source = Source::Contract(format!("{path}[{key}]").into());
                    settings.extend(value(&view).map(|value| setting(names, value, source)));
                }
            }
            // An authenticator that is spoken of and not switched on is off; kubelet's own default may differ.
            View::Absent if field.name == "enabled" => {
                let mut sources = Sources::from(Source::Unset(path.into()));
                spoken_of(message, above_path, &mut sources);
                settings.push(setting(names, SettingValue::Switch(false), sources));
            }
            view => settings
                .extend(value(&view).map(|value| setting(names, value, Source::Contract(path.into())))),
        }
    }
}

/// The fields of a message that are set.
fn spoken_of(message: &dyn Message, path: &str, sources: &mut Sources) {
    for (at, field) in message.table().fields.iter().enumerate() {
        if !matches!(message.view(at), View::Absent) {
            sources.add(Source::Contract(format!("{path}.{}", field.name).into()));
        }
    }
}

fn setting(path: Vec<String>, value: SettingValue, sources: impl Into<Sources>) -> Setting {
    Setting { path, value: Sourced::new(value, sources) }
}

/// A value of kubelet's configuration; it has no others, which a test makes sure of.
fn value(view: &View<'_>) -> Option<SettingValue> {
    match view {
        View::Bool(value) => Some(SettingValue::Switch(*value)),
        View::Int(value) => Some(SettingValue::Number(*value)),
        View::Text(text) => Some(SettingValue::Text((*text).to_owned())),
        View::List(values) => {
            let text =
                |view: &View<'_>| if let View::Text(text) = view { Some((*text).to_owned()) } else { None };
            Some(SettingValue::Texts(values.iter().filter_map(text).collect()))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::codec::{Kind, Label, MessageTable};
    use crate::messages::KubeletConfigFileConfig;

    #[test]
    fn no_setting_of_kubelet_is_of_a_kind_that_would_be_dropped() {
        fn check(table: &MessageTable) {
            for field in table.fields {
                match (field.kind, field.label) {
                    (Kind::Message(inner), Label::Singular) => check(inner),
                    (Kind::String, _)
                    | (Kind::Bool | Kind::Int32, Label::Singular | Label::Optional | Label::Map) => {}
                    _ => panic!("{}.{}", table.name, field.name),
                }
            }
        }
        check(KubeletConfigFileConfig::default().table());
    }
}
