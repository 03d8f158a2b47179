//! Bodies as Azure Resource Manager takes them: VM, network interface, extensions, scale set, AKS machine.
//!
//! Comes in: a request, the node that it resolved to, and what the node boots with. Goes out: one resource each, with
//! the id to put it at, borrowed from what came in and written as JSON by whoever sends it. Never does: calling Azure, or
//! showing more of the payload than [`Boot`] holds.

mod body;
mod disk;
mod extension;
mod machine;
mod network_interface;
mod scale_set;
mod vm;

use slipway_model::Secret;

use crate::computed::vm_name;
use crate::request::{CapacityType, Choice, PlacementScope};
use crate::sizes::REGIONAL_ZONE;
use crate::{Payload, Request, Resolved};

use body::{
    Capabilities, Computer, Identity, LinuxConfiguration, OsProfile, Payment, PublicKey, Security, Ssh,
    TrustedLaunch, UefiSettings,
};

pub use body::Resource;
pub use extension::{BILLING, CUSTOM_SCRIPT, Extension, extensions};
pub use machine::{NoMachine, machine};
pub use network_interface::{Interface, network_interface};
pub use scale_set::{ScaleSet, scale_set};
pub use vm::{Vm, vm};

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

impl<'a> Order<'a> {
    /// The name of VM, network interface and disk.
    fn name(&self) -> String {
        vm_name(&self.node.node_claim)
    }

    /// The id of a resource beside the node.
    fn id(&self, kind: &str, name: &str) -> String {
        let Request { options, environment, .. } = self.request;
        let (subscription, group) =
            (environment.subscription_id.as_str(), options.node_resource_group.as_str());
        ["/subscriptions/", subscription, "/resourceGroups/", group, "/providers/", kind, "/", name].concat()
    }

    /// A resource of the region.
    fn resource<P>(&self, id: String, name: String, properties: P) -> Resource<'a, P> {
        Resource {
            id,
            name,
            location: &self.request.environment.location,
            tags: &self.node.launch_template.tags,
            properties,
            identity: None,
            zones: None,
        }
    }

    /// A resource of machines: those of the region and of a zone, with the identities of a node.
    fn machines<P>(&self, id: String, name: String, properties: P) -> Resource<'a, P> {
        let identities = self.request.options.node_identities.as_slice();
        Resource {
            identity: (!identities.is_empty()).then_some(Identity::of(identities)),
            zones: zone(&self.request.launch, self.node).map(|zone| [zone]),
            ..self.resource(id, name, properties)
        }
    }

    /// How the VM is paid for.
    fn payment(&self) -> Payment {
        match self.request.launch.capacity_type {
            CapacityType::Spot => Payment::SPOT,
            CapacityType::OnDemand => Payment::REGULAR,
        }
    }

    /// Encryption and trusted launch.
    fn security(&self) -> Option<Security> {
        let spec = &self.request.node_class.spec;
        let trusted = spec.security.as_ref().and_then(|security| security.trusted_launch.as_ref());
        let on = |flag: Option<bool>| flag == Some(true);
        let security = Security {
            encryption_at_host: spec.is_encrypted_at_host().then_some(true),
            trusted_launch: spec.is_trusted_launch().then(|| TrustedLaunch {
                security_type: "TrustedLaunch",
                uefi_settings: UefiSettings {
                    secure_boot_enabled: on(trusted.and_then(|trusted| trusted.secure_boot)),
                    v_tpm_enabled: on(trusted.and_then(|trusted| trusted.vtpm)),
                },
            }),
        };
        (security.encryption_at_host.is_some() || security.trusted_launch.is_some()).then_some(security)
    }

    /// The computer's name, the administrator, who logs in by a key, and what makes it a node.
    fn os_profile(&self, computer: Computer) -> OsProfile<'a> {
        let options = &self.request.options;
        let admin = options.linux_admin_username.as_str();
        OsProfile {
            computer,
            admin_username: admin,
            custom_data: self.boot.custom_data,
            linux_configuration: LinuxConfiguration {
                disable_password_authentication: true,
                ssh: Ssh {
                    public_keys: [PublicKey {
                        key_data: &options.ssh_public_key,
                        path: ["/home/", admin, "/.ssh/authorized_keys"].concat(),
                    }],
                },
            },
        }
    }

    /// What the VM can do beyond others of its size.
    fn capabilities(&self) -> Option<Capabilities> {
        self.request.launch.ultra_ssd.then_some(Capabilities { ultra_ssd_enabled: true })
    }
}

/// The zone that was chosen, else the only one that the node may be in.
fn zone<'a>(launch: &'a Choice, node: &'a Resolved) -> Option<&'a str> {
    let chosen = launch.zone.as_deref().filter(|zone| !zone.is_empty());
    let only = || node.bootstrap.labels.get("topology.kubernetes.io/zone");
    let zone = chosen.or_else(|| only().filter(|_| launch.placement_scope == PlacementScope::Zonal))?;
    // A zone's label has the region before its number.
    let number = zone.rsplit_once('-').map_or(zone, |(_, number)| number);
    (number != REGIONAL_ZONE).then_some(number)
}
