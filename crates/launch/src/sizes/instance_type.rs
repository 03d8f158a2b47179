//! The instance type: what a size is for one node class in one region.

use serde::Serialize;

use super::can;
use super::gpu::{GpuSizes, Manufacturer, gpu_sizes};
use super::name::SizeName;
use super::offering::{Offering, offerings};
use super::platform::{Architecture, Generation};
use super::quantity::Quantity;
use super::refusal::{NotOffered, Reason, is_refused_by_aks};
use super::requirement::Requirement;
use super::requirements::requirements;
use super::reserved::{EVICTION_MEMORY, Reservation, kube_reserved};
use super::storage::EphemeralRoom;
use crate::computed::default_max_pods;
use crate::request::{LocalDnsState, NodeClass, Options, Sku};

const GIB: i64 = 1 << 30;

/// What a size is for a node class: what it goes with, what it has, and what is left for pods.
#[derive(Debug, Clone, PartialEq)]
pub struct InstanceType {
    /// The size's name.
    pub name: String,
    /// The processor's architecture.
    pub architecture: Architecture,
    /// The generations that the size boots.
    pub generations: Vec<Generation>,
    /// vCPUs of the size.
    pub cpus: i64,
    /// Memory of the size in GiB, before anything is taken off.
    pub memory_gib: f64,
    /// Values of labels that the size goes with, sorted by key.
    pub requirements: Vec<Requirement>,
    /// What a node of the size has.
    pub capacity: Resources,
    /// What is kept for kubelet and the container runtime.
    pub kube_reserved: Reservation,
    /// The ways in which the size can be had.
    pub offerings: Vec<Offering>,
    /// The room for the OS disk on the host.
    pub ephemeral_room: EphemeralRoom,
}

/// Amounts of the resources that scheduling knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Resources {
    /// AMD GPUs.
    #[serde(rename = "amd.com/gpu")]
    pub amd_gpus: Quantity,
    /// CPU.
    pub cpu: Quantity,
    /// Room on the OS disk.
    #[serde(rename = "ephemeral-storage")]
    pub ephemeral_storage: Quantity,
    /// Memory.
    pub memory: Quantity,
    /// NVIDIA GPUs.
    #[serde(rename = "nvidia.com/gpu")]
    pub nvidia_gpus: Quantity,
    /// Pods.
    pub pods: Quantity,
}

/// A size whose description could be read.
pub(super) struct Size<'a> {
    pub(super) sku: &'a Sku,
    pub(super) name: SizeName<'a>,
    pub(super) architecture: Architecture,
    pub(super) generations: Vec<Generation>,
    pub(super) cpus: i64,
    pub(super) memory_gib: f64,
    pub(super) gpu: Option<&'static GpuSizes>,
    pub(super) gpu_count: i64,
    pub(super) ephemeral_room: EphemeralRoom,
}

/// What a size is for a node class in a region, or why it is not offered.
pub fn instance_type(
    options: &Options,
    node_class: &NodeClass,
    sku: &Sku,
    region: &str,
) -> Result<InstanceType, NotOffered> {
    let refused = |reason| NotOffered { size: sku.name.clone(), reason };
    let size = Size::read(sku).map_err(refused)?;
    check_size(&size).map_err(refused)?;
    check_node_class(node_class, &size).map_err(refused)?;
    let offerings = offerings(sku, region);
    Ok(InstanceType {
        name: sku.name.clone(),
        architecture: size.architecture,
        requirements: requirements(options, node_class, region, &size, &offerings),
        cpus: size.cpus,
        memory_gib: size.memory_gib,
        capacity: capacity(options, node_class, &size),
        kube_reserved: kube_reserved(size.cpus, size.memory_gib),
        offerings,
        ephemeral_room: size.ephemeral_room,
        generations: size.generations,
    })
}

impl InstanceType {
    /// What is left for pods.
    pub fn allocatable(&self) -> Resources {
        Resources {
            cpu: self.capacity.cpu.minus(self.kube_reserved.cpu),
            memory: self.capacity.memory.minus(self.kube_reserved.memory).minus(EVICTION_MEMORY),
            ..self.capacity
        }
    }

    /// Whether nodes of the size can run the local resolver, where they will.
    pub(crate) fn check_local_dns(&self, runs: bool) -> Result<(), NotOffered> {
        let checked = if runs { check_local_dns(self.cpus) } else { Ok(()) };
        checked.map_err(|reason| NotOffered { size: self.name.clone(), reason })
    }

    /// The requirement of a label.
    pub fn requirement(&self, key: &str) -> Option<&Requirement> {
        self.requirements.iter().find(|requirement| requirement.key == key)
    }
}

/// The size's name without its tier.
pub(super) fn bare_name(sku: &Sku) -> &str {
    if sku.size.is_empty() {
        sku.name.split_once('_').map_or(sku.name.as_str(), |(_, size)| size)
    } else {
        &sku.size
    }
}

/// Whether the size is one that Azure lists.
pub(super) fn is_known(sku: &Sku) -> bool {
    SizeName::parse(bare_name(sku)).is_some() && gpu_sizes(&sku.name).is_none_or(|sizes| sizes.is_listed)
}

impl<'a> Size<'a> {
    fn read(sku: &'a Sku) -> Result<Self, Reason> {
        let size = bare_name(sku);
        let name = SizeName::parse(size).ok_or_else(|| Reason::UnreadableName(size.to_owned()))?;
        let bad = |name| Reason::Capability { name, value: sku.capability(name).map(str::to_owned) };
        let architecture = sku.capability("CpuArchitectureType").and_then(Architecture::of_azure);
        let memory_gib = number(sku, "MemoryGB").filter(|gib: &f64| gib.is_finite());
        Ok(Self {
            sku,
            name,
            architecture: architecture.ok_or_else(|| bad("CpuArchitectureType"))?,
            generations: generations(sku),
            cpus: number(sku, "vCPUs").ok_or_else(|| bad("vCPUs"))?,
            memory_gib: memory_gib.ok_or_else(|| bad("MemoryGB"))?,
            gpu: gpu_sizes(&sku.name),
            gpu_count: number(sku, "GPUs").unwrap_or(0),
            ephemeral_room: EphemeralRoom::of(sku),
        })
    }
}

fn number<T: std::str::FromStr>(sku: &Sku, capability: &str) -> Option<T> {
    sku.capability(capability)?.parse().ok()
}

fn check_size(size: &Size<'_>) -> Result<(), Reason> {
    let refusals = [
        (!is_known(size.sku), Reason::Retired),
        (size.sku.location_restricted, Reason::LocationRestricted),
        (size.cpus < 2, Reason::TooFewCpus(size.cpus)),
        (size.memory_gib < 3.5, Reason::TooLittleMemory(size.memory_gib)),
        (is_refused_by_aks(&size.sku.name), Reason::RefusedByAks),
        (size.gpu_count > 0 && size.gpu.is_none(), Reason::UnknownGpu),
        (size.name.constrained_cpus.is_some(), Reason::ConstrainedCpus),
        (size.name.is_confidential(), Reason::Confidential),
    ];
    refusals.into_iter().find(|(refused, _)| *refused).map_or(Ok(()), |(_, reason)| Err(reason))
}

fn check_node_class(node_class: &NodeClass, size: &Size<'_>) -> Result<(), Reason> {
    let spec = &node_class.spec;
    if let Some(gpu) = size.gpu {
        let family = spec.image_family.as_deref().unwrap_or("Ubuntu");
        let runs = match family {
            "Ubuntu" | "Ubuntu2204" | "Ubuntu2404" => gpu.runs_ubuntu(),
            "AzureLinux" => gpu.runs_azure_linux(),
            _ => false,
        };
        if !runs {
            return Err(Reason::GpuSystem(family.to_owned(), gpu.systems().join(", ")));
        }
        if spec.installs_gpu_driver() && !gpu.installs_driver() {
            return Err(Reason::GpuDriver);
        }
    }
    if spec.is_encrypted_at_host() && !can(size.sku, "EncryptionAtHostSupported") {
        return Err(Reason::EncryptionAtHost);
    }
    if node_class.local_dns_state == Some(LocalDnsState::Enabled) {
        check_local_dns(size.cpus)?;
    }
    if spec.streams_artifacts() && size.architecture == Architecture::Arm64 {
        return Err(Reason::ArtifactStreaming);
    }
    Ok(())
}

/// Whether a node with so many CPUs can run the local resolver.
fn check_local_dns(cpus: i64) -> Result<(), Reason> {
    if cpus < 4 { Err(Reason::LocalDns(cpus)) } else { Ok(()) }
}

fn generations(sku: &Sku) -> Vec<Generation> {
    let known = sku.capability("HyperVGenerations").unwrap_or("");
    [("V1", Generation::One), ("V2", Generation::Two)]
        .into_iter()
        .filter(|(word, _)| known.split(',').any(|part| part.trim() == *word))
        .map(|(_, generation)| generation)
        .collect()
}

fn capacity(options: &Options, node_class: &NodeClass, size: &Size<'_>) -> Resources {
    let gpus = |manufacturer: Manufacturer| {
        let has = size.gpu.is_some_and(|gpu| gpu.manufacturer() == manufacturer);
        Quantity::Units(if has { size.gpu_count } else { 0 })
    };
    Resources {
        amd_gpus: gpus(Manufacturer::Amd),
        cpu: Quantity::Milli(size.cpus.saturating_mul(1000)),
        ephemeral_storage: Quantity::Units(i64::from(node_class.spec.os_disk_gb()) * 1_000_000_000),
        memory: schedulable_memory(size.memory_gib, options.vm_memory_overhead_percent),
        nvidia_gpus: gpus(Manufacturer::Nvidia),
        pods: Quantity::Units(i64::from(max_pods(options, node_class))),
    }
}

fn max_pods(options: &Options, node_class: &NodeClass) -> i32 {
    let default = || default_max_pods(&options.network_plugin, &options.network_plugin_mode);
    node_class.spec.max_pods.unwrap_or_else(default)
}

/// The memory that scheduling counts with: whole GiB of the size, without the share that host and kernel take.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    reason = "the arithmetic is the interface"
)]
pub fn schedulable_memory(memory_gib: f64, overhead: f64) -> Quantity {
    let bytes = (memory_gib as i64).saturating_mul(GIB);
    Quantity::Bytes(bytes.saturating_sub((bytes as f64 * overhead).ceil() as i64))
}
