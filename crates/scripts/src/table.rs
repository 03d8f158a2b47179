//! Every variable that the scripts read, and where it comes from. This is the whole list: one row each.
//!
//! `CUSTOM_CA_CERT_<i>` alone is not here, because there are as many as the contract has certificates.

use crate::field::{ScalarField as _, TextField as _, Word as _};
use crate::variable::{Rule, Variable};
use crate::{computed, embedded};

/// The way to a field: `None` where a message on the way is absent.
macro_rules! field {
    ($at:expr, $field:ident) => {
        Some(&$at.$field)
    };
    ($at:expr, $message:ident . $($rest:ident).+) => {
        $at.$message.as_ref().and_then(|message| field!(message, $($rest).+))
    };
}

macro_rules! row {
    ($name:ident, [$($source:expr),*], $rule:expr) => {
        Variable { name: stringify!($name), sources: &[$($source),*], rule: $rule }
    };
    ($name:ident, $first:ident $(. $rest:ident)*, $rule:expr) => {
        row!($name, [concat!(stringify!($first) $(, ".", stringify!($rest))*)], $rule)
    };
}

macro_rules! constant {
    ($name:ident, $text:literal) => {
        row!($name, [], Rule::Constant($text))
    };
}

macro_rules! text {
    ($name:ident, $($path:ident).+) => {
        text!($name, $($path).+, "")
    };
    ($name:ident, $($path:ident).+, $default:literal) => {
        row!($name, $($path).+, Rule::Text(|contract| field!(contract, $($path).+).and_then(|field| field.text()), $default))
    };
}

macro_rules! switch {
    ($name:ident, $($path:ident).+, $default:literal) => {
        row!($name, $($path).+, Rule::Switch(|contract| field!(contract, $($path).+).and_then(|field| field.value()), $default))
    };
}

macro_rules! number {
    ($name:ident, $($path:ident).+, $default:literal) => {
        row!($name, $($path).+, Rule::Number(|contract| field!(contract, $($path).+).and_then(|field| field.value()), $default))
    };
}

macro_rules! double {
    ($name:ident, $($path:ident).+, $default:literal) => {
        row!($name, $($path).+, Rule::Double(|contract| field!(contract, $($path).+).and_then(|field| field.value()), $default))
    };
}

macro_rules! word {
    ($name:ident, $($path:ident).+) => {
        row!($name, $($path).+, Rule::Word(|contract| field!(contract, $($path).+).map_or("", |field| field.word())))
    };
}

macro_rules! decided {
    ($name:ident, $function:path, [$($source:literal),* $(,)?]) => {
        row!($name, [$($source),*], Rule::Decided($function))
    };
}

macro_rules! computed {
    ($name:ident, $function:path, [$($source:literal),* $(,)?]) => {
        row!($name, [$($source),*], Rule::Computed($function))
    };
}

macro_rules! rendered {
    ($name:ident, $function:path, [$($source:literal),* $(,)?]) => {
        row!($name, [$($source),*], Rule::Rendered($function))
    };
}

/// All variables, grouped by how they are derived.
#[rustfmt::skip]
pub static TABLE: [Variable; 164] = [
    // Constants.
    constant!(PROVISION_OUTPUT, "/var/log/azure/cluster-provision-cse-output.log"),
    constant!(MOBY_VERSION, ""),
    constant!(CLI_TOOL, "ctr"),
    constant!(NETWORK_MODE, ""),
    constant!(CSE_HELPERS_FILEPATH, "/opt/azure/containers/provision_source.sh"),
    constant!(CSE_DISTRO_HELPERS_FILEPATH, "/opt/azure/containers/provision_source_distro.sh"),
    constant!(CSE_INSTALL_FILEPATH, "/opt/azure/containers/provision_installs.sh"),
    constant!(CSE_DISTRO_INSTALL_FILEPATH, "/opt/azure/containers/provision_installs_distro.sh"),
    constant!(CSE_CONFIG_FILEPATH, "/opt/azure/containers/provision_configs.sh"),
    constant!(CUSTOM_SEARCH_DOMAIN_FILEPATH, "/opt/azure/containers/setup-custom-search-domains.sh"),
    constant!(DHCPV6_SERVICE_FILEPATH, "/etc/systemd/system/dhcpv6.service"),
    constant!(DHCPV6_CONFIG_FILEPATH, "/opt/azure/containers/enable-dhcpv6.sh"),
    constant!(INIT_AKS_CLOUD_FILEPATH, "/opt/azure/containers/init-aks-cloud.sh"),
    constant!(SKIP_WAAGENT_HOLD, "true"),
    constant!(NETWORK_ISOLATED_CLUSTER_TEST_MODE, "false"),

    // Texts of the contract, as they are; the second text stands for an empty one.
    text!(ADMINUSER, linux_admin_username, "azureuser"),
    text!(KUBERNETES_VERSION, kubernetes_version),
    text!(KUBEPROXY_URL, kube_proxy_url),
    text!(KUBE_CA_CRT, kubernetes_ca_cert),
    text!(OUTBOUND_COMMAND, outbound_command),
    text!(MESSAGE_OF_THE_DAY, message_of_the_day),
    text!(AZURE_PRIVATE_REGISTRY_SERVER, azure_private_registry_server),
    text!(PRIVATE_EGRESS_PROXY_ADDRESS, private_egress_proxy_address),
    text!(BOOTSTRAP_PROFILE_CONTAINER_REGISTRY_SERVER, bootstrap_profile_container_registry_server),
    text!(TENANT_ID, auth_config.tenant_id),
    text!(SUBSCRIPTION_ID, auth_config.subscription_id),
    text!(SERVICE_PRINCIPAL_CLIENT_ID, auth_config.service_principal_id),
    text!(SERVICE_PRINCIPAL_FILE_CONTENT, auth_config.service_principal_secret),
    text!(USER_ASSIGNED_IDENTITY_ID, auth_config.assigned_identity_id),
    text!(API_SERVER_NAME, api_server_config.api_server_name),
    text!(APISERVER_PUBLIC_KEY, api_server_config.api_server_public_key),
    text!(RESOURCE_GROUP, cluster_config.resource_group),
    text!(LOCATION, cluster_config.location),
    text!(PRIMARY_AVAILABILITY_SET, cluster_config.primary_availability_set),
    text!(PRIMARY_SCALE_SET, cluster_config.primary_scale_set),
    text!(CLOUDPROVIDER_BACKOFF_MODE, cluster_config.cloud_provider_config.backoff_mode, "v2"),
    text!(SUBNET, cluster_config.cluster_network_config.subnet),
    text!(NETWORK_SECURITY_GROUP, cluster_config.cluster_network_config.security_group_name),
    text!(VIRTUAL_NETWORK, cluster_config.cluster_network_config.vnet_name),
    text!(VIRTUAL_NETWORK_RESOURCE_GROUP, cluster_config.cluster_network_config.vnet_resource_group),
    text!(ROUTE_TABLE, cluster_config.cluster_network_config.route_table),
    text!(KUBE_BINARY_URL, kube_binary_config.kube_binary_url),
    text!(CUSTOM_KUBE_BINARY_URL, kube_binary_config.custom_kube_binary_url),
    text!(PRIVATE_KUBE_BINARY_URL, kube_binary_config.private_kube_binary_url),
    text!(CREDENTIAL_PROVIDER_DOWNLOAD_URL, kube_binary_config.linux_credential_provider_url),
    text!(VNET_CNI_PLUGINS_URL, network_config.vnet_cni_plugins_url),
    text!(CONTAINERD_DOWNLOAD_URL_BASE, containerd_config.containerd_download_url_base),
    text!(CONTAINERD_VERSION, containerd_config.containerd_version),
    text!(CONTAINERD_PACKAGE_URL, containerd_config.containerd_package_url),
    text!(RUNC_VERSION, runc_config.runc_version),
    text!(RUNC_PACKAGE_URL, runc_config.runc_package_url),
    text!(NVIDIA_MIG_STRATEGY, gpu_config.mig_strategy),
    text!(GPU_INSTANCE_PROFILE, gpu_config.gpu_instance_profile),
    text!(CUSTOM_ENV_JSON, custom_cloud_config.custom_env_json_content),
    text!(AKS_CUSTOM_CLOUD_CONTAINER_REGISTRY_DNS_SUFFIX, custom_cloud_config.container_registry_dns_suffix),
    text!(HTTP_PROXY_URLS, http_proxy_config.http_proxy),
    text!(HTTPS_PROXY_URLS, http_proxy_config.https_proxy),
    text!(TLS_BOOTSTRAP_TOKEN, bootstrapping_config.tls_bootstrapping_token),
    text!(SECURE_TLS_BOOTSTRAPPING_AAD_RESOURCE, bootstrapping_config.secure_tls_bootstrapping_aad_resource),
    text!(SECURE_TLS_BOOTSTRAPPING_USER_ASSIGNED_IDENTITY_ID, bootstrapping_config.secure_tls_bootstrapping_user_assigned_identity_id),
    text!(SECURE_TLS_BOOTSTRAPPING_VALIDATE_KUBECONFIG_TIMEOUT, bootstrapping_config.secure_tls_bootstrapping_validate_kubeconfig_timeout),
    text!(SECURE_TLS_BOOTSTRAPPING_GET_ACCESS_TOKEN_TIMEOUT, bootstrapping_config.secure_tls_bootstrapping_get_access_token_timeout),
    text!(SECURE_TLS_BOOTSTRAPPING_GET_INSTANCE_DATA_TIMEOUT, bootstrapping_config.secure_tls_bootstrapping_get_instance_data_timeout),
    text!(SECURE_TLS_BOOTSTRAPPING_GET_NONCE_TIMEOUT, bootstrapping_config.secure_tls_bootstrapping_get_nonce_timeout),
    text!(SECURE_TLS_BOOTSTRAPPING_GET_ATTESTED_DATA_TIMEOUT, bootstrapping_config.secure_tls_bootstrapping_get_attested_data_timeout),
    text!(SECURE_TLS_BOOTSTRAPPING_GET_CREDENTIAL_TIMEOUT, bootstrapping_config.secure_tls_bootstrapping_get_credential_timeout),
    text!(CUSTOM_SECURE_TLS_BOOTSTRAPPING_CLIENT_DOWNLOAD_URL, bootstrapping_config.secure_tls_bootstrapping_custom_client_download_url),
    text!(KUBELET_CLIENT_CONTENT, kubelet_config.kubelet_client_key),
    text!(KUBELET_CLIENT_CERT_CONTENT, kubelet_config.kubelet_client_cert_content),
    text!(THP_ENABLED, custom_linux_os_config.transparent_hugepage_support),
    text!(THP_DEFRAG, custom_linux_os_config.transparent_defrag),
    text!(CUSTOM_SEARCH_DOMAIN_NAME, custom_search_domain_config.domain_name),
    text!(CUSTOM_SEARCH_REALM_USER, custom_search_domain_config.realm_user),
    text!(CUSTOM_SEARCH_REALM_PASSWORD, custom_search_domain_config.realm_password),
    text!(SERVICE_ACCOUNT_IMAGE_PULL_DEFAULT_CLIENT_ID, service_account_image_pull_profile.default_client_id),
    text!(SERVICE_ACCOUNT_IMAGE_PULL_DEFAULT_TENANT_ID, service_account_image_pull_profile.default_tenant_id),
    text!(IDENTITY_BINDINGS_LOCAL_AUTHORITY_SNI, service_account_image_pull_profile.local_authority_sni),

    // Switches of the contract; `true` or `false` stands for one that is unset.
    switch!(CLOUDPROVIDER_BACKOFF, cluster_config.cloud_provider_config.backoff, true),
    switch!(CLOUDPROVIDER_RATELIMIT, cluster_config.cloud_provider_config.rate_limit, true),
    switch!(LOAD_BALANCER_DISABLE_OUTBOUND_SNAT, cluster_config.load_balancer_config.disable_outbound_snat, false),
    switch!(EXCLUDE_MASTER_FROM_STANDARD_LB, cluster_config.load_balancer_config.exclude_master_from_standard_load_balancer, true),
    switch!(USE_INSTANCE_METADATA, cluster_config.use_instance_metadata, false),
    switch!(USE_MANAGED_IDENTITY_EXTENSION, auth_config.use_managed_identity_extension, false),
    switch!(IS_VHD, is_vhd, true),
    switch!(IS_KATA, is_kata, false),
    switch!(NEEDS_CGROUPV2, needs_cgroupv2, false),
    switch!(PRE_PROVISION_ONLY, pre_provision_only, false),
    switch!(DISABLE_PUBKEY_AUTH, disable_pubkey_auth, false),
    switch!(ENABLE_HOSTS_CONFIG_AGENT, enable_hosts_config_agent, false),
    switch!(ENABLE_UNATTENDED_UPGRADES, enable_unattended_upgrade, false),
    switch!(IPV6_DUAL_STACK_ENABLED, ipv6_dual_stack_enabled, false),
    switch!(ARTIFACT_STREAMING_ENABLED, enable_artifact_streaming, false),
    switch!(GPU_NODE, gpu_config.enable_nvidia, false),
    switch!(CONFIG_GPU_DRIVER_IF_NEEDED, gpu_config.config_gpu_driver, false),
    switch!(ENABLE_GPU_DEVICE_PLUGIN_IF_NEEDED, gpu_config.gpu_device_plugin, false),
    switch!(MANAGED_GPU_EXPERIENCE_AFEC_ENABLED, gpu_config.managed_gpu_experience_afec_enabled, false),
    switch!(ENABLE_MANAGED_GPU, gpu_config.enable_managed_gpu, false),
    switch!(ENABLE_MANAGED_GPU_DRA, gpu_config.enable_managed_gpu_dra, false),
    switch!(KUBELET_CONFIG_FILE_ENABLED, kubelet_config.enable_kubelet_config_file, false),
    switch!(ENABLE_KUBELET_SERVING_CERTIFICATE_ROTATION, kubelet_config.kubelet_config_file_config.server_tls_bootstrap, false),
    switch!(ENABLE_IMDS_RESTRICTION, imds_restriction_config.enable_imds_restriction, false),
    switch!(INSERT_IMDS_RESTRICTION_RULE_TO_MANGLE_TABLE, imds_restriction_config.insert_imds_restriction_rule_to_mangle_table, false),
    switch!(SERVICE_ACCOUNT_IMAGE_PULL_ENABLED, service_account_image_pull_profile.enabled, false),

    // Whole numbers of the contract, and what stands for one that is unset.
    number!(CLOUDPROVIDER_BACKOFF_RETRIES, cluster_config.cloud_provider_config.backoff_retries, 6),
    number!(CLOUDPROVIDER_BACKOFF_DURATION, cluster_config.cloud_provider_config.backoff_duration, 5),
    number!(CLOUDPROVIDER_RATELIMIT_BUCKET, cluster_config.cloud_provider_config.rate_limit_bucket, 100),
    number!(CLOUDPROVIDER_RATELIMIT_BUCKET_WRITE, cluster_config.cloud_provider_config.rate_limit_bucket_write, 100),
    number!(MAXIMUM_LOADBALANCER_RULE_COUNT, cluster_config.load_balancer_config.max_load_balancer_rule_count, 148),
    number!(SWAP_FILE_SIZE_MB, custom_linux_os_config.swap_file_size, 0),
    number!(STANDARD_SECONDARY_NIC_COUNT, network_config.standard_secondary_nic_count, 0),

    // Numbers of the contract, likewise, as Go prints them.
    double!(CLOUDPROVIDER_BACKOFF_EXPONENT, cluster_config.cloud_provider_config.backoff_exponent, 0.0),
    double!(CLOUDPROVIDER_BACKOFF_JITTER, cluster_config.cloud_provider_config.backoff_jitter, 0.0),
    double!(CLOUDPROVIDER_RATELIMIT_QPS, cluster_config.cloud_provider_config.rate_limit_qps, 10.0),
    double!(CLOUDPROVIDER_RATELIMIT_QPS_WRITE, cluster_config.cloud_provider_config.rate_limit_qps_write, 10.0),

    // Enums of the contract, by the words that the scripts know.
    word!(VM_TYPE, cluster_config.vm_type),
    word!(LOAD_BALANCER_SKU, cluster_config.load_balancer_config.load_balancer_sku),
    word!(NETWORK_PLUGIN, network_config.network_plugin),
    word!(NETWORK_POLICY, network_config.network_policy),

    // Decisions: the function, and what it looks at.
    decided!(IS_CUSTOM_CLOUD, computed::is_custom_cloud, ["custom_cloud_config.custom_cloud_env_name"]),
    decided!(DISABLE_SSH, computed::ssh_is_off, ["enable_ssh"]),
    decided!(SGX_NODE, computed::has_sgx, ["vm_size"]),
    decided!(MIG_NODE, computed::is_partitioned, ["gpu_config.gpu_instance_profile"]),
    decided!(GPU_NEEDS_FABRIC_MANAGER, computed::has_fabric, ["vm_size"]),
    decided!(ENSURE_NO_DUPE_PROMISCUOUS_BRIDGE, computed::has_kubenet_bridge, ["network_config.network_plugin", "network_config.network_policy"]),
    decided!(ENABLE_SECURE_TLS_BOOTSTRAPPING, computed::bootstraps_securely, ["bootstrapping_config.bootstrapping_auth_method"]),
    decided!(HAS_KUBELET_DISK_TYPE, computed::uses_temp_disk, ["kubelet_config.kubelet_disk_type"]),
    decided!(SHOULD_CONFIGURE_HTTP_PROXY, computed::has_proxy, ["http_proxy_config.http_proxy", "http_proxy_config.https_proxy"]),
    decided!(SHOULD_CONFIGURE_HTTP_PROXY_CA, computed::has_proxy_ca, ["http_proxy_config.proxy_trusted_ca"]),
    decided!(SHOULD_CONFIGURE_CUSTOM_CA_TRUST, computed::has_custom_cas, ["custom_ca_certs"]),
    decided!(HAS_CUSTOM_SEARCH_DOMAIN, computed::has_search_domain, [
        "custom_search_domain_config.domain_name", "custom_search_domain_config.realm_user",
        "custom_search_domain_config.realm_password",
    ]),
    decided!(SHOULD_CONFIG_SWAP_FILE, computed::has_swap, ["custom_linux_os_config.enable_swap_config", "custom_linux_os_config.swap_file_size"]),
    decided!(SHOULD_CONFIG_TRANSPARENT_HUGE_PAGE, computed::has_huge_pages, [
        "custom_linux_os_config.transparent_defrag", "custom_linux_os_config.transparent_hugepage_support",
    ]),
    decided!(SHOULD_CONFIG_CONTAINERD_ULIMITS, computed::has_ulimits, ["custom_linux_os_config.ulimit_config"]),
    decided!(SHOULD_ENABLE_LOCALDNS, computed::has_local_dns, ["local_dns_profile.enable_local_dns"]),
    decided!(SHOULD_ENABLE_HOSTS_PLUGIN, computed::has_hosts_plugin, ["local_dns_profile.enable_local_dns", "local_dns_profile.enable_hosts_plugin"]),

    // Texts made from several things: the function, and what it looks at. `rendered` ones can be refused.
    computed!(TARGET_CLOUD, computed::target_cloud, ["custom_cloud_config.custom_cloud_env_name", "cluster_config.location"]),
    computed!(TARGET_ENVIRONMENT, computed::target_environment, ["custom_cloud_config.custom_cloud_env_name", "cluster_config.location"]),
    computed!(ARM_RESOURCE_ENDPOINT, computed::arm_resource_endpoint, [
        "custom_cloud_config.custom_cloud_env_name", "custom_cloud_config.custom_env_json_content",
        "cluster_config.location",
    ]),
    computed!(AZURE_ENVIRONMENT_FILEPATH, computed::azure_environment_filepath, ["custom_cloud_config.custom_cloud_env_name"]),
    computed!(REPO_DEPOT_ENDPOINT, computed::repo_depot_endpoint, [
        "custom_cloud_config.custom_cloud_env_name", "custom_cloud_config.repo_depot_endpoint",
    ]),
    computed!(GPU_DRIVER_TYPE, computed::gpu_driver_type, ["vm_size"]),
    computed!(GPU_DRIVER_VERSION, computed::gpu_driver_version, ["vm_size", "facts.components"]),
    computed!(GPU_IMAGE_SHA, computed::gpu_image_sha, ["vm_size", "facts.components"]),
    computed!(NVIDIA_MIG_PROFILE_LAYOUT, computed::mig_profile_layout, ["gpu_config.mig_profile_layout"]),
    computed!(NO_PROXY_URLS, computed::no_proxy_urls, ["http_proxy_config.no_proxy_entries"]),
    computed!(PROXY_VARS, computed::proxy_vars, [
        "http_proxy_config.http_proxy", "http_proxy_config.https_proxy", "http_proxy_config.no_proxy_entries",
    ]),
    computed!(HTTP_PROXY_TRUSTED_CA, computed::http_proxy_trusted_ca, ["http_proxy_config.proxy_trusted_ca"]),
    computed!(CUSTOM_CA_TRUST_COUNT, computed::custom_ca_trust_count, ["custom_ca_certs"]),
    computed!(KUBELET_FLAGS, computed::kubelet_flags, ["kubelet_config.kubelet_flags", "kubernetes_version"]),
    computed!(KUBELET_NODE_LABELS, computed::kubelet_node_labels, ["kubelet_config.kubelet_node_labels"]),
    rendered!(CONTAINERD_ULIMITS, computed::containerd_ulimits, ["custom_linux_os_config.ulimit_config"]),
    computed!(CSE_TIMEOUT, computed::cse_timeout, ["cse_timeout"]),
    computed!(LOCALDNS_CPU_LIMIT, computed::localdns_cpu_limit, ["local_dns_profile.enable_local_dns", "local_dns_profile.cpu_limit_in_milli_cores"]),
    computed!(LOCALDNS_MEMORY_LIMIT, computed::localdns_memory_limit, ["local_dns_profile.enable_local_dns", "local_dns_profile.memory_limit_in_mb"]),
    computed!(LOCALDNS_CRITICAL_FQDNS, computed::localdns_critical_fqdns, ["local_dns_profile.critical_fqdns"]),
    computed!(LOCALDNS_HOSTS_PLUGIN_REFRESH_INTERVAL_IN_SECONDS, computed::localdns_refresh_interval, [
        "local_dns_profile.hosts_plugin_refresh_interval_in_seconds",
    ]),

    // Files, as base64.
    computed!(KUBELET_CONFIG_FILE_CONTENT, embedded::kubelet_config_file, ["kubelet_config.kubelet_config_file_config", "kubernetes_version"]),
    rendered!(CONTAINERD_CONFIG_CONTENT, embedded::containerd_with_gpu, [
        "facts.containerd", "containerd_config.containerd_version", "kubelet_config.container_data_dir",
        "kube_binary_config.pod_infra_container_image_url", "is_kata", "enable_artifact_streaming", "needs_cgroupv2",
        "network_config.network_plugin", "network_config.network_policy", "kubernetes_version",
        "gpu_config.enable_nvidia",
    ]),
    rendered!(CONTAINERD_CONFIG_NO_GPU_CONTENT, embedded::containerd_without_gpu, [
        "facts.containerd", "containerd_config.containerd_version", "kubelet_config.container_data_dir",
        "kube_binary_config.pod_infra_container_image_url", "is_kata", "enable_artifact_streaming", "needs_cgroupv2",
        "network_config.network_plugin", "network_config.network_policy", "kubernetes_version",
    ]),
    rendered!(SYSCTL_CONTENT, embedded::sysctl_content, ["custom_linux_os_config.sysctl_config"]),
    computed!(KUBENET_TEMPLATE, embedded::kubenet_template, []),
    rendered!(LOCALDNS_GENERATED_COREFILE, embedded::corefile_base, [
        "local_dns_profile.enable_local_dns", "local_dns_profile.vnet_dns_overrides",
        "local_dns_profile.kube_dns_overrides", "cluster_config.cluster_network_config.core_dns_service_ip",
    ]),
    rendered!(LOCALDNS_COREFILE_BASE, embedded::corefile_base, [
        "local_dns_profile.enable_local_dns", "local_dns_profile.vnet_dns_overrides",
        "local_dns_profile.kube_dns_overrides", "cluster_config.cluster_network_config.core_dns_service_ip",
    ]),
    rendered!(LOCALDNS_COREFILE_WITH_HOSTS, embedded::corefile_with_hosts, [
        "local_dns_profile.enable_local_dns", "local_dns_profile.vnet_dns_overrides",
        "local_dns_profile.kube_dns_overrides", "cluster_config.cluster_network_config.core_dns_service_ip",
    ]),
];
