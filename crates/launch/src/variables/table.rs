//! The bootstrap variables of a node: one row each, in the order of the script.

use crate::Source;

/// What a variable holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Any text.
    Text,
    /// `true` or `false`.
    Bool,
    /// A whole number.
    Number,
    /// A list; the script gets its length, and each item under a name of its own.
    List,
}

/// How the peer writes a value: between double quotes, or as it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Quoting {
    /// Between double quotes.
    Quoted,
    /// As it is.
    Bare,
}

/// Whether a value may be seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Secrecy {
    /// Anyone may see it.
    Open,
    /// Only the payload holds it.
    Secret,
}

/// What is known about a variable.
#[derive(Debug)]
pub struct Row {
    /// The variable.
    pub variable: Variable,
    /// Its name in the peer's structure.
    pub field: &'static str,
    /// Its name in the script; empty for the two that only steer it.
    pub name: &'static str,
    /// What it holds.
    pub kind: Kind,
    /// How the peer writes it.
    pub quoting: Quoting,
    /// Whether it may be seen.
    pub secrecy: Secrecy,
    /// The layer that decides it in the peer.
    pub source: Source,
    /// Its value where nothing else decides.
    pub default: &'static str,
}

macro_rules! variables {
    ($($field:ident $name:literal $kind:ident $quoting:ident $secrecy:ident $source:ident $default:literal,)+) => {
        /// A bootstrap variable, by its name in the peer's structure.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        #[expect(missing_docs, reason = "the table says what there is to say")]
        pub enum Variable {
            $($field,)+
        }

        /// Every variable, in the order of the script.
        pub static TABLE: [Row; 127] = [$(Row {
            variable: Variable::$field,
            field: stringify!($field),
            name: $name,
            kind: Kind::$kind,
            quoting: Quoting::$quoting,
            secrecy: Secrecy::$secrecy,
            source: Source::$source,
            default: $default,
        }),+];
    };
}

#[rustfmt::skip]
variables! {
    IsAKSCustomCloud "" Bool Bare Open Fixed "false",
    InitAKSCustomCloudFilepath "" Text Bare Open Fixed "",
    AKSCustomCloudRepoDepotEndpoint "REPO_DEPOT_ENDPOINT" Text Quoted Open Fixed "",
    AdminUsername "ADMINUSER" Text Bare Open Fixed "azureuser",
    MobyVersion "MOBY_VERSION" Text Bare Open Fixed "",
    TenantID "TENANT_ID" Text Bare Open Environment "",
    KubernetesVersion "KUBERNETES_VERSION" Text Bare Open Detected "",
    HyperkubeURL "HYPERKUBE_URL" Text Bare Open Fixed "",
    KubeBinaryURL "KUBE_BINARY_URL" Text Bare Open Computed "",
    CustomKubeBinaryURL "CUSTOM_KUBE_BINARY_URL" Text Bare Open Fixed "",
    CredentialProviderDownloadURL "CREDENTIAL_PROVIDER_DOWNLOAD_URL" Text Bare Open Computed "",
    KubeproxyURL "KUBEPROXY_URL" Text Bare Open Fixed "",
    APIServerPublicKey "APISERVER_PUBLIC_KEY" Text Bare Open Fixed "",
    SubscriptionID "SUBSCRIPTION_ID" Text Bare Open Environment "",
    ResourceGroup "RESOURCE_GROUP" Text Bare Open GlobalOptions "",
    Location "LOCATION" Text Bare Open Environment "",
    VMType "VM_TYPE" Text Bare Open Fixed "standard",
    Subnet "SUBNET" Text Bare Open Computed "aks-subnet",
    NetworkSecurityGroup "NETWORK_SECURITY_GROUP" Text Bare Open Detected "",
    VirtualNetwork "VIRTUAL_NETWORK" Text Bare Open Computed "",
    VirtualNetworkResourceGroup "VIRTUAL_NETWORK_RESOURCE_GROUP" Text Bare Open Computed "",
    RouteTable "ROUTE_TABLE" Text Bare Open Computed "",
    PrimaryAvailabilitySet "PRIMARY_AVAILABILITY_SET" Text Bare Open Fixed "",
    PrimaryScaleSet "PRIMARY_SCALE_SET" Text Bare Open Fixed "",
    ServicePrincipalClientID "SERVICE_PRINCIPAL_CLIENT_ID" Text Bare Open Fixed "msi",
    NetworkPlugin "NETWORK_PLUGIN" Text Bare Open Computed "azure",
    NetworkPolicy "NETWORK_POLICY" Text Quoted Open GlobalOptions "",
    VNETCNILinuxPluginsURL "VNET_CNI_PLUGINS_URL" Text Bare Open Computed "",
    CNIPluginsURL "CNI_PLUGINS_URL" Text Bare Open Computed "",
    CloudProviderBackoff "CLOUDPROVIDER_BACKOFF" Bool Bare Open Fixed "true",
    CloudProviderBackoffMode "CLOUDPROVIDER_BACKOFF_MODE" Text Bare Open Fixed "v2",
    CloudProviderBackoffRetries "CLOUDPROVIDER_BACKOFF_RETRIES" Text Bare Open Fixed "6",
    CloudProviderBackoffExponent "CLOUDPROVIDER_BACKOFF_EXPONENT" Text Bare Open Fixed "0",
    CloudProviderBackoffDuration "CLOUDPROVIDER_BACKOFF_DURATION" Text Bare Open Fixed "5",
    CloudProviderBackoffJitter "CLOUDPROVIDER_BACKOFF_JITTER" Text Bare Open Fixed "0",
    CloudProviderRatelimit "CLOUDPROVIDER_RATELIMIT" Bool Bare Open Fixed "true",
    CloudProviderRatelimitQPS "CLOUDPROVIDER_RATELIMIT_QPS" Text Bare Open Fixed "10",
    CloudProviderRatelimitQPSWrite "CLOUDPROVIDER_RATELIMIT_QPS_WRITE" Text Bare Open Fixed "10",
    CloudProviderRatelimitBucket "CLOUDPROVIDER_RATELIMIT_BUCKET" Text Bare Open Fixed "100",
    CloudProviderRatelimitBucketWrite "CLOUDPROVIDER_RATELIMIT_BUCKET_WRITE" Text Bare Open Fixed "100",
    LoadBalancerDisableOutboundSNAT "LOAD_BALANCER_DISABLE_OUTBOUND_SNAT" Bool Bare Open Fixed "false",
    UseManagedIdentityExtension "USE_MANAGED_IDENTITY_EXTENSION" Bool Bare Open Fixed "true",
    UseInstanceMetadata "USE_INSTANCE_METADATA" Bool Bare Open Fixed "true",
    LoadBalancerSKU "LOAD_BALANCER_SKU" Text Bare Open Fixed "Standard",
    ExcludeMasterFromStandardLB "EXCLUDE_MASTER_FROM_STANDARD_LB" Bool Bare Open Fixed "true",
    MaximumLoadbalancerRuleCount "MAXIMUM_LOADBALANCER_RULE_COUNT" Number Bare Open Fixed "250",
    ContainerRuntime "CONTAINER_RUNTIME" Text Bare Open Fixed "containerd",
    CLITool "CLI_TOOL" Text Bare Open Fixed "ctr",
    ContainerdDownloadURLBase "CONTAINERD_DOWNLOAD_URL_BASE" Text Bare Open Fixed "",
    NetworkMode "NETWORK_MODE" Text Bare Open Fixed "",
    UserAssignedIdentityID "USER_ASSIGNED_IDENTITY_ID" Text Bare Open GlobalOptions "",
    APIServerName "API_SERVER_NAME" Text Bare Open Computed "",
    IsVHD "IS_VHD" Bool Bare Open Fixed "true",
    GPUNode "GPU_NODE" Bool Bare Open Computed "false",
    SGXNode "SGX_NODE" Bool Bare Open Fixed "false",
    MIGNode "MIG_NODE" Bool Bare Open Fixed "false",
    ConfigGPUDriverIfNeeded "CONFIG_GPU_DRIVER_IF_NEEDED" Bool Bare Open Computed "false",
    EnableGPUDevicePluginIfNeeded "ENABLE_GPU_DEVICE_PLUGIN_IF_NEEDED" Bool Bare Open Fixed "false",
    TeleportdPluginDownloadURL "TELEPORTD_PLUGIN_DOWNLOAD_URL" Text Bare Open Fixed "",
    ContainerdVersion "CONTAINERD_VERSION" Text Bare Open Fixed "",
    ContainerdPackageURL "CONTAINERD_PACKAGE_URL" Text Bare Open Fixed "",
    RuncVersion "RUNC_VERSION" Text Bare Open Fixed "",
    RuncPackageURL "RUNC_PACKAGE_URL" Text Bare Open Fixed "",
    EnableHostsConfigAgent "ENABLE_HOSTS_CONFIG_AGENT" Bool Quoted Open Fixed "false",
    DisableSSH "DISABLE_SSH" Bool Quoted Open Fixed "false",
    NeedsContainerd "NEEDS_CONTAINERD" Bool Quoted Open Fixed "true",
    TeleportEnabled "TELEPORT_ENABLED" Bool Quoted Open Fixed "false",
    ShouldConfigureHTTPProxy "SHOULD_CONFIGURE_HTTP_PROXY" Bool Quoted Open Fixed "false",
    ShouldConfigureHTTPProxyCA "SHOULD_CONFIGURE_HTTP_PROXY_CA" Bool Quoted Open Fixed "false",
    HTTPProxyTrustedCA "HTTP_PROXY_TRUSTED_CA" Text Quoted Secret Fixed "",
    ShouldConfigureCustomCATrust "SHOULD_CONFIGURE_CUSTOM_CA_TRUST" Bool Quoted Open Fixed "false",
    CustomCATrustConfigCerts "CUSTOM_CA_TRUST_COUNT" List Quoted Open Fixed "",
    IsKrustlet "IS_KRUSTLET" Bool Quoted Open Fixed "false",
    GPUNeedsFabricManager "GPU_NEEDS_FABRIC_MANAGER" Bool Quoted Open Fixed "false",
    NeedsDockerLogin "NEEDS_DOCKER_LOGIN" Bool Quoted Open Fixed "false",
    IPv6DualStackEnabled "IPV6_DUAL_STACK_ENABLED" Bool Quoted Open Fixed "false",
    OutboundCommand "OUTBOUND_COMMAND" Text Quoted Open Fixed "curl -v --insecure --proxy-insecure https://mcr.microsoft.com/v2/",
    EnableUnattendedUpgrades "ENABLE_UNATTENDED_UPGRADES" Bool Quoted Open Fixed "false",
    EnsureNoDupePromiscuousBridge "ENSURE_NO_DUPE_PROMISCUOUS_BRIDGE" Bool Quoted Open Fixed "false",
    ShouldConfigSwapFile "SHOULD_CONFIG_SWAP_FILE" Bool Quoted Open Fixed "false",
    ShouldConfigTransparentHugePage "SHOULD_CONFIG_TRANSPARENT_HUGE_PAGE" Bool Quoted Open Fixed "false",
    TargetCloud "TARGET_CLOUD" Text Quoted Open Fixed "AzurePublicCloud",
    TargetEnvironment "TARGET_ENVIRONMENT" Text Quoted Open Fixed "AzurePublicCloud",
    CustomEnvJSON "CUSTOM_ENV_JSON" Text Quoted Open Fixed "",
    IsCustomCloud "IS_CUSTOM_CLOUD" Bool Quoted Open Fixed "false",
    CSEHelpersFilepath "CSE_HELPERS_FILEPATH" Text Quoted Open Fixed "/opt/azure/containers/provision_source.sh",
    CSEDistroHelpersFilepath "CSE_DISTRO_HELPERS_FILEPATH" Text Quoted Open Fixed "/opt/azure/containers/provision_source_distro.sh",
    CSEInstallFilepath "CSE_INSTALL_FILEPATH" Text Quoted Open Fixed "/opt/azure/containers/provision_installs.sh",
    CSEDistroInstallFilepath "CSE_DISTRO_INSTALL_FILEPATH" Text Quoted Open Fixed "/opt/azure/containers/provision_installs_distro.sh",
    CSEConfigFilepath "CSE_CONFIG_FILEPATH" Text Quoted Open Fixed "/opt/azure/containers/provision_configs.sh",
    AzurePrivateRegistryServer "AZURE_PRIVATE_REGISTRY_SERVER" Text Quoted Open Fixed "",
    HasCustomSearchDomain "HAS_CUSTOM_SEARCH_DOMAIN" Bool Quoted Open Fixed "false",
    CustomSearchDomainFilepath "CUSTOM_SEARCH_DOMAIN_FILEPATH" Text Quoted Open Fixed "/opt/azure/containers/setup-custom-search-domains.sh",
    HTTPProxyURLs "HTTP_PROXY_URLS" Text Quoted Open Fixed "",
    HTTPSProxyURLs "HTTPS_PROXY_URLS" Text Quoted Open Fixed "",
    NoProxyURLs "NO_PROXY_URLS" Text Quoted Open Fixed "",
    TLSBootstrappingEnabled "ENABLE_TLS_BOOTSTRAPPING" Bool Quoted Open Fixed "true",
    SecureTLSBootstrappingEnabled "ENABLE_SECURE_TLS_BOOTSTRAPPING" Bool Quoted Open Fixed "false",
    EnableKubeletServingCertificateRotation "ENABLE_KUBELET_SERVING_CERTIFICATE_ROTATION" Bool Quoted Open Fixed "false",
    DHCPv6ServiceFilepath "DHCPV6_SERVICE_FILEPATH" Text Quoted Open Fixed "",
    DHCPv6ConfigFilepath "DHCPV6_CONFIG_FILEPATH" Text Quoted Open Fixed "",
    THPEnabled "THP_ENABLED" Text Quoted Open Fixed "",
    THPDefrag "THP_DEFRAG" Text Quoted Open Fixed "",
    ServicePrincipalFileContent "SERVICE_PRINCIPAL_FILE_CONTENT" Text Quoted Open Fixed "bXNp",
    KubeletClientContent "KUBELET_CLIENT_CONTENT" Text Quoted Open Fixed "",
    KubeletClientCertContent "KUBELET_CLIENT_CERT_CONTENT" Text Quoted Open Fixed "",
    KubeletConfigFileEnabled "KUBELET_CONFIG_FILE_ENABLED" Bool Quoted Open Fixed "false",
    KubeletConfigFileContent "KUBELET_CONFIG_FILE_CONTENT" Text Quoted Open Fixed "",
    SwapFileSizeMB "SWAP_FILE_SIZE_MB" Number Quoted Open Fixed "0",
    GPUImageSHA "GPU_IMAGE_SHA" Text Quoted Open Computed "",
    GPUDriverVersion "GPU_DRIVER_VERSION" Text Quoted Open Computed "",
    GPUDriverType "GPU_DRIVER_TYPE" Text Quoted Open Computed "",
    GPUInstanceProfile "GPU_INSTANCE_PROFILE" Text Quoted Open Fixed "",
    CustomSearchDomainName "CUSTOM_SEARCH_DOMAIN_NAME" Text Quoted Open Fixed "",
    CustomSearchRealmUser "CUSTOM_SEARCH_REALM_USER" Text Quoted Open Fixed "",
    CustomSearchRealmPassword "CUSTOM_SEARCH_REALM_PASSWORD" Text Quoted Secret Fixed "",
    MessageOfTheDay "MESSAGE_OF_THE_DAY" Text Quoted Open Fixed "",
    HasKubeletDiskType "HAS_KUBELET_DISK_TYPE" Bool Quoted Open Fixed "false",
    NeedsCgroupV2 "NEEDS_CGROUPV2" Bool Quoted Open Fixed "true",
    SysctlContent "SYSCTL_CONTENT" Text Quoted Open Fixed "",
    TLSBootstrapToken "TLS_BOOTSTRAP_TOKEN" Text Quoted Secret GlobalOptions "",
    KubeletFlags "KUBELET_FLAGS" Text Quoted Open Computed "",
    KubeletNodeLabels "KUBELET_NODE_LABELS" Text Quoted Open Computed "",
    AzureEnvironmentFilepath "AZURE_ENVIRONMENT_FILEPATH" Text Quoted Open Fixed "",
    KubeCACrt "KUBE_CA_CRT" Text Quoted Open Detected "",
    ContainerdConfigContent "CONTAINERD_CONFIG_CONTENT" Text Quoted Open Computed "",
    IsKata "IS_KATA" Bool Quoted Open Fixed "false",
}

/// The variable that the script sets twice, and the one that the second time follows.
pub const REPEATED: (Variable, Variable) = (Variable::KubeBinaryURL, Variable::NetworkMode);

/// What every script ends with beside the variables.
pub const LITERALS: [(&str, &str, Quoting); 4] = [
    ("MCR_REPOSITORY_BASE", "mcr.microsoft.com", Quoting::Quoted),
    ("ENABLE_IMDS_RESTRICTION", "false", Quoting::Bare),
    ("INSERT_IMDS_RESTRICTION_RULE_TO_MANGLE_TABLE", "false", Quoting::Bare),
    ("CSE_TIMEOUT", "15m", Quoting::Bare),
];

impl Variable {
    /// What is known about it.
    pub fn row(self) -> &'static Row {
        &TABLE[self as usize]
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_row_stands_at_its_variable_and_every_name_is_there_once() {
        for (at, row) in TABLE.iter().enumerate() {
            assert_eq!(row.variable as usize, at, "{}", row.field);
        }
        let names: BTreeSet<_> = TABLE.iter().map(|row| row.name).filter(|name| !name.is_empty()).collect();
        assert_eq!(names.len(), 125);
    }
}
