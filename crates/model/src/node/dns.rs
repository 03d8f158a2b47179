use std::collections::BTreeMap;

use crate::Sourced;

/// Name resolution.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Dns {
    /// The DNS server on the node, if it runs one.
    pub local: Sourced<Option<LocalDns>>,
    /// Whether an agent keeps the API server's name in the hosts file.
    pub private_hosts: Sourced<bool>,
}

/// The DNS server on the node.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct LocalDns {
    /// How queries of the node itself are treated, by domain.
    pub vnet: Domains,
    /// How queries of pods are treated, by domain.
    pub kube: Domains,
    /// The cluster's resolver; empty for the usual one.
    pub cluster_dns: Sourced<String>,
    /// How many thousandths of a processor it may use, if that was said.
    pub milli_cores: Sourced<Option<u32>>,
    /// How many megabytes it may use, if that was said.
    pub megabytes: Sourced<Option<u32>>,
    /// The names that a hosts file answers for, if there is one.
    pub hosts: Sourced<Option<HostsFile>>,
}

/// How queries are treated, by domain.
pub type Domains = Sourced<BTreeMap<String, Sourced<Treatment>>>;

/// A hosts file in front of the node's DNS server.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct HostsFile {
    /// The names that are kept in it.
    pub names: Sourced<Vec<String>>,
    /// After how many seconds they are looked up again, if that was said.
    pub refresh_seconds: Sourced<Option<u32>>,
}

/// How queries for a domain are treated. The words are AKS's own; an empty one means its default.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Treatment {
    /// `Error` or `Log`.
    pub query_logging: String,
    /// `ForceTCP` or `PreferUDP`.
    pub protocol: String,
    /// `ClusterCoreDNS` or `VnetDNS`.
    pub forward_destination: String,
    /// `Sequential`, `RoundRobin` or `Random`.
    pub forward_policy: String,
    /// Queries at once.
    pub max_concurrent: Option<i32>,
    /// Seconds that an answer is kept.
    pub cache_seconds: Option<i32>,
    /// Seconds that an answer is given beyond them.
    pub stale_seconds: Option<i32>,
    /// `Verify`, `Immediate` or `Disable`.
    pub serve_stale: String,
    /// Whether to fail at once when no resolver answers.
    pub fail_fast: bool,
    /// How often resolvers are checked; empty for not at all.
    pub health_check: String,
    /// Whether the check asks without recursion.
    pub health_check_no_recursion: bool,
    /// What the check asks for; empty for the root.
    pub health_check_domain: String,
}
