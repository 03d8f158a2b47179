//! Faults: each looks to its client as it should, strikes as often as it was told, and nowhere else.

use std::io::ErrorKind;
use std::net::TcpStream;
use std::time::{Duration, Instant};

use slipway_azure::imds::{ImdsError, attested_document, instance_document};
use slipway_lab::azure::{Fault, Route, Service, Times};

use crate::Lab;
use crate::client::{Connection, METADATA, Reply, try_send};

const INSTANCE: &str = "/metadata/instance?api-version=2021-02-01";

fn instance(lab: &Lab) -> std::io::Result<Reply> {
    try_send(lab.azure.address(Service::Imds), "GET", INSTANCE, METADATA, b"")
}

#[test]
fn every_fault_looks_as_it_should() {
    let lab = Lab::new();
    let once = |fault| {
        lab.azure.fault(Route::INSTANCE, fault, Times::First(1));
        instance(&lab)
    };
    assert_eq!(once(Fault::Refuse).unwrap_err().kind(), ErrorKind::ConnectionReset);
    assert_eq!(once(Fault::Drop).unwrap_err().kind(), ErrorKind::UnexpectedEof);
    assert_eq!(once(Fault::Truncate).unwrap_err().kind(), ErrorKind::UnexpectedEof);
    let throttled = once(Fault::Throttle(Duration::from_secs(7))).unwrap();
    assert_eq!((throttled.status, throttled.header("retry-after")), (429, Some("7")));
    assert_eq!(once(Fault::Status(500)).unwrap().status, 500);
    let garbage = once(Fault::Garbage).unwrap();
    assert_eq!(garbage.status, 200);
    assert!(serde_json::from_slice::<serde_json::Value>(&garbage.body).is_err());
    let start = Instant::now();
    let slow = once(Fault::Slow(Duration::from_millis(300))).unwrap();
    assert_eq!(slow.json()["compute"]["name"], "lab-node-0");
    assert!(start.elapsed() >= Duration::from_millis(300));
    assert_eq!(instance(&lab).unwrap().status, 200);
}

#[test]
fn a_truncated_answer_is_half_of_the_whole_one() {
    let lab = Lab::new();
    let whole = instance(&lab).unwrap().body.len();
    lab.azure.fault(Route::INSTANCE, Fault::Truncate, Times::First(1));
    let mut connection = Connection::to(lab.azure.address(Service::Imds));
    connection.send(format!("GET {INSTANCE} HTTP/1.1\r\nMetadata: true\r\n\r\n").as_bytes());
    let all = connection.rest();
    let (header, body) = all.split_once("\r\n\r\n").unwrap();
    assert!(header.contains(&format!("Content-Length: {whole}")));
    assert_eq!(body.len(), whole / 2);
}

#[test]
fn faults_of_a_route_follow_each_other_and_spare_the_other_routes() {
    let lab = Lab::new();
    lab.azure.fault(Route::ATTESTED, Fault::Status(503), Times::First(2));
    lab.azure.fault(Route::ATTESTED, Fault::Garbage, Times::Always);
    assert_eq!(instance(&lab).unwrap().status, 200);
    let imds = lab.azure.address(Service::Imds);
    assert!(matches!(attested_document(imds), Err(ImdsError::Status(503))));
    assert!(matches!(attested_document(imds), Err(ImdsError::Unreadable(_))));
    lab.azure.heal(&Route::ATTESTED);
    lab.azure.fault(Route::ATTESTED, Fault::Refuse, Times::First(1));
    attested_document(imds).unwrap();

    let exchanges = lab.azure.requests();
    let struck: Vec<_> = exchanges.iter().map(|exchange| (exchange.status, exchange.fault.clone())).collect();
    let expected = [
        (Some(200), None),
        (Some(503), Some(Fault::Status(503))),
        (Some(503), Some(Fault::Status(503))),
        (Some(200), Some(Fault::Garbage)),
        (Some(200), Some(Fault::Garbage)),
        (None, Some(Fault::Refuse)),
        (Some(200), None),
    ];
    assert_eq!(struck, expected);
    assert!(exchanges.is_sorted_by_key(|exchange| exchange.at));
    assert!(exchanges.iter().all(|exchange| exchange.request.header("METADATA") == Some("true")));
}

#[test]
fn a_client_that_tries_again_outlasts_every_fault() {
    let lab = Lab::new();
    let script = [
        Fault::Refuse,
        Fault::Throttle(Duration::from_secs(1)),
        Fault::Status(500),
        Fault::Truncate,
        Fault::Garbage,
        Fault::Drop,
    ];
    for fault in &script {
        lab.azure.fault(Route::INSTANCE, fault.clone(), Times::First(1));
    }
    let document = instance_document(lab.azure.address(Service::Imds), Duration::from_secs(8)).unwrap();
    assert!(document.0.contains("lab-node-0"));
    let struck: Vec<_> = lab.azure.requests().into_iter().filter_map(|exchange| exchange.fault).collect();
    assert_eq!(struck, script);
}

#[test]
fn a_fault_is_for_one_artifact_or_for_a_whole_service_and_an_upload_that_failed_is_not_kept() {
    let lab = Lab::new();
    for name in ["kubelet", "kubectl"] {
        std::fs::write(lab.directory.path().join("files").join(name), "0123456789").unwrap();
    }
    let artifacts = lab.azure.address(Service::Artifacts);
    lab.azure.fault(Route::artifact("/kubelet"), Fault::Truncate, Times::First(1));
    assert!(try_send(artifacts, "GET", "/kubelet", &[], b"").is_err());
    assert_eq!(try_send(artifacts, "GET", "/kubelet", &[], b"").unwrap().text(), "0123456789");
    assert_eq!(try_send(artifacts, "GET", "/kubectl", &[], b"").unwrap().status, 200);

    lab.azure.fault(Route::all(Service::HostPlugin), Fault::Status(500), Times::Always);
    let plugin = lab.azure.address(Service::HostPlugin);
    assert_eq!(try_send(plugin, "PUT", "/vmAgentLog", &[], b"zip").unwrap().status, 500);
    assert_eq!(try_send(plugin, "GET", "/health", &[], b"").unwrap().status, 500);
    assert!(lab.azure.agent_logs().is_empty());
    lab.azure.fault(Route::GOAL_STATE, Fault::Status(503), Times::First(1));
    let wireserver = lab.azure.address(Service::Wireserver);
    assert_eq!(try_send(wireserver, "GET", "/machine/?comp=goalstate", &[], b"").unwrap().status, 503);
}

#[test]
fn a_closed_service_refuses_connections_until_it_is_opened_again() {
    let lab = Lab::new();
    let imds = lab.azure.address(Service::Imds);
    let mut kept = Connection::to(imds);
    kept.send(format!("GET {INSTANCE} HTTP/1.1\r\nMetadata: true\r\n\r\n").as_bytes());
    assert_eq!(kept.receive().unwrap().status, 200);
    lab.azure.close(Service::Imds);
    assert!(kept.is_closed());
    assert_eq!(TcpStream::connect(imds).unwrap_err().kind(), ErrorKind::ConnectionRefused);
    assert_eq!(
        try_send(lab.azure.address(Service::HostPlugin), "GET", "/health", &[], b"").unwrap().status,
        200
    );
    lab.azure.open(Service::Imds).unwrap();
    lab.azure.open(Service::Imds).unwrap();
    assert_eq!(instance(&lab).unwrap().status, 200);
}

#[test]
fn the_end_waits_for_no_client_and_no_delay() {
    let lab = Lab::new();
    let imds = lab.azure.address(Service::Imds);
    lab.azure.fault(Route::INSTANCE, Fault::Slow(Duration::from_hours(1)), Times::Always);
    let _idle = Connection::to(imds);
    let mut waiting = Connection::to(imds);
    waiting.send(format!("GET {INSTANCE} HTTP/1.1\r\nMetadata: true\r\n\r\n").as_bytes());
    while lab.azure.requests().is_empty() {
        std::thread::sleep(Duration::from_millis(5));
    }
    let start = Instant::now();
    drop(lab);
    assert!(start.elapsed() < Duration::from_secs(1), "{:?}", start.elapsed());
    assert_eq!(TcpStream::connect(imds).unwrap_err().kind(), ErrorKind::ConnectionRefused);
}
