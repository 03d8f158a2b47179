//! What the cloud's metadata service says about a machine, as far as a node is made of it.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use serde::Deserialize;

use crate::JsonText;

/// A machine as its cloud knows it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Instance {
    /// The machine's identifier.
    pub vm_id: String,
    /// Its name.
    pub name: String,
    /// Where it is, such as `westeurope`.
    pub location: String,
    /// Its size, such as `Standard_D2s_v5`.
    pub vm_size: String,
    /// Its tags, in the order of the document.
    pub tags: Vec<(String, String)>,
    /// Its network interfaces; the first one is the primary one.
    pub interfaces: Vec<Interface>,
}

/// A network interface.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Interface {
    /// Its hardware address as the kernel writes it: lower-case pairs with colons.
    pub mac: String,
    /// Its private IPv4 addresses.
    pub ipv4: Vec<Ipv4Addr>,
    /// Its IPv6 addresses.
    pub ipv6: Vec<Ipv6Addr>,
    /// The subnets that it is in.
    pub subnets: Vec<Subnet>,
}

/// A range of addresses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Subnet {
    /// Its first address.
    pub address: IpAddr,
    /// How many bits of it count.
    pub prefix: u8,
}

/// An instance document that cannot be read.
#[derive(Debug, thiserror::Error)]
#[error("the instance document of the metadata service cannot be read: {0}")]
pub struct InstanceError(#[from] serde_json::Error);

impl Instance {
    /// Reads a document. What is absent is empty, and an address that is none is passed over: some sizes of machines
    /// have interfaces without addresses, and documents for them with empty strings.
    pub fn parse(document: &JsonText) -> Result<Self, InstanceError> {
        let Document { compute, network } = serde_json::from_str(&document.0)?;
        let tags = match compute.tags_list {
            Some(list) => list.into_iter().map(|tag| (tag.name, tag.value)).collect(),
            None => split_tags(&compute.tags),
        };
        Ok(Self {
            vm_id: compute.vm_id,
            name: compute.name,
            location: compute.location,
            vm_size: compute.vm_size,
            tags,
            interfaces: network.interface.into_iter().map(Interface::from).collect(),
        })
    }

    /// The value of a tag. The cloud does not tell the cases of a name apart.
    pub fn tag(&self, name: &str) -> Option<&str> {
        let found = self.tags.iter().find(|(other, _)| other.eq_ignore_ascii_case(name));
        found.map(|(_, value)| value.as_str())
    }

    /// Whether a tag is `true`, in any case, as the scripts read their switches.
    pub fn has_tag_set(&self, name: &str) -> bool {
        self.tag(name).is_some_and(|value| value.eq_ignore_ascii_case("true"))
    }

    /// The addresses that a node goes by: the first of each kind on the primary interface.
    pub fn node_addresses(&self) -> Vec<IpAddr> {
        let Some(primary) = self.interfaces.first() else { return Vec::new() };
        let ipv4 = primary.ipv4.first().copied().map(IpAddr::V4);
        ipv4.into_iter().chain(primary.ipv6.first().copied().map(IpAddr::V6)).collect()
    }
}

/// Tags in their older form, `name:value;name:value`. A value may have colons.
fn split_tags(text: &str) -> Vec<(String, String)> {
    let pairs = text.split(';').filter(|pair| !pair.is_empty());
    pairs
        .map(|pair| pair.split_once(':').unwrap_or((pair, "")))
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .collect()
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Document {
    compute: Compute,
    network: Network,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Compute {
    vm_id: String,
    name: String,
    location: String,
    vm_size: String,
    tags: String,
    tags_list: Option<Vec<Tag>>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Tag {
    name: String,
    value: String,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Network {
    interface: Vec<Nic>,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Nic {
    mac_address: String,
    ipv4: Family,
    ipv6: Family,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Family {
    ip_address: Vec<Address>,
    subnet: Vec<Range>,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Address {
    private_ip_address: String,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Range {
    address: String,
    prefix: String,
}

impl From<Nic> for Interface {
    fn from(nic: Nic) -> Self {
        let subnet = |range: &Range| {
            Some(Subnet { address: range.address.parse().ok()?, prefix: range.prefix.parse().ok()? })
        };
        Self {
            mac: kernel_form(&nic.mac_address),
            ipv4: addresses(&nic.ipv4),
            ipv6: addresses(&nic.ipv6),
            subnets: nic.ipv4.subnet.iter().chain(&nic.ipv6.subnet).filter_map(subnet).collect(),
        }
    }
}

fn addresses<T: std::str::FromStr>(family: &Family) -> Vec<T> {
    family.ip_address.iter().filter_map(|address| address.private_ip_address.parse().ok()).collect()
}

/// `0011AAFFBB22` as `00:11:aa:ff:bb:22`.
fn kernel_form(mac: &str) -> String {
    let digits: Vec<char> = mac.chars().filter(char::is_ascii_hexdigit).collect();
    let pairs: Vec<String> =
        digits.chunks(2).map(|pair| pair.iter().collect::<String>().to_ascii_lowercase()).collect();
    pairs.join(":")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn instance(text: &str) -> Instance {
        Instance::parse(&JsonText(text.to_owned())).unwrap()
    }

    #[test]
    fn a_document_of_the_service_is_read() {
        let machine = instance(
            r#"{"compute":{"azEnvironment":"AzurePublicCloud","location":"westeurope","name":"aks-pool1-1_0","osProfile":{"adminUsername":"a"},
                "tags":"ignored:because;of:list","tagsList":[{"name":"aks-managed-x","value":"a:b;c"},{"name":"SkipGpuDriverInstall","value":"True"}],
                "vmId":"02aab8a4-74ef-476e-8182-f6d2ba4166a6","vmSize":"Standard_D2s_v5","zone":""},
               "network":{"interface":[
                {"ipv4":{"ipAddress":[{"privateIpAddress":"10.224.0.4","publicIpAddress":""},{"privateIpAddress":"10.224.0.5","publicIpAddress":""}],
                         "subnet":[{"address":"10.224.0.0","prefix":"16"}]},
                 "ipv6":{"ipAddress":[{"privateIpAddress":"fd00:db8::4"}]},"macAddress":"6045BD8A1B2C"},
                {"ipv4":{"ipAddress":[],"subnet":[{"address":"10.1.0.0","prefix":"24"}]},"ipv6":{"ipAddress":[]},"macAddress":"6045BD8A1B2D"}]}}"#,
        );
        assert_eq!(machine.vm_id, "02aab8a4-74ef-476e-8182-f6d2ba4166a6");
        assert_eq!((machine.name.as_str(), machine.location.as_str()), ("aks-pool1-1_0", "westeurope"));
        assert_eq!(machine.vm_size, "Standard_D2s_v5");
        assert_eq!(machine.tag("AKS-managed-X"), Some("a:b;c"));
        assert!(machine.has_tag_set("skipgpudriverinstall") && !machine.has_tag_set("of"));
        let [primary, secondary] = machine.interfaces.as_slice() else { panic!("{machine:?}") };
        assert_eq!(primary.mac, "60:45:bd:8a:1b:2c");
        assert_eq!(primary.ipv4.len(), 2);
        assert_eq!(primary.subnets, [Subnet { address: "10.224.0.0".parse().unwrap(), prefix: 16 }]);
        assert!(secondary.ipv4.is_empty());
        let addresses: Vec<String> = machine.node_addresses().iter().map(ToString::to_string).collect();
        assert_eq!(addresses, ["10.224.0.4", "fd00:db8::4"]);
    }

    #[test]
    fn older_documents_have_their_tags_in_one_string() {
        let machine = instance(r#"{"compute":{"tags":"a:b:c;flag;x:"}}"#);
        let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        assert_eq!(machine.tags, [pair("a", "b:c"), pair("flag", ""), pair("x", "")]);
    }

    #[test]
    fn what_is_absent_is_empty_and_what_is_no_document_is_refused() {
        assert_eq!(instance("{}"), Instance::default());
        assert_eq!(instance("{}").node_addresses(), [] as [IpAddr; 0]);
        let odd = r#"{"network":{"interface":[{"ipv4":{"ipAddress":[{"privateIpAddress":""}]}}]}}"#;
        assert!(instance(odd).node_addresses().is_empty());
        for text in ["", "<html>", r#"{"compute":7}"#, "[1]"] {
            assert!(Instance::parse(&JsonText(text.to_owned())).is_err(), "{text}");
        }
    }
}
