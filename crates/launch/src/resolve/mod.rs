//! Resolution: from a request to everything that a node is made with, each value with the layer that gave it.
//!
//! Comes in: a request. Goes out: a [`Resolved`] node, or a [`Refusal`] that says what to change. Never does: ignoring
//! a wish in silence; what is not done is a [`Finding`].

mod class_rules;
mod rules;
mod template;

use crate::bootstrap::{Bootstrap, Gpu, NodePart};
use crate::computed::{
    KubeletSettings, NoManagedGroup, NotARelease, NotASubnet, Release, Taints, node_labels,
};
use crate::images::{Selection, select_for};
use crate::request::{CustomDataPart, LocalDns, Problems};
use crate::sizes::{InstanceType, NotOffered, instance_type};
use crate::{Fidelity, Layered, Request, Source};

pub use template::LaunchTemplate;

/// A node as it will be made.
#[derive(Debug)]
pub struct Resolved {
    /// The node claim's name.
    pub node_claim: String,
    /// What the node is bootstrapped with.
    pub bootstrap: Bootstrap,
    /// What the size is for the node class.
    pub instance_type: InstanceType,
    /// The image, and why others fell out.
    pub image: Selection,
    /// What the VM is created from.
    pub launch_template: LaunchTemplate,
    /// Wishes that not every payload can fulfil.
    pub wishes: Wishes,
    /// How the resolver on the node treats its zones.
    pub local_dns: Option<LocalDns>,
    /// Custom data that the user adds.
    pub custom_data_parts: Vec<CustomDataPart>,
    /// What is not done as it was asked for.
    pub findings: Vec<Finding>,
}

/// Wishes of the node class that not every payload can fulfil.
#[expect(clippy::struct_excessive_bools, reason = "each is a wish of its own")]
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Wishes {
    /// The local resolver.
    pub local_dns: bool,
    /// Artifact streaming.
    pub artifact_streaming: bool,
    /// Settings of the operating system.
    pub linux_os: bool,
    /// kubelet's stance on swap.
    pub fail_swap_on: bool,
    /// The period of CPU quotas.
    pub cpu_quota_period: bool,
}

/// Something that is not done as it was asked for.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Finding {
    /// Which member of the request.
    pub path: String,
    /// What becomes of it.
    pub message: String,
}

/// Why a request leads to no node.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum Refusal {
    /// The request has values that no node can be made with.
    #[error("{0}")]
    Request(Problems),
    /// The size is not offered for the node class.
    #[error(transparent)]
    NotOffered(#[from] NotOffered),
    /// No image fits.
    #[error("{0}")]
    Image(String),
    /// The security group cannot be told.
    #[error("environment.networkSecurityGroups: {0}")]
    SecurityGroup(#[from] NoManagedGroup),
    /// The subnet's id cannot be read.
    #[error("options.vnetSubnetID or nodeClass.spec.vnetSubnetID: {0}")]
    Subnet(#[from] NotASubnet),
    /// The version cannot be read.
    #[error("nodeClass.kubernetesVersion: {0}")]
    Version(#[from] NotARelease),
}

/// Resolves a request.
pub fn resolve(request: &Request, fidelity: Fidelity) -> Result<Resolved, Refusal> {
    if fidelity.is_ours() {
        rules::check(request).map_err(Refusal::Request)?;
    }
    let Request { options, environment, node_class, node_claim, sku, .. } = request;
    Release::parse(&node_class.kubernetes_version)?;
    let size = instance_type(options, node_class, sku, &environment.location)?;
    if fidelity.is_ours() {
        size.check_local_dns(node_class.runs_local_dns())?;
    }
    let image = select_for(options, node_class, &size, fidelity);
    if let Some(error) = &image.select_error {
        return Err(Refusal::Image(error.clone()));
    }
    let subnet_id = subnet(request);
    let mut findings = Vec::new();
    let (labels, forbidden) = node_labels(request, &subnet_id.value, &size, fidelity)?;
    findings.extend(forbidden.into_iter().map(|key| Finding {
        path: format!("nodeClaim.labels[{key:?}]"),
        message:
            "kubelet may not set this label; it is left to the launcher to put it on the node".to_owned(),
    }));
    if fidelity.is_ours() {
        rules::check_labels(&labels).map_err(Refusal::Request)?;
    }
    let mut taints = Taints::of(node_claim);
    if fidelity.is_ours() {
        findings.extend(rules::drop_taints_without_effect(&mut taints));
    }
    let part = NodePart {
        bootstrap_token: options.kubelet_bootstrap_token.clone(),
        kubernetes_version: node_class.kubernetes_version.clone(),
        arch: size.architecture.name(),
        subnet_id,
        gpu: Gpu::of_size(&sku.name, node_class.spec.installs_gpu_driver()),
        kubelet: KubeletSettings::prepare(options, node_class, size.kube_reserved, fidelity),
        labels,
        taints,
        linux_os: node_class.spec.linux_os_config.clone(),
    };
    let bootstrap = Bootstrap::of(options, environment, part)?;
    Ok(Resolved {
        node_claim: node_claim.name.clone(),
        launch_template: LaunchTemplate::of(request, &bootstrap, &size, &image),
        wishes: wishes(request),
        local_dns: node_class.spec.local_dns.clone(),
        custom_data_parts: options.custom_data_parts.clone(),
        bootstrap,
        instance_type: size,
        image,
        findings,
    })
}

/// The subnet that the node class names, else that of the options.
fn subnet(request: &Request) -> Layered<String> {
    let class = request.node_class.spec.vnet_subnet_id.clone();
    Layered::new(request.options.vnet_subnet_id.clone(), Source::GlobalOptions)
        .under(class, Source::NodeClass)
}

fn wishes(request: &Request) -> Wishes {
    let spec = &request.node_class.spec;
    let kubelet = spec.kubelet.as_ref();
    Wishes {
        local_dns: request.node_class.runs_local_dns(),
        artifact_streaming: spec.streams_artifacts(),
        linux_os: spec.linux_os_config.is_some(),
        fail_swap_on: kubelet.is_some_and(|kubelet| kubelet.fail_swap_on.is_some()),
        cpu_quota_period: kubelet.is_some_and(|kubelet| kubelet.cpu_cfs_quota_period.nanoseconds() != 0),
    }
}
