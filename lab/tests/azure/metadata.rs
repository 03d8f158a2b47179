//! The instance metadata service.

use std::net::{Ipv4Addr, SocketAddr};

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use serde_json::{Value, json};
use slipway_azure::imds::attested_document;
use slipway_lab::azure::{EventStatus, Identity, Interface, Machine, ScheduledEvent, Service, Subnet};

use crate::client::{METADATA, ask, send};
use crate::{Lab, machine};

const INSTANCE: &str = "/metadata/instance?api-version=2021-02-01";

fn imds(lab: &Lab) -> SocketAddr {
    lab.azure.address(Service::Imds)
}

#[test]
fn the_instance_document_has_what_a_node_reads_from_it() {
    let mut machine = machine();
    machine.zone = Some(2);
    machine.interfaces[0].ipv6 = vec!["fd00::4".parse().unwrap()];
    machine.interfaces.push(Interface {
        mac: [0, 0x0d, 0x3a, 0xab, 0xcd, 0xef],
        ipv4: vec![Ipv4Addr::new(10, 1, 0, 4), Ipv4Addr::new(10, 1, 0, 5)],
        subnet: Subnet { address: Ipv4Addr::new(10, 1, 0, 0), prefix: 24 },
        ipv6: Vec::new(),
    });
    let lab = Lab::of(vec![machine.clone()]);
    let document = ask(imds(&lab), "GET", INSTANCE, METADATA).json();
    let compute = &document["compute"];
    assert_eq!(compute["name"], "lab-node-0");
    assert_eq!(compute["vmId"], machine.vm_id());
    assert_eq!(compute["zone"], "2");
    assert_eq!(compute["tags"], "owner:lab;SkipBinaryCleanup:true");
    assert_eq!(compute["tagsList"][1], json!({ "name": "SkipBinaryCleanup", "value": "true" }));
    let interfaces = &document["network"]["interface"];
    assert_eq!(interfaces[0]["ipv4"]["ipAddress"][0]["privateIpAddress"], "10.224.0.4");
    assert_eq!(interfaces[0]["ipv4"]["subnet"][0], json!({ "address": "10.224.0.0", "prefix": "16" }));
    assert_eq!(interfaces[0]["ipv6"]["ipAddress"][0]["privateIpAddress"], "fd00::4");
    assert_eq!(interfaces[1]["macAddress"], "000D3AABCDEF");
    assert_eq!(interfaces[1]["ipv4"]["ipAddress"][1]["privateIpAddress"], "10.1.0.5");
}

#[test]
fn a_leaf_is_text_and_what_has_more_below_is_listed() {
    let lab = Lab::new();
    let get = |below: &str| {
        ask(imds(&lab), "GET", &format!("/metadata/instance/{below}api-version=2021-02-01"), METADATA)
    };
    assert_eq!(get("compute/location?format=text&").text(), "labland");
    assert_eq!(get("network/interface/0/macAddress?format=text&").text(), "000D3AE00004");
    assert_eq!(get("?format=text&").text(), "compute/\nnetwork/");
    assert_eq!(get("network/interface?").json()[0]["macAddress"], "000D3AE00004");
    assert_eq!(get("compute/location?").status, 400);
    assert_eq!(get("compute/nothing?format=text&").status, 404);
}

#[test]
fn requests_that_the_real_service_refuses_are_refused() {
    let lab = Lab::new();
    let forwarded: &[_] = &[("Metadata", "true"), ("X-Forwarded-For", "10.0.0.9")];
    for (method, target, headers, status, words) in [
        ("GET", INSTANCE, &[][..], 400, "Required metadata header not specified"),
        ("GET", INSTANCE, &[("Metadata", "false")], 400, "Required metadata header not specified"),
        ("GET", INSTANCE, forwarded, 400, "X-Forwarded-For"),
        ("GET", "/metadata/instance", METADATA, 400, "api-version was not specified"),
        ("GET", "/metadata/instance?api-version=1999-01-01", METADATA, 400, "api-version is invalid"),
        ("POST", INSTANCE, METADATA, 405, "Method not allowed"),
        ("GET", "/metadata/instances?api-version=2021-02-01", METADATA, 404, "Not found"),
    ] {
        let reply = ask(imds(&lab), method, target, headers);
        assert_eq!(reply.status, status, "{target}");
        let error = reply.json()["error"].as_str().unwrap().to_owned();
        assert!(error.contains(words), "{error} / {words}");
    }
    let newest = ask(imds(&lab), "GET", "/metadata/instance", METADATA).json();
    assert_eq!(newest["newest-versions"].as_array().unwrap().len(), 3);
}

#[test]
fn the_attested_document_satisfies_its_client_and_names_the_machine() {
    let lab = Lab::new();
    let document = attested_document(imds(&lab)).unwrap();
    let statement: Value = serde_json::from_slice(&STANDARD.decode(document.expose()).unwrap()).unwrap();
    assert_eq!(statement["vmId"], machine().vm_id());
    let target = "/metadata/attested/document?api-version=2025-04-07&nonce=12%2034";
    let document = ask(imds(&lab), "GET", target, METADATA).json();
    assert_eq!(document["encoding"], "pkcs7");
    let statement = STANDARD.decode(document["signature"].as_str().unwrap()).unwrap();
    assert_eq!(serde_json::from_slice::<Value>(&statement).unwrap()["nonce"], "12 34");
}

#[test]
fn a_token_is_for_the_resource_and_the_identity_that_were_named() {
    let lab = Lab::new();
    let get = |query: &str| {
        let target = format!("/metadata/identity/oauth2/token?api-version=2018-02-01{query}");
        ask(imds(&lab), "GET", &target, METADATA)
    };
    let reply = get("&resource=https%3A%2F%2Fmanagement.azure.com%2F").json();
    assert_eq!(reply["resource"], "https://management.azure.com/");
    assert_eq!(reply["token_type"], "Bearer");
    let lifetime = reply["expires_on"].as_str().unwrap().parse::<u64>().unwrap()
        - reply["not_before"].as_str().unwrap().parse::<u64>().unwrap();
    assert_eq!(reply["expires_in"], lifetime.to_string());
    let claims = reply["access_token"].as_str().unwrap().split('.').nth(1).unwrap().to_owned();
    let claims: Value = serde_json::from_slice(&URL_SAFE_NO_PAD.decode(claims).unwrap()).unwrap();
    assert_eq!((&claims["aud"], &claims["oid"]), (&reply["resource"], &json!("object-one")));

    assert_eq!(get("&resource=r&client_id=CLIENT-ONE").json()["client_id"], "client-one");
    let description = |query| get(query).json()["error_description"].as_str().unwrap().to_owned();
    assert!(description("").contains("'resource' is missing"));
    assert_eq!(description("&resource=r&client_id=other"), "Identity not found");
    let mut two = machine();
    two.identities.push(Identity { client_id: "client-two".into(), object_id: "object-two".into() });
    lab.azure.admit(two);
    assert!(description("&resource=r").starts_with("Multiple user assigned identities exist"));
    assert_eq!(get("&resource=r&client_id=client-two").json()["client_id"], "client-two");
    let bare = ask(imds(&lab), "GET", "/metadata/identity/oauth2/token", &[]);
    assert_eq!(bare.json()["error"], "bad_request_102");
}

#[test]
fn an_event_is_announced_and_starts_when_the_machine_agrees() {
    let lab = Lab::new();
    let target = "/metadata/scheduledevents?api-version=2020-07-01";
    let document = || ask(imds(&lab), "GET", target, METADATA).json();
    assert_eq!(document(), json!({ "DocumentIncarnation": 1, "Events": [] }));
    let mut machine = machine();
    machine.events.push(ScheduledEvent {
        id: "e1".into(),
        kind: "Preempt".into(),
        status: EventStatus::Scheduled,
        not_before: "Mon, 16 Nov 2026 18:29:47 GMT".into(),
    });
    lab.azure.admit(machine);
    let announced = document();
    assert_eq!(announced["DocumentIncarnation"], 2);
    assert_eq!(announced["Events"][0]["EventStatus"], "Scheduled");
    assert_eq!(announced["Events"][0]["Resources"], json!(["lab-node-0"]));
    let agree = |id| {
        let body = json!({ "StartRequests": [{ "EventId": id }] }).to_string();
        send(imds(&lab), "POST", target, METADATA, body.as_bytes()).status
    };
    assert_eq!((agree("e2"), agree("e1")), (400, 200));
    let started = document();
    assert_eq!(started["DocumentIncarnation"], 3);
    assert_eq!(started["Events"][0]["EventStatus"], "Started");
    assert_eq!(started["Events"][0]["NotBefore"], "");
}

#[test]
fn machines_are_told_apart_by_the_address_they_ask_from() {
    let here = Subnet { address: Ipv4Addr::LOCALHOST, prefix: 8 };
    let lab = Lab::of(vec![machine(), Machine::new("lab-node-1", Ipv4Addr::LOCALHOST, here)]);
    assert_eq!(ask(imds(&lab), "GET", INSTANCE, METADATA).json()["compute"]["name"], "lab-node-1");
    let lab = Lab::of(vec![machine(), Machine::new("lab-node-1", Ipv4Addr::new(10, 0, 0, 9), here)]);
    assert_eq!(ask(imds(&lab), "GET", INSTANCE, METADATA).status, 404);
}
