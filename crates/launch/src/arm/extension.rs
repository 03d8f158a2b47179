//! Extensions: the command that waits for the node's result, and the one that AKS counts nodes by.

use serde_json::{Value, json};
use slipway_render::Cloud;

use super::Order;

/// The name of the extension that runs the command.
pub const CUSTOM_SCRIPT: &str = "cse-agent-karpenter";
/// The name of the extension that AKS counts nodes by.
pub const BILLING: &str = "computeAksLinuxBilling";

/// Extensions that are put below the VM once it is made, in this order.
pub fn extensions(order: &Order<'_>) -> Vec<Value> {
    let name = order.name();
    let mut bodies = Vec::new();
    let mut add = |extension: &str, properties: Value| {
        let id = order.id("Microsoft.Compute", &format!("virtualMachines/{name}/extensions/{extension}"));
        bodies.push(order.resource(id, extension, properties));
    };
    if let Some(properties) = custom_script(order) {
        add(CUSTOM_SCRIPT, properties);
    }
    if has_billing(&order.node.bootstrap.cloud.value) {
        add(BILLING, billing());
    }
    bodies
}

/// The extension that runs the command, if there is one.
pub(super) fn custom_script(order: &Order<'_>) -> Option<Value> {
    let command = order.boot.command?;
    Some(json!({
        "publisher": "Microsoft.Azure.Extensions",
        "type": "CustomScript",
        "typeHandlerVersion": "2.0",
        "autoUpgradeMinorVersion": true,
        "settings": {},
        "protectedSettings": {"commandToExecute": command},
    }))
}

pub(super) fn billing() -> Value {
    json!({
        "publisher": "Microsoft.AKS",
        "type": "Compute.AKS.Linux.Billing",
        "typeHandlerVersion": "1.0",
        "autoUpgradeMinorVersion": true,
        "settings": {},
    })
}

/// The billing extension is published in these clouds only.
pub(super) fn has_billing(cloud: &str) -> bool {
    [Cloud::Public, Cloud::China, Cloud::UsGovernment].iter().any(|known| known.name() == cloud)
}
