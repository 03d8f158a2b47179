//! From a cluster and a request to the contract of the node.
//!
//! Everything that a request brings reaches the contract or is refused; what it leaves to the service (reservations,
//! eviction, DNS, addresses of binaries) is decided as for every other node.

use std::collections::HashMap;

use slipway_contract::{Contract, Severity, rules};
use slipway_model::Secret;

use super::Cluster;
use super::class::node_class;
use super::profile::{Architecture, HelperValues, OsType, ProvisionProfile, Request};
use crate::bootstrap::NodePart;
use crate::computed::{KubeletSettings, Release, SubnetId, Taints};
use crate::contract_form::Draft;
use crate::request::Taint;
use crate::sizes::{Reservation, kube_reserved};
use crate::{Bootstrap, Fidelity, Gpu, Layered, Source};

/// Sizes beyond this are mistakes.
const MOST: f64 = 100_000.0;

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
    pub(super) fn member(member: &'static str, problem: impl Into<String>) -> Self {
        Self::Member { member, problem: problem.into() }
    }
}

/// The contract of a node; it joins with `token`. What kubelet or a shell could misread is refused.
pub fn contract(cluster: &Cluster, request: &Request, token: Secret<String>) -> Result<Contract, Impossible> {
    let Cluster { options, environment } = cluster;
    let Request { provision_profile: profile, provision_helper_values: size } = request;
    if profile.os_type != OsType::Linux {
        return Err(Impossible::member("osType", "only Linux nodes are made here"));
    }
    let release = Release::parse(&profile.orchestrator_version)
        .map_err(|problem| Impossible::member("orchestratorVersion", problem.to_string()))?;
    SubnetId::parse(&profile.vnet_subnet_id)
        .map_err(|problem| Impossible::member("vnetSubnetID", problem.to_string()))?;
    let class = node_class(profile)?;
    let node = NodePart {
        bootstrap_token: token,
        kubernetes_version: profile.orchestrator_version.clone(),
        arch: match profile.architecture {
            Architecture::X64 => "amd64",
            Architecture::Arm64 => "arm64",
        },
        subnet_id: Layered::new(profile.vnet_subnet_id.clone(), Source::NodeClass),
        gpu: gpu(profile),
        kubelet: KubeletSettings::prepare(options, &class, reserved(*size)?, Fidelity::Ours),
        labels: profile.custom_node_labels.iter().map(|(key, value)| (key.clone(), value.clone())).collect(),
        taints: Taints {
            general: taints(&profile.node_taints),
            startup: taints(&profile.node_initialization_taints),
        },
        linux_os: class.spec.linux_os_config.clone(),
    };
    let bootstrap = Bootstrap::of(options, environment, node).map_err(|problem| Impossible::Cluster {
        member: "environment.networkSecurityGroups",
        problem: problem.to_string(),
    })?;
    let draft = Draft {
        bootstrap: &bootstrap,
        release,
        vm_size: &profile.vm_size,
        artifact_streaming: class.spec.streams_artifacts(),
        local_dns: class.spec.local_dns,
        fidelity: Fidelity::Ours,
    };
    let contract = draft.contract();
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

fn gpu(profile: &ProvisionProfile) -> Gpu {
    let installs = profile.gpu_profile.is_some_and(|gpu| gpu.install_gpu_driver);
    // A profile is there for sizes with GPUs of NVIDIA only, also those that are newer than our list.
    Gpu { is_nvidia: profile.gpu_profile.is_some(), ..Gpu::of_size(&profile.vm_size, installs) }
}

fn reserved(size: HelperValues) -> Result<Reservation, Impossible> {
    let fits = |amount: f64| (0.0..MOST).contains(&amount);
    if !fits(size.sku_cpu) || !fits(size.sku_memory) {
        let problem = format!("skuCPU and skuMemory must be from 0 to {MOST}");
        return Err(Impossible::member("provisionHelperValues", problem));
    }
    #[expect(clippy::cast_possible_truncation, reason = "it was looked at whether it fits")]
    let processors = size.sku_cpu as i64;
    Ok(kube_reserved(processors, size.sku_memory))
}

/// The taints that mean something: those without an effect do not, and kubelet does not start with them.
fn taints(texts: &[String]) -> Vec<Taint> {
    let parsed = texts.iter().filter_map(|text| {
        let (rest, effect) = text.rsplit_once(':').filter(|(_, effect)| !effect.is_empty())?;
        let (key, value) = rest.split_once('=').unwrap_or((rest, ""));
        Some(Taint { key: key.to_owned(), value: value.to_owned(), effect: effect.to_owned() })
    });
    parsed.collect()
}
