//! Settings of the launcher against recordings of the peer, and where ours is stricter.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod vectors;

use std::collections::BTreeMap;

use serde_json::{Value, json};
use slipway_launch::computed::{api_server_name, is_overlay};
use slipway_launch::options::{BadSettings, Settings};
use slipway_launch::{Fidelity, Source};

fn read(environment: &Value, arguments: &Value, fidelity: Fidelity) -> Result<Settings, BadSettings> {
    let environment: BTreeMap<String, String> = serde_json::from_value(environment.clone()).unwrap();
    let arguments: Option<Vec<String>> = serde_json::from_value(arguments.clone()).unwrap();
    Settings::read(&environment, &arguments.unwrap_or_default(), fidelity)
}

#[test]
fn settings_are_accepted_or_refused_as_recorded() {
    for row in vectors::table("options", "options") {
        let (expected, name) = (&row["expected"], &row["name"]);
        let settings = match read(&row["env"], &row["args"], Fidelity::Compat) {
            Ok(settings) => settings,
            Err(error) => {
                if let Some(text) = expected["errorContains"].as_str() {
                    assert!(error.to_string().contains(text), "{name}: {error}");
                } else if expected["panic"].is_null() {
                    assert_eq!(expected["error"], error.to_string(), "{name}");
                }
                continue;
            }
        };
        assert!(expected["error"].is_null(), "{name}");
        assert_eq!(settings.logged(), expected["loggedJSON"], "{name}");
        for (setting, layers) in settings.iter().filter(|(setting, _)| setting.is_hidden) {
            assert_eq!(expected["hidden"][setting.name], layers.value, "{name}");
        }
        let options = settings.options();
        assert_eq!(expected["apiServerName"], api_server_name(&options.cluster_endpoint), "{name}");
        assert_eq!(expected["networkPluginForNode"]["isAzureCNIOverlay"], is_overlay(&options), "{name}");
    }
}

fn sound() -> Value {
    vectors::table("options", "options")[0]["env"].clone()
}

#[test]
fn arguments_win_over_the_environment_and_both_are_remembered() {
    let settings = read(&sound(), &json!(["-cluster-name=c9", "--use-sig=false"]), Fidelity::Ours).unwrap();
    let (_, name) = settings.iter().find(|(setting, _)| setting.argument == "cluster-name").unwrap();
    assert_eq!((name.value.as_str(), name.source), ("c9", Source::GlobalOptions));
    let lost: Vec<_> = name.overridden.iter().map(|lost| (lost.value.as_str(), lost.source)).collect();
    assert_eq!(lost, [("c1", Source::Environment), ("", Source::Fixed)]);
}

#[test]
fn ours_refuses_what_the_peer_lets_through_and_reports_all_of_it() {
    for (variable, value) in [
        ("VM_MEMORY_OVERHEAD_PERCENT", "1.5"),
        ("VM_MEMORY_OVERHEAD_PERCENT", "NaN"),
        ("VNET_GUID", "{a519e60a-cac0-40b2-b883-084477fe6f5c}"),
        ("VNET_GUID", "a519e60acac040b2b883084477fe6f5c"),
        ("KUBELET_IDENTITY_CLIENT_ID", "urn:uuid:a519e60a-cac0-40b2-b883-084477fe6f5c"),
        ("CLUSTER_ENDPOINT", "ftp://a.example"),
        ("ADDITIONAL_TAGS", "a=1,a=2"),
    ] {
        let mut environment = sound();
        environment[variable] = json!(value);
        assert!(read(&environment, &Value::Null, Fidelity::Compat).is_ok(), "{variable}={value}");
        assert!(read(&environment, &Value::Null, Fidelity::Ours).is_err(), "{variable}={value}");
    }
    let error = read(&json!({}), &Value::Null, Fidelity::Ours).unwrap_err();
    assert_eq!(error.reasons.len(), 7, "{error}");
}

#[test]
fn hidden_settings_are_in_no_output() {
    let settings = read(&sound(), &Value::Null, Fidelity::Ours).unwrap();
    let shown = format!("{settings:?} {}", settings.logged());
    assert!(!shown.contains("bbbbbbbbbbbbbbbb") && !shown.contains("ssh-rsa K"));
    let broken = json!(["--kubelet-bootstrap-token"]);
    assert!(read(&sound(), &broken, Fidelity::Ours).unwrap_err().to_string().contains("needs a value"));
}
