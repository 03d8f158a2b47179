//! From a contract to the node that it asks for.
//!
//! Every field of the contract is in the table of one of these files with what becomes of it; a test compares the
//! tables with the schema.

mod binaries;
mod cloud;
mod cluster;
mod dns;
mod field;
mod gpu;
mod join;
mod kubelet;
mod network;
mod runtime;
mod settings;
mod sysctl;
mod system;

use slipway_model::Node;
use slipway_model::node::Machine;

use crate::Contract;

pub(crate) use field::take;

/// What becomes of a field of the contract in native provisioning.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    /// It has its effect.
    Honoured,
    /// It has none, because on an image that is ready the scripts do nothing with it either.
    Image(&'static str),
    /// Set to anything that asks for something, it is refused, for this reason.
    Refused(&'static str),
}

/// A field that asks for what the native path cannot do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refused {
    /// Its path.
    pub path: String,
    /// Why.
    pub reason: String,
}

impl Refused {
    pub(crate) fn because(path: &str, reason: &str) -> Self {
        Self { path: path.to_owned(), reason: reason.to_owned() }
    }
}

/// Every field that has a value, with its fate.
pub fn fates() -> impl Iterator<Item = &'static (&'static str, Fate)> {
    [
        cluster::FATES,
        join::FATES,
        kubelet::FATES,
        settings::FATES,
        cloud::FATES,
        binaries::FATES,
        runtime::FATES,
        network::FATES,
        gpu::FATES,
        dns::FATES,
        system::FATES,
        sysctl::FATES,
    ]
    .into_iter()
    .flatten()
}

/// The kernel settings that a contract asks for, by the kernel's names.
pub fn sysctls(config: &crate::messages::SysctlConfig) -> impl Iterator<Item = (&'static str, String)> {
    sysctl::requested(config).map(|(kernel, _, value)| (kernel, value))
}

/// The node that a contract asks for, or every field that the native path cannot honour.
pub fn node(contract: &Contract) -> Result<Node, Vec<Refused>> {
    let mut refused = Vec::new();
    let node = Node {
        machine: Machine::Image,
        cluster: cluster::read(contract, &mut refused),
        join: join::read(contract, &mut refused),
        kubelet: kubelet::read(contract, &mut refused),
        cloud: cloud::read(contract, &mut refused),
        binaries: binaries::read(contract, &mut refused),
        runtime: runtime::read(contract, &mut refused),
        network: network::read(contract, &mut refused),
        gpu: gpu::read(contract, &mut refused),
        dns: dns::read(contract, &mut refused),
        system: system::read(contract, &mut refused),
    };
    if refused.is_empty() { Ok(node) } else { Err(refused) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::codec::{Kind, Message as _, MessageTable, Policy, decode};

    fn contract(text: &str) -> Contract {
        decode(text.as_bytes(), Policy::Careful).message
    }

    /// The paths of all fields that hold a value; keys of maps do not count.
    fn leaves(table: &MessageTable, above: &str, found: &mut Vec<String>) {
        for field in table.fields {
            let path =
                if above.is_empty() { field.name.to_owned() } else { format!("{above}.{}", field.name) };
            match field.kind {
                Kind::Message(inner) => leaves(inner, &path, found),
                _ => found.push(path),
            }
        }
    }

    #[test]
    fn every_field_of_the_contract_has_one_fate_and_at_most_ten_are_refused() {
        let mut fields = Vec::new();
        leaves(Contract::default().table(), "", &mut fields);
        fields.sort_unstable();
        let mut rows: Vec<&str> = fates().map(|(path, _)| *path).collect();
        rows.sort_unstable();
        assert_eq!(rows, fields);
        assert!(fates().filter(|(_, fate)| matches!(fate, Fate::Refused(_))).count() <= 10);
    }

    #[test]
    fn what_the_native_path_cannot_do_is_named_with_its_path_and_never_with_a_secret() {
        for (text, path) in [
            (r#"{"version":"v9"}"#, "version"),
            (r#"{"version":"v1","outbound_command":"nc -vz mcr 443"}"#, "outbound_command"),
            (r#"{"version":"v1","kubernetes_ca_cert":"%%%"}"#, "kubernetes_ca_cert"),
            (
                r#"{"version":"v1","auth_config":{"service_principal_secret":"hush*"}}"#,
                "auth_config.service_principal_secret",
            ),
            (
                r#"{"version":"v1","custom_cloud_config":{"repo_depot_endpoint":"https://h"}}"#,
                "custom_cloud_config.repo_depot_endpoint",
            ),
            (
                r#"{"version":"v1","kubelet_config":{"kubelet_flags":{"--a":"b c"}}}"#,
                "kubelet_config.kubelet_flags[--a]",
            ),
            (
                r#"{"version":"v1","kube_binary_config":{"kube_binary_url":"https://h/hush#sha256=1"}}"#,
                "kube_binary_config.kube_binary_url",
            ),
            (r#"{"version":"v1","cluster_config":{"vm_type":7}}"#, "cluster_config.vm_type"),
            (
                r#"{"version":"v1","custom_search_domain_config":{"realm_password":"hush"}}"#,
                "custom_search_domain_config.realm_password",
            ),
            (
                r#"{"version":"v1","gpu_config":{"gpu_instance_profile":"MIG1g"}}"#,
                "gpu_config.gpu_instance_profile",
            ),
            (r#"{"version":"v1","gpu_config":{"enable_managed_gpu":true}}"#, "gpu_config.enable_managed_gpu"),
            (
                r#"{"version":"v1","containerd_config":{"containerd_package_url":"https://hush"}}"#,
                "containerd_config.containerd_package_url",
            ),
            (r#"{"version":"v1","network_config":{"network_plugin":7}}"#, "network_config.network_plugin"),
            (
                r#"{"version":"v1","http_proxy_config":{"https_proxy":"http://hush\nX=1"}}"#,
                "http_proxy_config.https_proxy",
            ),
            (r#"{"version":"v1","custom_ca_certs":["QQ==","%"]}"#, "custom_ca_certs[1]"),
            (r#"{"version":"v1","linux_admin_username":"a b"}"#, "linux_admin_username"),
        ] {
            let refused = node(&contract(text)).unwrap_err();
            assert_eq!(refused.len(), 1, "{text}: {refused:?}");
            assert_eq!(refused[0].path, path);
            assert!(!refused[0].reason.contains("hush"), "{refused:?}");
        }
    }

    #[test]
    fn an_environment_that_nobody_reads_may_be_anything() {
        let text = r#"{"version":"v1","custom_cloud_config":{"custom_env_json_content":"%%%"}}"#;
        assert!(node(&contract(text)).is_ok());
    }
}
