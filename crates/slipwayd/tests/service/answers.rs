//! What a launcher gets.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use slipway_contract::custom_data::read;

use crate::caller::{Reply, connect, get, message};
use crate::running::{Running, recorded, request};

#[test]
fn every_recorded_request_gets_a_payload_with_its_node_in_it_and_no_token() {
    let service = Running::start(&[]);
    for name in ["request-00", "request-01", "request-02", "request-03"] {
        let (path, body) = request(name);
        let reply = get(service.address, &path, &[("Content-Type", "application/json")], &body);
        assert_eq!(reply.status, 200, "{name}: {reply:?}");
        assert_eq!(reply.fields["content-type"], "application/json");
        let answer = reply.json();
        assert_eq!(answer["cse"], "/opt/azure/containers/aks-node-controller provision-wait");

        let data = answer["customData"].as_str().unwrap();
        let document = String::from_utf8(BASE64_STANDARD.decode(data).unwrap()).unwrap();
        assert_eq!(document.matches("{{.TokenID}}.{{.TokenSecret}}").count(), 1, "{name}");
        let contents = read(data.as_bytes()).unwrap();
        let contract = contents.contracts().next().unwrap().contract.clone();
        let exchange = recorded(name);
        assert_eq!(contract.vm_size, exchange["input"]["sku"]["name"].as_str().unwrap());
        let token = exchange["input"]["options"]["kubeletBootstrapToken"].as_str().unwrap();
        assert!(!document.contains(token), "{name}: the service gave the token away");
    }
}

#[test]
fn the_same_request_gets_the_same_answer_on_a_connection_that_is_kept() {
    use std::io::Write as _;
    let service = Running::start(&[]);
    let (path, body) = request("request-00");
    let mut stream = connect(service.address);
    let mut answers = Vec::new();
    for _ in 0..3 {
        stream.write_all(message("GET", &path, &[], &body).as_bytes()).unwrap();
        answers.push(Reply::read(&mut stream).body);
    }
    assert!(answers.windows(2).all(|pair| pair[0] == pair[1]));
}

#[test]
fn names_of_requests_are_echoed_and_logged() {
    let service = Running::start(&[]);
    let (path, body) = request("request-01");
    let trace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    let reply =
        get(service.address, &path, &[("x-ms-client-request-id", "mine-1"), ("traceparent", trace)], &body);
    assert_eq!(reply.fields["x-ms-client-request-id"], "mine-1");
    assert_eq!(reply.fields["traceparent"], trace);
    let line = service.await_line("request");
    assert_eq!((&line["clientRequestId"], &line["status"]), (&"mine-1".into(), &200.into()));
    assert_eq!(line["requestId"], reply.fields["x-ms-request-id"]);
}

#[test]
fn a_name_that_could_break_a_log_is_not_repeated() {
    let service = Running::start(&[]);
    let (path, body) = request("request-01");
    let long = "x".repeat(500);
    for name in ["a b", long.as_str()] {
        let reply = get(service.address, &path, &[("x-ms-client-request-id", name)], &body);
        assert!(!reply.fields.contains_key("x-ms-client-request-id"), "{name}");
    }
}

#[test]
fn it_says_how_it_is_and_describes_itself() {
    let service = Running::start(&[]);
    for path in ["/healthz", "/readyz"] {
        let reply = get(service.address, path, &[], "");
        assert_eq!((reply.status, reply.body.as_str()), (200, "ok\n"), "{path}");
    }
    let (path, body) = request("request-00");
    get(service.address, &path, &[], &body);
    let metrics = get(service.address, "/metrics", &[], "");
    assert_eq!(metrics.fields["content-type"], "text/plain; version=0.0.4");
    assert!(metrics.body.contains("slipwayd_requests_total{route=\"nodeBootstrapping\",code=\"200\"} 1\n"));
    assert!(metrics.body.contains("slipwayd_bootstrapping_duration_seconds_count 1\n"));
    for line in metrics.body.lines().filter(|line| !line.starts_with('#')) {
        let (_, value) = line.rsplit_once(' ').unwrap();
        assert!(value.parse::<f64>().is_ok(), "{line}");
    }
    let description = get(service.address, "/openapi.json", &[], "").json();
    assert_eq!(description["openapi"], "3.1.0");
}

/// The description's schemas hold what the real client sends, and what is sent back.
#[test]
fn the_description_fits_the_recorded_requests_and_the_answers() {
    let service = Running::start(&[]);
    let description = get(service.address, "/openapi.json", &[], "").json();
    let schema = |name: &str| {
        let schema = serde_json::json!({
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "$ref": format!("#/components/schemas/{name}"),
            "components": description["components"],
        });
        jsonschema::validator_for(&schema).unwrap()
    };
    for name in ["request-00", "request-01", "request-02", "request-03"] {
        let (path, body) = request(name);
        let sent = serde_json::from_str(&body).unwrap();
        assert!(schema("Request").is_valid(&sent), "{name}");
        let reply = get(service.address, &path, &[], &body);
        assert!(schema("Answer").is_valid(&reply.json()), "{name}");
    }
    let reply = get(service.address, "/nowhere", &[], "");
    assert!(schema("Problem").is_valid(&reply.json()));
}
