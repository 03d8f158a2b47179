//! The resource id of a cluster.

/// The cluster that a machine joins, as Azure names it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClusterId {
    /// The subscription.
    pub subscription: String,
    /// The resource group.
    pub resource_group: String,
    /// The cluster's name.
    pub name: String,
}

/// A text that is no resource id of a cluster.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("this is not the resource id of a cluster")]
pub struct NoClusterId;

impl ClusterId {
    /// Reads an id; Azure does not mind the case of the words in it.
    pub fn parse(text: &str) -> Result<Self, NoClusterId> {
        let parts: Vec<&str> = text.split('/').collect();
        let ["", subscriptions, subscription, groups, group, providers, provider, clusters, name] = parts[..]
        else {
            return Err(NoClusterId);
        };
        let words = [
            (subscriptions, "subscriptions"),
            (groups, "resourceGroups"),
            (providers, "providers"),
            (provider, "Microsoft.ContainerService"),
            (clusters, "managedClusters"),
        ];
        let fits = words.iter().all(|(found, wanted)| found.eq_ignore_ascii_case(wanted));
        if !fits || !is_uuid(subscription) || !is_name(group) || !is_name(name) {
            return Err(NoClusterId);
        }
        Ok(Self { subscription: subscription.into(), resource_group: group.into(), name: name.into() })
    }

    /// The resource group that AKS makes for nodes, unless somebody named another.
    pub fn node_resource_group(&self, location: &str) -> String {
        format!("MC_{}_{}_{location}", self.resource_group, self.name)
    }
}

fn is_uuid(text: &str) -> bool {
    let lengths = text.split('-').map(str::len);
    lengths.eq([8, 4, 4, 4, 12]) && text.bytes().all(|byte| byte == b'-' || byte.is_ascii_hexdigit())
}

/// Azure takes parentheses in a group's name too; the peer's clusters cannot be in such a group, and neither can ours.
fn is_name(text: &str) -> bool {
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
    !text.is_empty() && text.bytes().all(fits)
}

#[cfg(test)]
mod tests {
    use super::*;

    const ID: &str = "/subscriptions/11111111-2222-3333-4444-555555555555/resourceGroups/rg-edge/providers/Microsoft.ContainerService/managedClusters/aks-edge";

    #[test]
    fn an_id_is_read_in_any_case_and_nothing_else_is() {
        let id = ClusterId::parse(&ID.replace("resourceGroups", "resourcegroups")).unwrap();
        assert_eq!((&*id.resource_group, &*id.name), ("rg-edge", "aks-edge"));
        assert_eq!(id.node_resource_group("westeurope"), "MC_rg-edge_aks-edge_westeurope");
        for bad in [
            String::new(),
            format!("{ID}/"),
            ID.replace("rg-edge", "rg(edge)"),
            ID.replace("11111111-", ""),
            ID.replace("managedClusters", "fleets"),
            ID[1..].to_owned(),
        ] {
            assert_eq!(ClusterId::parse(&bad), Err(NoClusterId), "{bad}");
        }
    }
}
