//! A scale set of equal nodes, as the classic path makes them: every instance has the payload, and the extension
//! reports its result.

use serde::Serialize;

use super::body::{Capabilities, Computer, OsProfile, Payment, Security};
use super::disk::{Storage, storage};
use super::extension::{BILLING, Extension, billing, custom_script, has_billing};
use super::network_interface::{Interface, interface_of_instances};
use super::{Order, Resource};

/// The extension's name in the scale sets of AKS.
const CUSTOM_SCRIPT: &str = "vmssCSE";

/// A scale set, which has a size and a count beside what every resource has.
#[derive(Serialize)]
pub struct ScaleSet<'a> {
    #[serde(flatten)]
    resource: Resource<'a, Properties<'a>>,
    sku: Sku<'a>,
}

#[derive(Serialize)]
struct Sku<'a> {
    name: &'a str,
    tier: &'static str,
    capacity: u32,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Properties<'a> {
    orchestration_mode: &'static str,
    overprovision: bool,
    single_placement_group: bool,
    upgrade_policy: UpgradePolicy,
    virtual_machine_profile: Instance<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    additional_capabilities: Option<Capabilities>,
}

#[derive(Serialize)]
struct UpgradePolicy {
    mode: &'static str,
}

/// What every instance is.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Instance<'a> {
    os_profile: OsProfile<'a>,
    storage_profile: Storage<'a>,
    network_profile: Network<'a>,
    extension_profile: Extensions<'a>,
    #[serde(flatten)]
    payment: Payment,
    #[serde(skip_serializing_if = "Option::is_none")]
    security_profile: Option<Security>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Network<'a> {
    network_interface_configurations: [Named<String, Interface<'a>>; 1],
}

#[derive(Serialize)]
struct Extensions<'a> {
    extensions: Vec<Named<&'static str, Extension<'a>>>,
}

#[derive(Serialize)]
struct Named<N, P> {
    name: N,
    properties: P,
}

/// The body of a scale set with this many nodes.
pub fn scale_set<'a>(order: &Order<'a>, count: u32) -> ScaleSet<'a> {
    let name = order.name();
    let interface = Named { name: name.clone(), properties: interface_of_instances(order) };
    let properties = Properties {
        orchestration_mode: "Uniform",
        overprovision: false,
        single_placement_group: false,
        upgrade_policy: UpgradePolicy { mode: "Manual" },
        virtual_machine_profile: Instance {
            os_profile: order.os_profile(Computer::Several(name.clone())),
            storage_profile: storage(order, None),
            network_profile: Network { network_interface_configurations: [interface] },
            extension_profile: Extensions { extensions: extensions(order) },
            payment: order.payment(),
            security_profile: order.security(),
        },
        additional_capabilities: order.capabilities(),
    };
    let id = order.id("Microsoft.Compute/virtualMachineScaleSets", &name);
    ScaleSet {
        resource: order.machines(id, name, properties),
        sku: Sku { name: &order.request.sku.name, tier: "Standard", capacity: count },
    }
}

fn extensions<'a>(order: &Order<'a>) -> Vec<Named<&'static str, Extension<'a>>> {
    let billing = has_billing(&order.node.bootstrap.cloud.value).then(billing);
    [(CUSTOM_SCRIPT, custom_script(order)), (BILLING, billing)]
        .into_iter()
        .filter_map(|(name, properties)| Some(Named { name, properties: properties? }))
        .collect()
}
