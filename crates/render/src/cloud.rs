//! Which cloud a machine is in, and where that cloud's resource manager answers.

use serde_json::value::RawValue;

use crate::fold::{lowercase, same_word};
use crate::json::Members;

/// A cloud of Azure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cloud {
    /// The public one.
    Public,
    /// Operated in China.
    China,
    /// Operated in Germany.
    Germany,
    /// Of the government of the United States.
    UsGovernment,
}

impl Cloud {
    /// The cloud that a location belongs to; white space and case do not matter.
    pub fn of_location(location: &str) -> Self {
        let name: String = lowercase(location).split_whitespace().collect();
        if name.starts_with("china") {
            Self::China
        } else if matches!(&*name, "germanynortheast" | "germanycentral") {
            Self::Germany
        } else if name.starts_with("usgov") || name.starts_with("usdod") {
            Self::UsGovernment
        } else {
            Self::Public
        }
    }

    /// The cloud's name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Public => "AzurePublicCloud",
            Self::China => "AzureChinaCloud",
            Self::Germany => "AzureGermanCloud",
            Self::UsGovernment => "AzureUSGovernmentCloud",
        }
    }

    /// The cloud's resource manager. The German cloud was closed; the peer gives it the public one.
    pub fn resource_manager(self) -> &'static str {
        match self {
            Self::Public | Self::Germany => "https://management.azure.com/",
            Self::China => "https://management.chinacloudapi.cn/",
            Self::UsGovernment => "https://management.usgovcloudapi.net/",
        }
    }
}

/// Whether an environment's name marks a cloud that brings its own endpoints.
pub fn is_custom_cloud(environment: &str) -> bool {
    same_word(environment, "akscustom")
}

/// The resource manager that a custom cloud's environment document names, if the document can be read.
pub fn resource_manager_endpoint(environment: &str) -> Option<String> {
    let members: Option<Members<'_>> = serde_json::from_str(environment).ok()?;
    let mut endpoint = None;
    for value in members?.named("resourceManagerEndpoint") {
        // Every mention has to be a text, and null leaves the one before.
        let found: Option<String> = serde_json::from_str(RawValue::get(value)).ok()?;
        endpoint = found.or(endpoint);
    }
    endpoint
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn locations_lead_to_clouds() {
        for (location, cloud) in [
            ("", Cloud::Public),
            ("eastus", Cloud::Public),
            ("China East 2", Cloud::China),
            ("chinanorth", Cloud::China),
            ("Germany\u{a0}Central", Cloud::Germany),
            ("germanynortheast", Cloud::Germany),
            ("germanywestcentral", Cloud::Public),
            ("US Gov\tVirginia", Cloud::UsGovernment),
            ("usdodeast", Cloud::UsGovernment),
        ] {
            assert_eq!(Cloud::of_location(location), cloud, "{location}");
        }
    }

    #[test]
    fn the_endpoint_is_found_without_case_and_the_last_one_wins() {
        for (document, endpoint) in [
            (r#"{"resourceManagerEndpoint":"https://a/"}"#, Some("https://a/")),
            (r#"{"x":[{}],"resourcemanagerENDPOINT":"b","resourceManagerEndpoint":"c"}"#, Some("c")),
            (r#"{"resourceManagerEndpoint":"a","resourceManagerEndpoint":null}"#, Some("a")),
            (r#"{"resourceManagerEndpoint":7}"#, None),
            (r#"{"resourceManagerEndpoint":"a"} x"#, None),
            ("null", None),
            ("[]", None),
            ("{}", None),
            ("", None),
        ] {
            assert_eq!(resource_manager_endpoint(document).as_deref(), endpoint, "{document}");
        }
    }
}
