use super::*;
use crate::op::Content;
use crate::step::{OnFailure, Stage};
use crate::testing::{facts, lines, plain, plan, refusals, text, with};

#[test]
fn a_token_is_kept_for_kubelet_and_traded_beside_it() {
    let lines = lines(steps, &plain(), &facts());
    assert_eq!(lines[0], "kubelet-credentials file /var/lib/kubelet/bootstrap-kubeconfig 0600 secret");
    assert!(
        lines[1].starts_with("tls-bootstrap TlsBootstrap") && lines[1].contains("\"node1\""),
        "{lines:?}"
    );
    assert!(!lines.join("").contains("0123456789abcdef"));
    let plan = plan(&plain());
    let start = plan.step("start-kubelet").unwrap();
    assert!(!start.needs.contains(&TLS_BOOTSTRAP), "kubelet is not held up for the certificate");
    assert_eq!(plan.step("tls-bootstrap").unwrap().needs, [CLUSTER_CA]);
}

#[test]
fn a_command_becomes_a_probe_unless_there_is_no_way_out() {
    let command = r#""outbound_command":"curl -v https://mcr.microsoft.com/v2/""#;
    let joined = lines(steps, &with(command), &facts()).join("\n");
    assert!(joined.contains(r#"Reach { host: "mcr.microsoft.com", port: 443 }"#), "{joined}");
    let isolated =
        with(&format!(r#"{command},"bootstrap_profile_container_registry_server":"r.azurecr.io""#));
    let joined = lines(steps, &isolated, &facts()).join("\n");
    assert!(
        !joined.contains("mcr.microsoft.com") && joined.contains("/opt/azure/outbound-check-skipped"),
        "{joined}"
    );
}

#[test]
fn secure_bootstrapping_runs_before_kubelet_and_a_token_is_its_fallback() {
    let method = r#""bootstrapping_config":{"bootstrapping_auth_method":"BOOTSTRAPPING_AUTH_METHOD_SECURE_TLS_BOOTSTRAPPING","secure_tls_bootstrapping_get_nonce_timeout":"5s","tls_bootstrapping_token":"t.k"}"#;
    let node = with(method);
    assert_eq!(
        text(steps, &node, &facts(), "/etc/default/secure-tls-bootstrap"),
        "BOOTSTRAP_FLAGS=--aad-resource=6dae42f8-4368-4678-94ff-3960e28e3630 --apiserver-fqdn=api.example \
         --cloud-provider-config=/etc/kubernetes/azure.json --get-nonce-timeout=5s\n"
    );
    let plan = plan(&node);
    assert!(plan.step("tls-bootstrap").is_none());
    assert!(matches!(plan.step("secure-tls-bootstrap").unwrap().on_failure, OnFailure::Degrade(_)));
    let alone = with(&method.replace("t.k", ""));
    let lines = lines(steps, &alone, &facts());
    assert!(!lines.iter().any(|line| line.starts_with("kubelet-credentials")), "{lines:?}");
    assert!(crate::testing::plan(&alone).step("start-kubelet").is_some());
}

#[test]
fn what_a_node_cannot_join_without_is_refused_at_once() {
    let node = with(
        r#""kubernetes_ca_cert":"","api_server_config":{"api_server_name":""},"bootstrapping_config":{"tls_bootstrapping_token":""}"#,
    );
    let refused: Vec<String> =
        refusals(steps, &node, &Facts::default()).into_iter().map(|refusal| refusal.what).collect();
    assert_eq!(
        refused,
        [
            "api_server_config.api_server_name",
            "kubernetes_ca_cert",
            "bootstrapping_config.tls_bootstrapping_token",
            "facts.hostname"
        ]
    );
}

#[test]
fn an_image_that_is_only_prepared_has_nothing_of_a_node() {
    let node = with(
        r#""pre_provision_only":true,"kubernetes_ca_cert":"","api_server_config":{"api_server_name":""}"#,
    );
    let plan = crate::plan(&node, &Facts { hostname: None, ..facts() }).unwrap();
    assert!(plan.steps().iter().all(|step| step.stage == Stage::Bake));
    assert_eq!(Sources::none().read(plan.last_stage()), &Stage::Bake);
    let secret = |op: &crate::Op| matches!(&op.action, Action::File(file) if matches!(file.content, Content::Secret(_)));
    assert!(!plan.steps().iter().flat_map(|step| &step.ops).any(secret));
}

#[test]
fn an_image_prepared_for_nodes_of_its_kind_holds_every_unit_file_of_a_plain_node() {
    let node = with(r#""kubelet_config":{"enable_kubelet_config_file":true}"#);
    let bare = with(
        r#""pre_provision_only":true,"kubelet_config":{"enable_kubelet_config_file":true},"bootstrapping_config":{"tls_bootstrapping_token":""}"#,
    );
    let units = |node: &slipway_model::Node, stages: &[Stage]| {
        let plan = plan(node);
        let ops = plan.steps().iter().filter(|step| stages.contains(&step.stage)).flat_map(|step| &step.ops);
        let files = ops.filter_map(|op| match &op.action {
            Action::File(file) if file.path.starts_with("/etc/systemd") => Some(file.clone()),
            _ => None,
        });
        files.collect::<Vec<_>>()
    };
    assert_eq!(units(&node, &[Stage::Join, Stage::AfterReady]), []);
    assert_eq!(units(&node, &[Stage::Bake]), units(&bare, &[Stage::Bake]));
}

#[test]
fn the_contracts_time_is_the_plans_and_that_of_waiting_for_ready() {
    let plan = plan(&with(r#""cse_timeout":120"#));
    assert_eq!(Sources::none().read(plan.within()), &Duration::from_mins(2));
    assert_eq!(plan.step("await-ready").unwrap().within, Duration::from_mins(2));
}
