//! The launcher's settings: one row each.

/// What a setting holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Any text.
    Text,
    /// `true` or `false`.
    Bool,
    /// A number with a fraction.
    Fraction,
    /// A whole number.
    Number,
    /// A duration such as `1s`.
    Duration,
    /// A list with commas.
    List,
    /// Pairs `key=value` with commas.
    Pairs,
}

/// A setting of the launcher.
#[derive(Debug)]
pub struct Setting {
    /// The argument, without dashes.
    pub argument: &'static str,
    /// The environment variable.
    pub variable: &'static str,
    /// Its name in JSON.
    pub name: &'static str,
    /// Whether it is kept out of logs.
    pub is_hidden: bool,
    /// What it holds.
    pub kind: Kind,
    /// Its value where nobody gives one.
    pub default: &'static str,
}

const fn row(
    argument: &'static str,
    variable: &'static str,
    name: &'static str,
    kind: Kind,
    default: &'static str,
) -> Setting {
    Setting { argument, variable, name, is_hidden: false, kind, default }
}

const fn hidden(
    argument: &'static str,
    variable: &'static str,
    name: &'static str,
    default: &'static str,
) -> Setting {
    Setting { argument, variable, name, is_hidden: true, kind: Kind::Text, default }
}

use Kind::{Bool, Duration, Fraction, List, Number, Pairs, Text};

/// Every setting.
#[rustfmt::skip]
pub static SETTINGS: [Setting; 29] = [
    row("cluster-name", "CLUSTER_NAME", "clusterName", Text, ""),
    row("cluster-endpoint", "CLUSTER_ENDPOINT", "clusterEndpoint", Text, ""),
    hidden("kubelet-bootstrap-token", "KUBELET_BOOTSTRAP_TOKEN", "kubeletBootstrapToken", ""),
    hidden("ssh-public-key", "SSH_PUBLIC_KEY", "sshPublicKey", ""),
    hidden("linux-admin-username", "LINUX_ADMIN_USERNAME", "linuxAdminUsername", "azureuser"),
    row("vnet-subnet-id", "VNET_SUBNET_ID", "subnetId", Text, ""),
    row("node-resource-group", "AZURE_NODE_RESOURCE_GROUP", "nodeResourceGroup", Text, ""),
    row("vm-memory-overhead-percent", "VM_MEMORY_OVERHEAD_PERCENT", "vmMemoryOverheadPercent", Fraction, "0.075"),
    row("network-plugin", "NETWORK_PLUGIN", "networkPlugin", Text, "azure"),
    row("network-plugin-mode", "NETWORK_PLUGIN_MODE", "networkPluginMode", Text, "overlay"),
    row("network-policy", "NETWORK_POLICY", "networkPolicy", Text, ""),
    row("network-dataplane", "NETWORK_DATAPLANE", "networkDataplane", Text, "cilium"),
    row("dns-service-ip", "DNS_SERVICE_IP", "dnsServiceIP", Text, ""),
    row("vnet-guid", "VNET_GUID", "vnetGuid", Text, ""),
    row("node-identities", "NODE_IDENTITIES", "nodeIdentities", List, ""),
    row("kubelet-identity-client-id", "KUBELET_IDENTITY_CLIENT_ID", "kubeletIdentityClientID", Text, ""),
    row("provision-mode", "PROVISION_MODE", "provisionMode", Text, "aksscriptless"),
    hidden("nodebootstrapping-server-url", "NODEBOOTSTRAPPING_SERVER_URL", "nodeBootstrappingServerURL", ""),
    row("use-sig", "USE_SIG", "useSIG", Bool, "false"),
    hidden("sig-access-token-server-url", "SIG_ACCESS_TOKEN_SERVER_URL", "sigAccessTokenServerURL", ""),
    row("sig-subscription-id", "SIG_SUBSCRIPTION_ID", "sigSubscriptionId", Text, ""),
    row("node-osdisk-diskencryptionset-id", "NODE_OSDISK_DISKENCRYPTIONSET_ID", "diskEncryptionSetId", Text, ""),
    row("manage-existing-aks-machines", "MANAGE_EXISTING_AKS_MACHINES", "manageExistingAKSMachines", Bool, "false"),
    row("aks-machines-pool-name", "AKS_MACHINES_POOL_NAME", "aksMachinesPoolName", Text, ""),
    row("provider-batch-idle-duration", "PROVIDER_BATCH_IDLE_DURATION", "providerBatchIdleDuration", Duration, "1s"),
    row("provider-batch-max-duration", "PROVIDER_BATCH_MAX_DURATION", "providerBatchMaxDuration", Duration, "5s"),
    row("provider-batch-max-size", "PROVIDER_BATCH_MAX_SIZE", "providerBatchMaxSize", Number, "50"),
    row("additional-tags", "ADDITIONAL_TAGS", "additionalTags", Pairs, ""),
    row("enable-azure-sdk-logging", "ENABLE_AZURE_SDK_LOGGING", "enableAzureSDKLogging", Bool, "true"),
];
