use crate::{Secret, Sourced};

/// What Azure's agents on the node are told.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct CloudProvider {
    /// A cloud that brings its own endpoints.
    pub custom: CustomCloud,
    /// The region.
    pub location: Sourced<String>,
    /// The tenant.
    pub tenant: Sourced<String>,
    /// The subscription.
    pub subscription: Sourced<String>,
    /// The node's resource group.
    pub resource_group: Sourced<String>,
    /// The service principal.
    pub client_id: Sourced<String>,
    /// The service principal's secret.
    pub client_secret: Sourced<Secret<String>>,
    /// Whether the identity is a managed one.
    pub managed_identity: Sourced<bool>,
    /// The managed identity.
    pub identity: Sourced<String>,
    /// What kind of machine the node is.
    pub vm_type: Sourced<Option<VmType>>,
    /// The availability set that the node is in.
    pub availability_set: Sourced<String>,
    /// The scale set that the node is in.
    pub scale_set: Sourced<String>,
    /// Whether the agents ask the metadata service.
    pub instance_metadata: Sourced<bool>,
    /// The network that the node is in.
    pub network: CloudNetwork,
    /// Load balancers.
    pub load_balancer: LoadBalancer,
    /// Trying again after a failed call.
    pub backoff: Backoff,
    /// Bounds on calls.
    pub rate_limit: RateLimit,
}

/// A cloud that brings its own endpoints.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct CustomCloud {
    /// Whether the node is in one.
    pub enabled: Sourced<bool>,
    /// Its endpoints, a JSON document.
    pub environment: Sourced<String>,
    /// How its registries' names end.
    pub registry_suffix: Sourced<Option<String>>,
}

/// What kind of machine a node is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum VmType {
    /// On its own or in an availability set.
    Standard,
    /// In a scale set.
    ScaleSet,
}

/// What kind of load balancers a cluster has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LoadBalancerSku {
    /// `basic`.
    Basic,
    /// `standard`.
    Standard,
}

/// The network that the node is in.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct CloudNetwork {
    /// The virtual network.
    pub vnet: Sourced<String>,
    /// The virtual network's resource group.
    pub vnet_resource_group: Sourced<String>,
    /// The subnet.
    pub subnet: Sourced<String>,
    /// The security group.
    pub security_group: Sourced<String>,
    /// The route table.
    pub route_table: Sourced<String>,
}

/// Load balancers.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct LoadBalancer {
    /// Of what kind they are.
    pub sku: Sourced<Option<LoadBalancerSku>>,
    /// Whether masters are no backends.
    pub exclude_masters: Sourced<bool>,
    /// How many rules one may have.
    pub most_rules: Sourced<i32>,
    /// Whether they translate no addresses on the way out.
    pub disable_outbound_snat: Sourced<bool>,
}

/// Trying again after a failed call.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Backoff {
    /// Whether calls are tried again.
    pub enabled: Sourced<bool>,
    /// `v1` or `v2`.
    pub mode: Sourced<String>,
    /// How often.
    pub retries: Sourced<i32>,
    /// By what factor pauses grow.
    pub exponent: Sourced<f64>,
    /// The first pause, in seconds.
    pub seconds: Sourced<i32>,
    /// How much chance there is in pauses.
    pub jitter: Sourced<f64>,
}

/// Bounds on calls.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RateLimit {
    /// Whether there are any.
    pub enabled: Sourced<bool>,
    /// Reads in a second.
    pub qps: Sourced<f64>,
    /// Reads at once.
    pub bucket: Sourced<i32>,
    /// Writes in a second.
    pub qps_write: Sourced<f64>,
    /// Writes at once.
    pub bucket_write: Sourced<i32>,
}
