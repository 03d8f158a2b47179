//! `slipway launch request`: a launch request to start from.

use serde_json::{Value, json};
use slipway_launch::Request;
use slipway_launch::detect::{
    SECRETS, Sighting, assemble, at, cluster_document, document_settings, environment_settings, node_class,
    size,
};

use super::{live, text, yaml};
use crate::Outcome;
use crate::cli::LaunchRequest;
use crate::failure::Failure;
use crate::files::{self, Input};
use crate::screen::Screen;

/// What nobody detects, and a launch cannot do without.
const NEEDED: [(&str, &str); 9] = [
    ("options.clusterName", "the cluster's name"),
    ("options.clusterEndpoint", "the API server's address"),
    ("options.nodeResourceGroup", "the resource group of the nodes"),
    ("options.vnetSubnetID", "the subnet of the nodes"),
    ("options.sshPublicKey", "the administrator's public key"),
    ("environment.subscriptionID", "the subscription"),
    ("environment.location", "the region"),
    ("nodeClass.latestImageVersion", "the newest version of the node images"),
    ("sku", "the VM size"),
];

pub(crate) fn print(arguments: &LaunchRequest, screen: &mut Screen) -> Result<Outcome, Failure> {
    let (mut request, disagreements) = assemble(sightings(arguments)?);
    for disagreement in disagreements {
        screen.warning(disagreement);
    }
    complete(&mut request);
    for (path, what) in NEEDED {
        if at(&request, path).is_none() {
            screen.warning(format_args!("{path} is not known: put in {what}"));
        }
    }
    if !arguments.show_secrets {
        leave_out_secrets(&mut request, screen);
    }
    Request::parse(&request.to_string()).map_err(|problems| {
        Failure::input("not-a-launch-request", "what was found makes no launch request", problems)
    })?;
    screen.json(&request);
    Ok(Outcome::Done)
}

fn sightings(arguments: &LaunchRequest) -> Result<Vec<Sighting>, Failure> {
    let mut seen = Vec::new();
    if let Some(path) = &arguments.settings {
        seen.extend(settings(&files::read(path)?)?);
    }
    if let Some(path) = &arguments.node_class {
        seen.extend(node_class(&document(&files::read(path)?)?));
    }
    if let Some(path) = &arguments.cluster_json {
        seen.extend(cluster_document(&document(&files::read(path)?)?));
    }
    if let (Some(path), Some(name)) = (&arguments.sizes, &arguments.size) {
        let input = files::read(path)?;
        seen.push(
            size(&document(&input)?, name).map_err(|error| {
                Failure::input("no-such-size", format!("cannot use {}", input.name), error)
            })?,
        );
    }
    if let Some(path) = &arguments.live.kubeconfig {
        seen.extend(live::sightings(path, arguments.live.within)?);
    }
    Ok(seen)
}

/// Settings are lines of an environment, or a document.
fn settings(input: &Input) -> Result<Vec<Sighting>, Failure> {
    let text = text(input)?;
    if let Ok(document @ (Value::Object(_) | Value::Array(_))) = yaml::parse(text) {
        return Ok(document_settings(&document));
    }
    let seen = environment_settings(text);
    if seen.is_empty() && !text.trim().is_empty() {
        let found = "no setting of Karpenter's Azure provider is in it";
        return Err(Failure::input("no-settings", format!("cannot use {}", input.name), found)
            .with_hint("give lines such as CLUSTER_NAME=demo, a config map, a deployment or Helm values"));
    }
    Ok(seen)
}

fn document(input: &Input) -> Result<Value, Failure> {
    yaml::parse(text(input)?)
        .map_err(|problem| Failure::input("unreadable", format!("cannot read {}", input.name), problem))
}

/// The members that are there in every request, so that whoever edits it sees them.
fn complete(request: &mut Value) {
    let members = [
        ("options", json!({})),
        ("environment", json!({})),
        ("nodeClass", json!({"spec": {}})),
        ("nodeClaim", json!({"name": "node-1", "labels": {}, "requirements": [], "taints": []})),
        ("launch", json!({"capacityType": "on-demand", "placementScope": "regional"})),
    ];
    for (name, default) in members {
        if request.get(name).is_none() {
            request[name] = default;
        }
    }
}

/// A request that is kept in a file is better off without them.
fn leave_out_secrets(request: &mut Value, screen: &Screen) {
    for path in SECRETS {
        if at(request, path).is_none() {
            continue;
        }
        if let Some((parent, name)) = path.rsplit_once('.')
            && let Some(members) =
                request.pointer_mut(&format!("/{}", parent.replace('.', "/"))).and_then(Value::as_object_mut)
        {
            members.remove(name);
        }
        screen.warning(format_args!("{path} is known and left out; --show-secrets prints it"));
    }
}
