//! The decisions and small texts of the table, each under the name that the table calls it by.

use std::borrow::Cow;
use std::collections::BTreeMap;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use slipway_contract::messages::{BootstrappingAuthMethod, HttpProxyConfig, KubeletDisk};
use slipway_model::{Mode, Secret};
use slipway_render::{
    Cloud, GpuDriver, Proxy, RETIRED_FLAG, Ulimits, gpu_driver, needs_fabric_manager, proxy_exports,
    resource_manager_endpoint, supports_sgx,
};

use crate::field::Text;
use crate::input::Input;
use crate::refusal::Refusal;

/// How long the scripts may take, unless the contract says so within reason.
const SCRIPT_SECONDS: i32 = 900;
const MOST_SCRIPT_SECONDS: i32 = 21_600;

pub(crate) fn is_custom_cloud(input: &Input<'_>) -> bool {
    input.is_custom_cloud()
}

pub(crate) fn ssh_is_off(input: &Input<'_>) -> bool {
    input.contract.enable_ssh == Some(false)
}

pub(crate) fn has_sgx(input: &Input<'_>) -> bool {
    supports_sgx(&input.contract.vm_size)
}

pub(crate) fn is_partitioned(input: &Input<'_>) -> bool {
    input.contract.gpu_config.as_ref().is_some_and(|gpu| !gpu.gpu_instance_profile.is_empty())
}

pub(crate) fn has_fabric(input: &Input<'_>) -> bool {
    needs_fabric_manager(&input.contract.vm_size)
}

pub(crate) fn has_kubenet_bridge(input: &Input<'_>) -> bool {
    input.has_kubenet_bridge()
}

pub(crate) fn bootstraps_securely(input: &Input<'_>) -> bool {
    let bootstrapping = input.contract.bootstrapping_config.as_ref();
    bootstrapping
        .is_some_and(|it| it.bootstrapping_auth_method == BootstrappingAuthMethod::SecureTlsBootstrapping)
}

pub(crate) fn uses_temp_disk(input: &Input<'_>) -> bool {
    input.contract.kubelet_config.as_ref().is_some_and(|it| it.kubelet_disk_type == KubeletDisk::TempDisk)
}

/// A list of what to reach without a proxy is no proxy.
pub(crate) fn has_proxy(input: &Input<'_>) -> bool {
    proxy(input).is_some_and(|proxy| !proxy.http_proxy.is_empty() || !proxy.https_proxy.is_empty())
}

pub(crate) fn has_proxy_ca(input: &Input<'_>) -> bool {
    proxy(input).is_some_and(|proxy| !proxy.proxy_trusted_ca.is_empty())
}

pub(crate) fn has_custom_cas(input: &Input<'_>) -> bool {
    !input.contract.custom_ca_certs.is_empty()
}

pub(crate) fn has_search_domain(input: &Input<'_>) -> bool {
    input.contract.custom_search_domain_config.as_ref().is_some_and(|search| {
        !search.domain_name.is_empty()
            && !search.realm_user.is_empty()
            && !search.realm_password.expose().is_empty()
    })
}

pub(crate) fn has_swap(input: &Input<'_>) -> bool {
    let os = input.contract.custom_linux_os_config.as_ref();
    os.is_some_and(|os| os.enable_swap_config && os.swap_file_size > 0)
}

pub(crate) fn has_huge_pages(input: &Input<'_>) -> bool {
    let os = input.contract.custom_linux_os_config.as_ref();
    os.is_some_and(|os| !os.transparent_defrag.is_empty() || !os.transparent_hugepage_support.is_empty())
}

/// An empty message counts: the scripts then write an empty drop-in.
pub(crate) fn has_ulimits(input: &Input<'_>) -> bool {
    input.contract.custom_linux_os_config.as_ref().is_some_and(|os| os.ulimit_config.is_some())
}

pub(crate) fn has_local_dns(input: &Input<'_>) -> bool {
    input.has_local_dns()
}

pub(crate) fn has_hosts_plugin(input: &Input<'_>) -> bool {
    let profile = input.contract.local_dns_profile.as_ref();
    input.has_local_dns() && profile.is_some_and(|profile| profile.enable_hosts_plugin)
}

pub(crate) fn target_cloud<'a>(input: &Input<'a>) -> Text<'a> {
    if input.is_custom_cloud() { "AzureStackCloud" } else { cloud(input).name() }.into()
}

pub(crate) fn target_environment<'a>(input: &Input<'a>) -> Text<'a> {
    if input.is_custom_cloud() { "akscustom" } else { cloud(input).name() }.into()
}

/// The contract has the custom cloud's environment as base64; the peer reads it as it is and so finds nothing.
pub(crate) fn arm_resource_endpoint<'a>(input: &Input<'a>) -> Text<'a> {
    if !input.is_custom_cloud() {
        return cloud(input).resource_manager().into();
    }
    let environment =
        input.contract.custom_cloud_config.as_ref().map_or("", |it| &it.custom_env_json_content);
    let decoded = match input.mode {
        Mode::Compat => None,
        Mode::Ours => BASE64_STANDARD.decode(environment.replace(['\n', '\r'], "")).ok(),
    };
    let decoded = decoded.and_then(|octets| String::from_utf8(octets).ok());
    let endpoint = resource_manager_endpoint(decoded.as_deref().unwrap_or(environment));
    endpoint.unwrap_or_default().into()
}

pub(crate) fn azure_environment_filepath<'a>(input: &Input<'a>) -> Text<'a> {
    if input.is_custom_cloud() { "/etc/kubernetes/akscustom.json" } else { "" }.into()
}

pub(crate) fn repo_depot_endpoint<'a>(input: &Input<'a>) -> Text<'a> {
    let cloud = input.contract.custom_cloud_config.as_ref().filter(|_| input.is_custom_cloud());
    cloud.map_or("", |cloud| &cloud.repo_depot_endpoint).into()
}

pub(crate) fn gpu_driver_type<'a>(input: &Input<'a>) -> Text<'a> {
    driver(input).kind.into()
}

pub(crate) fn gpu_driver_version<'a>(input: &Input<'a>) -> Text<'a> {
    driver(input).version.to_owned().into()
}

pub(crate) fn gpu_image_sha<'a>(input: &Input<'a>) -> Text<'a> {
    driver(input).image.to_owned().into()
}

pub(crate) fn mig_profile_layout<'a>(input: &Input<'a>) -> Text<'a> {
    input.contract.gpu_config.as_ref().map_or(String::new(), |gpu| gpu.mig_profile_layout.join(",")).into()
}

pub(crate) fn no_proxy_urls<'a>(input: &Input<'a>) -> Text<'a> {
    proxy(input).map_or(String::new(), |proxy| proxy.no_proxy_entries.join(",")).into()
}

pub(crate) fn proxy_vars<'a>(input: &Input<'a>) -> Text<'a> {
    let Some(proxy) = proxy(input) else { return "".into() };
    let proxy = Proxy { http: &proxy.http_proxy, https: &proxy.https_proxy, bypass: &proxy.no_proxy_entries };
    Text::Made(Secret::new(proxy_exports(proxy, input.mode)))
}

pub(crate) fn http_proxy_trusted_ca<'a>(input: &Input<'a>) -> Text<'a> {
    proxy(input).map_or(Cow::Borrowed(""), |proxy| without_line_breaks(&proxy.proxy_trusted_ca)).into()
}

pub(crate) fn custom_ca_trust_count<'a>(input: &Input<'a>) -> Text<'a> {
    input.contract.custom_ca_certs.len().to_string().into()
}

pub(crate) fn kubelet_flags<'a>(input: &Input<'a>) -> Text<'a> {
    let retired = input.kubernetes_is_at_least(1, 34);
    let flags = input.contract.kubelet_config.as_ref().map(|kubelet| &kubelet.kubelet_flags);
    pairs(flags, " ", |flag| !(retired && flag == RETIRED_FLAG)).into()
}

pub(crate) fn kubelet_node_labels<'a>(input: &Input<'a>) -> Text<'a> {
    let labels = input.contract.kubelet_config.as_ref().map(|kubelet| &kubelet.kubelet_node_labels);
    pairs(labels, ",", |_| true).into()
}

pub(crate) fn containerd_ulimits<'a>(input: &Input<'a>) -> Result<Text<'a>, Refusal> {
    let Some(limits) =
        input.contract.custom_linux_os_config.as_ref().and_then(|os| os.ulimit_config.as_ref())
    else {
        return Ok("".into());
    };
    let limits =
        Ulimits { open_files: limits.no_file.as_deref(), locked_memory: limits.max_locked_memory.as_deref() };
    Ok(slipway_render::containerd_ulimits(limits, input.mode)?.into())
}

/// A time out of range is not bounded but ignored.
pub(crate) fn cse_timeout<'a>(input: &Input<'a>) -> Text<'a> {
    let seconds = input.contract.cse_timeout.filter(|seconds| (1..=MOST_SCRIPT_SECONDS).contains(seconds));
    seconds.unwrap_or(SCRIPT_SECONDS).to_string().into()
}

pub(crate) fn localdns_cpu_limit<'a>(input: &Input<'a>) -> Text<'a> {
    let profile = input.contract.local_dns_profile.as_ref().filter(|_| input.has_local_dns());
    match profile.and_then(|profile| profile.cpu_limit_in_milli_cores).unwrap_or_default() {
        0 => "200.0%".into(),
        thousandths => format!("{:.1}%", f64::from(thousandths) / 10.0).into(),
    }
}

pub(crate) fn localdns_memory_limit<'a>(input: &Input<'a>) -> Text<'a> {
    let profile = input.contract.local_dns_profile.as_ref().filter(|_| input.has_local_dns());
    match profile.and_then(|profile| profile.memory_limit_in_mb).unwrap_or_default() {
        0 => "128M".into(),
        megabytes => format!("{megabytes}M").into(),
    }
}

pub(crate) fn localdns_critical_fqdns<'a>(input: &Input<'a>) -> Text<'a> {
    let Some(profile) = &input.contract.local_dns_profile else { return "".into() };
    let names = profile.critical_fqdns.iter().map(|name| name.trim()).filter(|name| !name.is_empty());
    names.collect::<Vec<_>>().join(",").into()
}

pub(crate) fn localdns_refresh_interval<'a>(input: &Input<'a>) -> Text<'a> {
    let profile = input.contract.local_dns_profile.as_ref();
    let seconds = profile.and_then(|profile| profile.hosts_plugin_refresh_interval_in_seconds);
    seconds.filter(|seconds| *seconds > 0).map_or(String::new(), |seconds| seconds.to_string()).into()
}

/// Base64 in one line, however it was wrapped.
pub(crate) fn without_line_breaks(text: &str) -> Cow<'_, str> {
    if text.contains(['\n', '\r']) { Cow::Owned(text.replace(['\n', '\r'], "")) } else { Cow::Borrowed(text) }
}

fn cloud(input: &Input<'_>) -> Cloud {
    Cloud::of_location(input.location())
}

fn driver<'i>(input: &'i Input<'_>) -> GpuDriver<'i> {
    gpu_driver(&input.contract.vm_size, &input.gpu_images)
}

fn proxy<'a>(input: &Input<'a>) -> Option<&'a HttpProxyConfig> {
    input.contract.http_proxy_config.as_ref()
}

/// `key=value` for each entry whose key is kept, in the order of the keys.
fn pairs(map: Option<&BTreeMap<String, String>>, separator: &str, keeps: impl Fn(&str) -> bool) -> String {
    let mut out = String::new();
    for (key, value) in map.into_iter().flatten().filter(|(key, _)| keeps(key)) {
        if !out.is_empty() {
            out.push_str(separator);
        }
        out.push_str(key);
        out.push('=');
        out.push_str(value);
    }
    out
}
