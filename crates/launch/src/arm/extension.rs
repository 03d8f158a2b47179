//! Extensions: the command that waits for the node's result, and the one that AKS counts nodes by.

use serde::Serialize;
use slipway_render::Cloud;

use super::body::Nothing;
use super::{Order, Resource};

/// The name of the extension that runs the command.
pub const CUSTOM_SCRIPT: &str = "cse-agent-karpenter";
/// The name of the extension that AKS counts nodes by.
pub const BILLING: &str = "computeAksLinuxBilling";

/// What an extension is.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Extension<'a> {
    publisher: &'static str,
    #[serde(rename = "type")]
    kind: &'static str,
    type_handler_version: &'static str,
    auto_upgrade_minor_version: bool,
    settings: Nothing,
    #[serde(skip_serializing_if = "Option::is_none")]
    protected_settings: Option<Command<'a>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Command<'a> {
    command_to_execute: &'a str,
}

/// Extensions that are put below the VM once it is made, in this order.
pub fn extensions<'a>(order: &Order<'a>) -> Vec<Resource<'a, Extension<'a>>> {
    let vm = order.id("Microsoft.Compute/virtualMachines", &order.name());
    let billing = has_billing(&order.node.bootstrap.cloud.value).then(billing);
    [(CUSTOM_SCRIPT, custom_script(order)), (BILLING, billing)]
        .into_iter()
        .filter_map(|(name, properties)| {
            Some(order.resource(format!("{vm}/extensions/{name}"), name.to_owned(), properties?))
        })
        .collect()
}

/// The extension that runs the command, if there is one.
pub(super) fn custom_script<'a>(order: &Order<'a>) -> Option<Extension<'a>> {
    let command_to_execute = order.boot.command?;
    Some(Extension {
        publisher: "Microsoft.Azure.Extensions",
        kind: "CustomScript",
        type_handler_version: "2.0",
        auto_upgrade_minor_version: true,
        settings: Nothing {},
        protected_settings: Some(Command { command_to_execute }),
    })
}

pub(super) fn billing() -> Extension<'static> {
    Extension {
        publisher: "Microsoft.AKS",
        kind: "Compute.AKS.Linux.Billing",
        type_handler_version: "1.0",
        auto_upgrade_minor_version: true,
        settings: Nothing {},
        protected_settings: None,
    }
}

/// The billing extension is published in these clouds only.
pub(super) fn has_billing(cloud: &str) -> bool {
    [Cloud::Public, Cloud::China, Cloud::UsGovernment].iter().any(|known| known.name() == cloud)
}
