//! Where the launcher runs, by its environment variables.

use std::collections::BTreeMap;

use crate::request::Environment;

/// Reads tenant, subscription, region, cloud and the cluster's resource group. Names that begin with `AZURE_` win over
/// the older ones. What only the cluster knows is left empty.
pub fn environment(variables: &BTreeMap<String, String>) -> Environment {
    let first = |names: &[&str]| {
        let values = names.iter().filter_map(|name| variables.get(*name)).map(|value| value.trim());
        values.into_iter().find(|value| !value.is_empty()).unwrap_or_default().to_owned()
    };
    Environment {
        tenant_id: first(&["AZURE_TENANT_ID", "ARM_TENANT_ID"]),
        subscription_id: first(&["AZURE_SUBSCRIPTION_ID", "ARM_SUBSCRIPTION_ID"]),
        location: first(&["LOCATION"]),
        cloud: first(&["ARM_CLOUD"]),
        cluster_resource_group: first(&["ARM_RESOURCE_GROUP"]),
        ..Environment::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn newer_names_win_and_blanks_are_cut_off() {
        let variables = [
            ("AZURE_TENANT_ID", ""),
            ("ARM_TENANT_ID", " t "),
            ("AZURE_SUBSCRIPTION_ID", "s1"),
            ("ARM_SUBSCRIPTION_ID", "s2"),
            ("LOCATION", "westus2\n"),
        ];
        let variables = variables.map(|(name, value)| (name.to_owned(), value.to_owned())).into();
        let found = environment(&variables);
        let found = (found.tenant_id.as_str(), found.subscription_id.as_str(), found.location.as_str());
        assert_eq!(found, ("t", "s1", "westus2"));
    }
}
