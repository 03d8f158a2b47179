//! The agent as a real process: `data/bin/azcmagent` stands in for it and looks at itself.

#![allow(clippy::unwrap_used, clippy::disallowed_methods, clippy::disallowed_types, reason = "tests")]

mod stand_in;

use std::collections::BTreeMap;
use std::fs;

use slipway_azure::arm::ResourceId;
use slipway_azure::credential::AccessToken;
use slipway_flex::arc::{Agent, AgentError, Connection};
use slipway_flex::identity::Installed;
use slipway_model::Secret;
use stand_in::Area;

const TOKEN: &str = "eyJ0b2tlbiI6IDF9";

fn agent(area: &Area) -> Agent<Installed> {
    let search = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/bin:/usr/bin:/bin");
    let variable = |name: &str| (name == "PATH").then(|| search.into());
    Agent::new(Installed::find("azcmagent", variable).unwrap(), area.path())
}

fn connection(tags: &[(&str, &str)]) -> Connection {
    Connection {
        machine: ResourceId::arc_machine("s", "rg", "edge-07").unwrap(),
        tenant: "t".into(),
        location: "westeurope".into(),
        cloud: Some("AzureUSGovernment".into()),
        tags: tags.iter().map(|&(key, value)| (key.into(), value.into())).collect::<BTreeMap<_, _>>(),
    }
}

fn token() -> AccessToken {
    AccessToken::new(Secret::from(TOKEN), 4_102_444_800).unwrap()
}

#[test]
fn the_token_is_in_a_file_for_root_and_in_no_place_that_others_can_see() {
    let area = Area::new("agent");
    agent(&area).connect(&connection(&[("site", "berlin"), ("rack", "7 b")]), &token()).unwrap();
    let seen = fs::read(area.path().join("seen")).unwrap();
    let seen = String::from_utf8_lossy(&seen);
    assert!(seen.contains("connect\0--config\0") && !seen.contains(TOKEN), "{seen}");
    assert_eq!(fs::read_to_string(area.path().join("mode")).unwrap().trim(), "600");
    let settings = fs::read(area.path().join("settings")).unwrap();
    let settings: serde_json::Value = serde_json::from_slice(&settings).unwrap();
    assert_eq!(
        settings,
        serde_json::json!({
            "subscription-id": "s", "resource-group": "rg", "resource-name": "edge-07", "tenant-id": "t",
            "location": "westeurope", "cloud": "AzureUSGovernment", "tags": "rack=7 b,site=berlin",
            "access-token": TOKEN,
        })
    );
    assert!(!area.path().join("arc-connect.json").exists());
}

#[test]
fn what_the_agent_says_is_read_and_what_it_refuses_is_quoted() {
    let area = Area::new("agent-says");
    let state = agent(&area).state().unwrap();
    assert_eq!((state.machine, state.status.as_str()), (None, "Disconnected"));
    let error = agent(&area).disconnect().unwrap_err();
    assert!(error.to_string().contains("AZCM0018 no such thing"), "{error}");
    for tags in [("a,b", "c"), ("a", "b=c"), ("a", "it's")] {
        let error = agent(&area).connect(&connection(&[tags]), &token()).unwrap_err();
        assert!(matches!(error, AgentError::Tag(_)), "{error}");
    }
}
