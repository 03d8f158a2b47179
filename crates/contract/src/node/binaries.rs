use slipway_model::Sourced;
use slipway_model::node::Binaries;

use super::field::{download, either};
use super::{Fate, Refused, take};
use crate::Contract;

/// What becomes of the fields that this file reads.
#[rustfmt::skip]
pub(super) const FATES: &[(&str, Fate)] = &[
    ("kube_binary_config.kube_binary_url", Fate::Honoured),
    ("kube_binary_config.custom_kube_binary_url", Fate::Honoured),
    ("kube_binary_config.private_kube_binary_url", Fate::Honoured),
    ("kube_binary_config.linux_credential_provider_url", Fate::Honoured),
];

pub(super) fn read(contract: &Contract, refused: &mut Vec<Refused>) -> Binaries {
    let custom = download(&take!(contract, kube_binary_config.custom_kube_binary_url), refused);
    let private = download(&take!(contract, kube_binary_config.private_kube_binary_url), refused);
    Binaries {
        kubernetes_override: either(&custom, &private),
        kubernetes: download(&take!(contract, kube_binary_config.kube_binary_url), refused),
        credential_provider: download(
            &take!(contract, kube_binary_config.linux_credential_provider_url),
            refused,
        ),
        // The image has prepared the machine.
        supplies: Sourced::default(),
    }
}
