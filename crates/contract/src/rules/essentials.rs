//! What a node cannot join without.

use super::findings::Findings;
use super::kubernetes::Version;
use super::rules;
use crate::Contract;
use crate::codec::{Secret, quote};
use crate::messages::BootstrappingAuthMethod;

rules! {
    CONTRACT_VERSION: Error "contract-version",
    summary: "The contract says that it is of version `v1`.",
    reason: "The node refuses a contract of any other version.",
    good: r#"{"version": "v1"}"#,
    bad: r#"{"version": "v2"}"#;

    CONTRACT_VERSION_OLD: Warning "contract-version-old",
    summary: "The contract is not of the old version `v0`.",
    reason: "Nodes still accept it; newer ones will not.",
    good: r#"{"version": "v1"}"#,
    bad: r#"{"version": "v0"}"#;

    API_SERVER_MISSING: Error "api-server-missing",
    summary: "The contract names the API server.",
    reason: "Without it the kubelet has nothing to join. Contracts with `pre_provision_only`, which only prepare an \
             image, need none of these essentials but the version.",
    good: r#"{"api_server_config": {"api_server_name": "demo.hcp.westeurope.azmk8s.io"}}"#,
    bad: r#"{"api_server_config": {}}"#;

    CLUSTER_CA_MISSING: Error "cluster-ca-missing",
    summary: "The contract carries the CA of the cluster.",
    reason: "Without it the kubelet cannot tell the API server from anyone else, and does not connect.",
    good: r#"{"kubernetes_ca_cert": "LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0tCg=="}"#,
    bad: r#"{"kubernetes_ca_cert": ""}"#;

    KUBERNETES_VERSION_MISSING: Error "kubernetes-version-missing",
    summary: "The contract says which Kubernetes version the node gets.",
    reason: "The node picks its binaries by it.",
    good: r#"{"kubernetes_version": "1.33.2"}"#,
    bad: r#"{"kubernetes_version": ""}"#;

    KUBERNETES_VERSION_FORM: Warning "kubernetes-version-form",
    summary: "The Kubernetes version has three numbers, and no `v` before them.",
    reason: "The node looks for packages and cached binaries by the exact text.",
    good: r#"{"kubernetes_version": "1.33.2"}"#,
    bad: r#"{"kubernetes_version": "v1.33"}"#;

    CREDENTIAL_MISSING: Error "credential-missing",
    summary: "The contract has a way to get in: a bootstrap token, secure TLS bootstrapping, or a client \
              certificate with its key.",
    reason: "Without a credential the API server refuses the kubelet.",
    good: r#"{"bootstrapping_config": {"tls_bootstrapping_token": "abcdef.0123456789abcdef"}}"#,
    bad: r#"{"bootstrapping_config": {}}"#;

    AZURE_FACT_MISSING: Warning "azure-fact-missing",
    summary: "The contract names subscription, resource group, location, virtual network and route table.",
    reason: "They go into `azure.json`, and AKS's own check of a contract asks for them. A node without the cloud \
             provider works without them.",
    good: r#"{"auth_config": {"subscription_id": "11111111-2222-3333-4444-555555555555"}, "cluster_config": {"resource_group": "MC_demo", "location": "westeurope", "cluster_network_config": {"vnet_name": "vnet", "route_table": "routes"}}}"#,
    bad: r#"{"cluster_config": {"location": "westeurope"}}"#;
}

pub(super) fn check(contract: &Contract, findings: &mut Findings<'_>) {
    version(&contract.version, findings);
    kubernetes_version(&contract.kubernetes_version, findings);
    // An image that is only prepared learns its cluster later.
    if !contract.pre_provision_only {
        joining(contract, findings);
        azure_facts(contract, findings);
    }
}

fn version(version: &str, findings: &mut Findings<'_>) {
    match version {
        "v1" => {}
        "v0" => findings.advise(
            &CONTRACT_VERSION_OLD,
            "version",
            "v0 is the old version of the contract",
            "write v1",
        ),
        "" => {
            findings.advise(
                &CONTRACT_VERSION,
                "version",
                "the contract's version is missing",
                "set it to v1",
            );
        }
        other => {
            let message = format!("{} is not a version of the contract that nodes know", quote(other));
            findings.advise(&CONTRACT_VERSION, "version", message, "write v1");
        }
    }
}

fn kubernetes_version(text: &str, findings: &mut Findings<'_>) {
    let numbers = text.split(['-', '+']).next().unwrap_or_default();
    let exact = !text.starts_with('v') && numbers.split('.').count() == 3;
    // What cannot be read at all is reported by its shape.
    if !exact && Version::parse(text).is_some() {
        let message = format!("{} is not the exact form of a version", quote(text));
        findings.advise(&KUBERNETES_VERSION_FORM, "kubernetes_version", message, "write it like 1.33.2");
    }
}

fn joining(contract: &Contract, findings: &mut Findings<'_>) {
    if contract.api_server_config.as_ref().is_none_or(|server| server.api_server_name.is_empty()) {
        findings.advise(
            &API_SERVER_MISSING,
            "api_server_config.api_server_name",
            "the name of the API server is missing",
            "set api_server_config.api_server_name to the host in the cluster's kubeconfig",
        );
    }
    if contract.kubernetes_ca_cert.is_empty() {
        findings.advise(
            &CLUSTER_CA_MISSING,
            "kubernetes_ca_cert",
            "the cluster's CA certificate is missing",
            "copy certificate-authority-data from the cluster's kubeconfig",
        );
    }
    if contract.kubernetes_version.is_empty() {
        findings.advise(
            &KUBERNETES_VERSION_MISSING,
            "kubernetes_version",
            "the Kubernetes version is missing",
            "set it like 1.33.2, not above the cluster's version",
        );
    }
    if !Credentials::of(contract).any() {
        findings.advise(
            &CREDENTIAL_MISSING,
            "bootstrapping_config.tls_bootstrapping_token",
            "there is no credential to join with",
            "set bootstrapping_config.tls_bootstrapping_token, or the auth method for secure TLS bootstrapping, \
             or kubelet_config.kubelet_client_cert_content with kubelet_client_key",
        );
    }
}

fn azure_facts(contract: &Contract, findings: &mut Findings<'_>) {
    let cluster = contract.cluster_config.as_ref();
    let network = cluster.and_then(|cluster| cluster.cluster_network_config.as_ref());
    let facts = [
        ("auth_config.subscription_id", contract.auth_config.as_ref().map(|auth| &auth.subscription_id)),
        ("cluster_config.resource_group", cluster.map(|cluster| &cluster.resource_group)),
        ("cluster_config.location", cluster.map(|cluster| &cluster.location)),
        ("cluster_config.cluster_network_config.vnet_name", network.map(|network| &network.vnet_name)),
        ("cluster_config.cluster_network_config.route_table", network.map(|network| &network.route_table)),
    ];
    for (path, value) in facts {
        if value.is_none_or(String::is_empty) {
            findings.report(&AZURE_FACT_MISSING, path, format!("{path} is missing"));
        }
    }
}

/// The ways to get in that a contract offers.
pub(super) struct Credentials {
    pub(super) token: bool,
    pub(super) secure_bootstrapping: bool,
    pub(super) client: ClientPair,
}

/// How much of a client certificate and its key is there.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum ClientPair {
    None,
    CertificateOnly,
    KeyOnly,
    Both,
}

impl Credentials {
    pub(super) fn of(contract: &Contract) -> Self {
        let bootstrapping = contract.bootstrapping_config.as_ref();
        let kubelet = contract.kubelet_config.as_ref();
        let set = |secret: &Secret<String>| !secret.expose().is_empty();
        let certificate = kubelet.is_some_and(|kubelet| !kubelet.kubelet_client_cert_content.is_empty());
        let key = kubelet.is_some_and(|kubelet| set(&kubelet.kubelet_client_key));
        Self {
            token: bootstrapping.and_then(|b| b.tls_bootstrapping_token.as_ref()).is_some_and(set),
            secure_bootstrapping: bootstrapping.is_some_and(|b| {
                b.bootstrapping_auth_method == BootstrappingAuthMethod::SecureTlsBootstrapping
            }),
            client: match (certificate, key) {
                (false, false) => ClientPair::None,
                (true, false) => ClientPair::CertificateOnly,
                (false, true) => ClientPair::KeyOnly,
                (true, true) => ClientPair::Both,
            },
        }
    }

    fn any(&self) -> bool {
        self.token || self.secure_bootstrapping || self.client != ClientPair::None
    }
}
