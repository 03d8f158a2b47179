//! What a request must hold so that a node can be made of it. The peer lets most of this through, and the node fails.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::{Finding, is_address};
use crate::computed::{Labels, Release, SubnetId, Taints, api_server_name, whole_megabytes};
use crate::request::{Kubelet, LinuxOs, Problem, Problems, Taint};
use crate::{Fidelity, Request};

const EFFECTS: [&str; 3] = ["NoSchedule", "PreferNoSchedule", "NoExecute"];

/// Problems in the making.
#[derive(Default)]
struct Report(Vec<Problem>);

impl Report {
    fn expect(&mut self, holds: bool, path: &str, message: &str) {
        if !holds {
            self.add(path.to_owned(), message);
        }
    }

    fn add(&mut self, path: String, message: &str) {
        self.0.push(Problem { path, message: message.to_owned(), hint: None });
    }

    fn finish(self) -> Result<(), Problems> {
        if self.0.is_empty() { Ok(()) } else { Err(Problems(self.0)) }
    }
}

/// Checks everything but what is only known after resolution.
pub(super) fn check(request: &Request) -> Result<(), Problems> {
    let mut report = Report::default();
    cluster(request, &mut report);
    network(request, &mut report);
    outside(request, &mut report);
    for taint in request.node_claim.taints.iter().chain(&request.node_claim.startup_taints) {
        check_taint(taint, &mut report);
    }
    if let Some(kubelet) = &request.node_class.spec.kubelet {
        check_kubelet(kubelet, &mut report);
    }
    if let Some(config) = &request.node_class.spec.linux_os_config {
        linux_os(config, request.node_class.spec.kubelet.as_ref(), &mut report);
    }
    report.finish()
}

fn cluster(request: &Request, report: &mut Report) {
    let Request { options, environment, node_class, node_claim, .. } = request;
    let version = Release::parse(&node_class.kubernetes_version);
    report.expect(
        version.is_ok_and(|version| version.major == 1),
        "nodeClass.kubernetesVersion",
        "must be the cluster's version, such as 1.33.4, without v",
    );
    report.expect(!options.cluster_name.is_empty(), "options.clusterName", "must be the cluster's name");
    report.expect(
        is_host(api_server_name(&options.cluster_endpoint)),
        "options.clusterEndpoint",
        "must be the API server's address, such as https://a.hcp.westus2.azmk8s.io:443",
    );
    report.expect(
        is_token(options.kubelet_bootstrap_token.expose()),
        "options.kubeletBootstrapToken",
        "must be a bootstrap token: <id>.<secret>",
    );
    report.expect(
        is_pem(&environment.ca_bundle_base64),
        "environment.caBundleBase64",
        "must be the cluster's certificates, in base64",
    );
    for (path, id, others) in [
        ("environment.subscriptionID", &environment.subscription_id, "-"),
        ("environment.location", &environment.location, ""),
        ("options.nodeResourceGroup", &options.node_resource_group, "-_.()"),
        ("nodeClaim.name", &node_claim.name, "-."),
        ("nodeClass.latestImageVersion", &node_class.latest_image_version, "-_."),
    ] {
        let message =
            format!("must be given, of letters and digits{}", if others.is_empty() { "" } else { " and " });
        report.expect(!id.is_empty() && is_made_of(id, others), path, &(message + others));
    }
    report.expect(is_made_of(&environment.tenant_id, "-"), "environment.tenantID", "must be a tenant's id");
    report.expect(
        is_made_of(&environment.cloud, ""),
        "environment.cloud",
        "must be a name such as AzurePublicCloud",
    );
    let identity = &options.kubelet_identity_client_id;
    report.expect(
        identity.is_empty() || is_uuid(identity),
        "options.kubeletIdentityClientID",
        "must be a client id",
    );
    report.expect(
        is_user(&options.linux_admin_username),
        "options.linuxAdminUsername",
        "must begin with a letter and have at most 32 letters, digits, - and _",
    );
    let overhead = options.vm_memory_overhead_percent;
    report.expect(
        (0.0..1.0).contains(&overhead),
        "options.vmMemoryOverheadPercent",
        "must be a fraction from 0 to 1",
    );
}

fn network(request: &Request, report: &mut Report) {
    let options = &request.options;
    let plugin = (options.network_plugin.as_str(), options.network_plugin_mode.as_str());
    report.expect(
        matches!(plugin, ("azure", "" | "overlay") | ("none", "")),
        "options.networkPlugin",
        "must be azure with networkPluginMode overlay or empty, or none with an empty mode",
    );
    let dataplane = options.network_dataplane.as_str();
    report.expect(
        matches!(dataplane, "" | "azure" | "cilium"),
        "options.networkDataplane",
        "must be azure, cilium or empty",
    );
    report.expect(
        is_made_of(&options.network_policy, "-"),
        "options.networkPolicy",
        "must be a word such as cilium, calico or azure",
    );
    report.expect(is_made_of(&options.vnet_guid, "-"), "options.vnetGUID", "must be the network's GUID");
    for (path, id) in [
        ("options.vnetSubnetID", Some(&options.vnet_subnet_id)),
        ("nodeClass.spec.vnetSubnetID", request.node_class.spec.vnet_subnet_id.as_ref()),
    ] {
        let is_subnet = |id: &String| SubnetId::parse(id).is_ok() && is_made_of(id, "/-_.()");
        report.expect(
            id.is_none_or(is_subnet),
            path,
            "must be a subnet's id: /subscriptions/S/resourceGroups/G/providers/Microsoft.Network/virtualNetworks/V/subnets/N",
        );
    }
    let dns = &options.dns_service_ip;
    report.expect(dns.is_empty() || is_address(dns), "options.dnsServiceIP", "must be an IP address");
    let pods = request.node_class.spec.max_pods;
    report.expect(
        pods.is_none_or(|pods| (10..=250).contains(&pods)),
        "nodeClass.spec.maxPods",
        "must be from 10 to 250",
    );
}

fn outside(request: &Request, report: &mut Report) {
    let proxy = &request.options.http_proxy;
    let is_proxy = |url: &str| {
        let rest = url.strip_prefix("http://").or_else(|| url.strip_prefix("https://"));
        url.is_empty() || rest.is_some_and(is_visible)
    };
    report.expect(is_proxy(&proxy.http), "options.httpProxy.httpProxy", "must be an http or https URL");
    report.expect(is_proxy(&proxy.https), "options.httpProxy.httpsProxy", "must be an http or https URL");
    for exception in &proxy.exceptions {
        let is_one = is_visible(exception) && !exception.contains(',');
        report.expect(
            is_one,
            "options.httpProxy.noProxy",
            "must be hosts, domains and networks, one an item",
        );
    }
    let ca = proxy.trusted_ca.expose();
    report.expect(ca.is_empty() || is_pem(ca), "options.httpProxy.trustedCA", "must be PEM, in base64");
    for certificate in &request.options.custom_ca_certificates {
        report.expect(is_pem(certificate), "options.customCACertificates", "must be PEM, each in base64");
    }
}

fn check_taint(taint: &Taint, report: &mut Report) {
    let holds = is_label_key(&taint.key)
        && is_label_value(&taint.value)
        && (taint.effect.is_empty() || EFFECTS.contains(&taint.effect.as_str()));
    if !holds {
        let message = "must be a label's key and value, and NoSchedule, PreferNoSchedule or NoExecute";
        report.add(format!("nodeClaim.taints[{:?}]", taint.key), message);
    }
}

fn check_kubelet(kubelet: &Kubelet, report: &mut Report) {
    let path = |member: &str| format!("nodeClass.spec.kubelet.{member}");
    report.expect(
        matches!(kubelet.cpu_manager_policy.as_str(), "" | "none" | "static"),
        &path("cpuManagerPolicy"),
        "must be none or static",
    );
    report.expect(
        matches!(
            kubelet.topology_manager_policy.as_str(),
            "" | "none" | "restricted" | "best-effort" | "single-numa-node"
        ),
        &path("topologyManagerPolicy"),
        "must be none, restricted, best-effort or single-numa-node",
    );
    let size = &kubelet.container_log_max_size;
    report.expect(
        size.is_empty() || whole_megabytes(size, Fidelity::Ours).is_some(),
        &path("containerLogMaxSize"),
        "must be a quantity such as 50Mi",
    );
    for sysctl in &kubelet.allowed_unsafe_sysctls {
        report.expect(
            is_sysctl_pattern(sysctl),
            &path("allowedUnsafeSysctls"),
            "must be kernel settings such as kernel.msgmax or net.core.*",
        );
    }
    let (high, low) = (kubelet.image_gc_high_threshold_percent, kubelet.image_gc_low_threshold_percent);
    report.expect(
        [high, low].into_iter().flatten().all(|percent| (0..=100).contains(&percent))
            && high.unwrap_or(85) > low.unwrap_or(80),
        &path("imageGCHighThresholdPercent"),
        "must be a percentage above imageGCLowThresholdPercent; left out they are 85 and 80",
    );
}

fn linux_os(config: &LinuxOs, kubelet: Option<&Kubelet>, report: &mut Report) {
    let path = |member: &str| format!("nodeClass.spec.linuxOSConfig.{member}");
    if let Some(size) = config.swap_file_size.as_deref().filter(|size| !size.is_empty()) {
        report.expect(
            whole_megabytes(size, Fidelity::Ours).is_some_and(|megabytes| megabytes >= 0),
            &path("swapFileSize"),
            "must be a quantity such as 1500Mi",
        );
        report.expect(
            kubelet.is_some_and(|kubelet| kubelet.fail_swap_on == Some(false)),
            &path("swapFileSize"),
            "needs nodeClass.spec.kubelet.failSwapOn to be false: kubelet would not start",
        );
    }
    let enabled = config.transparent_huge_page_enabled.as_deref().unwrap_or_default();
    report.expect(
        matches!(enabled, "" | "always" | "madvise" | "never"),
        &path("transparentHugePageEnabled"),
        "must be always, madvise or never",
    );
    let defrag = config.transparent_huge_page_defrag.as_deref().unwrap_or_default();
    report.expect(
        matches!(defrag, "" | "always" | "defer" | "defer+madvise" | "madvise" | "never"),
        &path("transparentHugePageDefrag"),
        "must be always, defer, defer+madvise, madvise or never",
    );
    let ports = config.sysctls.as_ref().and_then(|sysctls| sysctls.net_ipv4_ip_local_port_range.as_deref());
    let is_range = |range: &str| {
        let ports = range.split_once(' ').map(|(first, last)| (first.parse::<u16>(), last.parse::<u16>()));
        matches!(ports, Some((Ok(first), Ok(last))) if first < last)
    };
    report.expect(
        ports.is_none_or(is_range),
        &path("sysctls.netIPv4IPLocalPortRange"),
        "must be two ports: first last",
    );
}

/// Checks the labels that a node would register with.
pub(super) fn check_labels(labels: &Labels) -> Result<(), Problems> {
    let mut report = Report::default();
    for (key, value) in labels.iter() {
        if !(is_label_key(key) && is_label_value(&value.value)) {
            report.add(format!("nodeClaim.labels[{key:?}]"), "must be a label's key and value");
        }
    }
    report.finish()
}

/// Takes away taints without an effect: they mean nothing, and kubelet does not start with them.
pub(super) fn drop_taints_without_effect(taints: &mut Taints) -> Vec<Finding> {
    let mut findings = Vec::new();
    for list in [&mut taints.general, &mut taints.startup] {
        for taint in list.iter().filter(|taint| taint.effect.is_empty()) {
            findings.push(Finding {
                path: format!("nodeClaim.taints[{:?}]", taint.key),
                message:
                    "a taint without an effect means nothing and is left out: kubelet does not start with it"
                        .to_owned(),
            });
        }
        list.retain(|taint| !taint.effect.is_empty());
    }
    findings
}

fn is_visible(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_graphic())
}

/// ASCII letters, digits and these others.
fn is_made_of(text: &str, others: &str) -> bool {
    text.chars().all(|character| character.is_ascii_alphanumeric() || others.contains(character))
}

/// A token, or the place that the client of the node provisioning service fills in.
fn is_token(text: &str) -> bool {
    let is_part = |part: &str| !part.is_empty() && is_made_of(part, "-");
    text == "{{.TokenID}}.{{.TokenSecret}}"
        || text.split_once('.').is_some_and(|(id, secret)| is_part(id) && is_part(secret))
}

fn is_host(name: &str) -> bool {
    is_address(name) || !name.is_empty() && is_made_of(name, "-.")
}

fn is_pem(base64: &str) -> bool {
    !base64.is_empty() && STANDARD.decode(base64).is_ok()
}

fn is_uuid(text: &str) -> bool {
    let mut parts = text.split('-');
    let fits = [8, 4, 4, 4, 12].into_iter().all(|length| {
        parts
            .next()
            .is_some_and(|part| part.len() == length && part.bytes().all(|byte| byte.is_ascii_hexdigit()))
    });
    fits && parts.next().is_none()
}

fn is_user(name: &str) -> bool {
    name.len() <= 32 && name.starts_with(|first: char| first.is_ascii_alphabetic()) && is_made_of(name, "-_")
}

fn is_sysctl_pattern(text: &str) -> bool {
    let name = text.strip_suffix('*').unwrap_or(text);
    !name.is_empty() && is_made_of(name, "._-/")
}

fn is_label_value(text: &str) -> bool {
    text.is_empty() || is_name(text)
}

fn is_label_key(key: &str) -> bool {
    let (domain, name) = key.split_once('/').map_or((None, key), |(domain, name)| (Some(domain), name));
    let is_domain = |domain: &str| {
        domain.len() <= 253
            && domain.split('.').all(|part| {
                !part.is_empty()
                    && !part.starts_with('-')
                    && !part.ends_with('-')
                    && part
                        .bytes()
                        .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-')
            })
    };
    is_name(name) && domain.is_none_or(is_domain)
}

/// At most 63 letters, digits, `-`, `_` and `.`, with a letter or digit at both ends.
fn is_name(text: &str) -> bool {
    let is_end = |byte: Option<u8>| byte.is_some_and(|byte| byte.is_ascii_alphanumeric());
    text.len() <= 63 && is_end(text.bytes().next()) && is_end(text.bytes().last()) && is_made_of(text, "-_.")
}
