//! The resource id of a subnet.

use super::cluster_id::strip_prefix_ignoring_case;

/// The parts of a subnet's resource id, as they are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SubnetId<'a> {
    /// The subscription.
    pub subscription: &'a str,
    /// The resource group of the virtual network.
    pub resource_group: &'a str,
    /// The virtual network.
    pub network: &'a str,
    /// The subnet itself.
    pub name: &'a str,
}

/// A text that is not the resource id of a subnet.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "{0:?} is not the id of a subnet: /subscriptions/S/resourceGroups/G/providers/Microsoft.Network/virtualNetworks/V/subnets/N"
)]
pub struct NotASubnet(pub String);

/// What stands at the even places of an id.
const WORDS: [(usize, &str); 6] = [
    (0, ""),
    (1, "subscriptions"),
    (3, "resourceGroups"),
    (5, "providers"),
    (7, "virtualNetworks"),
    (9, "subnets"),
];

impl<'a> SubnetId<'a> {
    /// Reads an id; its fixed words may be in any case.
    pub fn parse(id: &'a str) -> Result<Self, NotASubnet> {
        let wrong = || NotASubnet(id.to_owned());
        let mut parts = [""; 11];
        let mut count = 0;
        for part in id.split('/') {
            *parts.get_mut(count).ok_or_else(wrong)? = part;
            count += 1;
        }
        let fits = count == parts.len()
            && WORDS.iter().all(|(at, word)| parts[*at].eq_ignore_ascii_case(word))
            && parts[6].eq_ignore_ascii_case("Microsoft.Network");
        if !fits {
            return Err(wrong());
        }
        Ok(Self { subscription: parts[2], resource_group: parts[4], network: parts[8], name: parts[10] })
    }

    /// Whether AKS made the network: then it has put its security group on the subnet already.
    pub fn is_managed_by_aks(&self, node_resource_group: &str) -> bool {
        let digits = strip_prefix_ignoring_case(self.network, "aks-vnet-").unwrap_or_default();
        digits.len() == 8
            && digits.bytes().all(|byte| byte.is_ascii_digit())
            && self.name.eq_ignore_ascii_case("aks-subnet")
            && self.resource_group.eq_ignore_ascii_case(node_resource_group)
    }
}
