//! The operating system's settings.

use std::collections::BTreeMap;

use slipway_model::node::System;
use slipway_model::{Source, Sourced, Sources};

use super::field::{decoded, demand};
use super::{Fate, Refused, sysctl, take};
use crate::Contract;

const DOMAIN: &str =
    "joining a domain installs packages, which the native path does not do: use `--mode scripts`";

/// The administrator of a machine that names none.
const ADMIN: &str = "azureuser";

/// What becomes of the fields that this file reads.
pub(super) const FATES: &[(&str, Fate)] = &[
    ("vm_size", Fate::Honoured),
    ("linux_admin_username", Fate::Honoured),
    ("enable_ssh", Fate::Honoured),
    ("disable_pubkey_auth", Fate::Honoured),
    ("enable_unattended_upgrade", Fate::Honoured),
    ("message_of_the_day", Fate::Honoured),
    ("custom_ca_certs", Fate::Honoured),
    ("custom_search_domain_config.domain_name", Fate::Refused(DOMAIN)),
    ("custom_search_domain_config.realm_user", Fate::Refused(DOMAIN)),
    ("custom_search_domain_config.realm_password", Fate::Refused(DOMAIN)),
    ("custom_linux_os_config.enable_swap_config", Fate::Honoured),
    ("custom_linux_os_config.swap_file_size", Fate::Honoured),
    ("custom_linux_os_config.transparent_hugepage_support", Fate::Honoured),
    ("custom_linux_os_config.transparent_defrag", Fate::Honoured),
];

pub(super) fn read(contract: &Contract, refused: &mut Vec<Refused>) -> System {
    refuse_domain(contract, refused);
    let swap = take!(contract, custom_linux_os_config.enable_swap_config);
    let size = take!(contract, custom_linux_os_config.swap_file_size);
    System {
        size: take!(contract, vm_size),
        admin: admin(contract, refused),
        ssh: take!(contract, enable_ssh).map(|on| *on != Some(false)),
        ssh_keys: take!(contract, disable_pubkey_auth).map(|off| *off != Some(true)),
        unattended_upgrades: take!(contract, enable_unattended_upgrade),
        message_of_the_day: decoded(&take!(contract, message_of_the_day), refused)
            .map(|text| text.clone().unwrap_or_default()),
        certificates: certificates(contract, refused),
        sysctls: sysctls(contract),
        huge_pages: take!(contract, custom_linux_os_config.transparent_hugepage_support),
        huge_page_defrag: take!(contract, custom_linux_os_config.transparent_defrag),
        swap_megabytes: swap
            .with(&size, |on, size| u32::try_from(*size).ok().filter(|size| *on && *size > 0)),
        keeper: Sourced::default(),
        swap_off: Sourced::fixed(None),
    }
}

fn admin(contract: &Contract, refused: &mut Vec<Refused>) -> Sourced<String> {
    let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
    let name = take!(contract, linux_admin_username);
    demand(
        &name,
        |name| !name.starts_with('-') && name.chars().all(fits),
        refused,
        "is no user's name: letters, digits, dots, dashes and underscores are",
    );
    name.map(|name| if name.is_empty() { ADMIN.to_owned() } else { name.clone() })
}

fn certificates(contract: &Contract, refused: &mut Vec<Refused>) -> Sourced<Vec<String>> {
    let one = |(at, base64): (usize, &String)| {
        let source = Source::Contract(format!("custom_ca_certs[{at}]").into());
        let text = decoded(&Sourced::new(base64.clone(), source), refused);
        Sources::none().read(&text).clone()
    };
    take!(contract, custom_ca_certs).map(|all| all.iter().enumerate().filter_map(one).collect())
}

fn sysctls(contract: &Contract) -> BTreeMap<String, Sourced<String>> {
    let config = contract.custom_linux_os_config.as_ref().and_then(|os| os.sysctl_config.as_ref());
    let requested = config.into_iter().flat_map(sysctl::requested);
    let sourced = |value, path: &'static str| Sourced::new(value, Source::Contract(path.into()));
    requested.map(|(kernel, path, value)| (kernel.to_owned(), sourced(value, path))).collect()
}

fn refuse_domain(contract: &Contract, refused: &mut Vec<Refused>) {
    let Some(domain) = &contract.custom_search_domain_config else { return };
    for (text, field) in [
        (&domain.domain_name, "domain_name"),
        (&domain.realm_user, "realm_user"),
        (domain.realm_password.expose(), "realm_password"),
    ] {
        if !text.is_empty() {
            refused.push(Refused {
                path: format!("custom_search_domain_config.{field}"),
                reason: DOMAIN.into(),
            });
        }
    }
}
