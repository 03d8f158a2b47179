//! Our own rules where they differ from the peer's.

use serde_json::json;
use slipway_contract::Contract;
use slipway_model::{Containerd, Facts, JsonText};
use slipway_scripts::{Mode, variables};

use crate::contract;
use crate::meaning::{meaning, text};

fn ours(contract: &Contract, facts: &Facts, name: &str) -> String {
    variables(contract, facts, Mode::Ours).unwrap().get(name).unwrap().reveal().to_owned()
}

#[test]
fn a_custom_clouds_environment_is_base64() {
    for content in [
        "eyJyZXNvdXJjZU1hbmFnZXJFbmRwb2ludCI6Imh0dHBzOi8vbWFuYWdlbWVudC5leGFtcGxlLm5ldC8ifQ==",
        "eyJyZXNvdXJjZU1hbmFnZXJFbmRwb2ludCI6\nImh0dHBzOi8vbWFuYWdlbWVudC5leGFtcGxlLm5ldC8ifQ==\n",
        r#"{"resourceManagerEndpoint":"https://management.example.net/"}"#,
    ] {
        let contract = contract(&json!({"custom_cloud_config": {
            "custom_cloud_env_name": "akscustom", "custom_env_json_content": content,
        }}));
        assert_eq!(
            ours(&contract, &Facts::default(), "ARM_RESOURCE_ENDPOINT"),
            "https://management.example.net/"
        );
    }
}

#[test]
fn a_custom_cloud_without_an_endpoint_is_noticed() {
    let contract = contract(&json!({"custom_cloud_config": {"custom_cloud_env_name": "akscustom"}}));
    let facts = Facts { containerd: Containerd::Version("2.0.0".into()), ..Facts::default() };
    let variables = variables(&contract, &facts, Mode::Ours).unwrap();
    assert_eq!(variables.notices.len(), 1);
    assert_eq!(variables.notices[0].variable, "ARM_RESOURCE_ENDPOINT");
}

#[test]
fn an_absent_containerd_is_the_one_that_will_be_installed() {
    let contract = contract(&json!({"containerd_config": {"containerd_version": "2.1.0"}}));
    for containerd in [Containerd::Missing, Containerd::Unknown] {
        let facts = Facts { containerd, ..Facts::default() };
        let text = text(&ours(&contract, &facts, "CONTAINERD_CONFIG_CONTENT")).unwrap();
        assert!(text.contains("io.containerd.cri.v1.runtime"));
        let notices = variables(&contract, &facts, Mode::Ours).unwrap().notices;
        assert_eq!(notices[0].variable, "CONTAINERD_CONFIG_CONTENT");
        assert!(variables(&contract, &facts, Mode::Compat).unwrap().notices.is_empty());
    }
}

#[test]
fn a_broken_manifest_stops_the_peer_and_not_us() {
    let facts = Facts { components: Some(JsonText("{".into())), ..Facts::default() };
    let plain = Contract::default();
    let error = variables(&plain, &facts, Mode::Compat).unwrap_err();
    assert_eq!(error.refusal.reason(), "component-manifest");
    assert_eq!(ours(&plain, &facts, "GPU_DRIVER_VERSION"), "");
    let gpu = contract(&json!({"gpu_config": {"enable_nvidia": true}}));
    let notices = variables(&gpu, &facts, Mode::Ours).unwrap().notices;
    assert!(notices.iter().any(|notice| notice.variable == "GPU_DRIVER_VERSION"));
}

#[test]
fn a_switched_off_webhook_is_written_down() {
    let contract = contract(&json!({"kubelet_config": {"kubelet_config_file_config": {
        "authentication": {"webhook": {"enabled": false, "cache_ttl": "2m"}, "anonymous": {}},
    }}}));
    let value = ours(&contract, &Facts::default(), "KUBELET_CONFIG_FILE_CONTENT");
    let authentication =
        json!({"webhook": {"enabled": false, "cacheTTL": "2m"}, "anonymous": {"enabled": false}});
    let expected = json!({"json": {"authentication": authentication}});
    assert_eq!(meaning("KUBELET_CONFIG_FILE_CONTENT", &value), expected);
}

#[test]
fn an_unknown_word_of_the_dns_profile_is_noticed() {
    let contract = contract(&json!({"local_dns_profile": {
        "enable_local_dns": true, "kube_dns_overrides": {"a.b": {"forward_policy": "Fastest"}},
    }}));
    let facts = Facts { containerd: Containerd::Version("1.7.0".into()), ..Facts::default() };
    let variables = variables(&contract, &facts, Mode::Ours).unwrap();
    let messages: Vec<_> = variables.notices.iter().map(|notice| notice.message.as_str()).collect();
    assert_eq!(messages, [r#"kube_dns_overrides["a.b"].forward_policy is "Fastest", which means nothing"#]);
}

#[test]
fn kata_with_artifact_streaming_is_refused_in_plain_words() {
    let contract = contract(&json!({"is_kata": true, "enable_artifact_streaming": true}));
    let facts = Facts::default();
    let error = variables(&contract, &facts, Mode::Ours).unwrap_err();
    assert_eq!(
        error.to_string(),
        "CONTAINERD_CONFIG_CONTENT cannot be built: Kata and artifact streaming exclude each other: each needs its \
         own snapshotter as containerd's default"
    );
}
