//! The contract form: the `aksnodeconfig.v1` contract of a resolved node, in the custom data that carries it.
//!
//! Comes in: a [`Resolved`] node, or the [`Draft`] of one that the node provisioning service is asked for. Goes out:
//! its contract, or the payload: custom data whose boothook starts the node's own provisioning, and the command of the
//! extension that waits for the result. Everything that the node class asks for is in the contract, also what the
//! script form has no variable for. Never does: choosing; resolution did.

mod cloud;
mod kubelet;
mod system;

use slipway_contract::Contract;
use slipway_contract::custom_data::{self, CSE, Form, Order};
use slipway_contract::messages::{
    ApiServerConfig, AuthConfig, BootstrappingAuthMethod, BootstrappingConfig, GpuConfig, HttpProxyConfig,
    ImdsRestrictionConfig,
};
use slipway_model::Secret;
use slipway_render::Cloud;

use crate::computed::Release;
use crate::parts::{Ours, merged};
use crate::payload::{Bootstrapper, NoPayload, Payload};
use crate::request::LocalDns;
use crate::resolve::{Finding, Resolved};
use crate::variables::{NoVariables, Variable};
use crate::{Bootstrap, Fidelity};

/// How long provisioning may take, in seconds: the same as in the script form.
const PROVISIONING_SECONDS: i32 = 900;

/// The contract form: a contract for a node that provisions itself.
#[derive(Debug, Clone, Copy, Default)]
pub struct ContractForm {
    /// How close the contract's values stay to the peer's variables.
    pub fidelity: Fidelity,
}

impl Bootstrapper for ContractForm {
    fn payload(&self, node: &Resolved) -> Result<Payload, NoPayload> {
        let contract = contract(node, self.fidelity)?;
        let order = Order { contract: &contract, form: Form::Boothook, bring: None };
        let data = custom_data::render(&order)?;
        let custom_data = if node.custom_data_parts.is_empty() || !self.fidelity.is_ours() {
            data.base64()
        } else {
            merged(Ours::Message(&data), &node.custom_data_parts)?
        };
        Ok(Payload {
            custom_data,
            command: Some(Secret::from(CSE)),
            findings: cloud_of_region(&node.bootstrap).into_iter().collect(),
        })
    }
}

/// The contract of a node.
pub fn contract(node: &Resolved, fidelity: Fidelity) -> Result<Contract, NoVariables> {
    let draft = Draft {
        bootstrap: &node.bootstrap,
        release: Release::parse(&node.bootstrap.kubernetes_version)?,
        vm_size: &node.instance_type.name,
        artifact_streaming: node.wishes.artifact_streaming,
        local_dns: node.wishes.local_dns.then(|| node.local_dns.clone().unwrap_or_default()),
        fidelity,
    };
    Ok(draft.contract())
}

/// What a contract is made from.
pub(crate) struct Draft<'n> {
    pub(crate) bootstrap: &'n Bootstrap,
    pub(crate) release: Release<'n>,
    pub(crate) vm_size: &'n str,
    pub(crate) artifact_streaming: bool,
    /// The resolver on the node, if it runs one.
    pub(crate) local_dns: Option<LocalDns>,
    pub(crate) fidelity: Fidelity,
}

impl Draft<'_> {
    pub(crate) fn contract(self) -> Contract {
        let Self { bootstrap, release, vm_size, artifact_streaming, local_dns, fidelity } = self;
        let admin = if fidelity.is_ours() { bootstrap.admin_username.value.as_str() } else { "azureuser" };
        Contract {
            version: "v1".to_owned(),
            kube_binary_config: Some(kubelet::binaries(release, &bootstrap.arch)),
            api_server_config: Some(ApiServerConfig {
                api_server_name: bootstrap.api_server_name.clone(),
                ..ApiServerConfig::default()
            }),
            cluster_config: Some(cloud::cluster_config(bootstrap)),
            bootstrapping_config: Some(BootstrappingConfig {
                bootstrapping_auth_method: BootstrappingAuthMethod::BootstrapToken,
                tls_bootstrapping_token: Some(bootstrap.bootstrap_token.clone()),
                ..BootstrappingConfig::default()
            }),
            auth_config: Some(AuthConfig {
                tenant_id: bootstrap.tenant_id.clone(),
                subscription_id: bootstrap.subscription_id.clone(),
                service_principal_id: Variable::ServicePrincipalClientID.row().default.to_owned(),
                service_principal_secret: Secret::from(Variable::ServicePrincipalFileContent.row().default),
                assigned_identity_id: bootstrap.kubelet_identity_client_id.clone(),
                use_managed_identity_extension: true,
            }),
            kubelet_config: Some(kubelet::kubelet_config(bootstrap, release, fidelity)),
            custom_linux_os_config: system::settings(bootstrap, fidelity),
            http_proxy_config: proxy(bootstrap, fidelity),
            gpu_config: Some(GpuConfig {
                enable_nvidia: Some(bootstrap.gpu.is_set_up()),
                config_gpu_driver: bootstrap.gpu.is_set_up(),
                ..GpuConfig::default()
            }),
            network_config: Some(cloud::network_config(bootstrap)),
            kubernetes_ca_cert: bootstrap.ca_bundle.clone(),
            kubernetes_version: bootstrap.kubernetes_version.clone(),
            vm_size: vm_size.to_owned(),
            linux_admin_username: admin.to_owned(),
            is_vhd: Some(true),
            enable_ssh: Some(true),
            custom_ca_certs: if fidelity.is_ours() {
                bootstrap.custom_ca_certificates.clone()
            } else {
                Vec::new()
            },
            outbound_command: Variable::OutboundCommand.row().default.to_owned(),
            enable_artifact_streaming: artifact_streaming && bootstrap.arch != "arm64",
            needs_cgroupv2: Some(true),
            imds_restriction_config: Some(ImdsRestrictionConfig::default()),
            local_dns_profile: local_dns.map(system::local_dns),
            cse_timeout: Some(PROVISIONING_SECONDS),
            ..Contract::default()
        }
    }
}

fn proxy(node: &Bootstrap, fidelity: Fidelity) -> Option<HttpProxyConfig> {
    let proxy = &node.http_proxy;
    (fidelity.is_ours() && proxy.is_set()).then(|| HttpProxyConfig {
        http_proxy: proxy.http.clone(),
        https_proxy: proxy.https.clone(),
        no_proxy_entries: proxy.exceptions.clone(),
        proxy_trusted_ca: proxy.trusted_ca.expose().clone(),
    })
}

/// The contract has no field for the cloud: the node tells it by its region.
fn cloud_of_region(node: &Bootstrap) -> Option<Finding> {
    let told = Cloud::of_location(&node.location).name();
    let asked = &node.cloud.value;
    (told != asked).then(|| Finding {
        path: "environment.cloud".to_owned(),
        message: format!(
            "the node goes by its region, which is of {told}, and not by {asked}; the variables payload has it"
        ),
    })
}
