//! The network interface of a node.

use serde_json::{Value, json};

use super::{Order, object, put};
use crate::computed::{SubnetId, ip_configurations};
use crate::sizes::can;

/// The body of the network interface. Backend pools of the cluster's load balancer are not in a request: whoever
/// wants the node behind them adds them to the first address.
pub fn network_interface(order: &Order<'_>) -> Value {
    let name = order.name();
    let mut properties = settings(order);
    properties["ipConfigurations"] = addresses(order, &name, Some("Dynamic"));
    order.resource(order.id("Microsoft.Network", &format!("networkInterfaces/{name}")), &name, properties)
}

/// What an interface is, on its own or in a scale set, beside its addresses.
pub(super) fn settings(order: &Order<'_>) -> Value {
    let accelerated = can(&order.request.sku, "AcceleratedNetworkingEnabled");
    let mut settings = json!({"enableAcceleratedNetworking": accelerated, "enableIPForwarding": false});
    put(&mut settings, "networkSecurityGroup", security_group(order));
    settings
}

/// One address for the node, and one for each further pod where pods have addresses of the subnet.
pub(super) fn addresses(order: &Order<'_>, primary: &str, allocation: Option<&str>) -> Value {
    let options = &order.request.options;
    let max_pods = order.node.bootstrap.kubelet.as_ref().map_or(1, |kubelet| kubelet.max_pods.value);
    let subnet = order.node.launch_template.subnet_id.as_str();
    let address = |at: i32| {
        let name = if at == 0 { primary.to_owned() } else { format!("ipconfig{at}") };
        let mut properties =
            object([("primary", Value::Bool(at == 0)), ("subnet", object([("id", subnet.into())]))]);
        put(&mut properties, "privateIPAllocationMethod", allocation.map(Value::from));
        object([("name", name.into()), ("properties", properties)])
    };
    (0..ip_configurations(options, max_pods).max(1)).map(address).collect()
}

/// AKS's security group, unless AKS has put it on the subnet already.
fn security_group(order: &Order<'_>) -> Option<Value> {
    let subnet = SubnetId::parse(&order.node.launch_template.subnet_id);
    let node_group = &order.request.options.node_resource_group;
    let is_there = subnet.is_ok_and(|subnet| subnet.is_managed_by_aks(node_group));
    let group = &order.node.bootstrap.network_security_group;
    (!is_there)
        .then(|| json!({"id": order.id("Microsoft.Network", &format!("networkSecurityGroups/{group}"))}))
}
