//! `slipway launch template`: what a VM is created from.

use serde_json::{Map, Value, json};
use slipway_launch::arm::{self, Boot, Order};
use slipway_launch::{Bootstrapper, ContractForm, Payload, Request, Resolved, VariablesScript};

use super::{fidelity, read, resolved, warn};
use crate::Outcome;
use crate::cli::{LaunchTemplate, Output, PayloadForm, Resource};
use crate::failure::Failure;
use crate::screen::{Screen, printable};

pub(crate) fn print(arguments: &LaunchTemplate, screen: &mut Screen) -> Result<Outcome, Failure> {
    let fidelity = fidelity(arguments.compat);
    let request = read(&arguments.file, &arguments.live, screen)?;
    let node = resolved(&request, fidelity, screen)?;
    let form: &dyn Bootstrapper = match arguments.payload {
        PayloadForm::Variables => &VariablesScript { fidelity },
        PayloadForm::Contract => &ContractForm { fidelity },
    };
    let payload = form
        .payload(&node)
        .map_err(|error| Failure::input("no-payload", "cannot make the payload", error))?;
    warn(&payload.findings, screen);
    let reveal = arguments.compat || arguments.show_secrets;
    let boot = if reveal { Boot::of(&payload) } else { Boot::masked(&payload) };
    match arguments.output {
        Output::Json => screen.json(&template(arguments, &Order { request: &request, node: &node, boot })?),
        Output::Text => summary(&request, &node, &payload, screen),
    }
    Ok(Outcome::Done)
}

fn template(arguments: &LaunchTemplate, order: &Order<'_>) -> Result<Value, Failure> {
    let mut template = Map::new();
    let mut add = |name: &str, value: Value| template.insert(name.to_owned(), value);
    add("launchTemplate", json!(order.node.launch_template));
    add("customData", json!(order.boot.custom_data));
    if let Some(command) = order.boot.command {
        add("command", json!(command));
    }
    match arguments.resource {
        Resource::Vm => {
            add("vm", json!(arm::vm(order)));
            add("networkInterface", json!(arm::network_interface(order)));
            add("extensions", json!(arm::extensions(order)));
        }
        Resource::ScaleSet => {
            add("scaleSet", json!(arm::scale_set(order, 1)));
        }
        Resource::Machine => {
            let machine = arm::machine(order.request, order.node, fidelity(arguments.compat))
                .map_err(|error| Failure::input("no-machine", "cannot make an AKS machine", error))?;
            add("machine", machine);
        }
    }
    Ok(Value::Object(template))
}

fn summary(request: &Request, node: &Resolved, payload: &Payload, screen: &mut Screen) {
    let template = &node.launch_template;
    let disk = if template.is_ephemeral { template.placement } else { "in the network" };
    for (what, value) in [
        ("size", request.sku.name.clone()),
        ("image", template.image_id.clone()),
        ("subnet", template.subnet_id.clone()),
        ("OS disk", format!("{} GB, {disk}", template.disk_size_gb)),
        ("paid for", request.launch.capacity_type.to_string()),
        ("payload", format!("{} base64 characters", payload.custom_data.expose().len())),
    ] {
        screen.line(format_args!("{what:<10}{}", printable(&value)));
    }
    for (key, value) in &template.tags {
        screen.line(format_args!("{:<10}{}={}", "tag", printable(key), printable(value)));
    }
}
