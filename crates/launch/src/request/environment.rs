//! Where the launcher runs, and what it found.

use super::record::record;

record! {
    /// Where the launcher runs, and what it found in the cluster.
    pub struct Environment {
        /// The tenant of the subscription.
        tenant_id: String = "tenantID",
        /// The subscription that nodes are made in.
        subscription_id: String = "subscriptionID",
        /// The region, such as `westeurope`.
        location: String = "location",
        /// The cloud, such as `AzurePublicCloud`, which is also what an absent one means.
        cloud: String = "cloud",
        /// The resource group of the cluster itself, not of its nodes.
        cluster_resource_group: String = "clusterResourceGroup",
        /// The certificates that the API server is trusted by: PEM, in base64.
        ca_bundle_base64: String = "caBundleBase64",
        /// Names of the network security groups in the nodes' resource group.
        network_security_groups: Vec<String> = "networkSecurityGroups",
    }
}
