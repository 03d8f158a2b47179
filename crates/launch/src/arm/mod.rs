//! Bodies as Azure Resource Manager takes them: VM, network interface, extensions, scale set, AKS machine.
//!
//! Comes in: a request, the node that it resolved to, and what the node boots with. Goes out: JSON, one resource each,
//! with the id to put it at. Never does: calling Azure, or showing more of the payload than [`Boot`] holds.

mod disk;
mod extension;
mod machine;
mod network_interface;
mod scale_set;
mod vm;

use serde_json::{Map, Value, json};
use slipway_model::Secret;

use crate::computed::vm_name;
use crate::request::{CapacityType, Choice, PlacementScope};
use crate::sizes::REGIONAL_ZONE;
use crate::{Payload, Request, Resolved};

pub use extension::{BILLING, CUSTOM_SCRIPT, extensions};
pub use machine::{NoMachine, machine};
pub use network_interface::network_interface;
pub use scale_set::scale_set;
pub use vm::vm;

/// What a VM boots with, as it is written into a body.
#[derive(Debug, Clone, Copy)]
pub struct Boot<'a> {
    /// The custom data, in base64.
    pub custom_data: &'a str,
    /// The command of an extension, where one has to run.
    pub command: Option<&'a str>,
}

impl<'a> Boot<'a> {
    /// The payload itself, for the body that is sent.
    pub fn of(payload: &'a Payload) -> Self {
        Self {
            custom_data: payload.custom_data.expose(),
            command: payload.command.as_ref().map(|command| command.expose().as_str()),
        }
    }

    /// Something else in its place, for a body that is looked at.
    pub fn masked(payload: &Payload) -> Boot<'static> {
        let mask = Secret::<String>::MASK;
        Boot { custom_data: mask, command: payload.command.as_ref().map(|_| mask) }
    }
}

/// What a body is made from.
#[derive(Debug, Clone, Copy)]
pub struct Order<'a> {
    /// What was asked for.
    pub request: &'a Request,
    /// What it resolved to.
    pub node: &'a Resolved,
    /// What the VM boots with.
    pub boot: Boot<'a>,
}

impl Order<'_> {
    /// The name of VM, network interface and disk.
    fn name(&self) -> String {
        vm_name(&self.node.node_claim)
    }

    /// The id of a resource beside the node.
    fn id(&self, kind: &str, name: &str) -> String {
        let Request { options, environment, .. } = self.request;
        format!(
            "/subscriptions/{}/resourceGroups/{}/providers/{kind}/{name}",
            environment.subscription_id, options.node_resource_group
        )
    }

    /// A resource of the region.
    fn resource(&self, id: String, name: &str, properties: Value) -> Value {
        let tags = self.node.launch_template.tags.iter();
        let tags: Map<String, Value> =
            tags.map(|(key, value)| (key.clone(), value.as_str().into())).collect();
        object([
            ("id", id.into()),
            ("name", name.into()),
            ("location", self.request.environment.location.as_str().into()),
            ("tags", Value::Object(tags)),
            ("properties", properties),
        ])
    }

    /// The identities that the VM has.
    fn identity(&self) -> Option<Value> {
        let identities = &self.request.options.node_identities;
        (!identities.is_empty()).then(|| {
            let members: Map<String, Value> = identities.iter().map(|id| (id.clone(), json!({}))).collect();
            object([("type", "UserAssigned".into()), ("userAssignedIdentities", Value::Object(members))])
        })
    }

    /// How the VM is paid for.
    fn priority(&self, into: &mut Value) {
        if self.request.launch.capacity_type == CapacityType::Spot {
            into["priority"] = json!("Spot");
            into["evictionPolicy"] = json!("Delete");
            // Never more than the list price.
            into["billingProfile"] = json!({"maxPrice": -1});
        } else {
            into["priority"] = json!("Regular");
        }
    }

    /// Encryption and trusted launch.
    fn security(&self) -> Option<Value> {
        let spec = &self.request.node_class.spec;
        let mut security = Map::new();
        if spec.is_encrypted_at_host() {
            security.insert("encryptionAtHost".to_owned(), json!(true));
        }
        if spec.is_trusted_launch() {
            let trusted = spec.security.as_ref().and_then(|security| security.trusted_launch.as_ref());
            let on = |flag: Option<bool>| flag == Some(true);
            security.insert("securityType".to_owned(), json!("TrustedLaunch"));
            security.insert(
                "uefiSettings".to_owned(),
                json!({
                    "secureBootEnabled": on(trusted.and_then(|trusted| trusted.secure_boot)),
                    "vTpmEnabled": on(trusted.and_then(|trusted| trusted.vtpm)),
                }),
            );
        }
        (!security.is_empty()).then_some(Value::Object(security))
    }

    /// The computer's name, the administrator, who logs in by a key, and what makes it a node.
    fn os_profile(&self, name_member: &'static str, name: &str) -> Value {
        let options = &self.request.options;
        let admin = options.linux_admin_username.as_str();
        let path = format!("/home/{admin}/.ssh/authorized_keys");
        object([
            (name_member, name.into()),
            ("adminUsername", admin.into()),
            ("customData", self.boot.custom_data.into()),
            (
                "linuxConfiguration",
                json!({
                    "disablePasswordAuthentication": true,
                    "ssh": {"publicKeys": [{"keyData": options.ssh_public_key, "path": path}]},
                }),
            ),
        ])
    }
}

/// The zone that was chosen, else the only one that the node may be in.
fn zones(launch: &Choice, node: &Resolved) -> Option<Value> {
    let chosen = launch.zone.as_deref().filter(|zone| !zone.is_empty());
    let only = || node.bootstrap.labels.get("topology.kubernetes.io/zone");
    let zone = chosen.or_else(|| only().filter(|_| launch.placement_scope == PlacementScope::Zonal))?;
    // A zone's label has the region before its number.
    let number = zone.rsplit_once('-').map_or(zone, |(_, number)| number);
    (number != REGIONAL_ZONE).then(|| json!([number]))
}

/// An object of these members. Unlike `json!`, it takes values in without copying them.
fn object<const N: usize>(members: [(&str, Value); N]) -> Value {
    Value::Object(members.into_iter().map(|(name, value)| (name.to_owned(), value)).collect())
}

/// Puts a member in if there is one.
fn put(into: &mut Value, name: &str, value: Option<Value>) {
    if let Some(value) = value {
        into[name] = value;
    }
}
