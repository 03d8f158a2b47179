use std::collections::BTreeMap;

use slipway_model::node::{AccountPull, Kubelet};
use slipway_model::{Source, Sourced};

use super::field::{demand, or, said};
use super::{Fate, Refused, settings, take};
use crate::Contract;
use crate::messages::KubeletDisk;

/// What becomes of the fields that this file reads.
#[rustfmt::skip]
pub(super) const FATES: &[(&str, Fate)] = &[
    ("kubelet_config.kubelet_flags", Fate::Honoured),
    ("kubelet_config.kubelet_node_labels", Fate::Honoured),
    ("kubelet_config.kubelet_disk_type", Fate::Honoured),
    ("kubelet_config.enable_kubelet_config_file", Fate::Honoured),
    ("service_account_image_pull_profile.enabled", Fate::Honoured),
    ("service_account_image_pull_profile.default_client_id", Fate::Honoured),
    ("service_account_image_pull_profile.default_tenant_id", Fate::Honoured),
    ("service_account_image_pull_profile.local_authority_sni", Fate::Honoured),
];

pub(super) fn read(contract: &Contract, refused: &mut Vec<Refused>) -> Kubelet {
    let disk = take!(contract, kubelet_config.kubelet_disk_type);
    demand(
        &disk,
        |it| !matches!(it, KubeletDisk::Unknown(_)),
        refused,
        "it is a disk that this version does not know",
    );
    let kubelet = contract.kubelet_config.as_ref();
    Kubelet {
        flags: words("kubelet_config.kubelet_flags", kubelet.map(|it| &it.kubelet_flags), refused),
        labels: words(
            "kubelet_config.kubelet_node_labels",
            kubelet.map(|it| &it.kubelet_node_labels),
            refused,
        ),
        has_file: take!(contract, kubelet_config.enable_kubelet_config_file),
        settings: settings::read(contract),
        serving_rotation: take!(contract, kubelet_config.kubelet_config_file_config.server_tls_bootstrap),
        on_temp_disk: disk.map(|disk| *disk == KubeletDisk::TempDisk),
        cgroup_v2: or(&take!(contract, needs_cgroupv2), false),
        account_pull: AccountPull {
            enabled: take!(contract, service_account_image_pull_profile.enabled),
            client: said(&take!(contract, service_account_image_pull_profile.default_client_id)),
            tenant: said(&take!(contract, service_account_image_pull_profile.default_tenant_id)),
            authority: take!(contract, service_account_image_pull_profile.local_authority_sni),
        },
    }
}

/// Flags and labels reach kubelet through one line of a file of variables, which the service manager breaks at white
/// space and in which quotes and backslashes have a meaning of their own.
fn words(
    field: &str,
    entries: Option<&BTreeMap<String, String>>,
    refused: &mut Vec<Refused>,
) -> BTreeMap<String, Sourced<String>> {
    let odd = |c: char| c.is_whitespace() || c.is_control() || matches!(c, '"' | '\'' | '\\');
    let mut words = BTreeMap::new();
    for (key, value) in entries.into_iter().flatten() {
        let path = format!("{field}[{key}]");
        if key.contains(odd) || value.contains(odd) {
            refused.push(Refused::because(
                &path,
                "white space, quotes and backslashes cannot be given to kubelet",
            ));
        }
        words.insert(key.clone(), Sourced::new(value.clone(), Source::Contract(path.into())));
    }
    words
}
