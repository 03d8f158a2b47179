//! A virtual machine of its own.

use serde_json::{Value, json};

use super::disk::storage;
use super::{Order, object, put, zones};

/// The body of the VM.
pub fn vm(order: &Order<'_>) -> Value {
    let name = order.name();
    let interface = order.id("Microsoft.Network", &format!("networkInterfaces/{name}"));
    let mut properties = object([
        ("hardwareProfile", json!({"vmSize": order.request.sku.name})),
        ("storageProfile", storage(order, Some(&name))),
        (
            "networkProfile",
            json!({"networkInterfaces": [
                {"id": interface, "properties": {"primary": true, "deleteOption": "Delete"}},
            ]}),
        ),
        ("osProfile", order.os_profile("computerName", &name)),
    ]);
    order.priority(&mut properties);
    put(&mut properties, "securityProfile", order.security());
    if order.request.launch.ultra_ssd {
        properties["additionalCapabilities"] = json!({"ultraSSDEnabled": true});
    }
    let id = order.id("Microsoft.Compute", &format!("virtualMachines/{name}"));
    let mut body = order.resource(id, &name, properties);
    put(&mut body, "identity", order.identity());
    put(&mut body, "zones", zones(&order.request.launch, order.node));
    body
}
