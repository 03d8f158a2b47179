//! A scale set of equal nodes, as the classic path makes them: every instance has the payload, and the extension
//! reports its result.

use serde_json::{Value, json};

use super::disk::storage;
use super::extension::{BILLING, billing, custom_script, has_billing};
use super::network_interface::{addresses, settings};
use super::{Order, object, put, zones};

/// The extension's name in the scale sets of AKS.
const CUSTOM_SCRIPT: &str = "vmssCSE";

/// The body of a scale set with this many nodes.
pub fn scale_set(order: &Order<'_>, count: u32) -> Value {
    let name = order.name();
    let mut interface = settings(order);
    interface["primary"] = json!(true);
    interface["ipConfigurations"] = addresses(order, "ipconfig0", None);
    let interface = object([("name", name.as_str().into()), ("properties", interface)]);
    let mut profile = object([
        ("osProfile", order.os_profile("computerNamePrefix", &name)),
        ("storageProfile", storage(order, None)),
        ("networkProfile", object([("networkInterfaceConfigurations", Value::Array(vec![interface]))])),
        ("extensionProfile", object([("extensions", Value::Array(extensions(order)))])),
    ]);
    order.priority(&mut profile);
    put(&mut profile, "securityProfile", order.security());
    let mut properties = json!({
        "orchestrationMode": "Uniform",
        "overprovision": false,
        "singlePlacementGroup": false,
        "upgradePolicy": {"mode": "Manual"},
    });
    properties["virtualMachineProfile"] = profile;
    if order.request.launch.ultra_ssd {
        properties["additionalCapabilities"] = json!({"ultraSSDEnabled": true});
    }
    let id = order.id("Microsoft.Compute", &format!("virtualMachineScaleSets/{name}"));
    let mut body = order.resource(id, &name, properties);
    body["sku"] = json!({"name": order.request.sku.name, "tier": "Standard", "capacity": count});
    put(&mut body, "identity", order.identity());
    put(&mut body, "zones", zones(&order.request.launch, order.node));
    body
}

fn extensions(order: &Order<'_>) -> Vec<Value> {
    let billing = has_billing(&order.node.bootstrap.cloud.value).then(billing);
    [(CUSTOM_SCRIPT, custom_script(order)), (BILLING, billing)]
        .into_iter()
        .filter_map(|(name, properties)| Some(object([("name", name.into()), ("properties", properties?)])))
        .collect()
}
