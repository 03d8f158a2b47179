// Generated from the tables in schema/ by `cargo schema`. Do not edit.

use std::collections::BTreeMap;

use crate::codec::{
    Decoder, EnumTable, EnumValue, Field, Format, Kind, Label, Message, MessageTable, Refused, Secret,
    Sensitivity, View,
};

/// `Configuration`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Configuration {
    /// contract version; only v1 (and deprecated v0) accepted on the node.
    pub version: String,
    /// kube binaries and pause image URLs.
    pub kube_binary_config: Option<KubeBinaryConfig>,
    /// air-gapped / custom cloud data.
    pub custom_cloud_config: Option<CustomCloudConfig>,
    /// API server endpoint.
    pub api_server_config: Option<ApiServerConfig>,
    /// cluster values written to azure.json.
    pub cluster_config: Option<ClusterConfig>,
    /// how kubelet gets its first credential.
    pub bootstrapping_config: Option<BootstrappingConfig>,
    /// cloud identity.
    pub auth_config: Option<AuthConfig>,
    /// runc override.
    pub runc_config: Option<RuncConfig>,
    /// containerd override.
    pub containerd_config: Option<ContainerdConfig>,
    /// kubelet flags, labels, config file.
    pub kubelet_config: Option<KubeletConfig>,
    /// DNS search domain join.
    pub custom_search_domain_config: Option<CustomSearchDomainConfig>,
    /// sysctl, ulimit, swap, THP.
    pub custom_linux_os_config: Option<CustomLinuxOsConfig>,
    /// egress proxy.
    pub http_proxy_config: Option<HttpProxyConfig>,
    /// GPU handling.
    pub gpu_config: Option<GpuConfig>,
    /// CNI selection.
    pub network_config: Option<NetworkConfig>,
    /// cluster CA, base64 PEM; also TLS root for check-hotfix.
    pub kubernetes_ca_cert: String,
    /// k8s version (gates template lines).
    pub kubernetes_version: String,
    /// kube-proxy image.
    pub kube_proxy_url: String,
    /// Azure VM SKU (GPU/SGX tables).
    pub vm_size: String,
    /// admin user, default azureuser.
    pub linux_admin_username: String,
    /// node built from AKS VHD; unset means true.
    pub is_vhd: Option<bool>,
    /// unset or true keeps SSH.
    pub enable_ssh: Option<bool>,
    /// OS auto upgrade.
    pub enable_unattended_upgrade: bool,
    /// MOTD payload.
    pub message_of_the_day: String,
    /// private hosts reconcile agent.
    pub enable_hosts_config_agent: bool,
    /// extra trusted CAs.
    pub custom_ca_certs: Vec<String>,
    /// NOT READ by the node binary.
    pub provision_output: String,
    /// NOT READ.
    pub workload_runtime: WorkloadRuntime,
    /// dual stack.
    pub ipv6_dual_stack_enabled: bool,
    /// connectivity probe one-liner.
    pub outbound_command: String,
    /// private ACR server.
    pub azure_private_registry_server: String,
    /// private egress.
    pub private_egress_proxy_address: String,
    /// overlaybd snapshotter.
    pub enable_artifact_streaming: bool,
    /// adds Kata runtimes to containerd config.
    pub is_kata: bool,
    /// cgroup v2 / systemd cgroup driver.
    pub needs_cgroupv2: Option<bool>,
    /// NOT READ.
    pub disable_custom_data: bool,
    /// network-isolated registry.
    pub bootstrap_profile_container_registry_server: String,
    /// IMDS firewalling.
    pub imds_restriction_config: Option<ImdsRestrictionConfig>,
    /// image-capture stage only.
    pub pre_provision_only: bool,
    /// node-local DNS.
    pub local_dns_profile: Option<LocalDnsProfile>,
    /// turn off SSH pubkey auth.
    pub disable_pubkey_auth: Option<bool>,
    /// identity-binding image pull.
    pub service_account_image_pull_profile: Option<ServiceAccountImagePullProfile>,
    /// script timeout seconds (1..21600, else 900).
    pub cse_timeout: Option<i32>,
    /// KEY=VALUE toggles for the launcher (custom data only; not turned into env by provision).
    pub enabled_features: BTreeMap<String, String>,
}

static CONFIGURATION: MessageTable = MessageTable {
    name: "Configuration",
    fields: &[
        Field { name: "version", json_name: "version", kind: Kind::String, label: Label::Singular, oneof: None, sensitivity: Sensitivity::Public, format: Format::Any },
        Field { name: "kube_binary_config", json_name: "kubeBinaryConfig", kind: Kind::Message(&KUBE_BINARY_CONFIG), label: Label::Singular, oneof: None, sensitivity: Sensitivity::Public, format: Format::Any },
        Field { name: "custom_cloud_config", json_name: "customCloudConfig", kind: Kind::Message(&CUSTOM_CLOUD_CONFIG), label: Label::Singular, oneof: None, sensitivity: Sensitivity::Public, format: Format::Any },
        Field { name: "api_server_config", json_name: "apiServerConfig", kind: Kind::Message(&API_SERVER_CONFIG), label: Label::Singular, oneof: None, sensitivity: Sensitivity::Public, format: Format::Any },
        Field { name: "cluster_config", json_name: "clusterConfig", kind: Kind::Message(&CLUSTER_CONFIG), label: Label::Singular, oneof: None, sensitivity: Sensitivity::Public, format: Format::Any },
        Field { name: "bootstrapping_config", json_name: "bootstrappingConfig", kind: Kind::Message(&BOOTSTRAPPING_CONFIG), label: Label::Singular, oneof: None, sensitivity: Sensitivity::Public, format: Format::Any },
        Field { name: "auth_config", json_name: "authConfig", kind: Kind::Message(&AUTH_CONFIG), label: Label::Singular, oneof: None, sensitivity: Sensitivity::Public, format: Format::Any },
        Field { name: "runc_config", json_name: "runcConfig", kind: Kind::Message(&RUNC_CONFIG), label: Label::Singular, oneof: None, sensitivity: Sensitivity::Public, format: Format::Any },
        Field { name: "containerd_config", json_name: "containerdConfig", kind: Kind::Message(&CONTAINERD_CONFIG), label: Label::Singular, oneof: None, sensitivity: Sensitivity::Public, format: Format::Any },
        Field { name: "kubelet_config", json_name: "kubeletConfig", kind: Kind::Message(&KUBELET_CONFIG), label: Label::Singular, oneof: None, sensitivity: Sensitivity::Public, format: Format::Any },
        Field { name: "custom_search_domain_config", json_name: "customSearchDomainConfig", kind: Kind::Message(&CUSTOM_SEARCH_DOMAIN_CONFIG), label: Label::Singular, oneof: None, sensitivity: Sensitivity::Public, format: Format::Any },
        Field { name: "custom_linux_os_config", json_name: "customLinuxOsConfig", kind: Kind::Message(&CUSTOM_LINUX_OS_CONFIG), label: Label::Singular, oneof: None, sensitivity: Sensitivity::Public, format: Format::Any },
        Field { name: "http_proxy_config", json_name: "httpProxyConfig", kind: Kind::Message(&HTTP_PROXY_CONFIG), label: Label::Singular, oneof: None, sensitivity: Sensitivity::Public, format: Format::Any },
        Field { name: "gpu_config", json_name: "gpuConfig", kind: Kind::Message(&GPU_CONFIG), label: Label::Singular, oneof: None, sensitivity: Sensitivity::Public, format: Format::Any },
        Field { name: "network_config", json_name: "networkConfig", kind: Kind::Message(&NETWORK_CONFIG), label: Label::Singular, oneof: None, sensitivity: Sensitivity::Public, format: Format::Any },
        Field { name: "kubernetes_ca_cert", json_name: "kubernetesCaCert", kind: Kind::String, label: Label::Singular, oneof: None, sensitivity: Sensitivity::Public, format: Format::Named("pem-certificate") },
        Field { name: "kubernetes_version", json_name: "kubernetesVersion", kind: Kind::String, label: Label::Singular, oneof: None, sensitivity: Sensitivity::Public, format: Format::Named("kubernetes-version") },
        Field { name: "kube_proxy_url", json_name: "kubeProxyUrl", kind: Kind::String, label: Label::Singular, oneof: None, sensitivity: Sensitivity::Public, format: Format::Named("artifact") },
        Field { name: "vm_size", json_name: "vmSize", kind: Kind::String, label: Label::Singular, oneof: None, sensitivity: Sensitivity::Public, format: Format::Named("vm-size") },
        Field { name: "linux_admin_username", json_name: "linuxAdminUsername", kind: Kind::String, label: Label::Singular, oneof: None, sensitivity: Sensitivity::Public, format: Format::Named("user-name") },
        Field { name: "is_vhd", json_name: "isVhd", kind: Kind::Bool, label: Label::Optional, oneof: None, sensitivity: Sensitivity::Public, format: Format::Any },
        Field { name: "enable_ssh", json_name: "enableSsh", kind: Kind::Bool, label: Label::Optional, oneof: None, sensitivity: Sensitivity::Public, format: Format::Any },
        Field { name: "enable_unattended_upgrade", json_name: "enableUnattendedUpgrade", kind: Kind::Bool, label: Label::Singular, oneof: None, sensitivity: Sensitivity::Public, format: Format::Any },
        Field { name: "message_of_the_day", json_name: "messageOfTheDay", kind: Kind::String, label: Label::Singular, oneof: None, sensitivity: Sensitivity::Public, format: Format::Named("base64") },
        Field { name: "enable_hosts_config_agent", json_name: "enableHostsConfigAgent", kind: Kind::Bool, label: Label::Singular, oneof: None, sensitivity: Sensitivity::Public, format: Format::Any },
        Field { name: "custom_ca_certs", json_name: "customCaCerts", kind: Kind::String, label: Label::Repeated, oneof: None, sensitivity: Sensitivity::Public, format: Format::Named("pem-certificate") },
        Field { name: "provision_output", json_name: "provisionOutput", kind: Kind::String, label: Label::Singular, oneof: None, sensitivity: Sensitivity::Public, format: Format::Any },
        Field { name: "workload_runtime", json_name: "workloadRuntime", kind: Kind::Enum(WorkloadRuntime::TABLE), label: Label::Singular, oneof: None, sensitivity: Sensitivity::Public, format: Format::Any },
        Field { name: "ipv6_dual_stack_enabled", json_name: "ipv6DualStackEnabled", kind: Kind::Bool, label: Label::Singular, oneof: None, sensitivity: Sensitivity::Public, format: Format::Any },
        Field { name: "outbound_command", json_name: "outboundCommand", kind: Kind::String, label: Label::Singular, oneof: None, sensitivity: Sensitivity::Public, format: Format::Any },
        Field { name: "azure_private_registry_server", json_name: "azurePrivateRegistryServer", kind: Kind::String, label: Label::Singular, oneof: None, sensitivity: Sensitivity::Public, format: Format::Named("registry") },
        Field { name: "private_egress_proxy_address", json_name: "privateEgressProxyAddress", kind: Kind::String, label: Label::Singular, oneof: None, sensitivity: Sensitivity::Credentials, format: Format::Named("proxy-url") },
        Field { name: "enable_artifact_streaming", json_name: "enableArtifactStreaming", kind: Kind::Bool, label: Label::Singular, oneof: None, sensitivity: Sensitivity::Public, format: Format::Any },
        Field { name: "is_kata", json_name: "isKata", kind: Kind::Bool, label: Label::Singular, oneof: None, sensitivity: Sensitivity::Public, format: Format::Any },
        Field { name: "needs_cgroupv2", json_name: "needsCgroupv2", kind: Kind::Bool, label: Label::Optional, oneof: None, sensitivity: Sensitivity::Public, format: Format::Any },
        Field { name: "disable_custom_data", json_name: "disableCustomData", kind: Kind::Bool, label: Label::Singular, oneof: None, sensitivity: Sensitivity::Public, format: Format::Any },
        Field { name: "bootstrap_profile_container_registry_server", json_name: "bootstrapProfileContainerRegistryServer", kind: Kind::String, label: Label::Singular, oneof: None, sensitivity: Sensitivity::Public, format: Format::Named("registry") },
        Field { name: "imds_restriction_config", json_name: "imdsRestrictionConfig", kind: Kind::Message(&IMDS_RESTRICTION_CONFIG), label: Label::Singular, oneof: None, sensitivity: Sensitivity::Public, format: Format::Any },
        Field { name: "pre_provision_only", json_name: "preProvisionOnly", kind: Kind::Bool, label: Label::Singular, oneof: None, sensitivity: Sensitivity::Public, format: Format::Any },
        Field { name: "local_dns_profile", json_name: "localDnsProfile", kind: Kind::Message(&LOCAL_DNS_PROFILE), label: Label::Singular, oneof: None, sensitivity: Sensitivity::Public, format: Format::Any },
        Field { name: "disable_pubkey_auth", json_name: "disablePubkeyAuth", kind: Kind::Bool, label: Label::Optional, oneof: None, sensitivity: Sensitivity::Public, format: Format::Any },
        Field { name: "service_account_image_pull_profile", json_name: "serviceAccountImagePullProfile", kind: Kind::Message(&SERVICE_ACCOUNT_IMAGE_PULL_PROFILE), label: Label::Singular, oneof: None, sensitivity: Sensitivity::Public, format: Format::Any },
        Field { name: "cse_timeout", json_name: "cseTimeout", kind: Kind::Int32, label: Label::Optional, oneof: None, sensitivity: Sensitivity::Public, format: Format::Named("cse-timeout") },
        Field { name: "enabled_features", json_name: "enabledFeatures", kind: Kind::String, label: Label::Map, oneof: None, sensitivity: Sensitivity::Public, format: Format::Named("feature") },
    ],
    keys: &[("apiServerConfig", 3), ("api_server_config", 3), ("authConfig", 6), ("auth_config", 6), ("azurePrivateRegistryServer", 30), ("azure_private_registry_server", 30), ("bootstrapProfileContainerRegistryServer", 36), ("bootstrap_profile_container_registry_server", 36), ("bootstrappingConfig", 5), ("bootstrapping_config", 5), ("clusterConfig", 4), ("cluster_config", 4), ("containerdConfig", 8), ("containerd_config", 8), ("cseTimeout", 42), ("cse_timeout", 42), ("customCaCerts", 25), ("customCloudConfig", 2), ("customLinuxOsConfig", 11), ("customSearchDomainConfig", 10), ("custom_ca_certs", 25), ("custom_cloud_config", 2), ("custom_linux_os_config", 11), ("custom_search_domain_config", 10), ("disableCustomData", 35), ("disablePubkeyAuth", 40), ("disable_custom_data", 35), ("disable_pubkey_auth", 40), ("enableArtifactStreaming", 32), ("enableHostsConfigAgent", 24), ("enableSsh", 21), ("enableUnattendedUpgrade", 22), ("enable_artifact_streaming", 32), ("enable_hosts_config_agent", 24), ("enable_ssh", 21), ("enable_unattended_upgrade", 22), ("enabledFeatures", 43), ("enabled_features", 43), ("gpuConfig", 13), ("gpu_config", 13), ("httpProxyConfig", 12), ("http_proxy_config", 12), ("imdsRestrictionConfig", 37), ("imds_restriction_config", 37), ("ipv6DualStackEnabled", 28), ("ipv6_dual_stack_enabled", 28), ("isKata", 33), ("isVhd", 20), ("is_kata", 33), ("is_vhd", 20), ("kubeBinaryConfig", 1), ("kubeProxyUrl", 17), ("kube_binary_config", 1), ("kube_proxy_url", 17), ("kubeletConfig", 9), ("kubelet_config", 9), ("kubernetesCaCert", 15), ("kubernetesVersion", 16), ("kubernetes_ca_cert", 15), ("kubernetes_version", 16), ("linuxAdminUsername", 19), ("linux_admin_username", 19), ("localDnsProfile", 39), ("local_dns_profile", 39), ("messageOfTheDay", 23), ("message_of_the_day", 23), ("needsCgroupv2", 34), ("needs_cgroupv2", 34), ("networkConfig", 14), ("network_config", 14), ("outboundCommand", 29), ("outbound_command", 29), ("preProvisionOnly", 38), ("pre_provision_only", 38), ("privateEgressProxyAddress", 31), ("private_egress_proxy_address", 31), ("provisionOutput", 26), ("provision_output", 26), ("runcConfig", 7), ("runc_config", 7), ("serviceAccountImagePullProfile", 41), ("service_account_image_pull_profile", 41), ("version", 0), ("vmSize", 18), ("vm_size", 18), ("workloadRuntime", 27), ("workload_runtime", 27)],
    retired: &["teleport_config", "teleportConfig"],
};

impl Message for Configuration {
    fn table(&self) -> &'static MessageTable { &CONFIGURATION }
    fn read_field(&mut self, index: usize, decoder: &mut Decoder<'_>) -> Result<(), Refused> {
        match index {
            0 => decoder.singular(&mut self.version),
            1 => decoder.optional(&mut self.kube_binary_config),
            2 => decoder.optional(&mut self.custom_cloud_config),
            3 => decoder.optional(&mut self.api_server_config),
            4 => decoder.optional(&mut self.cluster_config),
            5 => decoder.optional(&mut self.bootstrapping_config),
            6 => decoder.optional(&mut self.auth_config),
            7 => decoder.optional(&mut self.runc_config),
            8 => decoder.optional(&mut self.containerd_config),
            9 => decoder.optional(&mut self.kubelet_config),
            10 => decoder.optional(&mut self.custom_search_domain_config),
            11 => decoder.optional(&mut self.custom_linux_os_config),
            12 => decoder.optional(&mut self.http_proxy_config),
            13 => decoder.optional(&mut self.gpu_config),
            14 => decoder.optional(&mut self.network_config),
            15 => decoder.singular(&mut self.kubernetes_ca_cert),
            16 => decoder.singular(&mut self.kubernetes_version),
            17 => decoder.singular(&mut self.kube_proxy_url),
            18 => decoder.singular(&mut self.vm_size),
            19 => decoder.singular(&mut self.linux_admin_username),
            20 => decoder.optional(&mut self.is_vhd),
            21 => decoder.optional(&mut self.enable_ssh),
            22 => decoder.singular(&mut self.enable_unattended_upgrade),
            23 => decoder.singular(&mut self.message_of_the_day),
            24 => decoder.singular(&mut self.enable_hosts_config_agent),
            25 => decoder.list(&mut self.custom_ca_certs),
            26 => decoder.singular(&mut self.provision_output),
            27 => decoder.singular(&mut self.workload_runtime),
            28 => decoder.singular(&mut self.ipv6_dual_stack_enabled),
            29 => decoder.singular(&mut self.outbound_command),
            30 => decoder.singular(&mut self.azure_private_registry_server),
            31 => decoder.singular(&mut self.private_egress_proxy_address),
            32 => decoder.singular(&mut self.enable_artifact_streaming),
            33 => decoder.singular(&mut self.is_kata),
            34 => decoder.optional(&mut self.needs_cgroupv2),
            35 => decoder.singular(&mut self.disable_custom_data),
            36 => decoder.singular(&mut self.bootstrap_profile_container_registry_server),
            37 => decoder.optional(&mut self.imds_restriction_config),
            38 => decoder.singular(&mut self.pre_provision_only),
            39 => decoder.optional(&mut self.local_dns_profile),
            40 => decoder.optional(&mut self.disable_pubkey_auth),
            41 => decoder.optional(&mut self.service_account_image_pull_profile),
            42 => decoder.optional(&mut self.cse_timeout),
            43 => decoder.map(&mut self.enabled_features),
            _ => Ok(()),
        }
    }
    fn view(&self, index: usize) -> View<'_> {
        match index {
            0 => View::singular(&self.version),
            1 => View::optional(self.kube_binary_config.as_ref()),
            2 => View::optional(self.custom_cloud_config.as_ref()),
            3 => View::optional(self.api_server_config.as_ref()),
            4 => View::optional(self.cluster_config.as_ref()),
            5 => View::optional(self.bootstrapping_config.as_ref()),
            6 => View::optional(self.auth_config.as_ref()),
            7 => View::optional(self.runc_config.as_ref()),
            8 => View::optional(self.containerd_config.as_ref()),
            9 => View::optional(self.kubelet_config.as_ref()),
            10 => View::optional(self.custom_search_domain_config.as_ref()),
            11 => View::optional(self.custom_linux_os_config.as_ref()),
            12 => View::optional(self.http_proxy_config.as_ref()),
            13 => View::optional(self.gpu_config.as_ref()),
            14 => View::optional(self.network_config.as_ref()),
            15 => View::singular(&self.kubernetes_ca_cert),
            16 => View::singular(&self.kubernetes_version),
            17 => View::singular(&self.kube_proxy_url),
            18 => View::singular(&self.vm_size),
            19 => View::singular(&self.linux_admin_username),
            20 => View::optional(self.is_vhd.as_ref()),
            21 => View::optional(self.enable_ssh.as_ref()),
            22 => View::singular(&self.enable_unattended_upgrade),
            23 => View::singular(&self.message_of_the_day),
            24 => View::singular(&self.enable_hosts_config_agent),
            25 => View::list(&self.custom_ca_certs),
            26 => View::singular(&self.provision_output),
            27 => View::singular(&self.workload_runtime),
            28 => View::singular(&self.ipv6_dual_stack_enabled),
            29 => View::singular(&self.outbound_command),
            30 => View::singular(&self.azure_private_registry_server),
            31 => View::singular(&self.private_egress_proxy_address),
            32 => View::singular(&self.enable_artifact_streaming),
            33 => View::singular(&self.is_kata),
            34 => View::optional(self.needs_cgroupv2.as_ref()),
            35 => View::singular(&self.disable_custom_data),
            36 => View::singular(&self.bootstrap_profile_container_registry_server),
            37 => View::optional(self.imds_restriction_config.as_ref()),
            38 => View::singular(&self.pre_provision_only),
            39 => View::optional(self.local_dns_profile.as_ref()),
            40 => View::optional(self.disable_pubkey_auth.as_ref()),
            41 => View::optional(self.service_account_image_pull_profile.as_ref()),
            42 => View::optional(self.cse_timeout.as_ref()),
            43 => View::map(&self.enabled_features),
            _ => View::Absent,
        }
    }
}

/// `KubeBinaryConfig`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct KubeBinaryConfig {
    /// default kube tarball.
    pub kube_binary_url: String,
    /// user override.
    pub custom_kube_binary_url: String,
    /// privately cached tarball.
    pub private_kube_binary_url: String,
    /// pause image, used in containerd config.
    pub pod_infra_container_image_url: String,
    /// ACR credential provider tarball.
    pub linux_credential_provider_url: String,
}

static KUBE_BINARY_CONFIG: MessageTable = MessageTable {
    name: "KubeBinaryConfig",
    fields: &[
        Field { name: "kube_binary_url", json_name: "kubeBinaryUrl", kind: Kind::String, label: Label::Singular, oneof: None, sensitivity: Sensitivity::Credentials, format: Format::Named("artifact") },
        Field { name: "custom_kube_binary_url", json_name: "customKubeBinaryUrl", kind: Kind::String, label: Label::Singular, oneof: None, sensitivity: Sensitivity::Credentials, format: Format::Named("artifact") },
        Field { name: "private_kube_binary_url", json_name: "privateKubeBinaryUrl", kind: Kind::String, label: Label::Singular, oneof: None, sensitivity: Sensitivity::Credentials, format: Format::Named("artifact") },
        Field { name: "pod_infra_container_image_url", json_name: "podInfraContainerImageUrl", kind: Kind::String, label: Label::Singular, oneof: None, sensitivity: Sensitivity::Public, format: Format::Named("image") },
        Field { name: "linux_credential_provider_url", json_name: "linuxCredentialProviderUrl", kind: Kind::String, label: Label::Singular, oneof: None, sensitivity: Sensitivity::Credentials, format: Format::Named("artifact") },
    ],
    keys: &[("customKubeBinaryUrl", 1), ("custom_kube_binary_url", 1), ("kubeBinaryUrl", 0), ("kube_binary_url", 0), ("linuxCredentialProviderUrl", 4), ("linux_credential_provider_url", 4), ("podInfraContainerImageUrl", 3), ("pod_infra_container_image_url", 3), ("privateKubeBinaryUrl", 2), ("private_kube_binary_url", 2)],
    retired: &[],
};

impl Message for KubeBinaryConfig {
    fn table(&self) -> &'static MessageTable { &KUBE_BINARY_CONFIG }
    fn read_field(&mut self, index: usize, decoder: &mut Decoder<'_>) -> Result<(), Refused> {
        match index {
            0 => decoder.singular(&mut self.kube_binary_url),
            1 => decoder.singular(&mut self.custom_kube_binary_url),
            2 => decoder.singular(&mut self.private_kube_binary_url),
            3 => decoder.singular(&mut self.pod_infra_container_image_url),
            4 => decoder.singular(&mut self.linux_credential_provider_url),
            _ => Ok(()),
        }
    }
    fn view(&self, index: usize) -> View<'_> {
        match index {
            0 => View::singular(&self.kube_binary_url),
            1 => View::singular(&self.custom_kube_binary_url),
            2 => View::singular(&self.private_kube_binary_url),
            3 => View::singular(&self.pod_infra_container_image_url),
            4 => View::singular(&self.linux_credential_provider_url),
            _ => View::Absent,
        }
    }
}

/// `CustomCloudConfig`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct CustomCloudConfig {
    /// akscustom (any case) marks a custom cloud.
    pub custom_cloud_env_name: String,
    /// package mirror root.
    pub repo_depot_endpoint: String,
    /// base64 JSON of the cloud environment.
    pub custom_env_json_content: String,
    /// ACR suffix.
    pub container_registry_dns_suffix: String,
}

static CUSTOM_CLOUD_CONFIG: MessageTable = MessageTable {
    name: "CustomCloudConfig",
    fields: &[
        Field { name: "custom_cloud_env_name", json_name: "customCloudEnvName", kind: Kind::String, label: Label::Singular, oneof: None, sensitivity: Sensitivity::Public, format: Format::Any },
        Field { name: "repo_depot_endpoint", json_name: "repoDepotEndpoint", kind: Kind::String, label: Label::Singular, oneof: None, sensitivity: Sensitivity::Credentials, format: Format::Named("url") },
        Field { name: "custom_env_json_content", json_name: "customEnvJsonContent", kind: Kind::String, label: Label::Singular, oneof: None, sensitivity: Sensitivity::Public, format: Format::Named("base64-json") },
        Field { name: "container_registry_dns_suffix", json_name: "containerRegistryDnsSuffix", kind: Kind::String, label: Label::Singular, oneof: None, sensitivity: Sensitivity::Public, format: Format::Named("dns-suffix") },
    ],
    keys: &[("containerRegistryDnsSuffix", 3), ("container_registry_dns_suffix", 3), ("customCloudEnvName", 0), ("customEnvJsonContent", 2), ("custom_cloud_env_name", 0), ("custom_env_json_content", 2), ("repoDepotEndpoint", 1), ("repo_depot_endpoint", 1)],
    retired: &[],
};

impl Message for CustomCloudConfig {
    fn table(&self) -> &'static MessageTable { &CUSTOM_CLOUD_CONFIG }
    fn read_field(&mut self, index: usize, decoder: &mut Decoder<'_>) -> Result<(), Refused> {
        match index {
            0 => decoder.singular(&mut self.custom_cloud_env_name),
            1 => decoder.singular(&mut self.repo_depot_endpoint),
            2 => decoder.singular(&mut self.custom_env_json_content),
            3 => decoder.singular(&mut self.container_registry_dns_suffix),
            _ => Ok(()),
        }
    }
    fn view(&self, index: usize) -> View<'_> {
        match index {
            0 => View::singular(&self.custom_cloud_env_name),
            1 => View::singular(&self.repo_depot_endpoint),
            2 => View::singular(&self.custom_env_json_content),
            3 => View::singular(&self.container_registry_dns_suffix),
            _ => View::Absent,
        }
    }
}

/// `ApiServerConfig`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ApiServerConfig {
    /// API server cert, base64.
    pub api_server_public_key: String,
    /// API server FQDN; also check-hotfix dial host.
    pub api_server_name: String,
}

static API_SERVER_CONFIG: MessageTable = MessageTable {
    name: "ApiServerConfig",
    fields: &[
        Field { name: "api_server_public_key", json_name: "apiServerPublicKey", kind: Kind::String, label: Label::Singular, oneof: None, sensitivity: Sensitivity::Public, format: Format::Named("base64") },
        Field { name: "api_server_name", json_name: "apiServerName", kind: Kind::String, label: Label::Singular, oneof: None, sensitivity: Sensitivity::Public, format: Format::Named("host") },
    ],
    keys: &[("apiServerName", 1), ("apiServerPublicKey", 0), ("api_server_name", 1), ("api_server_public_key", 0)],
    retired: &[],
};

impl Message for ApiServerConfig {
    fn table(&self) -> &'static MessageTable { &API_SERVER_CONFIG }
    fn read_field(&mut self, index: usize, decoder: &mut Decoder<'_>) -> Result<(), Refused> {
        match index {
            0 => decoder.singular(&mut self.api_server_public_key),
            1 => decoder.singular(&mut self.api_server_name),
            _ => Ok(()),
        }
    }
    fn view(&self, index: usize) -> View<'_> {
        match index {
            0 => View::singular(&self.api_server_public_key),
            1 => View::singular(&self.api_server_name),
            _ => View::Absent,
        }
    }
}

/// `ClusterConfig`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ClusterConfig {
    /// vnet data.
    pub cluster_network_config: Option<ClusterNetworkConfig>,
    /// LB data.
    pub load_balancer_config: Option<LoadBalancerConfig>,
    /// node resource group.
    pub resource_group: String,
    /// Azure region.
    pub location: String,
    /// standard or vmss.
    pub vm_type: VmType,
    /// AS name.
    pub primary_availability_set: String,
    /// VMSS name.
    pub primary_scale_set: String,
    /// cloud provider uses IMDS.
    pub use_instance_metadata: bool,
    /// backoff and rate limit.
    pub cloud_provider_config: Option<CloudProviderConfig>,
}

static CLUSTER_CONFIG: MessageTable = MessageTable {
    name: "ClusterConfig",
    fields: &[
        Field { name: "cluster_network_config", json_name: "clusterNetworkConfig", kind: Kind::Message(&CLUSTER_NETWORK_CONFIG), label: Label::Singular, oneof: None, sensitivity: Sensitivity::Public, format: Format::Any },
        Field { name: "load_balancer_config", json_name: "loadBalancerConfig", kind: Kind::Message(&LOAD_BALANCER_CONFIG), label: Label::Singular, oneof: None, sensitivity: Sensitivity::Public, format: Format::Any },
        Field { name: "resource_group", json_name: "resourceGroup", kind: Kind::String, label: Label::Singular, oneof: None, sensitivity: Sensitivity::Public, format: Format::Any },
        Field { name: "location", json_name: "location", kind: Kind::String, label: Label::Singular, oneof: None, sensitivity: Sensitivity::Public, format: Format::Any },
        Field { name: "vm_type", json_name: "vmType", kind: Kind::Enum(VmType::TABLE), label: Label::Singular, oneof: None, sensitivity: Sensitivity::Public, format: Format::Any },
        Field { name: "primary_availability_set", json_name: "primaryAvailabilitySet", kind: Kind::String, label: Label::Singular, oneof: None, sensitivity: Sensitivity::Public, format: Format::Any },
        Field { name: "primary_scale_set", json_name: "primaryScaleSet", kind: Kind::String, label: Label::Singular, oneof: None, sensitivity: Sensitivity::Public, format: Format::Any },
        Field { name: "use_instance_metadata", json_name: "useInstanceMetadata", kind: Kind::Bool, label: Label::Singular, oneof: None, sensitivity: Sensitivity::Public, format: Format::Any },
        Field { name: "cloud_provider_config", json_name: "cloudProviderConfig", kind: Kind::Message(&CLOUD_PROVIDER_CONFIG), label: Label::Singular, oneof: None, sensitivity: Sensitivity::Public, format: Format::Any },
    ],
    keys: &[("cloudProviderConfig", 8), ("cloud_provider_config", 8), ("clusterNetworkConfig", 0), ("cluster_network_config", 0), ("loadBalancerConfig", 1), ("load_balancer_config", 1), ("location", 3), ("primaryAvailabilitySet", 5), ("primaryScaleSet", 6), ("primary_availability_set", 5), ("primary_scale_set", 6), ("resourceGroup", 2), ("resource_group", 2), ("useInstanceMetadata", 7), ("use_instance_metadata", 7), ("vmType", 4), ("vm_type", 4)],
    retired: &[],
};

impl Message for ClusterConfig {
    fn table(&self) -> &'static MessageTable { &CLUSTER_CONFIG }
    fn read_field(&mut self, index: usize, decoder: &mut Decoder<'_>) -> Result<(), Refused> {
        match index {
            0 => decoder.optional(&mut self.cluster_network_config),
            1 => decoder.optional(&mut self.load_balancer_config),
            2 => decoder.singular(&mut self.resource_group),
            3 => decoder.singular(&mut self.location),
            4 => decoder.singular(&mut self.vm_type),
            5 => decoder.singular(&mut self.primary_availability_set),
            6 => decoder.singular(&mut self.primary_scale_set),
            7 => decoder.singular(&mut self.use_instance_metadata),
            8 => decoder.optional(&mut self.cloud_provider_config),
            _ => Ok(()),
        }
    }
    fn view(&self, index: usize) -> View<'_> {
        match index {
            0 => View::optional(self.cluster_network_config.as_ref()),
            1 => View::optional(self.load_balancer_config.as_ref()),
            2 => View::singular(&self.resource_group),
            3 => View::singular(&self.location),
            4 => View::singular(&self.vm_type),
            5 => View::singular(&self.primary_availability_set),
            6 => View::singular(&self.primary_scale_set),
            7 => View::singular(&self.use_instance_metadata),
            8 => View::optional(self.cloud_provider_config.as_ref()),
            _ => View::Absent,
        }
    }
}

/// `ClusterNetworkConfig`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ClusterNetworkConfig {
    /// vnet.
    pub vnet_name: String,
    /// vnet RG.
    pub vnet_resource_group: String,
    /// subnet.
    pub subnet: String,
    /// NSG.
    pub security_group_name: String,
    /// route table.
    pub route_table: String,
    /// CoreDNS ClusterIP for localdns; unset means 10.0.0.10.
    pub core_dns_service_ip: String,
}

static CLUSTER_NETWORK_CONFIG: MessageTable = MessageTable {
    name: "ClusterNetworkConfig",
    fields: &[
        Field { name: "vnet_name", json_name: "vnetName", kind: Kind::String, label: Label::Singular, oneof: None, sensitivity: Sensitivity::Public, format: Format::Any },
        Field { name: "vnet_resource_group", json_name: "vnetResourceGroup", kind: Kind::String, label: Label::Singular, oneof: None, sensitivity: Sensitivity::Public, format: Format::Any },
        Field { name: "subnet", json_name: "subnet", kind: Kind::String, label: Label::Singular, oneof: None, sensitivity: Sensitivity::Public, format: Format::Any },
        Field { name: "security_group_name", json_name: "securityGroupName", kind: Kind::String, label: Label::Singular, oneof: None, sensitivity: Sensitivity::Public, format: Format::Any },
        Field { name: "route_table", json_name: "routeTable", kind: Kind::String, label: Label::Singular, oneof: None, sensitivity: Sensitivity::Public, format: Format::Any },
        Field { name: "core_dns_service_ip", json_name: "coreDnsServiceIp", kind: Kind::String, label: Label::Singular, oneof: None, sensitivity: Sensitivity::Public, format: Format::Named("ip") },
    ],
    keys: &[("coreDnsServiceIp", 5), ("core_dns_service_ip", 5), ("routeTable", 4), ("route_table", 4), ("securityGroupName", 3), ("security_group_name", 3), ("subnet", 2), ("vnetName", 0), ("vnetResourceGroup", 1), ("vnet_name", 0), ("vnet_resource_group", 1)],
    retired: &[],
};

impl Message for ClusterNetworkConfig {
    fn table(&self) -> &'static MessageTable { &CLUSTER_NETWORK_CONFIG }
    fn read_field(&mut self, index: usize, decoder: &mut Decoder<'_>) -> Result<(), Refused> {
        match index {
            0 => decoder.singular(&mut self.vnet_name),
            1 => decoder.singular(&mut self.vnet_resource_group),
            2 => decoder.singular(&mut self.subnet),
            3 => decoder.singular(&mut self.security_group_name),
            4 => decoder.singular(&mut self.route_table),
            5 => decoder.singular(&mut self.core_dns_service_ip),
            _ => Ok(()),
        }
    }
    fn view(&self, index: usize) -> View<'_> {
        match index {
            0 => View::singular(&self.vnet_name),
            1 => View::singular(&self.vnet_resource_group),
            2 => View::singular(&self.subnet),
            3 => View::singular(&self.security_group_name),
            4 => View::singular(&self.route_table),
            5 => View::singular(&self.core_dns_service_ip),
            _ => View::Absent,
        }
    }
}

/// `LoadBalancerConfig`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct LoadBalancerConfig {
    /// LB SKU.
    pub load_balancer_sku: LoadBalancerSku,
    /// unset means true.
    pub exclude_master_from_standard_load_balancer: Option<bool>,
    /// unset means 148.
    pub max_load_balancer_rule_count: Option<i32>,
    /// SNAT off.
    pub disable_outbound_snat: bool,
}

static LOAD_BALANCER_CONFIG: MessageTable = MessageTable {
    name: "LoadBalancerConfig",
    fields: &[
        Field { name: "load_balancer_sku", json_name: "loadBalancerSku", kind: Kind::Enum(LoadBalancerSku::TABLE), label: Label::Singular, oneof: None, sensitivity: Sensitivity::Public, format: Format::Any },
        Field { name: "exclude_master_from_standard_load_balancer", json_name: "excludeMasterFromStandardLoadBalancer", kind: Kind::Bool, label: Label::Optional, oneof: None, sensitivity: Sensitivity::Public, format: Format::Any },
        Field { name: "max_load_balancer_rule_count", json_name: "maxLoadBalancerRuleCount", kind: Kind::Int32, label: Label::Optional, oneof: None, sensitivity: Sensitivity::Public, format: Format::Range(0, i64::MAX) },
        Field { name: "disable_outbound_snat", json_name: "disableOutboundSnat", kind: Kind::Bool, label: Label::Singular, oneof: None, sensitivity: Sensitivity::Public, format: Format::Any },
    ],
    keys: &[("disableOutboundSnat", 3), ("disable_outbound_snat", 3), ("excludeMasterFromStandardLoadBalancer", 1), ("exclude_master_from_standard_load_balancer", 1), ("loadBalancerSku", 0), ("load_balancer_sku", 0), ("maxLoadBalancerRuleCount", 2), ("max_load_balancer_rule_count", 2)],
    retired: &[],
};

impl Message for LoadBalancerConfig {
    fn table(&self) -> &'static MessageTable { &LOAD_BALANCER_CONFIG }
    fn read_field(&mut self, index: usize, decoder: &mut Decoder<'_>) -> Result<(), Refused> {
        match index {
            0 => decoder.singular(&mut self.load_balancer_sku),
            1 => decoder.optional(&mut self.exclude_master_from_standard_load_balancer),
            2 => decoder.optional(&mut self.max_load_balancer_rule_count),
            3 => decoder.singular(&mut self.disable_outbound_snat),
            _ => Ok(()),
        }
    }
    fn view(&self, index: usize) -> View<'_> {
        match index {
            0 => View::singular(&self.load_balancer_sku),
            1 => View::optional(self.exclude_master_from_standard_load_balancer.as_ref()),
            2 => View::optional(self.max_load_balancer_rule_count.as_ref()),
            3 => View::singular(&self.disable_outbound_snat),
            _ => View::Absent,
        }
    }
}

/// `CloudProviderConfig`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct CloudProviderConfig {
    /// unset means true.
    pub backoff: Option<bool>,
    /// empty means v2.
    pub backoff_mode: String,
    /// unset means 6.
    pub backoff_retries: Option<i32>,
    /// unset means 0.
    pub backoff_exponent: Option<f64>,
    /// unset means 5.
    pub backoff_duration: Option<i32>,
    /// unset means 0.
    pub backoff_jitter: Option<f64>,
    /// unset means true.
    pub rate_limit: Option<bool>,
    /// unset means 10.
    pub rate_limit_qps: Option<f64>,
    /// unset means 10.
    pub rate_limit_qps_write: Option<f64>,
    /// unset means 100.
    pub rate_limit_bucket: Option<i32>,
    /// unset means 100.
    pub rate_limit_bucket_write: Option<i32>,
}

static CLOUD_PROVIDER_CONFIG: MessageTable = MessageTable {
    name: "CloudProviderConfig",
    fields: &[
        Field { name: "backoff", json_name: "backoff", kind: Kind::Bool, label: Label::Optional, oneof: None, sensitivity: Sensitivity::Public, format: Format::Any },
        Field { name: "backoff_mode", json_name: "backoffMode", kind: Kind::String, label: Label::Singular, oneof: None, sensitivity: Sensitivity::Public, format: Format::OneOf(&["v1", "v2"]) },
        Field { name: "backoff_retries", json_name: "backoffRetries", kind: Kind::Int32, label: Label::Optional, oneof: None, sensitivity: Sensitivity::Public, format: Format::Range(0, i64::MAX) },
        Field { name: "backoff_exponent", json_name: "backoffExponent", kind: Kind::Double, label: Label::Optional, oneof: None, sensitivity: Sensitivity::Public, format: Format::Range(0, i64::MAX) },
        Field { name: "backoff_duration", json_name: "backoffDuration", kind: Kind::Int32, label: Label::Optional, oneof: None, sensitivity: Sensitivity::Public, format: Format::Range(0, i64::MAX) },
        Field { name: "backoff_jitter", json_name: "backoffJitter", kind: Kind::Double, label: Label::Optional, oneof: None, sensitivity: Sensitivity::Public, format: Format::Range(0, i64::MAX) },
        Field { name: "rate_limit", json_name: "rateLimit", kind: Kind::Bool, label: Label::Optional, oneof: None, sensitivity: Sensitivity::Public, format: Format::Any },
        Field { name: "rate_limit_qps", json_name: "rateLimitQps", kind: Kind::Double, label: Label::Optional, oneof: None, sensitivity: Sensitivity::Public, format: Format::Range(0, i64::MAX) },
        Field { name: "rate_limit_qps_write", json_name: "rateLimitQpsWrite", kind: Kind::Double, label: Label::Optional, oneof: None, sensitivity: Sensitivity::Public, format: Format::Range(0, i64::MAX) },
        Field { name: "rate_limit_bucket", json_name: "rateLimitBucket", kind: Kind::Int32, label: Label::Optional, oneof: None, sensitivity: Sensitivity::Public, format: Format::Range(0, i64::MAX) },
        Field { name: "rate_limit_bucket_write", json_name: "rateLimitBucketWrite", kind: Kind::Int32, label: Label::Optional, oneof: None, sensitivity: Sensitivity::Public, format: Format::Range(0, i64::MAX) },
    ],
    keys: &[("backoff", 0), ("backoffDuration", 4), ("backoffExponent", 3), ("backoffJitter", 5), ("backoffMode", 1), ("backoffRetries", 2), ("backoff_duration", 4), ("backoff_exponent", 3), ("backoff_jitter", 5), ("backoff_mode", 1), ("backoff_retries", 2), ("rateLimit", 6), ("rateLimitBucket", 9), ("rateLimitBucketWrite", 10), ("rateLimitQps", 7), ("rateLimitQpsWrite", 8), ("rate_limit", 6), ("rate_limit_bucket", 9), ("rate_limit_bucket_write", 10), ("rate_limit_qps", 7), ("rate_limit_qps_write", 8)],
    retired: &[],
};

impl Message for CloudProviderConfig {
    fn table(&self) -> &'static MessageTable { &CLOUD_PROVIDER_CONFIG }
    fn read_field(&mut self, index: usize, decoder: &mut Decoder<'_>) -> Result<(), Refused> {
        match index {
            0 => decoder.optional(&mut self.backoff),
            1 => decoder.singular(&mut self.backoff_mode),
            2 => decoder.optional(&mut self.backoff_retries),
            3 => decoder.optional(&mut self.backoff_exponent),
            4 => decoder.optional(&mut self.backoff_duration),
            5 => decoder.optional(&mut self.backoff_jitter),
            6 => decoder.optional(&mut self.rate_limit),
            7 => decoder.optional(&mut self.rate_limit_qps),
            8 => decoder.optional(&mut self.rate_limit_qps_write),
            9 => decoder.optional(&mut self.rate_limit_bucket),
            10 => decoder.optional(&mut self.rate_limit_bucket_write),
            _ => Ok(()),
        }
    }
    fn view(&self, index: usize) -> View<'_> {
        match index {
            0 => View::optional(self.backoff.as_ref()),
            1 => View::singular(&self.backoff_mode),
            2 => View::optional(self.backoff_retries.as_ref()),
            3 => View::optional(self.backoff_exponent.as_ref()),
            4 => View::optional(self.backoff_duration.as_ref()),
            5 => View::optional(self.backoff_jitter.as_ref()),
            6 => View::optional(self.rate_limit.as_ref()),
            7 => View::optional(self.rate_limit_qps.as_ref()),
            8 => View::optional(self.rate_limit_qps_write.as_ref()),
            9 => View::optional(self.rate_limit_bucket.as_ref()),
            10 => View::optional(self.rate_limit_bucket_write.as_ref()),
            _ => View::Absent,
        }
    }
}

/// `BootstrappingConfig`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct BootstrappingConfig {
    /// only SECURE_TLS_BOOTSTRAPPING changes output.
    pub bootstrapping_auth_method: BootstrappingAuthMethod,
    /// NOT READ.
    pub cluster_join_method: ClusterJoinMethod,
    /// bootstrap token.
    pub tls_bootstrapping_token: Option<Secret<String>>,
    /// Entra resource.
    pub secure_tls_bootstrapping_aad_resource: Option<String>,
    /// client id of UAI.
    pub secure_tls_bootstrapping_user_assigned_identity_id: Option<String>,
    /// client binary override.
    pub secure_tls_bootstrapping_custom_client_download_url: Option<String>,
    /// duration string.
    pub secure_tls_bootstrapping_validate_kubeconfig_timeout: Option<String>,
    /// duration string.
    pub secure_tls_bootstrapping_get_access_token_timeout: Option<String>,
    /// duration string.
    pub secure_tls_bootstrapping_get_instance_data_timeout: Option<String>,
    /// duration string.
    pub secure_tls_bootstrapping_get_nonce_timeout: Option<String>,
    /// duration string.
    pub secure_tls_bootstrapping_get_attested_data_timeout: Option<String>,
    /// duration string.
    pub secure_tls_bootstrapping_get_credential_timeout: Option<String>,
}

static BOOTSTRAPPING_CONFIG: MessageTable = MessageTable {
    name: "BootstrappingConfig",
    fields: &[
        Field { name: "bootstrapping_auth_method", json_name: "bootstrappingAuthMethod", kind: Kind::Enum(BootstrappingAuthMethod::TABLE), label: Label::Singular, oneof: None, sensitivity: Sensitivity::Public, format: Format::Any },
        Field { name: "cluster_join_method", json_name: "clusterJoinMethod", kind: Kind::Enum(ClusterJoinMethod::TABLE), label: Label::Singular, oneof: None, sensitivity: Sensitivity::Public, format: Format::Any },
        Field { name: "tls_bootstrapping_token", json_name: "tlsBootstrappingToken", kind: Kind::String, label: Label::Optional, oneof: None, sensitivity: Sensitivity::Secret, format: Format::Named("bootstrap-token") },
        Field { name: "secure_tls_bootstrapping_aad_resource", json_name: "secureTlsBootstrappingAadResource", kind: Kind::String, label: Label::Optional, oneof: None, sensitivity: Sensitivity::Public, format: Format::Any },
        Field { name: "secure_tls_bootstrapping_user_assigned_identity_id", json_name: "secureTlsBootstrappingUserAssignedIdentityId", kind: Kind::String, label: Label::Optional, oneof: None, sensitivity: Sensitivity::Public, format: Format::Any },
        Field { name: "secure_tls_bootstrapping_custom_client_download_url", json_name: "secureTlsBootstrappingCustomClientDownloadUrl", kind: Kind::String, label: Label::Optional, oneof: None, sensitivity: Sensitivity::Credentials, format: Format::Named("url") },
        Field { name: "secure_tls_bootstrapping_validate_kubeconfig_timeout", json_name: "secureTlsBootstrappingValidateKubeconfigTimeout", kind: Kind::String, label: Label::Optional, oneof: None, sensitivity: Sensitivity::Public, format: Format::Named("duration") },
        Field { name: "secure_tls_bootstrapping_get_access_token_timeout", json_name: "secureTlsBootstrappingGetAccessTokenTimeout", kind: Kind::String, label: Label::Optional, oneof: None, sensitivity: Sensitivity::Public, format: Format::Named("duration") },
        Field { name: "secure_tls_bootstrapping_get_instance_data_timeout", json_name: "secureTlsBootstrappingGetInstanceDataTimeout", kind: Kind::String, label: Label::Optional, oneof: None, sensitivity: Sensitivity::Public, format: Format::Named("duration") },
        Field { name: "secure_tls_bootstrapping_get_nonce_timeout", json_name: "secureTlsBootstrappingGetNonceTimeout", kind: Kind::String, label: Label::Optional, oneof: None, sensitivity: Sensitivity::Public, format: Format::Named("duration") },
        Field { name: "secure_tls_bootstrapping_get_attested_data_timeout", json_name: "secureTlsBootstrappingGetAttestedDataTimeout", kind: Kind::String, label: Label::Optional, oneof: None, sensitivity: Sensitivity::Public, format: Format::Named("duration") },
        Field { name: "secure_tls_bootstrapping_get_credential_timeout", json_name: "secureTlsBootstrappingGetCredentialTimeout", kind: Kind::String, label: Label::Optional, oneof: None, sensitivity: Sensitivity::Public, format: Format::Named("duration") },
    ],
    keys: &[("bootstrappingAuthMethod", 0), ("bootstrapping_auth_method", 0), ("clusterJoinMethod", 1), ("cluster_join_method", 1), ("secureTlsBootstrappingAadResource", 3), ("secureTlsBootstrappingCustomClientDownloadUrl", 5), ("secureTlsBootstrappingGetAccessTokenTimeout", 7), ("secureTlsBootstrappingGetAttestedDataTimeout", 10), ("secureTlsBootstrappingGetCredentialTimeout", 11), ("secureTlsBootstrappingGetInstanceDataTimeout", 8), ("secureTlsBootstrappingGetNonceTimeout", 9), ("secureTlsBootstrappingUserAssignedIdentityId", 4), ("secureTlsBootstrappingValidateKubeconfigTimeout", 6), ("secure_tls_bootstrapping_aad_resource", 3), ("secure_tls_bootstrapping_custom_client_download_url", 5), ("secure_tls_bootstrapping_get_access_token_timeout", 7), ("secure_tls_bootstrapping_get_attested_data_timeout", 10), ("secure_tls_bootstrapping_get_credential_timeout", 11), ("secure_tls_bootstrapping_get_instance_data_timeout", 8), ("secure_tls_bootstrapping_get_nonce_timeout", 9), ("secure_tls_bootstrapping_user_assigned_identity_id", 4), ("secure_tls_bootstrapping_validate_kubeconfig_timeout", 6), ("tlsBootstrappingToken", 2), ("tls_bootstrapping_token", 2)],
    retired: &["custom_aad_resource", "customAadResource", "custom_aad_client_id", "customAadClientId", "secure_tls_bootstrapping_deadline", "secureTlsBootstrappingDeadline"],
};

impl Message for BootstrappingConfig {
    fn table(&self) -> &'static MessageTable { &BOOTSTRAPPING_CONFIG }
    fn read_field(&mut self, index: usize, decoder: &mut Decoder<'_>) -> Result<(), Refused> {
        match index {
            0 => decoder.singular(&mut self.bootstrapping_auth_method),
            1 => decoder.singular(&mut self.cluster_join_method),
            2 => decoder.optional(&mut self.tls_bootstrapping_token),
            3 => decoder.optional(&mut self.secure_tls_bootstrapping_aad_resource),
            4 => decoder.optional(&mut self.secure_tls_bootstrapping_user_assigned_identity_id),
            5 => decoder.optional(&mut self.secure_tls_bootstrapping_custom_client_download_url),
            6 => decoder.optional(&mut self.secure_tls_bootstrapping_validate_kubeconfig_timeout),
            7 => decoder.optional(&mut self.secure_tls_bootstrapping_get_access_token_timeout),
            8 => decoder.optional(&mut self.secure_tls_bootstrapping_get_instance_data_timeout),
            9 => decoder.optional(&mut self.secure_tls_bootstrapping_get_nonce_timeout),
            10 => decoder.optional(&mut self.secure_tls_bootstrapping_get_attested_data_timeout),
            11 => decoder.optional(&mut self.secure_tls_bootstrapping_get_credential_timeout),
            _ => Ok(()),
        }
    }
    fn view(&self, index: usize) -> View<'_> {
        match index {
            0 => View::singular(&self.bootstrapping_auth_method),
            1 => View::singular(&self.cluster_join_method),
            2 => View::optional(self.tls_bootstrapping_token.as_ref()),
            3 => View::optional(self.secure_tls_bootstrapping_aad_resource.as_ref()),
            4 => View::optional(self.secure_tls_bootstrapping_user_assigned_identity_id.as_ref()),
            5 => View::optional(self.secure_tls_bootstrapping_custom_client_download_url.as_ref()),
            6 => View::optional(self.secure_tls_bootstrapping_validate_kubeconfig_timeout.as_ref()),
            7 => View::optional(self.secure_tls_bootstrapping_get_access_token_timeout.as_ref()),
            8 => View::optional(self.secure_tls_bootstrapping_get_instance_data_timeout.as_ref()),
            9 => View::optional(self.secure_tls_bootstrapping_get_nonce_timeout.as_ref()),
            10 => View::optional(self.secure_tls_bootstrapping_get_attested_data_timeout.as_ref()),
            11 => View::optional(self.secure_tls_bootstrapping_get_credential_timeout.as_ref()),
            _ => View::Absent,
        }
    }
}

/// `AuthConfig`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct AuthConfig {
    /// tenant.
    pub tenant_id: String,
    /// subscription.
    pub subscription_id: String,
    /// SP client id.
    pub service_principal_id: String,
    /// SP secret, base64 by the producer.
    pub service_principal_secret: Secret<String>,
    /// managed identity id.
    pub assigned_identity_id: String,
    /// use MSI.
    pub use_managed_identity_extension: bool,
}

static AUTH_CONFIG: MessageTable = MessageTable {
    name: "AuthConfig",
    fields: &[
        Field { name: "tenant_id", json_name: "tenantId", kind: Kind::String, label: Label::Singular, oneof: None, sensitivity: Sensitivity::Public, format: Format::Named("uuid") },
        Field { name: "subscription_id", json_name: "subscriptionId", kind: Kind::String, label: Label::Singular, oneof: None, sensitivity: Sensitivity::Public, format: Format::Named("uuid") },
        Field { name: "service_principal_id", json_name: "servicePrincipalId", kind: Kind::String, label: Label::Singular, oneof: None, sensitivity: Sensitivity::Public, format: Format::Any },
        Field { name: "service_principal_secret", json_name: "servicePrincipalSecret", kind: Kind::String, label: Label::Singular, oneof: None, sensitivity: Sensitivity::Secret, format: Format::Named("base64") },
        Field { name: "assigned_identity_id", json_name: "assignedIdentityId", kind: Kind::String, label: Label::Singular, oneof: None, sensitivity: Sensitivity::Public, format: Format::Any },
        Field { name: "use_managed_identity_extension", json_name: "useManagedIdentityExtension", kind: Kind::Bool, label: Label::Singular, oneof: None, sensitivity: Sensitivity::Public, format: Format::Any },
    ],
    keys: &[("assignedIdentityId", 4), ("assigned_identity_id", 4), ("servicePrincipalId", 2), ("servicePrincipalSecret", 3), ("service_principal_id", 2), ("service_principal_secret", 3), ("subscriptionId", 1), ("subscription_id", 1), ("tenantId", 0), ("tenant_id", 0), ("useManagedIdentityExtension", 5), ("use_managed_identity_extension", 5)],
    retired: &[],
};

impl Message for AuthConfig {
    fn table(&self) -> &'static MessageTable { &AUTH_CONFIG }
    fn read_field(&mut self, index: usize, decoder: &mut Decoder<'_>) -> Result<(), Refused> {
        match index {
            0 => decoder.singular(&mut self.tenant_id),
            1 => decoder.singular(&mut self.subscription_id),
            2 => decoder.singular(&mut self.service_principal_id),
            3 => decoder.singular(&mut self.service_principal_secret),
            4 => decoder.singular(&mut self.assigned_identity_id),
            5 => decoder.singular(&mut self.use_managed_identity_extension),
            _ => Ok(()),
        }
    }
    fn view(&self, index: usize) -> View<'_> {
        match index {
            0 => View::singular(&self.tenant_id),
            1 => View::singular(&self.subscription_id),
            2 => View::singular(&self.service_principal_id),
            3 => View::singular(&self.service_principal_secret),
            4 => View::singular(&self.assigned_identity_id),
            5 => View::singular(&self.use_managed_identity_extension),
            _ => View::Absent,
        }
    }
}

/// `RuncConfig`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RuncConfig {
    /// version.
    pub runc_version: String,
    /// package URL.
    pub runc_package_url: String,
}

static RUNC_CONFIG: MessageTable = MessageTable {
    name: "RuncConfig",
    fields: &[
        Field { name: "runc_version", json_name: "runcVersion", kind: Kind::String, label: Label::Singular, oneof: None, sensitivity: Sensitivity::Public, format: Format::Named("version") },
        Field { name: "runc_package_url", json_name: "runcPackageUrl", kind: Kind::String, label: Label::Singular, oneof: None, sensitivity: Sensitivity::Credentials, format: Format::Named("url") },
    ],
    keys: &[("runcPackageUrl", 1), ("runcVersion", 0), ("runc_package_url", 1), ("runc_version", 0)],
    retired: &[],
};

impl Message for RuncConfig {
    fn table(&self) -> &'static MessageTable { &RUNC_CONFIG }
    fn read_field(&mut self, index: usize, decoder: &mut Decoder<'_>) -> Result<(), Refused> {
        match index {
            0 => decoder.singular(&mut self.runc_version),
            1 => decoder.singular(&mut self.runc_package_url),
            _ => Ok(()),
        }
    }
    fn view(&self, index: usize) -> View<'_> {
        match index {
            0 => View::singular(&self.runc_version),
            1 => View::singular(&self.runc_package_url),
            _ => View::Absent,
        }
    }
}

/// `ContainerdConfig`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ContainerdConfig {
    /// download root.
    pub containerd_download_url_base: String,
    /// requested version (does not choose the template).
    pub containerd_version: String,
    /// package URL.
    pub containerd_package_url: String,
}

static CONTAINERD_CONFIG: MessageTable = MessageTable {
    name: "ContainerdConfig",
    fields: &[
        Field { name: "containerd_download_url_base", json_name: "containerdDownloadUrlBase", kind: Kind::String, label: Label::Singular, oneof: None, sensitivity: Sensitivity::Credentials, format: Format::Named("url") },
        Field { name: "containerd_version", json_name: "containerdVersion", kind: Kind::String, label: Label::Singular, oneof: None, sensitivity: Sensitivity::Public, format: Format::Named("version") },
        Field { name: "containerd_package_url", json_name: "containerdPackageUrl", kind: Kind::String, label: Label::Singular, oneof: None, sensitivity: Sensitivity::Credentials, format: Format::Named("url") },
    ],
    keys: &[("containerdDownloadUrlBase", 0), ("containerdPackageUrl", 2), ("containerdVersion", 1), ("containerd_download_url_base", 0), ("containerd_package_url", 2), ("containerd_version", 1)],
    retired: &[],
};

impl Message for ContainerdConfig {
    fn table(&self) -> &'static MessageTable { &CONTAINERD_CONFIG }
    fn read_field(&mut self, index: usize, decoder: &mut Decoder<'_>) -> Result<(), Refused> {
        match index {
            0 => decoder.singular(&mut self.containerd_download_url_base),
            1 => decoder.singular(&mut self.containerd_version),
            2 => decoder.singular(&mut self.containerd_package_url),
            _ => Ok(()),
        }
    }
    fn view(&self, index: usize) -> View<'_> {
        match index {
            0 => View::singular(&self.containerd_download_url_base),
            1 => View::singular(&self.containerd_version),
            2 => View::singular(&self.containerd_package_url),
            _ => View::Absent,
        }
    }
}

/// `KubeletConfig`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct KubeletConfig {
    /// flag → value.
    pub kubelet_flags: BTreeMap<String, String>,
    /// label → value.
    pub kubelet_node_labels: BTreeMap<String, String>,
    /// TEMP_DISK triggers kubelet disk move.
    pub kubelet_disk_type: KubeletDisk,
    /// use config file.
    pub enable_kubelet_config_file: bool,
    /// KubeletConfiguration content.
    pub kubelet_config_file_config: Option<KubeletConfigFileConfig>,
    /// client key, base64.
    pub kubelet_client_key: Secret<String>,
    /// client cert, base64.
    pub kubelet_client_cert_content: String,
    /// containerd root dir.
    pub container_data_dir: String,
}

static KUBELET_CONFIG: MessageTable = MessageTable {
    name: "KubeletConfig",
    fields: &[
        Field { name: "kubelet_flags", json_name: "kubeletFlags", kind: Kind::String, label: Label::Map, oneof: None, sensitivity: Sensitivity::Public, format: Format::Named("kubelet-flag") },
        Field { name: "kubelet_node_labels", json_name: "kubeletNodeLabels", kind: Kind::String, label: Label::Map, oneof: None, sensitivity: Sensitivity::Public, format: Format::Named("label") },
        Field { name: "kubelet_disk_type", json_name: "kubeletDiskType", kind: Kind::Enum(KubeletDisk::TABLE), label: Label::Singular, oneof: None, sensitivity: Sensitivity::Public, format: Format::Any },
        Field { name: "enable_kubelet_config_file", json_name: "enableKubeletConfigFile", kind: Kind::Bool, label: Label::Singular, oneof: None, sensitivity: Sensitivity::Public, format: Format::Any },
        Field { name: "kubelet_config_file_config", json_name: "kubeletConfigFileConfig", kind: Kind::Message(&KUBELET_CONFIG_FILE_CONFIG), label: Label::Singular, oneof: None, sensitivity: Sensitivity::Public, format: Format::Any },
        Field { name: "kubelet_client_key", json_name: "kubeletClientKey", kind: Kind::String, label: Label::Singular, oneof: None, sensitivity: Sensitivity::Secret, format: Format::Named("pem-private-key") },
        Field { name: "kubelet_client_cert_content", json_name: "kubeletClientCertContent", kind: Kind::String, label: Label::Singular, oneof: None, sensitivity: Sensitivity::Public, format: Format::Named("pem-certificate") },
        Field { name: "container_data_dir", json_name: "containerDataDir", kind: Kind::String, label: Label::Singular, oneof: None, sensitivity: Sensitivity::Public, format: Format::Named("path") },
    ],
    keys: &[("containerDataDir", 7), ("container_data_dir", 7), ("enableKubeletConfigFile", 3), ("enable_kubelet_config_file", 3), ("kubeletClientCertContent", 6), ("kubeletClientKey", 5), ("kubeletConfigFileConfig", 4), ("kubeletDiskType", 2), ("kubeletFlags", 0), ("kubeletNodeLabels", 1), ("kubelet_client_cert_content", 6), ("kubelet_client_key", 5), ("kubelet_config_file_config", 4), ("kubelet_disk_type", 2), ("kubelet_flags", 0), ("kubelet_node_labels", 1)],
    retired: &[],
};

impl Message for KubeletConfig {
    fn table(&self) -> &'static MessageTable { &KUBELET_CONFIG }
    fn read_field(&mut self, index: usize, decoder: &mut Decoder<'_>) -> Result<(), Refused> {
        match index {
            0 => decoder.map(&mut self.kubelet_flags),
            1 => decoder.map(&mut self.kubelet_node_labels),
            2 => decoder.singular(&mut self.kubelet_disk_type),
            3 => decoder.singular(&mut self.enable_kubelet_config_file),
            4 => decoder.optional(&mut self.kubelet_config_file_config),
            5 => decoder.singular(&mut self.kubelet_client_key),
            6 => decoder.singular(&mut self.kubelet_client_cert_content),
            7 => decoder.singular(&mut self.container_data_dir),
            _ => Ok(()),
        }
    }
    fn view(&self, index: usize) -> View<'_> {
        match index {
            0 => View::map(&self.kubelet_flags),
            1 => View::map(&self.kubelet_node_labels),
            2 => View::singular(&self.kubelet_disk_type),
            3 => View::singular(&self.enable_kubelet_config_file),
            4 => View::optional(self.kubelet_config_file_config.as_ref()),
            5 => View::singular(&self.kubelet_client_key),
            6 => View::singular(&self.kubelet_client_cert_content),
            7 => View::singular(&self.container_data_dir),
            _ => View::Absent,
        }
    }
}

/// `KubeletConfigFileConfig`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct KubeletConfigFileConfig {
    /// KubeletConfiguration.
    pub kind: String,
    /// kubelet.config.k8s.io/v1beta1.
    pub api_version: String,
    /// static pod dir.
    pub static_pod_path: String,
    /// bind address.
    pub address: String,
    /// RO port.
    pub read_only_port: i32,
    /// server cert.
    pub tls_cert_file: String,
    /// server key.
    pub tls_private_key_file: String,
    /// ciphers.
    pub tls_cipher_suites: Vec<String>,
    /// client cert rotation.
    pub rotate_certificates: bool,
    /// serving cert CSR; also drives ENABLE_KUBELET_SERVING_CERTIFICATE_ROTATION.
    pub server_tls_bootstrap: bool,
    /// authn.
    pub authentication: Option<KubeletAuthentication>,
    /// authz.
    pub authorization: Option<KubeletAuthorization>,
    /// event QPS (0 expressible).
    pub event_record_qps: Option<i32>,
    /// DNS domain.
    pub cluster_domain: String,
    /// DNS IPs.
    pub cluster_dns: Vec<String>,
    /// deprecated; blanked for k8s ≥ 1.34.0.
    pub streaming_connection_idle_timeout: String,
    /// duration.
    pub node_status_update_frequency: String,
    /// duration.
    pub node_status_report_frequency: String,
    /// GC high.
    pub image_gc_high_threshold_percent: Option<i32>,
    /// GC low.
    pub image_gc_low_threshold_percent: Option<i32>,
    /// QoS cgroups.
    pub cgroups_per_qos: Option<bool>,
    /// CPU manager.
    pub cpu_manager_policy: String,
    /// topology manager.
    pub topology_manager_policy: String,
    /// max pods.
    pub max_pods: Option<i32>,
    /// PID limit (int32; kubelet type is int64).
    pub pod_pids_limit: Option<i32>,
    /// resolv.conf path.
    pub resolv_conf: String,
    /// CFS quota.
    pub cpu_cfs_quota: Option<bool>,
    /// CFS period.
    pub cpu_cfs_quota_period: String,
    /// signal → quantity.
    pub eviction_hard: BTreeMap<String, String>,
    /// protect kernel flags.
    pub protect_kernel_defaults: bool,
    /// gate → bool.
    pub feature_gates: BTreeMap<String, bool>,
    /// fail on swap.
    pub fail_swap_on: Option<bool>,
    /// log size.
    pub container_log_max_size: String,
    /// log files.
    pub container_log_max_files: Option<i32>,
    /// resource → quantity.
    pub system_reserved: BTreeMap<String, String>,
    /// resource → quantity.
    pub kube_reserved: BTreeMap<String, String>,
    /// enforcement list.
    pub enforce_node_allocatable: Vec<String>,
    /// signal → quantity.
    pub eviction_soft: BTreeMap<String, String>,
    /// signal → duration.
    pub eviction_soft_grace_period: BTreeMap<String, String>,
    /// seconds.
    pub eviction_max_pod_grace_period: i32,
    /// cgroup path.
    pub kube_reserved_cgroup: String,
    /// cgroup path.
    pub system_reserved_cgroup: String,
    /// sysctl patterns.
    pub allowed_unsafe_sysctls: Vec<String>,
    /// serial pulls.
    pub serialize_image_pulls: Option<bool>,
    /// RuntimeDefault seccomp.
    pub seccomp_default: bool,
}

static KUBELET_CONFIG_FILE_CONFIG: MessageTable = MessageTable {
    name: "KubeletConfigFileConfig",
    fields: &[
        Field { name: "kind", json_name: "kind", kind: Kind::String, label: Label::Singular, oneof: None, sensitivity: Sensitivity::Public, format: Format::OneOf(&["KubeletConfiguration"]) },
        Field { name: "api_version", json_name: "apiVersion", kind: Kind::String, label: Label::Singular, oneof: None, sensitivity: Sensitivity::Public, format: Format::OneOf(&["kubelet.config.k8s.io/v1beta1"]) },
        Field { name: "static_pod_path", json_name: "staticPodPath", kind: Kind::String, label: Label::Singular, oneof: None, sensitivity: Sensitivity::Public, format: Format::Named("path") },
        Field { name: "address", json_name: "address", kind: Kind::String, label: Label::Singular, oneof: None, sensitivity: Sensitivity::Public, format: Format::Named("ip") },
        Field { name: "read_only_port", json_name: "readOnlyPort", kind: Kind::Int32, label: Label::Singular, oneof: None, sensitivity: Sensitivity::Public, format: Format::Range(0, 65535) },
        Field { name: "tls_cert_file", json_name: "tlsCertFile", kind: Kind::String, label: Label::Singular, oneof: None, sensitivity: Sensitivity::Public, format: Format::Named("path") },
        Field { name: "tls_private_key_file", json_name: "tlsPrivateKeyFile", kind: Kind::String, label: Label::Singular, oneof: None, sensitivity: Sensitivity::Public, format: Format::Named("path") },
        Field { name: "tls_cipher_suites", json_name: "tlsCipherSuites", kind: Kind::String, label: Label::Repeated, oneof: None, sensitivity: Sensitivity::Public, format: Format::Named("cipher-suite") },
        Field { name: "rotate_certificates", json_name: "rotateCertificates", kind: Kind::Bool, label: Label::Singular, oneof: None, sensitivity: Sensitivity::Public, format: Format::Any },
        Field { name: "server_tls_bootstrap", json_name: "serverTLSBootstrap", kind: Kind::Bool, label: Label::Singular, oneof: None, sensitivity: Sensitivity::Public, format: Format::Any },
        Field { name: "authentication", json_name: "authentication", kind: Kind::Message(&KUBELET_AUTHENTICATION), label: Label::Singular, oneof: None, sensitivity: Sensitivity::Public, format: Format::Any },
        Field { name: "authorization", json_name: "authorization", kind: Kind::Message(&KUBELET_AUTHORIZATION), label: Label::Singular, oneof: None, sensitivity: Sensitivity::Public, format: Format::Any },
        Field { name: "event_record_qps", json_name: "eventRecordQPS", kind: Kind::Int32, label: Label::Optional, oneof: None, sensitivity: Sensitivity::Public, format: Format::Range(0, i64::MAX) },
        Field { name: "cluster_domain", json_name: "clusterDomain", kind: Kind::String, label: Label::Singular, oneof: None, sensitivity: Sensitivity::Public, format: Format::Named("host") },
        Field { name: "cluster_dns", json_name: "clusterDNS", kind: Kind::String, label: Label::Repeated, oneof: None, sensitivity: Sensitivity::Public, format: Format::Named("ip") },
        Field { name: "streaming_connection_idle_timeout", json_name: "streamingConnectionIdleTimeout", kind: Kind::String, label: Label::Singular, oneof: None, sensitivity: Sensitivity::Public, format: Format::Named("duration") },
        Field { name: "node_status_update_frequency", json_name: "nodeStatusUpdateFrequency", kind: Kind::String, label: Label::Singular, oneof: None, sensitivity: Sensitivity::Public, format: Format::Named("duration") },
        Field { name: "node_status_report_frequency", json_name: "nodeStatusReportFrequency", kind: Kind::String, label: Label::Singular, oneof: None, sensitivity: Sensitivity::Public, format: Format::Named("duration") },
        Field { name: "image_gc_high_threshold_percent", json_name: "imageGCHighThresholdPercent", kind: Kind::Int32, label: Label::Optional, oneof: None, sensitivity: Sensitivity::Public, format: Format::Range(0, 100) },
        Field { name: "image_gc_low_threshold_percent", json_name: "imageGCLowThresholdPercent", kind: Kind::Int32, label: Label::Optional, oneof: None, sensitivity: Sensitivity::Public, format: Format::Range(0, 100) },
        Field { name: "cgroups_per_qos", json_name: "cgroupsPerQOS", kind: Kind::Bool, label: Label::Optional, oneof: None, sensitivity: Sensitivity::Public, format: Format::Any },
        Field { name: "cpu_manager_policy", json_name: "cpuManagerPolicy", kind: Kind::String, label: Label::Singular, oneof: None, sensitivity: Sensitivity::Public, format: Format::OneOf(&["none", "static"]) },
        Field { name: "topology_manager_policy", json_name: "topologyManagerPolicy", kind: Kind::String, label: Label::Singular, oneof: None, sensitivity: Sensitivity::Public, format: Format::OneOf(&["none", "best-effort", "restricted", "single-numa-node"]) },
        Field { name: "max_pods", json_name: "maxPods", kind: Kind::Int32, label: Label::Optional, oneof: None, sensitivity: Sensitivity::Public, format: Format::Range(0, i64::MAX) },
        Field { name: "pod_pids_limit", json_name: "podPidsLimit", kind: Kind::Int32, label: Label::Optional, oneof: None, sensitivity: Sensitivity::Public, format: Format::Range(-1, i64::MAX) },
        Field { name: "resolv_conf", json_name: "resolvConf", kind: Kind::String, label: Label::Singular, oneof: None, sensitivity: Sensitivity::Public, format: Format::Named("path") },
        Field { name: "cpu_cfs_quota", json_name: "cpuCFSQuota", kind: Kind::Bool, label: Label::Optional, oneof: None, sensitivity: Sensitivity::Public, format: Format::Any },
        Field { name: "cpu_cfs_quota_period", json_name: "cpuCFSQuotaPeriod", kind: Kind::String, label: Label::Singular, oneof: None, sensitivity: Sensitivity::Public, format: Format::Named("duration") },
        Field { name: "eviction_hard", json_name: "evictionHard", kind: Kind::String, label: Label::Map, oneof: None, sensitivity: Sensitivity::Public, format: Format::Named("eviction-threshold") },
        Field { name: "protect_kernel_defaults", json_name: "protectKernelDefaults", kind: Kind::Bool, label: Label::Singular, oneof: None, sensitivity: Sensitivity::Public, format: Format::Any },
        Field { name: "feature_gates", json_name: "featureGates", kind: Kind::Bool, label: Label::Map, oneof: None, sensitivity: Sensitivity::Public, format: Format::Named("feature-gate") },
        Field { name: "fail_swap_on", json_name: "failSwapOn", kind: Kind::Bool, label: Label::Optional, oneof: None, sensitivity: Sensitivity::Public, format: Format::Any },
        Field { name: "container_log_max_size", json_name: "containerLogMaxSize", kind: Kind::String, label: Label::Singular, oneof: None, sensitivity: Sensitivity::Public, format: Format::Named("quantity") },
        Field { name: "container_log_max_files", json_name: "containerLogMaxFiles", kind: Kind::Int32, label: Label::Optional, oneof: None, sensitivity: Sensitivity::Public, format: Format::Range(2, i64::MAX) },
        Field { name: "system_reserved", json_name: "systemReserved", kind: Kind::String, label: Label::Map, oneof: None, sensitivity: Sensitivity::Public, format: Format::Named("reserved-resource") },
        Field { name: "kube_reserved", json_name: "kubeReserved", kind: Kind::String, label: Label::Map, oneof: None, sensitivity: Sensitivity::Public, format: Format::Named("reserved-resource") },
        Field { name: "enforce_node_allocatable", json_name: "enforceNodeAllocatable", kind: Kind::String, label: Label::Repeated, oneof: None, sensitivity: Sensitivity::Public, format: Format::OneOf(&["none", "pods", "system-reserved", "kube-reserved", "system-reserved-compressible", "kube-reserved-compressible"]) },
        Field { name: "eviction_soft", json_name: "evictionSoft", kind: Kind::String, label: Label::Map, oneof: None, sensitivity: Sensitivity::Public, format: Format::Named("eviction-threshold") },
        Field { name: "eviction_soft_grace_period", json_name: "evictionSoftGracePeriod", kind: Kind::String, label: Label::Map, oneof: None, sensitivity: Sensitivity::Public, format: Format::Named("eviction-grace") },
        Field { name: "eviction_max_pod_grace_period", json_name: "evictionMaxPodGracePeriod", kind: Kind::Int32, label: Label::Singular, oneof: None, sensitivity: Sensitivity::Public, format: Format::Range(0, i64::MAX) },
        Field { name: "kube_reserved_cgroup", json_name: "kubeReservedCgroup", kind: Kind::String, label: Label::Singular, oneof: None, sensitivity: Sensitivity::Public, format: Format::Named("cgroup") },
        Field { name: "system_reserved_cgroup", json_name: "systemReservedCgroup", kind: Kind::String, label: Label::Singular, oneof: None, sensitivity: Sensitivity::Public, format: Format::Named("cgroup") },
        Field { name: "allowed_unsafe_sysctls", json_name: "allowedUnsafeSysctls", kind: Kind::String, label: Label::Repeated, oneof: None, sensitivity: Sensitivity::Public, format: Format::Named("sysctl-pattern") },
        Field { name: "serialize_image_pulls", json_name: "serializeImagePulls", kind: Kind::Bool, label: Label::Optional, oneof: None, sensitivity: Sensitivity::Public, format: Format::Any },
        Field { name: "seccomp_default", json_name: "seccompDefault", kind: Kind::Bool, label: Label::Singular, oneof: None, sensitivity: Sensitivity::Public, format: Format::Any },
    ],
    keys: &[("address", 3), ("allowedUnsafeSysctls", 42), ("allowed_unsafe_sysctls", 42), ("apiVersion", 1), ("api_version", 1), ("authentication", 10), ("authorization", 11), ("cgroupsPerQOS", 20), ("cgroups_per_qos", 20), ("clusterDNS", 14), ("clusterDomain", 13), ("cluster_dns", 14), ("cluster_domain", 13), ("containerLogMaxFiles", 33), ("containerLogMaxSize", 32), ("container_log_max_files", 33), ("container_log_max_size", 32), ("cpuCFSQuota", 26), ("cpuCFSQuotaPeriod", 27), ("cpuManagerPolicy", 21), ("cpu_cfs_quota", 26), ("cpu_cfs_quota_period", 27), ("cpu_manager_policy", 21), ("enforceNodeAllocatable", 36), ("enforce_node_allocatable", 36), ("eventRecordQPS", 12), ("event_record_qps", 12), ("evictionHard", 28), ("evictionMaxPodGracePeriod", 39), ("evictionSoft", 37), ("evictionSoftGracePeriod", 38), ("eviction_hard", 28), ("eviction_max_pod_grace_period", 39), ("eviction_soft", 37), ("eviction_soft_grace_period", 38), ("failSwapOn", 31), ("fail_swap_on", 31), ("featureGates", 30), ("feature_gates", 30), ("imageGCHighThresholdPercent", 18), ("imageGCLowThresholdPercent", 19), ("image_gc_high_threshold_percent", 18), ("image_gc_low_threshold_percent", 19), ("kind", 0), ("kubeReserved", 35), ("kubeReservedCgroup", 40), ("kube_reserved", 35), ("kube_reserved_cgroup", 40), ("maxPods", 23), ("max_pods", 23), ("nodeStatusReportFrequency", 17), ("nodeStatusUpdateFrequency", 16), ("node_status_report_frequency", 17), ("node_status_update_frequency", 16), ("podPidsLimit", 24), ("pod_pids_limit", 24), ("protectKernelDefaults", 29), ("protect_kernel_defaults", 29), ("readOnlyPort", 4), ("read_only_port", 4), ("resolvConf", 25), ("resolv_conf", 25), ("rotateCertificates", 8), ("rotate_certificates", 8), ("seccompDefault", 44), ("seccomp_default", 44), ("serializeImagePulls", 43), ("serialize_image_pulls", 43), ("serverTLSBootstrap", 9), ("server_tls_bootstrap", 9), ("staticPodPath", 2), ("static_pod_path", 2), ("streamingConnectionIdleTimeout", 15), ("streaming_connection_idle_timeout", 15), ("systemReserved", 34), ("systemReservedCgroup", 41), ("system_reserved", 34), ("system_reserved_cgroup", 41), ("tlsCertFile", 5), ("tlsCipherSuites", 7), ("tlsPrivateKeyFile", 6), ("tls_cert_file", 5), ("tls_cipher_suites", 7), ("tls_private_key_file", 6), ("topologyManagerPolicy", 22), ("topology_manager_policy", 22)],
    retired: &[],
};

impl Message for KubeletConfigFileConfig {
    fn table(&self) -> &'static MessageTable { &KUBELET_CONFIG_FILE_CONFIG }
    fn read_field(&mut self, index: usize, decoder: &mut Decoder<'_>) -> Result<(), Refused> {
        match index {
            0 => decoder.singular(&mut self.kind),
            1 => decoder.singular(&mut self.api_version),
            2 => decoder.singular(&mut self.static_pod_path),
            3 => decoder.singular(&mut self.address),
            4 => decoder.singular(&mut self.read_only_port),
            5 => decoder.singular(&mut self.tls_cert_file),
            6 => decoder.singular(&mut self.tls_private_key_file),
            7 => decoder.list(&mut self.tls_cipher_suites),
            8 => decoder.singular(&mut self.rotate_certificates),
            9 => decoder.singular(&mut self.server_tls_bootstrap),
            10 => decoder.optional(&mut self.authentication),
            11 => decoder.optional(&mut self.authorization),
            12 => decoder.optional(&mut self.event_record_qps),
            13 => decoder.singular(&mut self.cluster_domain),
            14 => decoder.list(&mut self.cluster_dns),
            15 => decoder.singular(&mut self.streaming_connection_idle_timeout),
            16 => decoder.singular(&mut self.node_status_update_frequency),
            17 => decoder.singular(&mut self.node_status_report_frequency),
            18 => decoder.optional(&mut self.image_gc_high_threshold_percent),
            19 => decoder.optional(&mut self.image_gc_low_threshold_percent),
            20 => decoder.optional(&mut self.cgroups_per_qos),
            21 => decoder.singular(&mut self.cpu_manager_policy),
            22 => decoder.singular(&mut self.topology_manager_policy),
            23 => decoder.optional(&mut self.max_pods),
            24 => decoder.optional(&mut self.pod_pids_limit),
            25 => decoder.singular(&mut self.resolv_conf),
            26 => decoder.optional(&mut self.cpu_cfs_quota),
            27 => decoder.singular(&mut self.cpu_cfs_quota_period),
            28 => decoder.map(&mut self.eviction_hard),
            29 => decoder.singular(&mut self.protect_kernel_defaults),
            30 => decoder.map(&mut self.feature_gates),
            31 => decoder.optional(&mut self.fail_swap_on),
            32 => decoder.singular(&mut self.container_log_max_size),
            33 => decoder.optional(&mut self.container_log_max_files),
            34 => decoder.map(&mut self.system_reserved),
            35 => decoder.map(&mut self.kube_reserved),
            36 => decoder.list(&mut self.enforce_node_allocatable),
            37 => decoder.map(&mut self.eviction_soft),
            38 => decoder.map(&mut self.eviction_soft_grace_period),
            39 => decoder.singular(&mut self.eviction_max_pod_grace_period),
            40 => decoder.singular(&mut self.kube_reserved_cgroup),
            41 => decoder.singular(&mut self.system_reserved_cgroup),
            42 => decoder.list(&mut self.allowed_unsafe_sysctls),
            43 => decoder.optional(&mut self.serialize_image_pulls),
            44 => decoder.singular(&mut self.seccomp_default),
            _ => Ok(()),
        }
    }
    fn view(&self, index: usize) -> View<'_> {
        match index {
            0 => View::singular(&self.kind),
            1 => View::singular(&self.api_version),
            2 => View::singular(&self.static_pod_path),
            3 => View::singular(&self.address),
            4 => View::singular(&self.read_only_port),
            5 => View::singular(&self.tls_cert_file),
            6 => View::singular(&self.tls_private_key_file),
            7 => View::list(&self.tls_cipher_suites),
            8 => View::singular(&self.rotate_certificates),
            9 => View::singular(&self.server_tls_bootstrap),
            10 => View::optional(self.authentication.as_ref()),
            11 => View::optional(self.authorization.as_ref()),
            12 => View::optional(self.event_record_qps.as_ref()),
            13 => View::singular(&self.cluster_domain),
            14 => View::list(&self.cluster_dns),
            15 => View::singular(&self.streaming_connection_idle_timeout),
            16 => View::singular(&self.node_status_update_frequency),
            17 => View::singular(&self.node_status_report_frequency),
            18 => View::optional(self.image_gc_high_threshold_percent.as_ref()),
            19 => View::optional(self.image_gc_low_threshold_percent.as_ref()),
            20 => View::optional(self.cgroups_per_qos.as_ref()),
            21 => View::singular(&self.cpu_manager_policy),
            22 => View::singular(&self.topology_manager_policy),
            23 => View::optional(self.max_pods.as_ref()),
            24 => View::optional(self.pod_pids_limit.as_ref()),
            25 => View::singular(&self.resolv_conf),
            26 => View::optional(self.cpu_cfs_quota.as_ref()),
            27 => View::singular(&self.cpu_cfs_quota_period),
            28 => View::map(&self.eviction_hard),
            29 => View::singular(&self.protect_kernel_defaults),
            30 => View::map(&self.feature_gates),
            31 => View::optional(self.fail_swap_on.as_ref()),
            32 => View::singular(&self.container_log_max_size),
            33 => View::optional(self.container_log_max_files.as_ref()),
            34 => View::map(&self.system_reserved),
            35 => View::map(&self.kube_reserved),
            36 => View::list(&self.enforce_node_allocatable),
            37 => View::map(&self.eviction_soft),
            38 => View::map(&self.eviction_soft_grace_period),
            39 => View::singular(&self.eviction_max_pod_grace_period),
            40 => View::singular(&self.kube_reserved_cgroup),
            41 => View::singular(&self.system_reserved_cgroup),
            42 => View::list(&self.allowed_unsafe_sysctls),
            43 => View::optional(self.serialize_image_pulls.as_ref()),
            44 => View::singular(&self.seccomp_default),
            _ => View::Absent,
        }
    }
}

/// `KubeletAuthentication`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct KubeletAuthentication {
    /// client certs.
    pub x509: Option<KubeletX509Authentication>,
    /// token webhook.
    pub webhook: Option<KubeletWebhookAuthentication>,
    /// anonymous.
    pub anonymous: Option<KubeletAnonymousAuthentication>,
}

static KUBELET_AUTHENTICATION: MessageTable = MessageTable {
    name: "KubeletAuthentication",
    fields: &[
        Field { name: "x509", json_name: "x509", kind: Kind::Message(&KUBELET_X509_AUTHENTICATION), label: Label::Singular, oneof: None, sensitivity: Sensitivity::Public, format: Format::Any },
        Field { name: "webhook", json_name: "webhook", kind: Kind::Message(&KUBELET_WEBHOOK_AUTHENTICATION), label: Label::Singular, oneof: None, sensitivity: Sensitivity::Public, format: Format::Any },
        Field { name: "anonymous", json_name: "anonymous", kind: Kind::Message(&KUBELET_ANONYMOUS_AUTHENTICATION), label: Label::Singular, oneof: None, sensitivity: Sensitivity::Public, format: Format::Any },
    ],
    keys: &[("anonymous", 2), ("webhook", 1), ("x509", 0)],
    retired: &[],
};

impl Message for KubeletAuthentication {
    fn table(&self) -> &'static MessageTable { &KUBELET_AUTHENTICATION }
    fn read_field(&mut self, index: usize, decoder: &mut Decoder<'_>) -> Result<(), Refused> {
        match index {
            0 => decoder.optional(&mut self.x509),
            1 => decoder.optional(&mut self.webhook),
            2 => decoder.optional(&mut self.anonymous),
            _ => Ok(()),
        }
    }
    fn view(&self, index: usize) -> View<'_> {
        match index {
            0 => View::optional(self.x509.as_ref()),
            1 => View::optional(self.webhook.as_ref()),
            2 => View::optional(self.anonymous.as_ref()),
            _ => View::Absent,
        }
    }
}

/// `KubeletX509Authentication`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct KubeletX509Authentication {
    /// CA path.
    pub client_ca_file: String,
}

static KUBELET_X509_AUTHENTICATION: MessageTable = MessageTable {
    name: "KubeletX509Authentication",
    fields: &[
        Field { name: "client_ca_file", json_name: "clientCAFile", kind: Kind::String, label: Label::Singular, oneof: None, sensitivity: Sensitivity::Public, format: Format::Named("path") },
    ],
    keys: &[("clientCAFile", 0), ("client_ca_file", 0)],
    retired: &[],
};

impl Message for KubeletX509Authentication {
    fn table(&self) -> &'static MessageTable { &KUBELET_X509_AUTHENTICATION }
    fn read_field(&mut self, index: usize, decoder: &mut Decoder<'_>) -> Result<(), Refused> {
        match index {
            0 => decoder.singular(&mut self.client_ca_file),
            _ => Ok(()),
        }
    }
    fn view(&self, index: usize) -> View<'_> {
        match index {
            0 => View::singular(&self.client_ca_file),
            _ => View::Absent,
        }
    }
}

/// `KubeletWebhookAuthentication`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct KubeletWebhookAuthentication {
    /// on/off (false is not serialised).
    pub enabled: bool,
    /// duration (JSON name differs from kubelet cacheTTL).
    pub cache_ttl: String,
}

static KUBELET_WEBHOOK_AUTHENTICATION: MessageTable = MessageTable {
    name: "KubeletWebhookAuthentication",
    fields: &[
        Field { name: "enabled", json_name: "enabled", kind: Kind::Bool, label: Label::Singular, oneof: None, sensitivity: Sensitivity::Public, format: Format::Any },
        Field { name: "cache_ttl", json_name: "cacheTtl", kind: Kind::String, label: Label::Singular, oneof: None, sensitivity: Sensitivity::Public, format: Format::Named("duration") },
    ],
    keys: &[("cacheTtl", 1), ("cache_ttl", 1), ("enabled", 0)],
    retired: &[],
};

impl Message for KubeletWebhookAuthentication {
    fn table(&self) -> &'static MessageTable { &KUBELET_WEBHOOK_AUTHENTICATION }
    fn read_field(&mut self, index: usize, decoder: &mut Decoder<'_>) -> Result<(), Refused> {
        match index {
            0 => decoder.singular(&mut self.enabled),
            1 => decoder.singular(&mut self.cache_ttl),
            _ => Ok(()),
        }
    }
    fn view(&self, index: usize) -> View<'_> {
        match index {
            0 => View::singular(&self.enabled),
            1 => View::singular(&self.cache_ttl),
            _ => View::Absent,
        }
    }
}

/// `KubeletAnonymousAuthentication`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct KubeletAnonymousAuthentication {
    /// on/off (false is not serialised).
    pub enabled: bool,
}

static KUBELET_ANONYMOUS_AUTHENTICATION: MessageTable = MessageTable {
    name: "KubeletAnonymousAuthentication",
    fields: &[
        Field { name: "enabled", json_name: "enabled", kind: Kind::Bool, label: Label::Singular, oneof: None, sensitivity: Sensitivity::Public, format: Format::Any },
    ],
    keys: &[("enabled", 0)],
    retired: &[],
};

impl Message for KubeletAnonymousAuthentication {
    fn table(&self) -> &'static MessageTable { &KUBELET_ANONYMOUS_AUTHENTICATION }
    fn read_field(&mut self, index: usize, decoder: &mut Decoder<'_>) -> Result<(), Refused> {
        match index {
            0 => decoder.singular(&mut self.enabled),
            _ => Ok(()),
        }
    }
    fn view(&self, index: usize) -> View<'_> {
        match index {
            0 => View::singular(&self.enabled),
            _ => View::Absent,
        }
    }
}

/// `KubeletAuthorization`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct KubeletAuthorization {
    /// Webhook or AlwaysAllow.
    pub mode: String,
    /// cache TTLs.
    pub webhook: Option<KubeletWebhookAuthorization>,
}

static KUBELET_AUTHORIZATION: MessageTable = MessageTable {
    name: "KubeletAuthorization",
    fields: &[
        Field { name: "mode", json_name: "mode", kind: Kind::String, label: Label::Singular, oneof: None, sensitivity: Sensitivity::Public, format: Format::OneOf(&["Webhook", "AlwaysAllow"]) },
        Field { name: "webhook", json_name: "webhook", kind: Kind::Message(&KUBELET_WEBHOOK_AUTHORIZATION), label: Label::Singular, oneof: None, sensitivity: Sensitivity::Public, format: Format::Any },
    ],
    keys: &[("mode", 0), ("webhook", 1)],
    retired: &[],
};

impl Message for KubeletAuthorization {
    fn table(&self) -> &'static MessageTable { &KUBELET_AUTHORIZATION }
    fn read_field(&mut self, index: usize, decoder: &mut Decoder<'_>) -> Result<(), Refused> {
        match index {
            0 => decoder.singular(&mut self.mode),
            1 => decoder.optional(&mut self.webhook),
            _ => Ok(()),
        }
    }
    fn view(&self, index: usize) -> View<'_> {
        match index {
            0 => View::singular(&self.mode),
            1 => View::optional(self.webhook.as_ref()),
            _ => View::Absent,
        }
    }
}

/// `KubeletWebhookAuthorization`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct KubeletWebhookAuthorization {
    /// duration (JSON name differs from kubelet cacheAuthorizedTTL).
    pub cache_authorized_ttl: String,
    /// duration (JSON name differs from kubelet cacheUnauthorizedTTL).
    pub cache_unauthorized_ttl: String,
}

static KUBELET_WEBHOOK_AUTHORIZATION: MessageTable = MessageTable {
    name: "KubeletWebhookAuthorization",
    fields: &[
        Field { name: "cache_authorized_ttl", json_name: "cacheAuthorizedTtl", kind: Kind::String, label: Label::Singular, oneof: None, sensitivity: Sensitivity::Public, format: Format::Named("duration") },
        Field { name: "cache_unauthorized_ttl", json_name: "cacheUnauthorizedTtl", kind: Kind::String, label: Label::Singular, oneof: None, sensitivity: Sensitivity::Public, format: Format::Named("duration") },
    ],
    keys: &[("cacheAuthorizedTtl", 0), ("cacheUnauthorizedTtl", 1), ("cache_authorized_ttl", 0), ("cache_unauthorized_ttl", 1)],
    retired: &[],
};

impl Message for KubeletWebhookAuthorization {
    fn table(&self) -> &'static MessageTable { &KUBELET_WEBHOOK_AUTHORIZATION }
    fn read_field(&mut self, index: usize, decoder: &mut Decoder<'_>) -> Result<(), Refused> {
        match index {
            0 => decoder.singular(&mut self.cache_authorized_ttl),
            1 => decoder.singular(&mut self.cache_unauthorized_ttl),
            _ => Ok(()),
        }
    }
    fn view(&self, index: usize) -> View<'_> {
        match index {
            0 => View::singular(&self.cache_authorized_ttl),
            1 => View::singular(&self.cache_unauthorized_ttl),
            _ => View::Absent,
        }
    }
}

/// `CustomSearchDomainConfig`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct CustomSearchDomainConfig {
    /// domain.
    pub domain_name: String,
    /// user.
    pub realm_user: String,
    /// password.
    pub realm_password: Secret<String>,
}

static CUSTOM_SEARCH_DOMAIN_CONFIG: MessageTable = MessageTable {
    name: "CustomSearchDomainConfig",
    fields: &[
        Field { name: "domain_name", json_name: "domainName", kind: Kind::String, label: Label::Singular, oneof: None, sensitivity: Sensitivity::Public, format: Format::Named("host") },
        Field { name: "realm_user", json_name: "realmUser", kind: Kind::String, label: Label::Singular, oneof: None, sensitivity: Sensitivity::Public, format: Format::Any },
        Field { name: "realm_password", json_name: "realmPassword", kind: Kind::String, label: Label::Singular, oneof: None, sensitivity: Sensitivity::Secret, format: Format::Any },
    ],
    keys: &[("domainName", 0), ("domain_name", 0), ("realmPassword", 2), ("realmUser", 1), ("realm_password", 2), ("realm_user", 1)],
    retired: &[],
};

impl Message for CustomSearchDomainConfig {
    fn table(&self) -> &'static MessageTable { &CUSTOM_SEARCH_DOMAIN_CONFIG }
    fn read_field(&mut self, index: usize, decoder: &mut Decoder<'_>) -> Result<(), Refused> {
        match index {
            0 => decoder.singular(&mut self.domain_name),
            1 => decoder.singular(&mut self.realm_user),
            2 => decoder.singular(&mut self.realm_password),
            _ => Ok(()),
        }
    }
    fn view(&self, index: usize) -> View<'_> {
        match index {
            0 => View::singular(&self.domain_name),
            1 => View::singular(&self.realm_user),
            2 => View::singular(&self.realm_password),
            _ => View::Absent,
        }
    }
}

/// `CustomLinuxOsConfig`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct CustomLinuxOsConfig {
    /// sysctls.
    pub sysctl_config: Option<SysctlConfig>,
    /// containerd ulimits.
    pub ulimit_config: Option<UlimitConfig>,
    /// swap on.
    pub enable_swap_config: bool,
    /// MB.
    pub swap_file_size: i32,
    /// THP enabled mode.
    pub transparent_hugepage_support: String,
    /// THP defrag mode.
    pub transparent_defrag: String,
}

static CUSTOM_LINUX_OS_CONFIG: MessageTable = MessageTable {
    name: "CustomLinuxOsConfig",
    fields: &[
        Field { name: "sysctl_config", json_name: "sysctlConfig", kind: Kind::Message(&SYSCTL_CONFIG), label: Label::Singular, oneof: None, sensitivity: Sensitivity::Public, format: Format::Any },
        Field { name: "ulimit_config", json_name: "ulimitConfig", kind: Kind::Message(&ULIMIT_CONFIG), label: Label::Singular, oneof: None, sensitivity: Sensitivity::Public, format: Format::Any },
        Field { name: "enable_swap_config", json_name: "enableSwapConfig", kind: Kind::Bool, label: Label::Singular, oneof: None, sensitivity: Sensitivity::Public, format: Format::Any },
        Field { name: "swap_file_size", json_name: "swapFileSize", kind: Kind::Int32, label: Label::Singular, oneof: None, sensitivity: Sensitivity::Public, format: Format::Range(0, i64::MAX) },
        Field { name: "transparent_hugepage_support", json_name: "transparentHugepageSupport", kind: Kind::String, label: Label::Singular, oneof: None, sensitivity: Sensitivity::Public, format: Format::OneOf(&["always", "madvise", "never"]) },
        Field { name: "transparent_defrag", json_name: "transparentDefrag", kind: Kind::String, label: Label::Singular, oneof: None, sensitivity: Sensitivity::Public, format: Format::OneOf(&["always", "defer", "defer+madvise", "madvise", "never"]) },
    ],
    keys: &[("enableSwapConfig", 2), ("enable_swap_config", 2), ("swapFileSize", 3), ("swap_file_size", 3), ("sysctlConfig", 0), ("sysctl_config", 0), ("transparentDefrag", 5), ("transparentHugepageSupport", 4), ("transparent_defrag", 5), ("transparent_hugepage_support", 4), ("ulimitConfig", 1), ("ulimit_config", 1)],
    retired: &[],
};

impl Message for CustomLinuxOsConfig {
    fn table(&self) -> &'static MessageTable { &CUSTOM_LINUX_OS_CONFIG }
    fn read_field(&mut self, index: usize, decoder: &mut Decoder<'_>) -> Result<(), Refused> {
        match index {
            0 => decoder.optional(&mut self.sysctl_config),
            1 => decoder.optional(&mut self.ulimit_config),
            2 => decoder.singular(&mut self.enable_swap_config),
            3 => decoder.singular(&mut self.swap_file_size),
            4 => decoder.singular(&mut self.transparent_hugepage_support),
            5 => decoder.singular(&mut self.transparent_defrag),
            _ => Ok(()),
        }
    }
    fn view(&self, index: usize) -> View<'_> {
        match index {
            0 => View::optional(self.sysctl_config.as_ref()),
            1 => View::optional(self.ulimit_config.as_ref()),
            2 => View::singular(&self.enable_swap_config),
            3 => View::singular(&self.swap_file_size),
            4 => View::singular(&self.transparent_hugepage_support),
            5 => View::singular(&self.transparent_defrag),
            _ => View::Absent,
        }
    }
}

/// `SysctlConfig`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SysctlConfig {
    /// net.core.somaxconn; unset means 16384.
    pub net_core_somaxconn: Option<i32>,
    /// net.core.netdev_max_backlog; line omitted when unset.
    pub net_core_netdev_max_backlog: Option<i32>,
    /// net.core.rmem_default; line omitted when unset.
    pub net_core_rmem_default: Option<i32>,
    /// net.core.rmem_max; line omitted when unset.
    pub net_core_rmem_max: Option<i32>,
    /// net.core.wmem_default; line omitted when unset.
    pub net_core_wmem_default: Option<i32>,
    /// net.core.wmem_max; line omitted when unset.
    pub net_core_wmem_max: Option<i32>,
    /// net.core.optmem_max; line omitted when unset.
    pub net_core_optmem_max: Option<i32>,
    /// net.ipv4.tcp_max_syn_backlog; unset means 16384.
    pub net_ipv4_tcp_max_syn_backlog: Option<i32>,
    /// net.ipv4.tcp_max_tw_buckets; line omitted when unset.
    pub net_ipv4_tcp_max_tw_buckets: Option<i32>,
    /// net.ipv4.tcp_fin_timeout; line omitted when unset.
    pub net_ipv4_tcp_fin_timeout: Option<i32>,
    /// net.ipv4.tcp_keepalive_time; line omitted when unset.
    pub net_ipv4_tcp_keepalive_time: Option<i32>,
    /// net.ipv4.tcp_keepalive_probes; line omitted when unset.
    pub net_ipv4_tcp_keepalive_probes: Option<i32>,
    /// net.ipv4.tcp_keepalive_intvl; line omitted when unset.
    pub net_ipv4_tcpkeepalive_intvl: Option<i32>,
    /// net.ipv4.tcp_tw_reuse as 1/0; line omitted when unset.
    pub net_ipv4_tcp_tw_reuse: Option<bool>,
    /// net.ipv4.ip_local_port_range; line omitted when unset.
    pub net_ipv4_ip_local_port_range: Option<String>,
    /// net.ipv4.neigh.default.gc_thresh1; unset means 4096.
    pub net_ipv4_neigh_default_gc_thresh1: Option<i32>,
    /// net.ipv4.neigh.default.gc_thresh2; unset means 8192.
    pub net_ipv4_neigh_default_gc_thresh2: Option<i32>,
    /// net.ipv4.neigh.default.gc_thresh3; unset means 16384.
    pub net_ipv4_neigh_default_gc_thresh3: Option<i32>,
    /// net.netfilter.nf_conntrack_max; line omitted when unset.
    pub net_netfilter_nf_conntrack_max: Option<i32>,
    /// net.netfilter.nf_conntrack_buckets; line omitted when unset.
    pub net_netfilter_nf_conntrack_buckets: Option<i32>,
    /// fs.inotify.max_user_watches; line omitted when unset.
    pub fs_inotify_max_user_watches: Option<i32>,
    /// fs.file-max; line omitted when unset.
    pub fs_file_max: Option<i32>,
    /// fs.aio-max-nr; line omitted when unset.
    pub fs_aio_max_nr: Option<i32>,
    /// fs.nr_open; line omitted when unset.
    pub fs_nr_open: Option<i32>,
    /// kernel.threads-max; line omitted when unset.
    pub kernel_threads_max: Option<i32>,
    /// vm.max_map_count; line omitted when unset.
    pub vm_max_map_count: Option<i32>,
    /// vm.swappiness; line omitted when unset.
    pub vm_swappiness: Option<i32>,
    /// vm.vfs_cache_pressure; line omitted when unset.
    pub vm_vfs_cache_pressure: Option<i32>,
}

static SYSCTL_CONFIG: MessageTable = MessageTable {
    name: "SysctlConfig",
    fields: &[
        Field { name: "net_core_somaxconn", json_name: "netCoreSomaxconn", kind: Kind::Int32, label: Label::Optional, oneof: None, sensitivity: Sensitivity::Public, format: Format::Sysctl(4096, 3240000) },
        Field { name: "net_core_netdev_max_backlog", json_name: "netCoreNetdevMaxBacklog", kind: Kind::Int32, label: Label::Optional, oneof: None, sensitivity: Sensitivity::Public, format: Format::Sysctl(1000, 3240000) },
        Field { name: "net_core_rmem_default", json_name: "netCoreRmemDefault", kind: Kind::Int32, label: Label::Optional, oneof: None, sensitivity: Sensitivity::Public, format: Format::Sysctl(212992, 134217728) },
        Field { name: "net_core_rmem_max", json_name: "netCoreRmemMax", kind: Kind::Int32, label: Label::Optional, oneof: None, sensitivity: Sensitivity::Public, format: Format::Sysctl(212992, 134217728) },
        Field { name: "net_core_wmem_default", json_name: "netCoreWmemDefault", kind: Kind::Int32, label: Label::Optional, oneof: None, sensitivity: Sensitivity::Public, format: Format::Sysctl(212992, 134217728) },
        Field { name: "net_core_wmem_max", json_name: "netCoreWmemMax", kind: Kind::Int32, label: Label::Optional, oneof: None, sensitivity: Sensitivity::Public, format: Format::Sysctl(212992, 134217728) },
        Field { name: "net_core_optmem_max", json_name: "netCoreOptmemMax", kind: Kind::Int32, label: Label::Optional, oneof: None, sensitivity: Sensitivity::Public, format: Format::Sysctl(20480, 4194304) },
        Field { name: "net_ipv4_tcp_max_syn_backlog", json_name: "netIpv4TcpMaxSynBacklog", kind: Kind::Int32, label: Label::Optional, oneof: None, sensitivity: Sensitivity::Public, format: Format::Sysctl(128, 3240000) },
        Field { name: "net_ipv4_tcp_max_tw_buckets", json_name: "netIpv4TcpMaxTwBuckets", kind: Kind::Int32, label: Label::Optional, oneof: None, sensitivity: Sensitivity::Public, format: Format::Sysctl(8000, 1440000) },
        Field { name: "net_ipv4_tcp_fin_timeout", json_name: "netIpv4TcpFinTimeout", kind: Kind::Int32, label: Label::Optional, oneof: None, sensitivity: Sensitivity::Public, format: Format::Sysctl(5, 120) },
        Field { name: "net_ipv4_tcp_keepalive_time", json_name: "netIpv4TcpKeepaliveTime", kind: Kind::Int32, label: Label::Optional, oneof: None, sensitivity: Sensitivity::Public, format: Format::Sysctl(30, 432000) },
        Field { name: "net_ipv4_tcp_keepalive_probes", json_name: "netIpv4TcpKeepaliveProbes", kind: Kind::Int32, label: Label::Optional, oneof: None, sensitivity: Sensitivity::Public, format: Format::Sysctl(1, 15) },
        Field { name: "net_ipv4_tcpkeepalive_intvl", json_name: "netIpv4TcpkeepaliveIntvl", kind: Kind::Int32, label: Label::Optional, oneof: None, sensitivity: Sensitivity::Public, format: Format::Sysctl(10, 90) },
        Field { name: "net_ipv4_tcp_tw_reuse", json_name: "netIpv4TcpTwReuse", kind: Kind::Bool, label: Label::Optional, oneof: None, sensitivity: Sensitivity::Public, format: Format::Any },
        Field { name: "net_ipv4_ip_local_port_range", json_name: "netIpv4IpLocalPortRange", kind: Kind::String, label: Label::Optional, oneof: None, sensitivity: Sensitivity::Public, format: Format::Named("port-range") },
        Field { name: "net_ipv4_neigh_default_gc_thresh1", json_name: "netIpv4NeighDefaultGcThresh1", kind: Kind::Int32, label: Label::Optional, oneof: None, sensitivity: Sensitivity::Public, format: Format::Sysctl(128, 80000) },
        Field { name: "net_ipv4_neigh_default_gc_thresh2", json_name: "netIpv4NeighDefaultGcThresh2", kind: Kind::Int32, label: Label::Optional, oneof: None, sensitivity: Sensitivity::Public, format: Format::Sysctl(512, 90000) },
        Field { name: "net_ipv4_neigh_default_gc_thresh3", json_name: "netIpv4NeighDefaultGcThresh3", kind: Kind::Int32, label: Label::Optional, oneof: None, sensitivity: Sensitivity::Public, format: Format::Sysctl(1024, 100000) },
        Field { name: "net_netfilter_nf_conntrack_max", json_name: "netNetfilterNfConntrackMax", kind: Kind::Int32, label: Label::Optional, oneof: None, sensitivity: Sensitivity::Public, format: Format::Sysctl(131072, 2097152) },
        Field { name: "net_netfilter_nf_conntrack_buckets", json_name: "netNetfilterNfConntrackBuckets", kind: Kind::Int32, label: Label::Optional, oneof: None, sensitivity: Sensitivity::Public, format: Format::Sysctl(65536, 524288) },
        Field { name: "fs_inotify_max_user_watches", json_name: "fsInotifyMaxUserWatches", kind: Kind::Int32, label: Label::Optional, oneof: None, sensitivity: Sensitivity::Public, format: Format::Sysctl(781250, 2097152) },
        Field { name: "fs_file_max", json_name: "fsFileMax", kind: Kind::Int32, label: Label::Optional, oneof: None, sensitivity: Sensitivity::Public, format: Format::Sysctl(8192, 12000500) },
        Field { name: "fs_aio_max_nr", json_name: "fsAioMaxNr", kind: Kind::Int32, label: Label::Optional, oneof: None, sensitivity: Sensitivity::Public, format: Format::Sysctl(65536, 6553500) },
        Field { name: "fs_nr_open", json_name: "fsNrOpen", kind: Kind::Int32, label: Label::Optional, oneof: None, sensitivity: Sensitivity::Public, format: Format::Sysctl(8192, 20000500) },
        Field { name: "kernel_threads_max", json_name: "kernelThreadsMax", kind: Kind::Int32, label: Label::Optional, oneof: None, sensitivity: Sensitivity::Public, format: Format::Sysctl(20, 513785) },
        Field { name: "vm_max_map_count", json_name: "vmMaxMapCount", kind: Kind::Int32, label: Label::Optional, oneof: None, sensitivity: Sensitivity::Public, format: Format::Sysctl(65530, 262144) },
        Field { name: "vm_swappiness", json_name: "vmSwappiness", kind: Kind::Int32, label: Label::Optional, oneof: None, sensitivity: Sensitivity::Public, format: Format::Sysctl(0, 100) },
        Field { name: "vm_vfs_cache_pressure", json_name: "vmVfsCachePressure", kind: Kind::Int32, label: Label::Optional, oneof: None, sensitivity: Sensitivity::Public, format: Format::Sysctl(1, 100) },
    ],
    keys: &[("fsAioMaxNr", 22), ("fsFileMax", 21), ("fsInotifyMaxUserWatches", 20), ("fsNrOpen", 23), ("fs_aio_max_nr", 22), ("fs_file_max", 21), ("fs_inotify_max_user_watches", 20), ("fs_nr_open", 23), ("kernelThreadsMax", 24), ("kernel_threads_max", 24), ("netCoreNetdevMaxBacklog", 1), ("netCoreOptmemMax", 6), ("netCoreRmemDefault", 2), ("netCoreRmemMax", 3), ("netCoreSomaxconn", 0), ("netCoreWmemDefault", 4), ("netCoreWmemMax", 5), ("netIpv4IpLocalPortRange", 14), ("netIpv4NeighDefaultGcThresh1", 15), ("netIpv4NeighDefaultGcThresh2", 16), ("netIpv4NeighDefaultGcThresh3", 17), ("netIpv4TcpFinTimeout", 9), ("netIpv4TcpKeepaliveProbes", 11), ("netIpv4TcpKeepaliveTime", 10), ("netIpv4TcpMaxSynBacklog", 7), ("netIpv4TcpMaxTwBuckets", 8), ("netIpv4TcpTwReuse", 13), ("netIpv4TcpkeepaliveIntvl", 12), ("netNetfilterNfConntrackBuckets", 19), ("netNetfilterNfConntrackMax", 18), ("net_core_netdev_max_backlog", 1), ("net_core_optmem_max", 6), ("net_core_rmem_default", 2), ("net_core_rmem_max", 3), ("net_core_somaxconn", 0), ("net_core_wmem_default", 4), ("net_core_wmem_max", 5), ("net_ipv4_ip_local_port_range", 14), ("net_ipv4_neigh_default_gc_thresh1", 15), ("net_ipv4_neigh_default_gc_thresh2", 16), ("net_ipv4_neigh_default_gc_thresh3", 17), ("net_ipv4_tcp_fin_timeout", 9), ("net_ipv4_tcp_keepalive_probes", 11), ("net_ipv4_tcp_keepalive_time", 10), ("net_ipv4_tcp_max_syn_backlog", 7), ("net_ipv4_tcp_max_tw_buckets", 8), ("net_ipv4_tcp_tw_reuse", 13), ("net_ipv4_tcpkeepalive_intvl", 12), ("net_netfilter_nf_conntrack_buckets", 19), ("net_netfilter_nf_conntrack_max", 18), ("vmMaxMapCount", 25), ("vmSwappiness", 26), ("vmVfsCachePressure", 27), ("vm_max_map_count", 25), ("vm_swappiness", 26), ("vm_vfs_cache_pressure", 27)],
    retired: &[],
};

impl Message for SysctlConfig {
    fn table(&self) -> &'static MessageTable { &SYSCTL_CONFIG }
    fn read_field(&mut self, index: usize, decoder: &mut Decoder<'_>) -> Result<(), Refused> {
        match index {
            0 => decoder.optional(&mut self.net_core_somaxconn),
            1 => decoder.optional(&mut self.net_core_netdev_max_backlog),
            2 => decoder.optional(&mut self.net_core_rmem_default),
            3 => decoder.optional(&mut self.net_core_rmem_max),
            4 => decoder.optional(&mut self.net_core_wmem_default),
            5 => decoder.optional(&mut self.net_core_wmem_max),
            6 => decoder.optional(&mut self.net_core_optmem_max),
            7 => decoder.optional(&mut self.net_ipv4_tcp_max_syn_backlog),
            8 => decoder.optional(&mut self.net_ipv4_tcp_max_tw_buckets),
            9 => decoder.optional(&mut self.net_ipv4_tcp_fin_timeout),
            10 => decoder.optional(&mut self.net_ipv4_tcp_keepalive_time),
            11 => decoder.optional(&mut self.net_ipv4_tcp_keepalive_probes),
            12 => decoder.optional(&mut self.net_ipv4_tcpkeepalive_intvl),
            13 => decoder.optional(&mut self.net_ipv4_tcp_tw_reuse),
            14 => decoder.optional(&mut self.net_ipv4_ip_local_port_range),
            15 => decoder.optional(&mut self.net_ipv4_neigh_default_gc_thresh1),
            16 => decoder.optional(&mut self.net_ipv4_neigh_default_gc_thresh2),
            17 => decoder.optional(&mut self.net_ipv4_neigh_default_gc_thresh3),
            18 => decoder.optional(&mut self.net_netfilter_nf_conntrack_max),
            19 => decoder.optional(&mut self.net_netfilter_nf_conntrack_buckets),
            20 => decoder.optional(&mut self.fs_inotify_max_user_watches),
            21 => decoder.optional(&mut self.fs_file_max),
            22 => decoder.optional(&mut self.fs_aio_max_nr),
            23 => decoder.optional(&mut self.fs_nr_open),
            24 => decoder.optional(&mut self.kernel_threads_max),
            25 => decoder.optional(&mut self.vm_max_map_count),
            26 => decoder.optional(&mut self.vm_swappiness),
            27 => decoder.optional(&mut self.vm_vfs_cache_pressure),
            _ => Ok(()),
        }
    }
    fn view(&self, index: usize) -> View<'_> {
        match index {
            0 => View::optional(self.net_core_somaxconn.as_ref()),
            1 => View::optional(self.net_core_netdev_max_backlog.as_ref()),
            2 => View::optional(self.net_core_rmem_default.as_ref()),
            3 => View::optional(self.net_core_rmem_max.as_ref()),
            4 => View::optional(self.net_core_wmem_default.as_ref()),
            5 => View::optional(self.net_core_wmem_max.as_ref()),
            6 => View::optional(self.net_core_optmem_max.as_ref()),
            7 => View::optional(self.net_ipv4_tcp_max_syn_backlog.as_ref()),
            8 => View::optional(self.net_ipv4_tcp_max_tw_buckets.as_ref()),
            9 => View::optional(self.net_ipv4_tcp_fin_timeout.as_ref()),
            10 => View::optional(self.net_ipv4_tcp_keepalive_time.as_ref()),
            11 => View::optional(self.net_ipv4_tcp_keepalive_probes.as_ref()),
            12 => View::optional(self.net_ipv4_tcpkeepalive_intvl.as_ref()),
            13 => View::optional(self.net_ipv4_tcp_tw_reuse.as_ref()),
            14 => View::optional(self.net_ipv4_ip_local_port_range.as_ref()),
            15 => View::optional(self.net_ipv4_neigh_default_gc_thresh1.as_ref()),
            16 => View::optional(self.net_ipv4_neigh_default_gc_thresh2.as_ref()),
            17 => View::optional(self.net_ipv4_neigh_default_gc_thresh3.as_ref()),
            18 => View::optional(self.net_netfilter_nf_conntrack_max.as_ref()),
            19 => View::optional(self.net_netfilter_nf_conntrack_buckets.as_ref()),
            20 => View::optional(self.fs_inotify_max_user_watches.as_ref()),
            21 => View::optional(self.fs_file_max.as_ref()),
            22 => View::optional(self.fs_aio_max_nr.as_ref()),
            23 => View::optional(self.fs_nr_open.as_ref()),
            24 => View::optional(self.kernel_threads_max.as_ref()),
            25 => View::optional(self.vm_max_map_count.as_ref()),
            26 => View::optional(self.vm_swappiness.as_ref()),
            27 => View::optional(self.vm_vfs_cache_pressure.as_ref()),
            _ => View::Absent,
        }
    }
}

/// `UlimitConfig`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct UlimitConfig {
    /// LimitNOFILE.
    pub no_file: Option<String>,
    /// LimitMEMLOCK.
    pub max_locked_memory: Option<String>,
}

static ULIMIT_CONFIG: MessageTable = MessageTable {
    name: "UlimitConfig",
    fields: &[
        Field { name: "no_file", json_name: "noFile", kind: Kind::String, label: Label::Optional, oneof: None, sensitivity: Sensitivity::Public, format: Format::Named("ulimit") },
        Field { name: "max_locked_memory", json_name: "maxLockedMemory", kind: Kind::String, label: Label::Optional, oneof: None, sensitivity: Sensitivity::Public, format: Format::Named("ulimit") },
    ],
    keys: &[("maxLockedMemory", 1), ("max_locked_memory", 1), ("noFile", 0), ("no_file", 0)],
    retired: &[],
};

impl Message for UlimitConfig {
    fn table(&self) -> &'static MessageTable { &ULIMIT_CONFIG }
    fn read_field(&mut self, index: usize, decoder: &mut Decoder<'_>) -> Result<(), Refused> {
        match index {
            0 => decoder.optional(&mut self.no_file),
            1 => decoder.optional(&mut self.max_locked_memory),
            _ => Ok(()),
        }
    }
    fn view(&self, index: usize) -> View<'_> {
        match index {
            0 => View::optional(self.no_file.as_ref()),
            1 => View::optional(self.max_locked_memory.as_ref()),
            _ => View::Absent,
        }
    }
}

/// `HttpProxyConfig`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct HttpProxyConfig {
    /// HTTP proxy URL.
    pub http_proxy: String,
    /// HTTPS proxy URL.
    pub https_proxy: String,
    /// bypass list.
    pub no_proxy_entries: Vec<String>,
    /// proxy CA, base64.
    pub proxy_trusted_ca: String,
}

static HTTP_PROXY_CONFIG: MessageTable = MessageTable {
    name: "HttpProxyConfig",
    fields: &[
        Field { name: "http_proxy", json_name: "httpProxy", kind: Kind::String, label: Label::Singular, oneof: None, sensitivity: Sensitivity::Credentials, format: Format::Named("proxy-url") },
        Field { name: "https_proxy", json_name: "httpsProxy", kind: Kind::String, label: Label::Singular, oneof: None, sensitivity: Sensitivity::Credentials, format: Format::Named("proxy-url") },
        Field { name: "no_proxy_entries", json_name: "noProxyEntries", kind: Kind::String, label: Label::Repeated, oneof: None, sensitivity: Sensitivity::Public, format: Format::Named("no-proxy") },
        Field { name: "proxy_trusted_ca", json_name: "proxyTrustedCa", kind: Kind::String, label: Label::Singular, oneof: None, sensitivity: Sensitivity::Public, format: Format::Named("pem-certificate") },
    ],
    keys: &[("httpProxy", 0), ("http_proxy", 0), ("httpsProxy", 1), ("https_proxy", 1), ("noProxyEntries", 2), ("no_proxy_entries", 2), ("proxyTrustedCa", 3), ("proxy_trusted_ca", 3)],
    retired: &[],
};

impl Message for HttpProxyConfig {
    fn table(&self) -> &'static MessageTable { &HTTP_PROXY_CONFIG }
    fn read_field(&mut self, index: usize, decoder: &mut Decoder<'_>) -> Result<(), Refused> {
        match index {
            0 => decoder.singular(&mut self.http_proxy),
            1 => decoder.singular(&mut self.https_proxy),
            2 => decoder.list(&mut self.no_proxy_entries),
            3 => decoder.singular(&mut self.proxy_trusted_ca),
            _ => Ok(()),
        }
    }
    fn view(&self, index: usize) -> View<'_> {
        match index {
            0 => View::singular(&self.http_proxy),
            1 => View::singular(&self.https_proxy),
            2 => View::list(&self.no_proxy_entries),
            3 => View::singular(&self.proxy_trusted_ca),
            _ => View::Absent,
        }
    }
}

/// `GpuConfig`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct GpuConfig {
    /// drives GPU_NODE and nvidia runtime; unset means false.
    pub enable_nvidia: Option<bool>,
    /// install driver.
    pub config_gpu_driver: bool,
    /// device plugin.
    pub gpu_device_plugin: bool,
    /// MIG profile.
    pub gpu_instance_profile: String,
    /// NOT READ.
    pub enable_amd_gpu: Option<bool>,
    /// feature registration flag.
    pub managed_gpu_experience_afec_enabled: bool,
    /// managed GPU.
    pub enable_managed_gpu: bool,
    /// None/Single/Mixed, passed through.
    pub mig_strategy: String,
    /// ordered MIG profiles.
    pub mig_profile_layout: Vec<String>,
    /// managed GPU with DRA.
    pub enable_managed_gpu_dra: bool,
}

static GPU_CONFIG: MessageTable = MessageTable {
    name: "GpuConfig",
    fields: &[
        Field { name: "enable_nvidia", json_name: "enableNvidia", kind: Kind::Bool, label: Label::Optional, oneof: None, sensitivity: Sensitivity::Public, format: Format::Any },
        Field { name: "config_gpu_driver", json_name: "configGpuDriver", kind: Kind::Bool, label: Label::Singular, oneof: None, sensitivity: Sensitivity::Public, format: Format::Any },
        Field { name: "gpu_device_plugin", json_name: "gpuDevicePlugin", kind: Kind::Bool, label: Label::Singular, oneof: None, sensitivity: Sensitivity::Public, format: Format::Any },
        Field { name: "gpu_instance_profile", json_name: "gpuInstanceProfile", kind: Kind::String, label: Label::Singular, oneof: None, sensitivity: Sensitivity::Public, format: Format::OneOf(&["MIG1g", "MIG2g", "MIG3g", "MIG4g", "MIG7g"]) },
        Field { name: "enable_amd_gpu", json_name: "enableAmdGpu", kind: Kind::Bool, label: Label::Optional, oneof: None, sensitivity: Sensitivity::Public, format: Format::Any },
        Field { name: "managed_gpu_experience_afec_enabled", json_name: "managedGpuExperienceAfecEnabled", kind: Kind::Bool, label: Label::Singular, oneof: None, sensitivity: Sensitivity::Public, format: Format::Any },
        Field { name: "enable_managed_gpu", json_name: "enableManagedGpu", kind: Kind::Bool, label: Label::Singular, oneof: None, sensitivity: Sensitivity::Public, format: Format::Any },
        Field { name: "mig_strategy", json_name: "migStrategy", kind: Kind::String, label: Label::Singular, oneof: None, sensitivity: Sensitivity::Public, format: Format::OneOf(&["None", "Single", "Mixed"]) },
        Field { name: "mig_profile_layout", json_name: "migProfileLayout", kind: Kind::String, label: Label::Repeated, oneof: None, sensitivity: Sensitivity::Public, format: Format::Any },
        Field { name: "enable_managed_gpu_dra", json_name: "enableManagedGpuDra", kind: Kind::Bool, label: Label::Singular, oneof: None, sensitivity: Sensitivity::Public, format: Format::Any },
    ],
    keys: &[("configGpuDriver", 1), ("config_gpu_driver", 1), ("enableAmdGpu", 4), ("enableManagedGpu", 6), ("enableManagedGpuDra", 9), ("enableNvidia", 0), ("enable_amd_gpu", 4), ("enable_managed_gpu", 6), ("enable_managed_gpu_dra", 9), ("enable_nvidia", 0), ("gpuDevicePlugin", 2), ("gpuInstanceProfile", 3), ("gpu_device_plugin", 2), ("gpu_instance_profile", 3), ("managedGpuExperienceAfecEnabled", 5), ("managed_gpu_experience_afec_enabled", 5), ("migProfileLayout", 8), ("migStrategy", 7), ("mig_profile_layout", 8), ("mig_strategy", 7)],
    retired: &[],
};

impl Message for GpuConfig {
    fn table(&self) -> &'static MessageTable { &GPU_CONFIG }
    fn read_field(&mut self, index: usize, decoder: &mut Decoder<'_>) -> Result<(), Refused> {
        match index {
            0 => decoder.optional(&mut self.enable_nvidia),
            1 => decoder.singular(&mut self.config_gpu_driver),
            2 => decoder.singular(&mut self.gpu_device_plugin),
            3 => decoder.singular(&mut self.gpu_instance_profile),
            4 => decoder.optional(&mut self.enable_amd_gpu),
            5 => decoder.singular(&mut self.managed_gpu_experience_afec_enabled),
            6 => decoder.singular(&mut self.enable_managed_gpu),
            7 => decoder.singular(&mut self.mig_strategy),
            8 => decoder.list(&mut self.mig_profile_layout),
            9 => decoder.singular(&mut self.enable_managed_gpu_dra),
            _ => Ok(()),
        }
    }
    fn view(&self, index: usize) -> View<'_> {
        match index {
            0 => View::optional(self.enable_nvidia.as_ref()),
            1 => View::singular(&self.config_gpu_driver),
            2 => View::singular(&self.gpu_device_plugin),
            3 => View::singular(&self.gpu_instance_profile),
            4 => View::optional(self.enable_amd_gpu.as_ref()),
            5 => View::singular(&self.managed_gpu_experience_afec_enabled),
            6 => View::singular(&self.enable_managed_gpu),
            7 => View::singular(&self.mig_strategy),
            8 => View::list(&self.mig_profile_layout),
            9 => View::singular(&self.enable_managed_gpu_dra),
            _ => View::Absent,
        }
    }
}

/// `NetworkConfig`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct NetworkConfig {
    /// CNI.
    pub network_plugin: NetworkPlugin,
    /// policy.
    pub network_policy: NetworkPolicy,
    /// azure CNI tarball.
    pub vnet_cni_plugins_url: String,
    /// NOT READ.
    pub cni_plugins_url: String,
    /// extra NICs.
    pub standard_secondary_nic_count: i32,
}

static NETWORK_CONFIG: MessageTable = MessageTable {
    name: "NetworkConfig",
    fields: &[
        Field { name: "network_plugin", json_name: "networkPlugin", kind: Kind::Enum(NetworkPlugin::TABLE), label: Label::Singular, oneof: None, sensitivity: Sensitivity::Public, format: Format::Any },
        Field { name: "network_policy", json_name: "networkPolicy", kind: Kind::Enum(NetworkPolicy::TABLE), label: Label::Singular, oneof: None, sensitivity: Sensitivity::Public, format: Format::Any },
        Field { name: "vnet_cni_plugins_url", json_name: "vnetCniPluginsUrl", kind: Kind::String, label: Label::Singular, oneof: None, sensitivity: Sensitivity::Credentials, format: Format::Named("artifact") },
        Field { name: "cni_plugins_url", json_name: "cniPluginsUrl", kind: Kind::String, label: Label::Singular, oneof: None, sensitivity: Sensitivity::Credentials, format: Format::Named("artifact") },
        Field { name: "standard_secondary_nic_count", json_name: "standardSecondaryNicCount", kind: Kind::Int32, label: Label::Singular, oneof: None, sensitivity: Sensitivity::Public, format: Format::Range(0, 8) },
    ],
    keys: &[("cniPluginsUrl", 3), ("cni_plugins_url", 3), ("networkPlugin", 0), ("networkPolicy", 1), ("network_plugin", 0), ("network_policy", 1), ("standardSecondaryNicCount", 4), ("standard_secondary_nic_count", 4), ("vnetCniPluginsUrl", 2), ("vnet_cni_plugins_url", 2)],
    retired: &[],
};

impl Message for NetworkConfig {
    fn table(&self) -> &'static MessageTable { &NETWORK_CONFIG }
    fn read_field(&mut self, index: usize, decoder: &mut Decoder<'_>) -> Result<(), Refused> {
        match index {
            0 => decoder.singular(&mut self.network_plugin),
            1 => decoder.singular(&mut self.network_policy),
            2 => decoder.singular(&mut self.vnet_cni_plugins_url),
            3 => decoder.singular(&mut self.cni_plugins_url),
            4 => decoder.singular(&mut self.standard_secondary_nic_count),
            _ => Ok(()),
        }
    }
    fn view(&self, index: usize) -> View<'_> {
        match index {
            0 => View::singular(&self.network_plugin),
            1 => View::singular(&self.network_policy),
            2 => View::singular(&self.vnet_cni_plugins_url),
            3 => View::singular(&self.cni_plugins_url),
            4 => View::singular(&self.standard_secondary_nic_count),
            _ => View::Absent,
        }
    }
}

/// `ImdsRestrictionConfig`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ImdsRestrictionConfig {
    /// on/off.
    pub enable_imds_restriction: bool,
    /// table choice.
    pub insert_imds_restriction_rule_to_mangle_table: bool,
}

static IMDS_RESTRICTION_CONFIG: MessageTable = MessageTable {
    name: "ImdsRestrictionConfig",
    fields: &[
        Field { name: "enable_imds_restriction", json_name: "enableImdsRestriction", kind: Kind::Bool, label: Label::Singular, oneof: None, sensitivity: Sensitivity::Public, format: Format::Any },
        Field { name: "insert_imds_restriction_rule_to_mangle_table", json_name: "insertImdsRestrictionRuleToMangleTable", kind: Kind::Bool, label: Label::Singular, oneof: None, sensitivity: Sensitivity::Public, format: Format::Any },
    ],
    keys: &[("enableImdsRestriction", 0), ("enable_imds_restriction", 0), ("insertImdsRestrictionRuleToMangleTable", 1), ("insert_imds_restriction_rule_to_mangle_table", 1)],
    retired: &[],
};

impl Message for ImdsRestrictionConfig {
    fn table(&self) -> &'static MessageTable { &IMDS_RESTRICTION_CONFIG }
    fn read_field(&mut self, index: usize, decoder: &mut Decoder<'_>) -> Result<(), Refused> {
        match index {
            0 => decoder.singular(&mut self.enable_imds_restriction),
            1 => decoder.singular(&mut self.insert_imds_restriction_rule_to_mangle_table),
            _ => Ok(()),
        }
    }
    fn view(&self, index: usize) -> View<'_> {
        match index {
            0 => View::singular(&self.enable_imds_restriction),
            1 => View::singular(&self.insert_imds_restriction_rule_to_mangle_table),
            _ => View::Absent,
        }
    }
}

/// `LocalDnsProfile`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct LocalDnsProfile {
    /// on/off.
    pub enable_local_dns: bool,
    /// CPU limit.
    pub cpu_limit_in_milli_cores: Option<i32>,
    /// memory limit.
    pub memory_limit_in_mb: Option<i32>,
    /// domain → settings, node listener.
    pub vnet_dns_overrides: BTreeMap<String, LocalDnsOverrides>,
    /// domain → settings, cluster listener.
    pub kube_dns_overrides: BTreeMap<String, LocalDnsOverrides>,
    /// hosts plugin.
    pub enable_hosts_plugin: bool,
    /// names for the hosts file.
    pub critical_fqdns: Vec<String>,
    /// timer override.
    pub hosts_plugin_refresh_interval_in_seconds: Option<i32>,
}

static LOCAL_DNS_PROFILE: MessageTable = MessageTable {
    name: "LocalDnsProfile",
    fields: &[
        Field { name: "enable_local_dns", json_name: "enableLocalDns", kind: Kind::Bool, label: Label::Singular, oneof: None, sensitivity: Sensitivity::Public, format: Format::Any },
        Field { name: "cpu_limit_in_milli_cores", json_name: "cpuLimitInMilliCores", kind: Kind::Int32, label: Label::Optional, oneof: None, sensitivity: Sensitivity::Public, format: Format::Range(0, i64::MAX) },
        Field { name: "memory_limit_in_mb", json_name: "memoryLimitInMb", kind: Kind::Int32, label: Label::Optional, oneof: None, sensitivity: Sensitivity::Public, format: Format::Range(0, i64::MAX) },
        Field { name: "vnet_dns_overrides", json_name: "vnetDnsOverrides", kind: Kind::Message(&LOCAL_DNS_OVERRIDES), label: Label::Map, oneof: None, sensitivity: Sensitivity::Public, format: Format::Named("dns-zone") },
        Field { name: "kube_dns_overrides", json_name: "kubeDnsOverrides", kind: Kind::Message(&LOCAL_DNS_OVERRIDES), label: Label::Map, oneof: None, sensitivity: Sensitivity::Public, format: Format::Named("dns-zone") },
        Field { name: "enable_hosts_plugin", json_name: "enableHostsPlugin", kind: Kind::Bool, label: Label::Singular, oneof: None, sensitivity: Sensitivity::Public, format: Format::Any },
        Field { name: "critical_fqdns", json_name: "criticalFqdns", kind: Kind::String, label: Label::Repeated, oneof: None, sensitivity: Sensitivity::Public, format: Format::Named("fqdn") },
        Field { name: "hosts_plugin_refresh_interval_in_seconds", json_name: "hostsPluginRefreshIntervalInSeconds", kind: Kind::Int32, label: Label::Optional, oneof: None, sensitivity: Sensitivity::Public, format: Format::Range(0, i64::MAX) },
    ],
    keys: &[("cpuLimitInMilliCores", 1), ("cpu_limit_in_milli_cores", 1), ("criticalFqdns", 6), ("critical_fqdns", 6), ("enableHostsPlugin", 5), ("enableLocalDns", 0), ("enable_hosts_plugin", 5), ("enable_local_dns", 0), ("hostsPluginRefreshIntervalInSeconds", 7), ("hosts_plugin_refresh_interval_in_seconds", 7), ("kubeDnsOverrides", 4), ("kube_dns_overrides", 4), ("memoryLimitInMb", 2), ("memory_limit_in_mb", 2), ("vnetDnsOverrides", 3), ("vnet_dns_overrides", 3)],
    retired: &[],
};

impl Message for LocalDnsProfile {
    fn table(&self) -> &'static MessageTable { &LOCAL_DNS_PROFILE }
    fn read_field(&mut self, index: usize, decoder: &mut Decoder<'_>) -> Result<(), Refused> {
        match index {
            0 => decoder.singular(&mut self.enable_local_dns),
            1 => decoder.optional(&mut self.cpu_limit_in_milli_cores),
            2 => decoder.optional(&mut self.memory_limit_in_mb),
            3 => decoder.map(&mut self.vnet_dns_overrides),
            4 => decoder.map(&mut self.kube_dns_overrides),
            5 => decoder.singular(&mut self.enable_hosts_plugin),
            6 => decoder.list(&mut self.critical_fqdns),
            7 => decoder.optional(&mut self.hosts_plugin_refresh_interval_in_seconds),
            _ => Ok(()),
        }
    }
    fn view(&self, index: usize) -> View<'_> {
        match index {
            0 => View::singular(&self.enable_local_dns),
            1 => View::optional(self.cpu_limit_in_milli_cores.as_ref()),
            2 => View::optional(self.memory_limit_in_mb.as_ref()),
            3 => View::map(&self.vnet_dns_overrides),
            4 => View::map(&self.kube_dns_overrides),
            5 => View::singular(&self.enable_hosts_plugin),
            6 => View::list(&self.critical_fqdns),
            7 => View::optional(self.hosts_plugin_refresh_interval_in_seconds.as_ref()),
            _ => View::Absent,
        }
    }
}

/// `LocalDnsOverrides`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct LocalDnsOverrides {
    /// Error / Log.
    pub query_logging: String,
    /// ForceTCP / PreferUDP.
    pub protocol: String,
    /// ClusterCoreDNS / VnetDNS.
    pub forward_destination: String,
    /// Sequential / RoundRobin / Random.
    pub forward_policy: String,
    /// max queries.
    pub max_concurrent: Option<i32>,
    /// cache TTL.
    pub cache_duration_in_seconds: Option<i32>,
    /// stale window.
    pub serve_stale_duration_in_seconds: Option<i32>,
    /// Verify / Immediate / Disable.
    pub serve_stale: String,
    /// fail fast.
    pub failfast_all_unhealthy_upstreams: Option<bool>,
    /// upstream health check.
    pub health_check: Option<LocalDnsHealthCheck>,
}

static LOCAL_DNS_OVERRIDES: MessageTable = MessageTable {
    name: "LocalDnsOverrides",
    fields: &[
        Field { name: "query_logging", json_name: "queryLogging", kind: Kind::String, label: Label::Singular, oneof: None, sensitivity: Sensitivity::Public, format: Format::OneOf(&["Error", "Log"]) },
        Field { name: "protocol", json_name: "protocol", kind: Kind::String, label: Label::Singular, oneof: None, sensitivity: Sensitivity::Public, format: Format::OneOf(&["ForceTCP", "PreferUDP"]) },
        Field { name: "forward_destination", json_name: "forwardDestination", kind: Kind::String, label: Label::Singular, oneof: None, sensitivity: Sensitivity::Public, format: Format::OneOf(&["ClusterCoreDNS", "VnetDNS"]) },
        Field { name: "forward_policy", json_name: "forwardPolicy", kind: Kind::String, label: Label::Singular, oneof: None, sensitivity: Sensitivity::Public, format: Format::OneOf(&["Sequential", "RoundRobin", "Random"]) },
        Field { name: "max_concurrent", json_name: "maxConcurrent", kind: Kind::Int32, label: Label::Optional, oneof: None, sensitivity: Sensitivity::Public, format: Format::Range(0, i64::MAX) },
        Field { name: "cache_duration_in_seconds", json_name: "cacheDurationInSeconds", kind: Kind::Int32, label: Label::Optional, oneof: None, sensitivity: Sensitivity::Public, format: Format::Range(0, i64::MAX) },
        Field { name: "serve_stale_duration_in_seconds", json_name: "serveStaleDurationInSeconds", kind: Kind::Int32, label: Label::Optional, oneof: None, sensitivity: Sensitivity::Public, format: Format::Range(0, i64::MAX) },
        Field { name: "serve_stale", json_name: "serveStale", kind: Kind::String, label: Label::Singular, oneof: None, sensitivity: Sensitivity::Public, format: Format::OneOf(&["Verify", "Immediate", "Disable"]) },
        Field { name: "failfast_all_unhealthy_upstreams", json_name: "failfastAllUnhealthyUpstreams", kind: Kind::Bool, label: Label::Optional, oneof: None, sensitivity: Sensitivity::Public, format: Format::Any },
        Field { name: "health_check", json_name: "healthCheck", kind: Kind::Message(&LOCAL_DNS_HEALTH_CHECK), label: Label::Singular, oneof: None, sensitivity: Sensitivity::Public, format: Format::Any },
    ],
    keys: &[("cacheDurationInSeconds", 5), ("cache_duration_in_seconds", 5), ("failfastAllUnhealthyUpstreams", 8), ("failfast_all_unhealthy_upstreams", 8), ("forwardDestination", 2), ("forwardPolicy", 3), ("forward_destination", 2), ("forward_policy", 3), ("healthCheck", 9), ("health_check", 9), ("maxConcurrent", 4), ("max_concurrent", 4), ("protocol", 1), ("queryLogging", 0), ("query_logging", 0), ("serveStale", 7), ("serveStaleDurationInSeconds", 6), ("serve_stale", 7), ("serve_stale_duration_in_seconds", 6)],
    retired: &[],
};

impl Message for LocalDnsOverrides {
    fn table(&self) -> &'static MessageTable { &LOCAL_DNS_OVERRIDES }
    fn read_field(&mut self, index: usize, decoder: &mut Decoder<'_>) -> Result<(), Refused> {
        match index {
            0 => decoder.singular(&mut self.query_logging),
            1 => decoder.singular(&mut self.protocol),
            2 => decoder.singular(&mut self.forward_destination),
            3 => decoder.singular(&mut self.forward_policy),
            4 => decoder.optional(&mut self.max_concurrent),
            5 => decoder.optional(&mut self.cache_duration_in_seconds),
            6 => decoder.optional(&mut self.serve_stale_duration_in_seconds),
            7 => decoder.singular(&mut self.serve_stale),
            8 => decoder.optional(&mut self.failfast_all_unhealthy_upstreams),
            9 => decoder.optional(&mut self.health_check),
            _ => Ok(()),
        }
    }
    fn view(&self, index: usize) -> View<'_> {
        match index {
            0 => View::singular(&self.query_logging),
            1 => View::singular(&self.protocol),
            2 => View::singular(&self.forward_destination),
            3 => View::singular(&self.forward_policy),
            4 => View::optional(self.max_concurrent.as_ref()),
            5 => View::optional(self.cache_duration_in_seconds.as_ref()),
            6 => View::optional(self.serve_stale_duration_in_seconds.as_ref()),
            7 => View::singular(&self.serve_stale),
            8 => View::optional(self.failfast_all_unhealthy_upstreams.as_ref()),
            9 => View::optional(self.health_check.as_ref()),
            _ => View::Absent,
        }
    }
}

/// `LocalDnsHealthCheck`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct LocalDnsHealthCheck {
    /// Go duration; empty disables the line.
    pub duration: Option<String>,
    /// RD flag off.
    pub no_rec: Option<bool>,
    /// probe domain.
    pub domain: Option<String>,
}

static LOCAL_DNS_HEALTH_CHECK: MessageTable = MessageTable {
    name: "LocalDnsHealthCheck",
    fields: &[
        Field { name: "duration", json_name: "duration", kind: Kind::String, label: Label::Optional, oneof: None, sensitivity: Sensitivity::Public, format: Format::Named("duration") },
        Field { name: "no_rec", json_name: "noRec", kind: Kind::Bool, label: Label::Optional, oneof: None, sensitivity: Sensitivity::Public, format: Format::Any },
        Field { name: "domain", json_name: "domain", kind: Kind::String, label: Label::Optional, oneof: None, sensitivity: Sensitivity::Public, format: Format::Named("dns-name") },
    ],
    keys: &[("domain", 2), ("duration", 0), ("noRec", 1), ("no_rec", 1)],
    retired: &[],
};

impl Message for LocalDnsHealthCheck {
    fn table(&self) -> &'static MessageTable { &LOCAL_DNS_HEALTH_CHECK }
    fn read_field(&mut self, index: usize, decoder: &mut Decoder<'_>) -> Result<(), Refused> {
        match index {
            0 => decoder.optional(&mut self.duration),
            1 => decoder.optional(&mut self.no_rec),
            2 => decoder.optional(&mut self.domain),
            _ => Ok(()),
        }
    }
    fn view(&self, index: usize) -> View<'_> {
        match index {
            0 => View::optional(self.duration.as_ref()),
            1 => View::optional(self.no_rec.as_ref()),
            2 => View::optional(self.domain.as_ref()),
            _ => View::Absent,
        }
    }
}

/// `ServiceAccountImagePullProfile`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ServiceAccountImagePullProfile {
    /// on/off.
    pub enabled: bool,
    /// client id.
    pub default_client_id: String,
    /// tenant id.
    pub default_tenant_id: String,
    /// SNI.
    pub local_authority_sni: String,
}

static SERVICE_ACCOUNT_IMAGE_PULL_PROFILE: MessageTable = MessageTable {
    name: "ServiceAccountImagePullProfile",
    fields: &[
        Field { name: "enabled", json_name: "enabled", kind: Kind::Bool, label: Label::Singular, oneof: None, sensitivity: Sensitivity::Public, format: Format::Any },
        Field { name: "default_client_id", json_name: "defaultClientId", kind: Kind::String, label: Label::Singular, oneof: None, sensitivity: Sensitivity::Public, format: Format::Named("uuid") },
        Field { name: "default_tenant_id", json_name: "defaultTenantId", kind: Kind::String, label: Label::Singular, oneof: None, sensitivity: Sensitivity::Public, format: Format::Named("uuid") },
        Field { name: "local_authority_sni", json_name: "localAuthoritySni", kind: Kind::String, label: Label::Singular, oneof: None, sensitivity: Sensitivity::Public, format: Format::Named("host") },
    ],
    keys: &[("defaultClientId", 1), ("defaultTenantId", 2), ("default_client_id", 1), ("default_tenant_id", 2), ("enabled", 0), ("localAuthoritySni", 3), ("local_authority_sni", 3)],
    retired: &[],
};

impl Message for ServiceAccountImagePullProfile {
    fn table(&self) -> &'static MessageTable { &SERVICE_ACCOUNT_IMAGE_PULL_PROFILE }
    fn read_field(&mut self, index: usize, decoder: &mut Decoder<'_>) -> Result<(), Refused> {
        match index {
            0 => decoder.singular(&mut self.enabled),
            1 => decoder.singular(&mut self.default_client_id),
            2 => decoder.singular(&mut self.default_tenant_id),
            3 => decoder.singular(&mut self.local_authority_sni),
            _ => Ok(()),
        }
    }
    fn view(&self, index: usize) -> View<'_> {
        match index {
            0 => View::singular(&self.enabled),
            1 => View::singular(&self.default_client_id),
            2 => View::singular(&self.default_tenant_id),
            3 => View::singular(&self.local_authority_sni),
            _ => View::Absent,
        }
    }
}

/// `WorkloadRuntime`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum WorkloadRuntime {
    /// `WORKLOAD_RUNTIME_UNSPECIFIED`.
    #[default]
    Unspecified,
    /// `WORKLOAD_RUNTIME_OCI_CONTAINER`.
    OciContainer,
    /// A number that this version of the contract has no name for.
    Unknown(i32),
}

impl EnumValue for WorkloadRuntime {
    const TABLE: &'static EnumTable = &EnumTable { name: "WorkloadRuntime", values: &[("WORKLOAD_RUNTIME_UNSPECIFIED", 0), ("WORKLOAD_RUNTIME_OCI_CONTAINER", 1)] };
    fn from_number(number: i32) -> Self {
        match number {
            0 => Self::Unspecified,
            1 => Self::OciContainer,
            other => Self::Unknown(other),
        }
    }
    fn number(self) -> i32 {
        match self {
            Self::Unspecified => 0,
            Self::OciContainer => 1,
            Self::Unknown(number) => number,
        }
    }
}

crate::enum_value!(WorkloadRuntime);

/// `VmType`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum VmType {
    /// `VM_TYPE_UNSPECIFIED`.
    #[default]
    Unspecified,
    /// `VM_TYPE_STANDARD`.
    Standard,
    /// `VM_TYPE_VMSS`.
    Vmss,
    /// A number that this version of the contract has no name for.
    Unknown(i32),
}

impl EnumValue for VmType {
    const TABLE: &'static EnumTable = &EnumTable { name: "VmType", values: &[("VM_TYPE_UNSPECIFIED", 0), ("VM_TYPE_STANDARD", 1), ("VM_TYPE_VMSS", 2)] };
    fn from_number(number: i32) -> Self {
        match number {
            0 => Self::Unspecified,
            1 => Self::Standard,
            2 => Self::Vmss,
            other => Self::Unknown(other),
        }
    }
    fn number(self) -> i32 {
        match self {
            Self::Unspecified => 0,
            Self::Standard => 1,
            Self::Vmss => 2,
            Self::Unknown(number) => number,
        }
    }
}

crate::enum_value!(VmType);

/// `LoadBalancerSku`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum LoadBalancerSku {
    /// `LOAD_BALANCER_SKU_UNSPECIFIED`.
    #[default]
    Unspecified,
    /// `LOAD_BALANCER_SKU_BASIC`.
    Basic,
    /// `LOAD_BALANCER_SKU_STANDARD`.
    Standard,
    /// A number that this version of the contract has no name for.
    Unknown(i32),
}

impl EnumValue for LoadBalancerSku {
    const TABLE: &'static EnumTable = &EnumTable { name: "LoadBalancerSku", values: &[("LOAD_BALANCER_SKU_UNSPECIFIED", 0), ("LOAD_BALANCER_SKU_BASIC", 1), ("LOAD_BALANCER_SKU_STANDARD", 2)] };
    fn from_number(number: i32) -> Self {
        match number {
            0 => Self::Unspecified,
            1 => Self::Basic,
            2 => Self::Standard,
            other => Self::Unknown(other),
        }
    }
    fn number(self) -> i32 {
        match self {
            Self::Unspecified => 0,
            Self::Basic => 1,
            Self::Standard => 2,
            Self::Unknown(number) => number,
        }
    }
}

crate::enum_value!(LoadBalancerSku);

/// `BootstrappingAuthMethod`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum BootstrappingAuthMethod {
    /// `BOOTSTRAPPING_AUTH_METHOD_UNSPECIFIED`.
    #[default]
    Unspecified,
    /// `BOOTSTRAPPING_AUTH_METHOD_BOOTSTRAP_TOKEN`.
    BootstrapToken,
    /// `BOOTSTRAPPING_AUTH_METHOD_SECURE_TLS_BOOTSTRAPPING`.
    SecureTlsBootstrapping,
    /// `BOOTSTRAPPING_AUTH_METHOD_ARC_MSI`.
    ArcMsi,
    /// `BOOTSTRAPPING_AUTH_METHOD_AZURE_MSI`.
    AzureMsi,
    /// A number that this version of the contract has no name for.
    Unknown(i32),
}

impl EnumValue for BootstrappingAuthMethod {
    const TABLE: &'static EnumTable = &EnumTable { name: "BootstrappingAuthMethod", values: &[("BOOTSTRAPPING_AUTH_METHOD_UNSPECIFIED", 0), ("BOOTSTRAPPING_AUTH_METHOD_BOOTSTRAP_TOKEN", 1), ("BOOTSTRAPPING_AUTH_METHOD_SECURE_TLS_BOOTSTRAPPING", 2), ("BOOTSTRAPPING_AUTH_METHOD_ARC_MSI", 3), ("BOOTSTRAPPING_AUTH_METHOD_AZURE_MSI", 4)] };
    fn from_number(number: i32) -> Self {
        match number {
            0 => Self::Unspecified,
            1 => Self::BootstrapToken,
            2 => Self::SecureTlsBootstrapping,
            3 => Self::ArcMsi,
            4 => Self::AzureMsi,
            other => Self::Unknown(other),
        }
    }
    fn number(self) -> i32 {
        match self {
            Self::Unspecified => 0,
            Self::BootstrapToken => 1,
            Self::SecureTlsBootstrapping => 2,
            Self::ArcMsi => 3,
            Self::AzureMsi => 4,
            Self::Unknown(number) => number,
        }
    }
}

crate::enum_value!(BootstrappingAuthMethod);

/// `ClusterJoinMethod`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ClusterJoinMethod {
    /// `CLUSTER_JOIN_METHOD_UNSPECIFIED`.
    #[default]
    Unspecified,
    /// `CLUSTER_JOIN_METHOD_GENERATE_CSR`.
    GenerateCsr,
    /// `CLUSTER_JOIN_METHOD_USE_BOOTSTRAPPING_AUTH`.
    UseBootstrappingAuth,
    /// A number that this version of the contract has no name for.
    Unknown(i32),
}

impl EnumValue for ClusterJoinMethod {
    const TABLE: &'static EnumTable = &EnumTable { name: "ClusterJoinMethod", values: &[("CLUSTER_JOIN_METHOD_UNSPECIFIED", 0), ("CLUSTER_JOIN_METHOD_GENERATE_CSR", 1), ("CLUSTER_JOIN_METHOD_USE_BOOTSTRAPPING_AUTH", 2)] };
    fn from_number(number: i32) -> Self {
        match number {
            0 => Self::Unspecified,
            1 => Self::GenerateCsr,
            2 => Self::UseBootstrappingAuth,
            other => Self::Unknown(other),
        }
    }
    fn number(self) -> i32 {
        match self {
            Self::Unspecified => 0,
            Self::GenerateCsr => 1,
            Self::UseBootstrappingAuth => 2,
            Self::Unknown(number) => number,
        }
    }
}

crate::enum_value!(ClusterJoinMethod);

/// `KubeletDisk`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum KubeletDisk {
    /// `KUBELET_DISK_UNSPECIFIED`.
    #[default]
    Unspecified,
    /// `KUBELET_DISK_OS_DISK`.
    OsDisk,
    /// `KUBELET_DISK_TEMP_DISK`.
    TempDisk,
    /// A number that this version of the contract has no name for.
    Unknown(i32),
}

impl EnumValue for KubeletDisk {
    const TABLE: &'static EnumTable = &EnumTable { name: "KubeletDisk", values: &[("KUBELET_DISK_UNSPECIFIED", 0), ("KUBELET_DISK_OS_DISK", 1), ("KUBELET_DISK_TEMP_DISK", 2)] };
    fn from_number(number: i32) -> Self {
        match number {
            0 => Self::Unspecified,
            1 => Self::OsDisk,
            2 => Self::TempDisk,
            other => Self::Unknown(other),
        }
    }
    fn number(self) -> i32 {
        match self {
            Self::Unspecified => 0,
            Self::OsDisk => 1,
            Self::TempDisk => 2,
            Self::Unknown(number) => number,
        }
    }
}

crate::enum_value!(KubeletDisk);

/// `NetworkPlugin`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum NetworkPlugin {
    /// `NETWORK_PLUGIN_UNSPECIFIED`.
    #[default]
    Unspecified,
    /// `NETWORK_PLUGIN_NONE`.
    None,
    /// `NETWORK_PLUGIN_AZURE`.
    Azure,
    /// `NETWORK_PLUGIN_KUBENET`.
    Kubenet,
    /// A number that this version of the contract has no name for.
    Unknown(i32),
}

impl EnumValue for NetworkPlugin {
    const TABLE: &'static EnumTable = &EnumTable { name: "NetworkPlugin", values: &[("NETWORK_PLUGIN_UNSPECIFIED", 0), ("NETWORK_PLUGIN_NONE", 1), ("NETWORK_PLUGIN_AZURE", 2), ("NETWORK_PLUGIN_KUBENET", 3)] };
    fn from_number(number: i32) -> Self {
        match number {
            0 => Self::Unspecified,
            1 => Self::None,
            2 => Self::Azure,
            3 => Self::Kubenet,
            other => Self::Unknown(other),
        }
    }
    fn number(self) -> i32 {
        match self {
            Self::Unspecified => 0,
            Self::None => 1,
            Self::Azure => 2,
            Self::Kubenet => 3,
            Self::Unknown(number) => number,
        }
    }
}

crate::enum_value!(NetworkPlugin);

/// `NetworkPolicy`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum NetworkPolicy {
    /// `NETWORK_POLICY_UNSPECIFIED`.
    #[default]
    Unspecified,
    /// `NETWORK_POLICY_NONE`.
    None,
    /// `NETWORK_POLICY_AZURE`.
    Azure,
    /// `NETWORK_POLICY_CALICO`.
    Calico,
    /// A number that this version of the contract has no name for.
    Unknown(i32),
}

impl EnumValue for NetworkPolicy {
    const TABLE: &'static EnumTable = &EnumTable { name: "NetworkPolicy", values: &[("NETWORK_POLICY_UNSPECIFIED", 0), ("NETWORK_POLICY_NONE", 1), ("NETWORK_POLICY_AZURE", 2), ("NETWORK_POLICY_CALICO", 3)] };
    fn from_number(number: i32) -> Self {
        match number {
            0 => Self::Unspecified,
            1 => Self::None,
            2 => Self::Azure,
            3 => Self::Calico,
            other => Self::Unknown(other),
        }
    }
    fn number(self) -> i32 {
        match self {
            Self::Unspecified => 0,
            Self::None => 1,
            Self::Azure => 2,
            Self::Calico => 3,
            Self::Unknown(number) => number,
        }
    }
}

crate::enum_value!(NetworkPolicy);

