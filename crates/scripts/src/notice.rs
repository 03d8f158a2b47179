//! What the person who runs us should know although the variables could be built.

use slipway_contract::Contract;
use slipway_contract::codec::{Format, Message as _, View};
use slipway_contract::messages::{LocalDnsOverrides, LocalDnsProfile};
use slipway_model::{Containerd, Facts, Mode};
use slipway_render::GpuImages;

use crate::computed::arm_resource_endpoint;
use crate::input::Input;

/// Something about a variable that the peer passes over in silence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Notice {
    /// The variable.
    pub variable: &'static str,
    /// What is to be known about it.
    pub message: String,
}

/// The notices about a contract on a machine; the peer's rules have none.
pub(crate) fn notices(input: &Input<'_>) -> Vec<Notice> {
    if input.mode == Mode::Compat {
        return Vec::new();
    }
    let mut notices = Vec::new();
    let mut note = |variable, message: String| notices.push(Notice { variable, message });
    if let Some(message) = containerd(input.facts) {
        note("CONTAINERD_CONFIG_CONTENT", message);
    }
    if let Some(message) = gpu(input.contract, input.facts) {
        note("GPU_DRIVER_VERSION", message);
    }
    if input.is_custom_cloud() && arm_resource_endpoint(input).reveal().is_empty() {
        let message = "the custom cloud's environment names no resourceManagerEndpoint, or cannot be read";
        note("ARM_RESOURCE_ENDPOINT", message.to_owned());
    }
    if let Some(profile) = input.contract.local_dns_profile.as_ref().filter(|_| input.has_local_dns()) {
        for message in unknown_words(profile) {
            note("LOCALDNS_COREFILE_BASE", message);
        }
    }
    notices
}

fn containerd(facts: &Facts) -> Option<String> {
    let known = match &facts.containerd {
        Containerd::Version(version) if version.contains(|c: char| c.is_ascii_digit()) => return None,
        Containerd::Version(version) => format!("containerd says that it is {version:?}"),
        Containerd::Missing => "containerd does not run on this machine".to_owned(),
        Containerd::Unknown => "which containerd this machine has is not known".to_owned(),
    };
    Some(format!(
        "{known}; the configuration is for the version that the contract asks for, else for 1.x, which 2.x reads too"
    ))
}

fn gpu(contract: &Contract, facts: &Facts) -> Option<String> {
    contract.gpu_config.as_ref().filter(|gpu| gpu.enable_nvidia == Some(true))?;
    match &facts.components {
        None => Some("the image's component manifest is not known, so neither is its GPU driver".to_owned()),
        Some(manifest) => GpuImages::from_manifest(&manifest.0).err().map(|error| error.to_string()),
    }
}

/// Words of the DNS profile that mean nothing to us and so are treated as if they were not there.
fn unknown_words(profile: &LocalDnsProfile) -> Vec<String> {
    let sections = [("vnet", &profile.vnet_dns_overrides), ("kube", &profile.kube_dns_overrides)];
    let domains = sections.into_iter().flat_map(|(section, overrides)| {
        overrides.iter().map(move |(domain, settings)| (section, domain, settings))
    });
    let unknown = |(section, domain, settings): (&str, &String, &LocalDnsOverrides)| {
        let fields = settings.table().fields.iter().enumerate();
        let odd = fields.filter_map(|(at, field)| match (settings.view(at), field.format) {
            (View::Text(word), Format::OneOf(words)) if !words.contains(&word) => Some(format!(
                "{section}_dns_overrides[{domain:?}].{} is {word:?}, which means nothing",
                field.name
            )),
            _ => None,
        });
        odd.collect::<Vec<_>>()
    };
    domains.flat_map(unknown).collect()
}
