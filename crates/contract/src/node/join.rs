use slipway_model::Sourced;
use slipway_model::node::{Join, SecureBootstrap};

use super::field::{decoded, decoded_secret, demand, download, or, said_if_any};
use super::{Fate, Refused, take};
use crate::Contract;
use crate::messages::BootstrappingAuthMethod;

/// AKS's application in Entra: tokens for it open the cluster.
const AKS_APPLICATION: &str = "6dae42f8-4368-4678-94ff-3960e28e3630";

/// What becomes of the fields that this file reads.
#[rustfmt::skip]
pub(super) const FATES: &[(&str, Fate)] = &[
    ("bootstrapping_config.bootstrapping_auth_method", Fate::Honoured),
    ("bootstrapping_config.cluster_join_method", Fate::Image("no node reads it")),
    ("bootstrapping_config.tls_bootstrapping_token", Fate::Honoured),
    ("bootstrapping_config.secure_tls_bootstrapping_aad_resource", Fate::Honoured),
    ("bootstrapping_config.secure_tls_bootstrapping_user_assigned_identity_id", Fate::Honoured),
    ("bootstrapping_config.secure_tls_bootstrapping_custom_client_download_url", Fate::Honoured),
    ("bootstrapping_config.secure_tls_bootstrapping_validate_kubeconfig_timeout", Fate::Honoured),
    ("bootstrapping_config.secure_tls_bootstrapping_get_access_token_timeout", Fate::Honoured),
    ("bootstrapping_config.secure_tls_bootstrapping_get_instance_data_timeout", Fate::Honoured),
    ("bootstrapping_config.secure_tls_bootstrapping_get_nonce_timeout", Fate::Honoured),
    ("bootstrapping_config.secure_tls_bootstrapping_get_attested_data_timeout", Fate::Honoured),
    ("bootstrapping_config.secure_tls_bootstrapping_get_credential_timeout", Fate::Honoured),
    ("kubelet_config.kubelet_client_key", Fate::Honoured),
    ("kubelet_config.kubelet_client_cert_content", Fate::Honoured),
];

pub(super) fn read(contract: &Contract, refused: &mut Vec<Refused>) -> Join {
    let token = take!(contract, bootstrapping_config.tls_bootstrapping_token);
    Join {
        token: token.map(|token| token.clone().filter(|token| !token.expose().is_empty())),
        plugin: Sourced::default(),
        secure: secure(contract, refused),
        client_key: decoded_secret(&take!(contract, kubelet_config.kubelet_client_key), refused),
        client_certificate: decoded(&take!(contract, kubelet_config.kubelet_client_cert_content), refused),
    }
}

/// Of the methods only this one changes what a node does; the others mean a bootstrap token.
fn secure(contract: &Contract, refused: &mut Vec<Refused>) -> SecureBootstrap {
    let method = take!(contract, bootstrapping_config.bootstrapping_auth_method);
    let known = |method: &BootstrappingAuthMethod| !matches!(method, BootstrappingAuthMethod::Unknown(_));
    demand(&method, known, refused, "it is a method that this version does not know");
    macro_rules! timeouts {
        ($($flag:literal $field:ident;)*) => {
            vec![$(($flag, said_if_any(&take!(contract, bootstrapping_config.$field)))),*]
        };
    }
    SecureBootstrap {
        enabled: method.map(|method| *method == BootstrappingAuthMethod::SecureTlsBootstrapping),
        resource: or(
            &said_if_any(&take!(contract, bootstrapping_config.secure_tls_bootstrapping_aad_resource)),
            AKS_APPLICATION.to_owned(),
        ),
        identity: said_if_any(&take!(
            contract,
            bootstrapping_config.secure_tls_bootstrapping_user_assigned_identity_id
        )),
        client: download(
            &or(
                &take!(contract, bootstrapping_config.secure_tls_bootstrapping_custom_client_download_url),
                String::new(),
            ),
            refused,
        ),
        timeouts: timeouts! {
            "--validate-kubeconfig-timeout" secure_tls_bootstrapping_validate_kubeconfig_timeout;
            "--get-access-token-timeout" secure_tls_bootstrapping_get_access_token_timeout;
            "--get-instance-data-timeout" secure_tls_bootstrapping_get_instance_data_timeout;
            "--get-nonce-timeout" secure_tls_bootstrapping_get_nonce_timeout;
            "--get-attested-data-timeout" secure_tls_bootstrapping_get_attested_data_timeout;
            "--get-credential-timeout" secure_tls_bootstrapping_get_credential_timeout;
        },
    }
}
