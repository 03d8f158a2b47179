//! The files that travel in variables: each is rendered from the contract and wrapped in base64.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use slipway_contract::codec::{Message, View};
use slipway_contract::messages::LocalDnsOverrides;
use slipway_model::{Containerd, Mode};
use slipway_render::{
    ContainerdConfig, Family, Hosts, Json, KUBENET_TEMPLATE, LocalDns, Override, RETIRED_SETTING, Sysctl,
    Variant, containerd_config, corefile, kubelet_config, sysctl_file,
};

use crate::field::Text;
use crate::input::Input;
use crate::refusal::Refusal;

type Rendered<'a> = Result<Text<'a>, Refusal>;

pub(crate) fn kubenet_template<'a>(_: &Input<'a>) -> Text<'a> {
    base64(KUBENET_TEMPLATE)
}

pub(crate) fn sysctl_content<'a>(input: &Input<'a>) -> Rendered<'a> {
    let config = input.contract.custom_linux_os_config.as_ref().and_then(|os| os.sysctl_config.as_ref());
    let requested: Vec<_> = config.into_iter().flat_map(slipway_contract::node::sysctls).collect();
    let requested = requested.iter().map(|(name, value)| (*name, Sysctl::Text(value)));
    Ok(base64(&sysctl_file(requested, input.mode)?))
}

pub(crate) fn containerd_with_gpu<'a>(input: &Input<'a>) -> Rendered<'a> {
    containerd(input, Variant::Gpu)
}

pub(crate) fn containerd_without_gpu<'a>(input: &Input<'a>) -> Rendered<'a> {
    containerd(input, Variant::NoGpu)
}

fn containerd<'a>(input: &Input<'a>, variant: Variant) -> Rendered<'a> {
    let contract = input.contract;
    let config = ContainerdConfig {
        family: containerd_family(input),
        root: contract.kubelet_config.as_ref().map_or("", |kubelet| &kubelet.container_data_dir),
        sandbox_image: contract
            .kube_binary_config
            .as_ref()
            .map_or("", |it| &it.pod_infra_container_image_url),
        kata: contract.is_kata,
        artifact_streaming: contract.enable_artifact_streaming,
        nvidia: contract.gpu_config.as_ref().is_some_and(|gpu| gpu.enable_nvidia == Some(true)),
        cgroup_v2: contract.needs_cgroupv2 == Some(true),
        kubenet_bridge: input.has_kubenet_bridge(),
        registry_hosts: input.kubernetes_is_at_least(1, 22),
    };
    Ok(base64(&containerd_config(&config, variant, input.mode)?))
}

/// The family of the machine's containerd. Where there is none yet, ours is the one that the contract asks for.
fn containerd_family(input: &Input<'_>) -> Family {
    let asked = || match (&input.contract.containerd_config, input.mode) {
        (Some(containerd), Mode::Ours) => containerd.containerd_version.as_str(),
        _ => "",
    };
    let version = match &input.facts.containerd {
        Containerd::Version(version) => version,
        Containerd::Unknown | Containerd::Missing => asked(),
    };
    Family::of_version(version, input.mode)
}

/// Empty without a kubelet message, an empty object without settings in it; made even when it is switched off.
pub(crate) fn kubelet_config_file<'a>(input: &Input<'a>) -> Text<'a> {
    let Some(kubelet) = &input.contract.kubelet_config else { return "".into() };
    let mut settings = match &kubelet.kubelet_config_file_config {
        Some(config) => object(config),
        None => Json::Object(Vec::new()),
    };
    if input.kubernetes_is_at_least(1, 34)
        && let Some(members) = settings.members_mut()
    {
        members.retain(|(name, _)| name != RETIRED_SETTING);
    }
    base64(&kubelet_config(settings, input.mode))
}

/// A message by its JSON names, what is absent left out.
fn object(message: &dyn Message) -> Json<'_> {
    let fields = message.table().fields.iter().enumerate();
    let members = fields.filter_map(|(at, field)| Some((field.json_name.into(), json(message.view(at))?)));
    Json::Object(members.collect())
}

/// A value of kubelet's configuration; it has no others, which a test makes sure of.
fn json(view: View<'_>) -> Option<Json<'_>> {
    match view {
        View::Bool(value) => Some(Json::Bool(value)),
        View::Int(value) => Some(Json::Int(value)),
        View::Text(text) => Some(Json::Text(text.into())),
        View::Message(message) => Some(object(message)),
        View::List(values) => Some(Json::List(values.into_iter().filter_map(json).collect())),
        View::Map(entries) => {
            let members = entries.into_iter().filter_map(|(key, value)| Some((key, json(value)?)));
            Some(Json::Object(members.collect()))
        }
        _ => None,
    }
}

pub(crate) fn corefile_base<'a>(input: &Input<'a>) -> Rendered<'a> {
    localdns_corefile(input, Hosts::Unused)
}

/// Rendered even when the hosts plugin is off: the scripts choose.
pub(crate) fn corefile_with_hosts<'a>(input: &Input<'a>) -> Rendered<'a> {
    localdns_corefile(input, Hosts::First)
}

fn localdns_corefile<'a>(input: &Input<'a>, hosts: Hosts) -> Rendered<'a> {
    let Some(profile) = input.contract.local_dns_profile.as_ref().filter(|_| input.has_local_dns()) else {
        return Ok("".into());
    };
    let network = input.contract.cluster_config.as_ref().and_then(|it| it.cluster_network_config.as_ref());
    let dns = LocalDns {
        vnet: profile.vnet_dns_overrides.iter().map(settings_of_domain).collect(),
        kube: profile.kube_dns_overrides.iter().map(settings_of_domain).collect(),
        cluster_dns: network.map_or("", |network| &network.core_dns_service_ip),
    };
    Ok(base64(&corefile(&dns, hosts, input.mode)?))
}

fn settings_of_domain<'a>((domain, it): (&'a String, &'a LocalDnsOverrides)) -> (&'a str, Override<'a>) {
    let check = it.health_check.as_ref();
    let settings = Override {
        query_logging: &it.query_logging,
        protocol: &it.protocol,
        forward_destination: &it.forward_destination,
        forward_policy: &it.forward_policy,
        max_concurrent: it.max_concurrent,
        cache_seconds: it.cache_duration_in_seconds,
        stale_seconds: it.serve_stale_duration_in_seconds,
        serve_stale: &it.serve_stale,
        fail_fast: it.failfast_all_unhealthy_upstreams == Some(true),
        health_check: check.and_then(|check| check.duration.as_deref()).unwrap_or_default(),
        health_check_no_recursion: check.is_some_and(|check| check.no_rec == Some(true)),
        health_check_domain: check.and_then(|check| check.domain.as_deref()).unwrap_or_default(),
    };
    (domain, settings)
}

fn base64(text: &str) -> Text<'static> {
    BASE64_STANDARD.encode(text).into()
}

#[cfg(test)]
mod tests {
    use slipway_contract::codec::{Kind, MessageTable};
    use slipway_contract::messages::KubeletConfigFileConfig;

    use super::*;

    #[test]
    fn no_setting_of_kubelet_is_of_a_kind_that_would_be_dropped() {
        fn check(table: &MessageTable) {
            for field in table.fields {
                match field.kind {
                    Kind::Bool | Kind::Int32 | Kind::String => {}
                    Kind::Message(inner) => check(inner),
                    _ => panic!("{}.{}", table.name, field.name),
                }
            }
        }
        check(KubeletConfigFileConfig::default().table());
    }
}
