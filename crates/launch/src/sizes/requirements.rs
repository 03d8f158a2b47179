//! The labels that a size goes with.

use super::can;
use super::instance_type::Size;
use super::offering::Offering;
use super::requirement::Requirement;
use crate::computed::cluster_label;
use crate::images::os_sku;
use crate::request::{NodeClass, Options};

/// The label of a VM's generation.
pub const HYPERV_GENERATION: &str = "karpenter.azure.com/sku-hyperv-generation";
/// The label of a processor's architecture.
pub const ARCHITECTURE: &str = "kubernetes.io/arch";

/// All requirements of a size, sorted by key.
pub(super) fn requirements(
    options: &Options,
    node_class: &NodeClass,
    region: &str,
    size: &Size<'_>,
    offerings: &[Offering],
) -> Vec<Requirement> {
    let is = |key, value: String| Requirement::is(key, value);
    let flag = |key, on: bool| Requirement::is(key, if on { "true" } else { "false" });
    let available = || offerings.iter().filter(|offering| offering.is_available);
    let cpus = size.cpus.to_string();
    let memory_mib = mebibytes(size.memory_gib).to_string();
    let manufacturer = size.gpu.map(|gpu| gpu.manufacturer().label());
    let gpu_count = if size.gpu.is_some() { size.gpu_count } else { 0 };
    let gpu_name = size.name.accelerator.filter(|_| size.gpu.is_some()).map(str::to_owned);
    let room = size.ephemeral_room;
    let family = node_class.spec.image_family.as_deref();
    vec![
        Requirement::one_of(
            "karpenter.azure.com/placement-scope",
            available().map(|offering| offering.placement_scope.as_str()),
        ),
        is("karpenter.azure.com/sku-cpu", cpus.clone()),
        is("karpenter.azure.com/sku-family", size.name.family().to_owned()),
        is("karpenter.azure.com/sku-gpu-count", gpu_count.to_string()),
        Requirement::maybe("karpenter.azure.com/sku-gpu-manufacturer", manufacturer),
        Requirement::maybe("karpenter.azure.com/sku-gpu-name", gpu_name),
        Requirement::one_of(HYPERV_GENERATION, size.generations.iter().map(|generation| generation.name())),
        is("karpenter.azure.com/sku-memory", memory_mib.clone()),
        is("karpenter.azure.com/sku-name", size.sku.name.clone()),
        flag("karpenter.azure.com/sku-networking-accelerated", can(size.sku, "AcceleratedNetworkingEnabled")),
        is("karpenter.azure.com/sku-series", size.name.series()),
        Requirement::maybe(
            "karpenter.azure.com/sku-storage-ephemeralos-maxsize",
            room.placement.filter(|_| room.gb > 0).map(|_| room.gb.to_string()),
        ),
        flag("karpenter.azure.com/sku-storage-premium-capable", can(size.sku, "PremiumIO")),
        Requirement::one_of(
            "karpenter.azure.com/sku-storage-ultra-ssd",
            available().flat_map(|offering| offering.ultra_ssd_choices().iter().copied()),
        ),
        is("karpenter.azure.com/sku-version", size.name.version().to_owned()),
        Requirement::one_of(
            "karpenter.sh/capacity-type",
            available().map(|offering| offering.capacity_type.as_str()),
        ),
        is("kubernetes.azure.com/cluster", cluster_label(&options.node_resource_group)),
        Requirement::maybe("kubernetes.azure.com/fips_enabled", node_class.spec.is_fips().then_some("true")),
        Requirement::one_of("kubernetes.azure.com/mode", ["system", "user"]),
        is("kubernetes.azure.com/os-sku", os_sku(family).to_owned()),
        Requirement::one_of("kubernetes.azure.com/priority", available().map(Offering::priority)),
        Requirement::one_of("kubernetes.azure.com/scalesetpriority", available().map(Offering::priority)),
        is("kubernetes.azure.com/sku-cpu", cpus),
        is("kubernetes.azure.com/sku-memory", memory_mib),
        Requirement::is(ARCHITECTURE, size.architecture.name()),
        Requirement::is("kubernetes.io/os", "linux"),
        is("node.kubernetes.io/instance-type", size.sku.name.clone()),
        is("topology.kubernetes.io/region", region.to_owned()),
        Requirement::one_of("topology.kubernetes.io/zone", available().map(|offering| offering.zone.clone())),
    ]
}

#[expect(clippy::cast_possible_truncation, reason = "sizes are far below what an integer holds")]
fn mebibytes(gib: f64) -> i64 {
    (gib * 1024.0) as i64
}
