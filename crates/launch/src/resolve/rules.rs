//! What a request must hold so that a node can be made of it. The peer lets most of this through, and the node fails.

use super::{Finding, class_rules};
use crate::Request;
use crate::computed::{Labels, Release, SubnetId, Taints, api_server_name};
use crate::forms::{
    is_address, is_base64, is_host, is_label_key, is_label_value, is_made_of, is_token, is_user, is_uuid,
    is_visible,
};
use crate::request::{Problem, Problems, Taint};

const EFFECTS: [&str; 3] = ["NoSchedule", "PreferNoSchedule", "NoExecute"];

/// Problems in the making.
#[derive(Default)]
pub(super) struct Report(Vec<Problem>);

impl Report {
    pub(super) fn expect(&mut self, holds: bool, path: &str, message: &str) {
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
    class_rules::check(&request.node_class.spec, &mut report);
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
        is_base64(&environment.ca_bundle_base64),
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
        if id.is_empty() || !is_made_of(id, others) {
            let and = if others.is_empty() { "" } else { " and " };
            report.add(path.to_owned(), &format!("must be given, of letters and digits{and}{others}"));
        }
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
    report.expect(ca.is_empty() || is_base64(ca), "options.httpProxy.trustedCA", "must be PEM, in base64");
    for certificate in &request.options.custom_ca_certificates {
        report.expect(is_base64(certificate), "options.customCACertificates", "must be PEM, each in base64");
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

/// Checks the labels that a node would register with.
pub(super) fn check_labels(labels: &Labels) -> Result<(), Problems> {
    let mut report = Report::default();
    let bad_keys = labels.given_keys().filter(|key| !is_label_key(key));
    let bad_values = labels.iter().filter(|(_, value)| !is_label_value(&value.value)).map(|(key, _)| key);
    for key in bad_keys.chain(bad_values) {
        report.add(format!("nodeClaim.labels[{key:?}]"), "must be a label's key and value");
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
