//! Virtual machines as Azure knows them, and which of them is asking.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use serde_json::{Value, json};

use super::cloud::SUBSCRIPTION;
use super::id::uuid;
use super::scheduled::{EventStatus, ScheduledEvent};

const RESOURCE_GROUP: &str = "MC_lab_lab_labland";

/// A virtual machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Machine {
    /// Its name, and its host name.
    pub name: String,
    /// The size, such as `Standard_D2s_v5`.
    pub size: String,
    /// The region.
    pub location: String,
    /// The zone, for a machine in one.
    pub zone: Option<u8>,
    /// Tags in their order. Some of them change what the services say, as in Azure.
    pub tags: Vec<(String, String)>,
    /// Network interfaces, the primary one first.
    pub interfaces: Vec<Interface>,
    /// User data as metadata gives it, in base64.
    pub user_data: String,
    /// The user-assigned identities.
    pub identities: Vec<Identity>,
    /// What is going to happen to it.
    pub events: Vec<ScheduledEvent>,
}

/// A network interface.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Interface {
    /// The hardware address.
    pub mac: [u8; 6],
    /// Its addresses, the primary one first.
    pub ipv4: Vec<Ipv4Addr>,
    /// The network that these are in.
    pub subnet: Subnet,
    /// Its addresses of version 6.
    pub ipv6: Vec<Ipv6Addr>,
}

/// An IPv4 network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Subnet {
    /// The first address.
    pub address: Ipv4Addr,
    /// How many bits of it count.
    pub prefix: u8,
}

/// A managed identity.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Identity {
    /// What clients ask for it by.
    pub client_id: String,
    /// The principal that roles are given to.
    pub object_id: String,
}

impl Machine {
    /// A plain machine with one interface.
    pub fn new(name: impl Into<String>, address: Ipv4Addr, subnet: Subnet) -> Self {
        let name = name.into();
        // Azure's hardware addresses begin with 00:0D:3A; the rest only has to differ.
        let [_, low @ ..] = address.octets();
        let mac = [0x00, 0x0d, 0x3a, low[0], low[1], low[2]];
        Self {
            name,
            size: "Standard_D2s_v5".to_owned(),
            location: "labland".to_owned(),
            zone: None,
            tags: Vec::new(),
            interfaces: vec![Interface { mac, ipv4: vec![address], subnet, ipv6: Vec::new() }],
            user_data: String::new(),
            identities: Vec::new(),
            events: Vec::new(),
        }
    }

    /// The value of a tag.
    pub fn tag(&self, name: &str) -> Option<&str> {
        self.tags.iter().find(|(other, _)| other == name).map(|(_, value)| value.as_str())
    }

    /// The id that the machine keeps for life; it follows from the name.
    pub fn vm_id(&self) -> String {
        uuid(&format!("vm {}", self.name))
    }

    /// The container that the wireserver knows it by.
    pub fn container_id(&self) -> String {
        uuid(&format!("container {}", self.name))
    }

    /// The deployment it belongs to.
    pub fn deployment_id(&self) -> String {
        uuid(&format!("deployment {}", self.name))
    }

    /// The role instance of the goal state.
    pub(super) fn role_instance(&self) -> String {
        format!("_{}", self.name)
    }

    /// `ConfigName` of the goal state, which begins with the deployment.
    pub(super) fn config_name(&self) -> String {
        format!("{}.0.{}.0.{}.1.xml", self.deployment_id(), self.deployment_id(), self.role_instance())
    }

    fn has(&self, address: IpAddr) -> bool {
        self.interfaces.iter().any(|interface| match address {
            IpAddr::V4(address) => interface.ipv4.contains(&address),
            IpAddr::V6(address) => interface.ipv6.contains(&address),
        })
    }

    /// The instance document of the metadata service.
    pub(super) fn document(&self) -> Value {
        let tags: Vec<String> = self.tags.iter().map(|(name, value)| format!("{name}:{value}")).collect();
        let tags_list: Vec<Value> =
            self.tags.iter().map(|(name, value)| json!({ "name": name, "value": value })).collect();
        let interfaces: Vec<Value> = self.interfaces.iter().map(Interface::document).collect();
        json!({
            "compute": {
                "azEnvironment": "AzurePublicCloud",
                "customData": "",
                "evictionPolicy": "",
                "isHostCompatibilityLayerVm": "false",
                "licenseType": "",
                "location": self.location,
                "name": self.name,
                "offer": "",
                "osProfile": {
                    "adminUsername": "azureuser",
                    "computerName": self.name,
                    "disablePasswordAuthentication": "true"
                },
                "osType": "Linux",
                "placementGroupId": "",
                "plan": { "name": "", "product": "", "publisher": "" },
                "platformFaultDomain": "0",
                "platformUpdateDomain": "0",
                "priority": "",
                "provider": "Microsoft.Compute",
                "publicKeys": [],
                "publisher": "",
                "resourceGroupName": RESOURCE_GROUP,
                "resourceId": self.resource_id(),
                "securityProfile": { "secureBootEnabled": "false", "virtualTpmEnabled": "false" },
                "sku": "",
                "storageProfile": { "dataDisks": [], "imageReference": {}, "osDisk": {} },
                "subscriptionId": SUBSCRIPTION,
                "tags": tags.join(";"),
                "tagsList": tags_list,
                "userData": self.user_data,
                "version": "",
                "vmId": self.vm_id(),
                "vmScaleSetName": "",
                "vmSize": self.size,
                "zone": self.zone.map(|zone| zone.to_string()).unwrap_or_default()
            },
            "network": { "interface": interfaces }
        })
    }

    fn resource_id(&self) -> String {
        let Self { name, .. } = self;
        format!(
            "/subscriptions/{SUBSCRIPTION}/resourceGroups/{RESOURCE_GROUP}/providers/Microsoft.Compute/virtualMachines/{name}"
        )
    }

    /// What an attested document of it says.
    pub(super) fn attestation(&self, nonce: Option<&str>) -> Value {
        json!({
            "licenseType": "",
            "nonce": nonce.unwrap_or_default(),
            "plan": { "name": "", "product": "", "publisher": "" },
            "sku": "",
            "subscriptionId": SUBSCRIPTION,
            "vmId": self.vm_id()
        })
    }
}

impl Interface {
    fn document(&self) -> Value {
        let mac = self.mac.iter().fold(0, |number, byte| number << 8 | u64::from(*byte));
        let ipv4: Vec<Value> = self
            .ipv4
            .iter()
            .map(|address| json!({ "privateIpAddress": address, "publicIpAddress": "" }))
            .collect();
        let ipv6: Vec<Value> =
            self.ipv6.iter().map(|address| json!({ "privateIpAddress": address })).collect();
        let subnet = json!({ "address": self.subnet.address, "prefix": self.subnet.prefix.to_string() });
        json!({
            "ipv4": { "ipAddress": ipv4, "subnet": [subnet] },
            "ipv6": { "ipAddress": ipv6 },
            "macAddress": format!("{mac:012X}")
        })
    }
}

/// The machines, and how often the events of each have changed.
#[derive(Default)]
pub(super) struct Machines {
    known: Vec<(Machine, u64)>,
}

impl Machines {
    pub(super) fn admit(&mut self, machine: Machine) {
        match self.known.iter_mut().find(|(other, _)| other.name == machine.name) {
            Some((known, incarnation)) => {
                *incarnation += u64::from(known.events != machine.events);
                *known = machine;
            }
            None => self.known.push((machine, 1)),
        }
    }

    /// The machine that asks from this address. A lone machine is meant by whoever asks.
    pub(super) fn asking(&self, peer: IpAddr) -> Option<&(Machine, u64)> {
        let alone = if let [only] = self.known.as_slice() { Some(only) } else { None };
        self.known.iter().find(|(machine, _)| machine.has(peer)).or(alone)
    }

    /// Lets an event that the machine was warned of begin; `false` when there is none of this id.
    pub(super) fn begin_event(&mut self, name: &str, id: &str) -> bool {
        let Some((machine, incarnation)) = self.known.iter_mut().find(|(machine, _)| machine.name == name)
        else {
            return false;
        };
        let Some(event) = machine.events.iter_mut().find(|event| event.id == id) else { return false };
        *incarnation += u64::from(event.status != EventStatus::Started);
        event.status = EventStatus::Started;
        true
    }
}
