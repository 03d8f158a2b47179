//! A virtual machine of its own.

use serde::Serialize;

use super::body::{Capabilities, Computer, OsProfile, Payment, Security};
use super::disk::{Storage, storage};
use super::{Order, Resource};

/// What a VM is.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Vm<'a> {
    hardware_profile: Hardware<'a>,
    storage_profile: Storage<'a>,
    network_profile: Network,
    os_profile: OsProfile<'a>,
    #[serde(flatten)]
    payment: Payment,
    #[serde(skip_serializing_if = "Option::is_none")]
    security_profile: Option<Security>,
    #[serde(skip_serializing_if = "Option::is_none")]
    additional_capabilities: Option<Capabilities>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Hardware<'a> {
    vm_size: &'a str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Network {
    network_interfaces: [Attached; 1],
}

/// An interface that is made before the VM, and goes with it.
#[derive(Serialize)]
struct Attached {
    id: String,
    properties: Attachment,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Attachment {
    primary: bool,
    delete_option: &'static str,
}

/// The body of the VM.
pub fn vm<'a>(order: &Order<'a>) -> Resource<'a, Vm<'a>> {
    let name = order.name();
    let interface = Attached {
        id: order.id("Microsoft.Network/networkInterfaces", &name),
        properties: Attachment { primary: true, delete_option: "Delete" },
    };
    let properties = Vm {
        hardware_profile: Hardware { vm_size: &order.request.sku.name },
        storage_profile: storage(order, Some(name.clone())),
        network_profile: Network { network_interfaces: [interface] },
        os_profile: order.os_profile(Computer::One(name.clone())),
        payment: order.payment(),
        security_profile: order.security(),
        additional_capabilities: order.capabilities(),
    };
    order.machines(order.id("Microsoft.Compute/virtualMachines", &name), name, properties)
}
