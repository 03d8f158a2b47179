//! What may be seen of the variables.

use serde_json::json;
use slipway_contract::Contract;
use slipway_model::Facts;
use slipway_scripts::{Mode, Sensitivity, TABLE, variables};

use crate::contract;

#[test]
fn secrets_are_masked_unless_they_are_asked_for() {
    let contract = contract(&json!({
        "bootstrapping_config": {"tls_bootstrapping_token": "hunter2"},
        "auth_config": {"service_principal_secret": "hunter2", "tenant_id": "t"},
        "kubelet_config": {"kubelet_client_key": "hunter2"},
        "custom_search_domain_config": {"realm_password": "hunter2"},
        "http_proxy_config": {"http_proxy": "http://me:hunter2@proxy:3128", "https_proxy": "me:hunter2@proxy"},
        "kube_binary_config": {"kube_binary_url": "https://host/kube.tgz?sig=hunter2"},
        "custom_cloud_config": {
            "custom_cloud_env_name": "akscustom", "repo_depot_endpoint": "https://me:hunter2@depot/",
        },
    }));
    let facts = Facts::default();
    let variables = variables(&contract, &facts, Mode::Compat).unwrap();
    assert!(!format!("{variables:?}").contains("hunter2"));
    let shown = |name: &str| variables.get(name).unwrap().shown().into_owned();
    for name in
        ["TLS_BOOTSTRAP_TOKEN", "SERVICE_PRINCIPAL_FILE_CONTENT", "KUBELET_CLIENT_CONTENT", "PROXY_VARS"]
    {
        assert_eq!(shown(name), "<secret>");
        assert!(variables.get(name).unwrap().reveal().contains("hunter2"));
    }
    assert_eq!(shown("HTTP_PROXY_URLS"), "http://<secret>@proxy:3128");
    assert_eq!(shown("KUBE_BINARY_URL"), "https://host/kube.tgz?<secret>");
    assert_eq!(shown("REPO_DEPOT_ENDPOINT"), "https://<secret>@depot/");
    assert_eq!(shown("TENANT_ID"), "t");
}

#[test]
fn an_empty_secret_is_seen_to_be_empty() {
    let (contract, facts) = (Contract::default(), Facts::default());
    let variables = variables(&contract, &facts, Mode::Ours).unwrap();
    for value in &variables {
        assert_eq!(value.shown(), value.reveal());
    }
}

#[test]
fn the_secrets_are_these() {
    let with = |wanted| {
        let rows = TABLE.iter().filter(move |variable| variable.sensitivity() == wanted);
        rows.map(|variable| variable.name).collect::<Vec<_>>()
    };
    assert_eq!(
        with(Sensitivity::Secret),
        [
            "SERVICE_PRINCIPAL_FILE_CONTENT",
            "TLS_BOOTSTRAP_TOKEN",
            "KUBELET_CLIENT_CONTENT",
            "CUSTOM_SEARCH_REALM_PASSWORD"
        ]
    );
    for name in
        ["PROXY_VARS", "HTTP_PROXY_URLS", "HTTPS_PROXY_URLS", "REPO_DEPOT_ENDPOINT", "RUNC_PACKAGE_URL"]
    {
        assert!(with(Sensitivity::Credentials).contains(&name), "{name}");
    }
}
