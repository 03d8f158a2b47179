//! HTTP itself: framing, kept connections, real clients.

use std::process::Command;

use slipway_lab::azure::Service;

use crate::Lab;
use crate::client::Connection;

const VERSIONS: &str = "/metadata/versions";

#[test]
fn one_connection_serves_many_requests_even_when_they_come_at_once() {
    let lab = Lab::new();
    let mut connection = Connection::to(lab.azure.address(Service::Imds));
    let request = format!("GET {VERSIONS} HTTP/1.1\r\nmetadata: TRUE\r\n\r\n");
    connection.send(request.repeat(3).as_bytes());
    for _ in 0..3 {
        assert_eq!(connection.receive().unwrap().status, 200);
    }
    assert_eq!(lab.azure.requests().len(), 3);
}

#[test]
fn a_connection_closes_when_its_client_says_so_or_is_of_the_old_kind() {
    let lab = Lab::new();
    for request in [
        format!("GET {VERSIONS} HTTP/1.1\r\nMetadata: true\r\nConnection: Close\r\n\r\n"),
        format!("GET {VERSIONS} HTTP/1.0\r\nMetadata: true\r\n\r\n"),
    ] {
        let mut connection = Connection::to(lab.azure.address(Service::Imds));
        connection.send(request.as_bytes());
        let reply = connection.receive().unwrap();
        assert_eq!((reply.status, reply.header("connection")), (200, Some("close")));
        assert!(connection.is_closed());
    }
}

#[test]
fn a_body_in_chunks_is_put_together_and_the_next_request_is_found_behind_it() {
    let lab = Lab::new();
    let mut connection = Connection::to(lab.azure.address(Service::Wireserver));
    let container = crate::machine().container_id();
    let (head, tail) = ("<Health><ContainerId>", format!("{container}</ContainerId></Health>"));
    connection.send(
        format!(
            "POST /machine?comp=health HTTP/1.1\r\nX-MS-Version: 2012-11-30\r\nTransfer-Encoding: chunked\r\n\r\n\
             {:x};note=1\r\n{head}\r\n{:X}\r\n{tail}\r\n0\r\nTrailer: 1\r\n\r\n\
             GET /?comp=versions HTTP/1.1\r\n\r\n",
            head.len(),
            tail.len()
        )
        .as_bytes(),
    );
    assert_eq!(connection.receive().unwrap().status, 200);
    assert!(connection.receive().unwrap().text().contains("2012-11-30"));
    assert_eq!(lab.azure.health_reports()[0].document, format!("{head}{tail}"));
}

#[test]
fn what_is_not_http_is_told_so() {
    let lab = Lab::new();
    for (bytes, expected) in [
        ("hello\r\n\r\n", "request line"),
        ("GET / HTTP/2.0\r\n\r\n", "HTTP/1.1"),
        ("GET / HTTP/1.1\r\nno colon\r\n\r\n", "no colon"),
        ("PUT / HTTP/1.1\r\nContent-Length: many\r\n\r\n", "no number"),
        ("PUT / HTTP/1.1\r\nContent-Length: 999999999\r\n\r\n", "128 MiB"),
        ("PUT / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", "proper size"),
        ("PUT / HTTP/1.1\r\nTransfer-Encoding: gzip\r\n\r\n", "chunked"),
    ] {
        let mut connection = Connection::to(lab.azure.address(Service::Imds));
        connection.send(bytes.as_bytes());
        let reply = connection.receive().unwrap();
        assert_eq!(reply.status, 400, "{bytes}");
        assert!(reply.text().contains(expected), "{} / {expected}", reply.text());
        assert!(connection.is_closed());
    }
}

#[test]
fn curl_downloads_resumes_and_uploads_what_it_was_told_to_wait_with() {
    let lab = Lab::new();
    let content: Vec<u8> = (0..3_000_000_u32).map(|number| number.to_le_bytes()[1]).collect();
    std::fs::write(lab.directory.path().join("files/kubelet"), &content).unwrap();
    let copy = lab.directory.path().join("copy");
    std::fs::write(&copy, &content[..1_000_000]).unwrap();
    let url = format!("http://{}/kubelet", lab.azure.address(Service::Artifacts));
    let curl = |arguments: &[&str]| {
        let output = Command::new("curl")
            .args(["--silent", "--show-error", "--fail", "--noproxy", "*", "--max-time", "8"])
            .args(arguments)
            .output()
            .unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    };
    let copy = copy.to_str().unwrap();
    curl(&["--continue-at", "-", "--output", copy, &url]);
    assert!(std::fs::read(copy).unwrap() == content, "the resumed file differs");
    assert_eq!(lab.azure.requests()[0].status, Some(206));

    let machine = crate::machine();
    let url = format!("http://{}/vmAgentLog", lab.azure.address(Service::HostPlugin));
    let container = format!("x-ms-containerid: {}", machine.container_id());
    let deployment = format!("x-ms-vmagentlog-deploymentid: {}", machine.deployment_id());
    let mut arguments =
        vec!["--upload-file", copy, "--header", "Expect: 100-continue", "--expect100-timeout", "7"];
    for header in [
        "x-ms-version: 2015-09-01",
        "x-ms-client-name: AKSCSEPlugin",
        "x-ms-client-version: 0.1.0",
        "x-ms-client-correlationid: one",
        &container,
        &deployment,
    ] {
        arguments.extend(["--header", header]);
    }
    arguments.push(&url);
    curl(&arguments);
    assert!(lab.azure.agent_logs()[0].content == content, "the uploaded log differs");
}
