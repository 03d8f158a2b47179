//! The network interface of a node.

use serde::Serialize;

use super::body::Reference;
use super::{Order, Resource};
use crate::computed::{SubnetId, ip_configurations};
use crate::sizes::can;

/// What an interface is, on its own or in a scale set.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Interface<'a> {
    enable_accelerated_networking: bool,
    #[serde(rename = "enableIPForwarding")]
    enable_ip_forwarding: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    network_security_group: Option<Reference<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    primary: Option<bool>,
    ip_configurations: Vec<Address<'a>>,
}

#[derive(Serialize)]
struct Address<'a> {
    name: String,
    properties: AddressProperties<'a>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct AddressProperties<'a> {
    primary: bool,
    subnet: Reference<&'a str>,
    #[serde(rename = "privateIPAllocationMethod", skip_serializing_if = "Option::is_none")]
    allocation: Option<&'static str>,
}

/// The body of the network interface. Backend pools of the cluster's load balancer are not in a request: whoever
/// wants the node behind them adds them to the first address.
pub fn network_interface<'a>(order: &Order<'a>) -> Resource<'a, Interface<'a>> {
    let name = order.name();
    let interface = interface(order, None, &name, Some("Dynamic"));
    order.resource(order.id("Microsoft.Network/networkInterfaces", &name), name, interface)
}

/// An interface in a scale set, which is the first one of each instance.
pub(super) fn interface_of_instances<'a>(order: &Order<'a>) -> Interface<'a> {
    interface(order, Some(true), "ipconfig0", None)
}

fn interface<'a>(
    order: &Order<'a>,
    primary: Option<bool>,
    first_address: &str,
    allocation: Option<&'static str>,
) -> Interface<'a> {
    Interface {
        enable_accelerated_networking: can(&order.request.sku, "AcceleratedNetworkingEnabled"),
        enable_ip_forwarding: false,
        network_security_group: security_group(order),
        primary,
        ip_configurations: addresses(order, first_address, allocation),
    }
}

/// One address for the node, and one for each further pod where pods have addresses of the subnet.
fn addresses<'a>(order: &Order<'a>, first: &str, allocation: Option<&'static str>) -> Vec<Address<'a>> {
    let max_pods = order.node.bootstrap.kubelet.as_ref().map_or(1, |kubelet| kubelet.max_pods.value);
    let subnet = order.node.launch_template.subnet_id.as_str();
    let address = |at: i32| Address {
        name: if at == 0 { first.to_owned() } else { format!("ipconfig{at}") },
        properties: AddressProperties { primary: at == 0, subnet: Reference { id: subnet }, allocation },
    };
    (0..ip_configurations(&order.request.options, max_pods).max(1)).map(address).collect()
}

/// AKS's security group, unless AKS has put it on the subnet already.
fn security_group(order: &Order<'_>) -> Option<Reference<String>> {
    let subnet = SubnetId::parse(&order.node.launch_template.subnet_id);
    let node_group = &order.request.options.node_resource_group;
    let is_there = subnet.is_ok_and(|subnet| subnet.is_managed_by_aks(node_group));
    let group = &order.node.bootstrap.network_security_group;
    (!is_there).then(|| Reference { id: order.id("Microsoft.Network/networkSecurityGroups", group) })
}
