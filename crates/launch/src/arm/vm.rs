//! A virtual machine of its own.

use serde_json::{Value, json};

use super::disk::storage;
use super::{Order, put, zones};

/// The body of the VM.
pub fn vm(order: &Order<'_>) -> Value {
    let name = order.name();
    let interface = order.id("Microsoft.Network", &format!("networkInterfaces/{name}"));
    let mut properties = json!({
        "hardwareProfile": {"vmSize": order.request.sku.name},
        "storageProfile": storage(order, Some(&name)),
        "networkProfile": {"networkInterfaces": [
            {"id": interface, "properties": {"primary": true, "deleteOption": "Delete"}},
        ]},
        "osProfile": {
            "computerName": name,
            "adminUsername": order.request.options.linux_admin_username,
            "customData": order.boot.custom_data,
            "linuxConfiguration": order.linux(),
        },
    });
    order.priority(&mut properties);
    put(&mut properties, "securityProfile", order.security());
    if order.request.launch.ultra_ssd {
        properties["additionalCapabilities"] = json!({"ultraSSDEnabled": true});
    }
    let mut body = json!({
        "id": order.id("Microsoft.Compute", &format!("virtualMachines/{name}")),
        "name": name,
        "location": order.request.environment.location,
        "tags": order.tags(),
        "properties": properties,
    });
    put(&mut body, "identity", order.identity());
    put(&mut body, "zones", zones(&order.request.launch, order.node));
    body
}
