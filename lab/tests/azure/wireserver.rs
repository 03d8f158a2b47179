//! The wireserver and the host's plugin.

use slipway_lab::azure::Service;

use crate::client::{ask, send};
use crate::{Lab, machine};

const OLD: (&str, &str) = ("x-ms-version", "2012-11-30");
const NEW: (&str, &str) = ("x-ms-version", "2015-09-01");

/// The text of an element that occurs once.
fn element<'a>(document: &'a str, name: &str) -> &'a str {
    let (_, rest) = document.split_once(&format!("<{name}>")).unwrap();
    rest.split_once(&format!("</{name}>")).unwrap().0
}

#[test]
fn the_goal_state_gives_the_ids_that_an_upload_needs() {
    let lab = Lab::new();
    let wireserver = lab.azure.address(Service::Wireserver);
    for target in ["/machine/?comp=goalstate", "/machine?comp=goalstate"] {
        let reply = ask(wireserver, "GET", target, &[OLD]);
        assert_eq!(element(reply.text(), "ContainerId"), machine().container_id());
        let deployment = element(reply.text(), "ConfigName").split('.').next().unwrap();
        assert_eq!(deployment, machine().deployment_id());
    }
    let reply = ask(wireserver, "GET", "/machine/?comp=goalstate", &[]);
    assert_eq!((reply.status, element(reply.text(), "Code")), (400, "MissingRequiredHeader"));
    assert_eq!(ask(wireserver, "GET", "/machine/?comp=goalstate", &[NEW]).status, 400);
    assert_eq!(
        element(ask(wireserver, "GET", "/?comp=versions", &[]).text(), "Preferred"),
        "<Version>2012-11-30</Version>"
    );
    assert_eq!(ask(wireserver, "GET", "/other", &[]).status, 404);
}

#[test]
fn health_is_taken_from_the_container_of_the_goal_state_only() {
    let lab = Lab::new();
    let report = |body: &str| {
        let wireserver = lab.azure.address(Service::Wireserver);
        send(wireserver, "POST", "/machine?comp=health", &[OLD], body.as_bytes()).status
    };
    let good = format!(
        "<Health><Container><ContainerId>{}</ContainerId><State>Ready</State></Container></Health>",
        machine().container_id()
    );
    assert_eq!(report(&good), 200);
    assert_eq!(report("<Health><ContainerId>other</ContainerId></Health>"), 410);
    assert_eq!(report("{}"), 400);
    let reports = lab.azure.health_reports();
    assert_eq!(reports.len(), 1);
    assert_eq!((reports[0].machine.as_str(), reports[0].document.as_str()), ("lab-node-0", good.as_str()));
}

#[test]
fn root_certificates_are_offered_to_machines_with_the_tag() {
    let lab = Lab::new();
    let answer = || {
        let wireserver = lab.azure.address(Service::Wireserver);
        ask(wireserver, "GET", "/acms/isOptedInForRootCerts", &[]).text().to_owned()
    };
    assert_eq!(answer(), "IsOptedInForRootCerts=false");
    let mut machine = machine();
    let tag = "platformsettings.host_environment.service.platform_optedin_for_rootcerts";
    machine.tags.push((tag.into(), "true".into()));
    lab.azure.admit(machine);
    assert_eq!(answer(), "IsOptedInForRootCerts=true");
}

#[test]
fn settings_are_given_to_those_who_know_the_goal_state_and_only_when_they_are_new() {
    let lab = Lab::new();
    let goal = ask(lab.azure.address(Service::Wireserver), "GET", "/machine/?comp=goalstate", &[OLD]);
    let container = ("x-ms-containerid", element(goal.text(), "ContainerId"));
    let config = ("x-ms-host-config-name", element(goal.text(), "ConfigName"));
    let get =
        |headers: &[(&str, &str)]| ask(lab.azure.address(Service::HostPlugin), "GET", "/vmSettings", headers);
    let reply = get(&[NEW, container, config]);
    assert_eq!(reply.status, 200);
    assert_eq!(reply.json()["extensionGoalStates"], serde_json::json!([]));
    let tag = reply.header("etag").unwrap();
    assert_eq!(get(&[NEW, container, config, ("If-None-Match", tag)]).status, 304);
    assert_eq!(get(&[NEW, ("x-ms-containerid", "other"), config]).status, 410);
    assert_eq!(get(&[container, config]).status, 400);
}

#[test]
fn a_log_is_kept_when_every_header_is_right() {
    let lab = Lab::new();
    let (container, deployment) = (machine().container_id(), machine().deployment_id());
    let right = [
        NEW,
        ("x-ms-client-name", "AKSCSEPlugin"),
        ("x-ms-client-version", "0.1.0"),
        ("x-ms-client-correlationid", "c1"),
        ("x-ms-containerid", &container),
        ("x-ms-vmagentlog-deploymentid", &deployment),
    ];
    let put = |headers: &[(&str, &str)], body: &[u8]| {
        send(lab.azure.address(Service::HostPlugin), "PUT", "/vmAgentLog", headers, body)
    };
    for missing in 0..right.len() {
        let mut headers = right.to_vec();
        let (name, _) = headers.remove(missing);
        let reply = put(&headers, b"zip");
        assert_eq!(reply.status, 400);
        assert!(reply.text().contains(name), "{} / {name}", reply.text());
    }
    let mut headers = right;
    headers[4].1 = "stale";
    assert_eq!(put(&headers, b"zip").status, 410);
    assert_eq!(put(&right, b"").status, 400);
    assert!(lab.azure.agent_logs().is_empty());
    assert_eq!(put(&right, b"zip").status, 200);
    let logs = lab.azure.agent_logs();
    assert_eq!(logs.len(), 1);
    assert_eq!((logs[0].correlation.as_str(), logs[0].content.as_slice()), ("c1", &b"zip"[..]));
    assert_eq!(ask(lab.azure.address(Service::HostPlugin), "GET", "/vmAgentLog", &right).status, 405);
}
