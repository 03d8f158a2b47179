//! Azure's clouds: where Resource Manager is, and whom it believes.

/// A cloud of Azure's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Arm {
    /// Resource Manager's address, without a slash at the end.
    pub endpoint: String,
    /// What a token for it is for.
    pub audience: String,
    /// Where tokens are asked for.
    pub authority: &'static str,
    /// What `azcmagent` calls the cloud; empty for the public one.
    pub agent_cloud: &'static str,
}

struct Cloud {
    names: &'static [&'static str],
    host: &'static str,
    audience: &'static str,
    authority: &'static str,
    agent_name: &'static str,
}

const PUBLIC: Cloud = Cloud {
    names: &["AzurePublicCloud"],
    host: "management.azure.com",
    audience: "https://management.azure.com",
    authority: "https://login.microsoftonline.com/",
    agent_name: "",
};

const CLOUDS: [Cloud; 3] = [
    PUBLIC,
    Cloud {
        names: &["AzureUSGovernment", "AzureGovernmentCloud"],
        host: "management.usgovcloudapi.net",
        audience: "https://management.core.usgovcloudapi.net",
        authority: "https://login.microsoftonline.us/",
        agent_name: "AzureUSGovernment",
    },
    Cloud {
        names: &["AzureChinaCloud"],
        host: "management.chinacloudapi.cn",
        audience: "https://management.core.chinacloudapi.cn",
        authority: "https://login.chinacloudapi.cn/",
        agent_name: "AzureChinaCloud",
    },
];

/// Why an address is not that of a Resource Manager.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NoEndpoint {
    /// It does not begin with `https://`.
    #[error("Resource Manager is reached by https only")]
    Scheme,
    /// It has a user or a port.
    #[error("Resource Manager's address has neither a user nor a port")]
    UserOrPort,
    /// It has a path, a query or a fragment.
    #[error("Resource Manager's address has no path, query or fragment")]
    Path,
    /// It has no host.
    #[error("this address has no host")]
    Host,
}

impl Arm {
    /// The cloud of this name; the public one where it is empty.
    pub fn named(name: &str) -> Self {
        let cloud = CLOUDS.iter().find(|cloud| cloud.names.contains(&name)).unwrap_or(&PUBLIC);
        Self::known(cloud)
    }

    /// The cloud whose Resource Manager is here. One that nobody knows vouches for itself and believes the public sign-in.
    pub fn at(address: &str) -> Result<Self, NoEndpoint> {
        let rest = address.strip_prefix("https://").ok_or(NoEndpoint::Scheme)?;
        let host = rest.strip_suffix('/').unwrap_or(rest);
        if host.contains(['/', '?', '#']) {
            return Err(NoEndpoint::Path);
        }
        if host.contains(['@', ':']) {
            return Err(NoEndpoint::UserOrPort);
        }
        let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-');
        if host.is_empty() || !host.chars().all(fits) {
            return Err(NoEndpoint::Host);
        }
        let endpoint = format!("https://{host}");
        let known = CLOUDS.iter().find(|cloud| cloud.host.eq_ignore_ascii_case(host));
        Ok(known.map_or_else(
            || Self { audience: endpoint.clone(), endpoint, ..Self::known(&PUBLIC) },
            Self::known,
        ))
    }

    /// The scope of a token for it.
    pub fn token_scope(&self) -> String {
        format!("{}/.default", self.audience)
    }

    fn known(cloud: &Cloud) -> Self {
        Self {
            endpoint: format!("https://{}", cloud.host),
            audience: cloud.audience.to_owned(),
            authority: cloud.authority,
            agent_cloud: cloud.agent_name,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::keys;

    #[test]
    fn every_word_for_a_cloud_means_one() {
        for word in keys::CLOUDS {
            assert!(CLOUDS.iter().any(|cloud| cloud.names.contains(word)), "{word}");
        }
    }

    #[test]
    fn a_sovereign_host_is_known_by_its_address_and_others_vouch_for_themselves() {
        assert_eq!(Arm::at("https://management.usgovcloudapi.net/"), Ok(Arm::named("AzureUSGovernment")));
        let own = Arm::at("https://arm.stack.example").unwrap();
        assert_eq!(own.token_scope(), "https://arm.stack.example/.default");
        assert_eq!(own.authority, PUBLIC.authority);
        for (address, problem) in [
            ("http://management.azure.com", NoEndpoint::Scheme),
            ("https://arm.example:8443", NoEndpoint::UserOrPort),
            ("https://u@arm.example", NoEndpoint::UserOrPort),
            ("https://arm.example/x", NoEndpoint::Path),
            ("https://", NoEndpoint::Host),
        ] {
            assert_eq!(Arm::at(address), Err(problem), "{address}");
        }
    }
}
