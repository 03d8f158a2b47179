//! From a resolved node to its variables.

use std::borrow::Cow;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use slipway_render::{CHINA_LEGACY_REGISTRY, Cloud, SysctlError};

use super::{Value, Variable, Variables};
use crate::bootstrap::Bootstrap;
use crate::computed::{
    COMPAT_SYSCTLS, NotARelease, Release, SubnetId, azure_cni_url, cni_plugins_url, containerd,
    kubelet_flags, sysctls, whole_megabytes,
};
use crate::{Fidelity, Layered, Overridden, Source};

/// Why a node has no variables.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NoVariables {
    /// Flags and downloads go by the version.
    #[error("nodeClass.kubernetesVersion: {0}")]
    Release(#[from] NotARelease),
    /// A kernel setting cannot be written.
    #[error("nodeClass.spec.linuxOSConfig.sysctls: {0}")]
    Sysctl(#[from] SysctlError),
}

type PartOfSubnet = for<'s> fn(SubnetId<'s>) -> &'s str;

/// The variables of a node.
pub fn variables(node: &Bootstrap, fidelity: Fidelity) -> Result<Variables<'_>, NoVariables> {
    let release = Release::parse(&node.kubernetes_version)?;
    let mut variables = Variables::default();
    identity(&mut variables, node);
    network(&mut variables, node);
    downloads(&mut variables, release, &node.arch);
    gpu(&mut variables, node);
    kubelet(&mut variables, node, release, fidelity);
    match fidelity {
        Fidelity::Compat => {
            variables.set(Variable::SysctlContent, encoded(COMPAT_SYSCTLS), Source::Fixed);
        }
        Fidelity::Ours => {
            machine(&mut variables, node)?;
            outside(&mut variables, node);
        }
    }
    Ok(variables)
}

fn encoded(content: &str) -> Value<'static> {
    STANDARD.encode(content).into()
}

fn identity<'a>(variables: &mut Variables<'a>, node: &'a Bootstrap) {
    for (variable, value, source) in [
        (Variable::TenantID, &node.tenant_id, Source::Environment),
        (Variable::SubscriptionID, &node.subscription_id, Source::Environment),
        (Variable::Location, &node.location, Source::Environment),
        (Variable::KubernetesVersion, &node.kubernetes_version, Source::Detected),
        (Variable::KubeCACrt, &node.ca_bundle, Source::Detected),
        (Variable::ResourceGroup, &node.resource_group, Source::GlobalOptions),
        (Variable::UserAssignedIdentityID, &node.kubelet_identity_client_id, Source::GlobalOptions),
        (Variable::TLSBootstrapToken, node.bootstrap_token.expose(), Source::GlobalOptions),
        (Variable::APIServerName, &node.api_server_name, Source::Computed),
    ] {
        variables.set(variable, value.as_str().into(), source);
    }
}

fn network<'a>(variables: &mut Variables<'a>, node: &'a Bootstrap) {
    for (variable, value, source) in [
        (Variable::NetworkPlugin, &node.network_plugin, Source::Computed),
        (Variable::NetworkPolicy, &node.network_policy, Source::GlobalOptions),
        (Variable::NetworkSecurityGroup, &node.network_security_group, Source::Detected),
        (Variable::RouteTable, &node.route_table, Source::Computed),
    ] {
        variables.set(variable, value.as_str().into(), source);
    }
    let parts: [(Variable, PartOfSubnet); 3] = [
        (Variable::Subnet, |id| id.name),
        (Variable::VirtualNetwork, |id| id.network),
        (Variable::VirtualNetworkResourceGroup, |id| id.resource_group),
    ];
    // The peer passes over an id that cannot be read; here it has been refused before.
    let read = |id: &'a String| SubnetId::parse(id).ok();
    let subnet = read(&node.subnet_id.value);
    for (variable, part) in parts {
        let part = |id: Option<SubnetId<'a>>| id.map(part).unwrap_or_default();
        variables.set(variable, part(subnet).into(), node.subnet_id.source);
        let lost = node.subnet_id.overridden.iter();
        variables.entries[variable as usize].overridden = lost
            .map(|lost| Overridden { value: part(read(&lost.value)).to_owned(), source: lost.source })
            .collect();
    }
}

fn downloads(variables: &mut Variables<'_>, release: Release<'_>, arch: &str) {
    for (variable, url) in [
        (Variable::KubeBinaryURL, release.kube_binary_url(arch)),
        (Variable::CredentialProviderDownloadURL, release.credential_provider_url(arch)),
        (Variable::VNETCNILinuxPluginsURL, azure_cni_url(arch)),
        (Variable::CNIPluginsURL, cni_plugins_url(arch)),
    ] {
        variables.set(variable, url.into(), Source::Computed);
    }
}

fn gpu<'a>(variables: &mut Variables<'a>, node: &'a Bootstrap) {
    let gpu = &node.gpu;
    let is_set_up = gpu.is_set_up();
    for variable in [Variable::GPUNode, Variable::ConfigGPUDriverIfNeeded] {
        variables.set(variable, truth(is_set_up), Source::Computed);
    }
    for (variable, value) in [
        (Variable::GPUDriverType, &gpu.driver_type),
        (Variable::GPUDriverVersion, &gpu.driver_version),
        (Variable::GPUImageSHA, &gpu.image_suffix),
    ] {
        let value = if is_set_up { value.as_str() } else { "" };
        variables.set(variable, value.into(), Source::Computed);
    }
    let content = encoded(&containerd(is_set_up, true, false));
    variables.set(Variable::ContainerdConfigContent, content, Source::Computed);
}

fn truth(on: bool) -> Value<'static> {
    if on { "true" } else { "false" }.into()
}

fn kubelet(variables: &mut Variables<'_>, node: &Bootstrap, release: Release<'_>, fidelity: Fidelity) {
    let flags = kubelet_flags(release, &node.taints, node.kubelet.as_ref(), fidelity);
    variables.set(Variable::KubeletFlags, flags.text().into(), Source::Computed);
    variables.entries[Variable::KubeletFlags as usize].overridden =
        flags.iter().flat_map(|(flag, layers)| lost(flag, layers)).collect();
    let labels = match fidelity {
        Fidelity::Compat => Cow::Borrowed(&node.labels),
        Fidelity::Ours => node.labels.without_what_is_not_run(),
    };
    variables.set(Variable::KubeletNodeLabels, labels.text().into(), Source::Computed);
    variables.entries[Variable::KubeletNodeLabels as usize].overridden =
        labels.iter().flat_map(|(key, layers)| lost(key, layers)).collect();
}

/// What a flag or label won over.
fn lost<T: AsRef<str>>(key: &str, layers: &Layered<T>) -> impl Iterator<Item = Overridden<String>> {
    layers
        .overridden
        .iter()
        .map(move |lost| Overridden { value: format!("{key}={}", lost.value.as_ref()), source: lost.source })
}

/// What the peer does not pass on of the options and the node class.
fn machine<'a>(variables: &mut Variables<'a>, node: &'a Bootstrap) -> Result<(), NoVariables> {
    layered(variables, Variable::AdminUsername, &node.admin_username);
    layered(variables, Variable::TargetCloud, &node.cloud);
    layered(variables, Variable::TargetEnvironment, &node.cloud);
    if node.cloud.value == Cloud::China.name() {
        variables.registry = CHINA_LEGACY_REGISTRY;
    }
    if node.gpu.is_set_up() && node.gpu.needs_fabric_manager {
        over(variables, Variable::GPUNeedsFabricManager, truth(true), Source::Computed);
    }
    let config = node.linux_os.as_ref();
    let source =
        if config.is_some_and(|config| config.sysctls.is_some()) { Source::NodeClass } else { Source::Fixed };
    variables.set(Variable::SysctlContent, encoded(&sysctls(config)?), source);
    let Some(config) = config else { return Ok(()) };
    let swap = config.swap_file_size.as_deref().and_then(|size| whole_megabytes(size, Fidelity::Ours));
    if let Some(megabytes) = swap.filter(|megabytes| *megabytes > 0) {
        over(variables, Variable::ShouldConfigSwapFile, truth(true), Source::NodeClass);
        over(variables, Variable::SwapFileSizeMB, megabytes.to_string().into(), Source::NodeClass);
    }
    for (variable, setting) in [
        (Variable::THPEnabled, &config.transparent_huge_page_enabled),
        (Variable::THPDefrag, &config.transparent_huge_page_defrag),
    ] {
        if let Some(setting) = setting.as_deref().filter(|setting| !setting.is_empty()) {
            over(variables, Variable::ShouldConfigTransparentHugePage, truth(true), Source::NodeClass);
            over(variables, variable, setting.into(), Source::NodeClass);
        }
    }
    Ok(())
}

/// The proxy and the certificates that nodes trust.
fn outside<'a>(variables: &mut Variables<'a>, node: &'a Bootstrap) {
    let proxy = &node.http_proxy;
    if proxy.is_set() {
        over(variables, Variable::ShouldConfigureHTTPProxy, truth(true), Source::GlobalOptions);
        over(variables, Variable::HTTPProxyURLs, proxy.http.as_str().into(), Source::GlobalOptions);
        over(variables, Variable::HTTPSProxyURLs, proxy.https.as_str().into(), Source::GlobalOptions);
        over(variables, Variable::NoProxyURLs, proxy.exceptions.join(",").into(), Source::GlobalOptions);
        if !proxy.trusted_ca.expose().is_empty() {
            over(variables, Variable::ShouldConfigureHTTPProxyCA, truth(true), Source::GlobalOptions);
            let ca = proxy.trusted_ca.expose().as_str();
            variables.set(Variable::HTTPProxyTrustedCA, ca.into(), Source::GlobalOptions);
        }
    }
    if !node.custom_ca_certificates.is_empty() {
        over(variables, Variable::ShouldConfigureCustomCATrust, truth(true), Source::GlobalOptions);
        let certificates = Value::List(&node.custom_ca_certificates);
        over(variables, Variable::CustomCATrustConfigCerts, certificates, Source::GlobalOptions);
    }
}

fn layered<'a>(variables: &mut Variables<'a>, variable: Variable, layers: &'a Layered<String>) {
    variables.set(variable, layers.value.as_str().into(), layers.source);
    variables.entries[variable as usize].overridden.clone_from(&layers.overridden);
}

/// Sets a variable and remembers what stood there.
fn over<'a>(variables: &mut Variables<'a>, variable: Variable, value: Value<'a>, source: Source) {
    let entry = &mut variables.entries[variable as usize];
    if entry.value == value {
        entry.source = source;
        return;
    }
    let before = Overridden { value: entry.value.text().into_owned(), source: entry.source };
    entry.value = value;
    entry.source = source;
    entry.overridden.insert(0, before);
}
