//! From a cluster and a request to the contract of the node.
//!
//! Everything that a request brings reaches the contract or is refused; what it leaves to the service (reservations,
//! eviction, DNS, addresses of binaries) is decided here.

mod cloud;
mod kubelet;
mod system;

use std::collections::HashMap;

use slipway_contract::messages::{
    ApiServerConfig, AuthConfig, BootstrappingAuthMethod, BootstrappingConfig, GpuConfig, HttpProxyConfig,
};
use slipway_contract::{Contract, Severity, rules};
use slipway_model::Secret;

use super::Cluster;
use super::profile::{OsType, ProvisionProfile, Request};
use crate::computed::api_server_name;
use crate::request::Options;

/// Why no node can be made of a request.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Impossible {
    /// A member of the request cannot be honoured.
    #[error("provisionProfile.{member}: {problem}")]
    Member {
        /// Which member.
        member: &'static str,
        /// What is wrong with it.
        problem: String,
    },
    /// The node would not come up with what the request asks for.
    #[error("{path}: {problem}")]
    Rule {
        /// Which field of the contract.
        path: String,
        /// What is wrong with it.
        problem: String,
    },
    /// The configuration of the cluster cannot be used.
    #[error("the service's configuration of the cluster: {member}: {problem}")]
    Cluster {
        /// Which member.
        member: &'static str,
        /// What is wrong with it.
        problem: String,
    },
}

impl Impossible {
    fn member(member: &'static str, problem: impl Into<String>) -> Self {
        Self::Member { member, problem: problem.into() }
    }

    fn cluster(member: &'static str, problem: impl Into<String>) -> Self {
        Self::Cluster { member, problem: problem.into() }
    }
}

/// The contract of a node; it joins with `token`. What kubelet or a shell could misread is refused.
pub fn contract(cluster: &Cluster, request: &Request, token: Secret<String>) -> Result<Contract, Impossible> {
    let Cluster { options, environment } = cluster;
    let Request { provision_profile: profile, provision_helper_values: size } = request;
    if profile.os_type != OsType::Linux {
        return Err(Impossible::member("osType", "only Linux nodes are made here"));
    }
    let contract = Contract {
        version: "v1".to_owned(),
        kube_binary_config: Some(kubelet::binaries(profile)?),
        api_server_config: Some(ApiServerConfig {
            api_server_name: api_server_name(&options.cluster_endpoint).to_owned(),
            ..ApiServerConfig::default()
        }),
        cluster_config: Some(cloud::cluster_config(options, environment, profile)?),
        bootstrapping_config: Some(BootstrappingConfig {
            bootstrapping_auth_method: BootstrappingAuthMethod::BootstrapToken,
            tls_bootstrapping_token: Some(token),
            ..BootstrappingConfig::default()
        }),
        auth_config: Some(AuthConfig {
            tenant_id: environment.tenant_id.clone(),
            subscription_id: environment.subscription_id.clone(),
            // What AKS writes for nodes that have an identity of their own: `msi`, and `msi` in base64.
            service_principal_id: "msi".to_owned(),
            service_principal_secret: Secret::from("bXNp"),
            assigned_identity_id: options.kubelet_identity_client_id.clone(),
            use_managed_identity_extension: true,
        }),
        kubelet_config: Some(kubelet::kubelet_config(options, profile, *size)?),
        custom_linux_os_config: system::settings(profile),
        http_proxy_config: proxy(options),
        gpu_config: Some(gpu(profile)),
        network_config: Some(cloud::network_config(options, profile)),
        kubernetes_ca_cert: environment.ca_bundle_base64.clone(),
        kubernetes_version: profile.orchestrator_version.clone(),
        vm_size: profile.vm_size.clone(),
        linux_admin_username: options.linux_admin_username.clone(),
        is_vhd: Some(true),
        custom_ca_certs: options.custom_ca_certificates.clone(),
        enable_artifact_streaming: profile
            .artifact_streaming_profile
            .is_some_and(|streaming| streaming.enabled),
        needs_cgroupv2: Some(true),
        local_dns_profile: system::local_dns(profile),
        ..Contract::default()
    };
    fits(&contract)?;
    Ok(contract)
}

/// Holds what the request brought against the contract's rules. What the configuration brought was looked at when it
/// was read.
fn fits(contract: &Contract) -> Result<(), Impossible> {
    let brought =
        ["kubelet_config", "custom_linux_os_config", "local_dns_profile", "vm_size", "kubernetes_version"];
    // Certificates, which go by the time, are not part of a request.
    let issues = rules::check(contract, &HashMap::<_, _>::new(), 0);
    let wrong = issues.into_iter().find(|issue| {
        issue.severity == Severity::Error && brought.iter().any(|field| issue.path.starts_with(field))
    });
    wrong.map_or(Ok(()), |issue| Err(Impossible::Rule { path: issue.path, problem: issue.message }))
}

fn gpu(profile: &ProvisionProfile) -> GpuConfig {
    // A profile is there for sizes with GPUs of NVIDIA only.
    let installs = profile.gpu_profile.is_some_and(|gpu| gpu.install_gpu_driver);
    GpuConfig { enable_nvidia: Some(installs), config_gpu_driver: installs, ..GpuConfig::default() }
}

fn proxy(options: &Options) -> Option<HttpProxyConfig> {
    let proxy = &options.http_proxy;
    proxy.is_set().then(|| HttpProxyConfig {
        http_proxy: proxy.http.clone(),
        https_proxy: proxy.https.clone(),
        no_proxy_entries: proxy.exceptions.clone(),
        proxy_trusted_ca: proxy.trusted_ca.expose().clone(),
    })
}
