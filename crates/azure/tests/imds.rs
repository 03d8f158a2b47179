//! The documents of the instance, from a metadata service on this machine.

#![allow(clippy::unwrap_used, reason = "tests")]

mod fakes;

use std::net::TcpListener;
use std::time::{Duration, Instant};

use fakes::{Metadata, json};
use slipway_azure::imds::{ImdsError, attested_document, instance_document};

#[test]
fn the_signature_is_asked_for_as_the_service_wants_it() {
    let service = Metadata::attesting("MIIsigned==");
    assert_eq!(attested_document(service.address).unwrap().expose(), "MIIsigned==");
    let requests = service.requests();
    assert_eq!(requests.len(), 1);
    let first = "GET /metadata/attested/document?api-version=2025-04-07 HTTP/1.1\r\n";
    assert!(requests[0].starts_with(first), "{}", requests[0]);
    assert!(requests[0].contains("\r\nMetadata: true\r\n"));
    assert!(requests[0].contains(&format!("\r\nHost: {}\r\n", service.address)));
}

#[test]
fn bodies_of_every_framing_are_read() {
    let body = r#"{"signature":"s"}"#;
    let (head, tail) = body.split_at(5);
    for answer in [
        json(body),
        format!("HTTP/1.1 200 OK\r\n\r\n{body}"),
        format!("HTTP/1.1 200 OK\r\ncontent-length:{}\r\n\r\n{body}surplus", body.len()),
        format!(
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5;x=y\r\n{head}\r\n{:X}\r\n{tail}\r\n0\r\n\r\n",
            tail.len()
        ),
    ] {
        let service = Metadata::answering(answer.clone());
        assert_eq!(attested_document(service.address).unwrap().expose(), "s", "{answer}");
    }
}

#[test]
fn what_is_no_document_is_refused() {
    let huge = format!("HTTP/1.1 200 OK\r\n\r\n{{\"signature\":\"{}\"}}", "x".repeat(1024 * 1024));
    for (answer, expected) in [
        ("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n".to_owned(), "status 404"),
        ("HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1/\r\n\r\n".to_owned(), "status 302"),
        (json("{}"), "no signature"),
        (json(r#"{"signature":""}"#), "no signature"),
        (json(r#"{"signature":7}"#), "no signature"),
        (json("[]"), "not an object"),
        (json("<html>"), "not JSON"),
        ("hello\r\n\r\n".to_owned(), "not HTTP"),
        ("HTTP/1.1 200 OK\r\n".to_owned(), "ends too early"),
        ("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{}".to_owned(), "ends too early"),
        ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n-1\r\n".to_owned(), "proper size"),
        (huge, "larger than it may be"),
    ] {
        let service = Metadata::answering(answer);
        let error = attested_document(service.address).unwrap_err().to_string();
        assert!(error.contains(expected), "{error} / {expected}");
        assert_eq!(service.requests().len(), 2, "{expected}");
    }
}

#[test]
fn a_second_attempt_can_succeed() {
    let bad = vec![(Duration::ZERO, "HTTP/1.1 503 Busy\r\n\r\n".to_owned())];
    let good = vec![(Duration::ZERO, json(r#"{"Signature":"late"}"#))];
    let service = Metadata::start(vec![bad, good]);
    assert_eq!(attested_document(service.address).unwrap().expose(), "late");
}

#[test]
fn a_silent_service_costs_a_second_for_each_attempt() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let start = Instant::now();
    let error = attested_document(listener.local_addr().unwrap()).unwrap_err();
    let elapsed = start.elapsed();
    assert!(matches!(error, ImdsError::Unreachable(..)), "{error}");
    assert!((Duration::from_millis(1900)..Duration::from_millis(3500)).contains(&elapsed), "{elapsed:?}");
}

#[test]
fn a_body_that_trickles_costs_two_seconds_for_each_attempt() {
    let pieces = (0..40).map(|_| (Duration::from_millis(100), " ".to_owned()));
    let head = (Duration::ZERO, "HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n".to_owned());
    let service = Metadata::start(vec![std::iter::once(head).chain(pieces).collect()]);
    let start = Instant::now();
    assert!(matches!(attested_document(service.address), Err(ImdsError::Unreachable(..))));
    // The fake serves one connection after the other, so that the second attempt waits for its header only.
    let elapsed = start.elapsed();
    assert!((Duration::from_millis(2900)..Duration::from_millis(4600)).contains(&elapsed), "{elapsed:?}");
}

#[test]
fn the_instance_document_comes_without_user_data() {
    let body = r#"{"compute":{"name":"n1","userData":"c2VjcmV0","customData":"c2VjcmV0"},"network":{}}"#;
    let service = Metadata::answering(json(body));
    let document = instance_document(service.address, Duration::from_secs(5)).unwrap();
    assert_eq!(document.0, r#"{"compute":{"name":"n1"},"network":{}}"#);
    let first = "GET /metadata/instance?api-version=2021-02-01&format=json HTTP/1.1\r\n";
    assert!(
        service.requests()[0].starts_with(first) && service.requests()[0].contains("\r\nMetadata: true\r\n")
    );
}

#[test]
fn the_instance_document_is_asked_for_again_until_the_deadline() {
    let answer =
        |status: &str| vec![(Duration::ZERO, format!("HTTP/1.1 {status}\r\nContent-Length: 0\r\n\r\n"))];
    let good = vec![(Duration::ZERO, json("{}"))];
    let service = Metadata::start(vec![answer("429 Slowly"), answer("410 Gone"), good]);
    assert_eq!(instance_document(service.address, Duration::from_secs(5)).unwrap().0, "{}");
    let service = Metadata::start(vec![answer("400 Bad Request")]);
    let error = instance_document(service.address, Duration::from_secs(5)).unwrap_err();
    assert!(matches!(error, ImdsError::Status(400)) && service.requests().len() == 1, "{error:?}");
    let start = Instant::now();
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let error = instance_document(silent.local_addr().unwrap(), Duration::from_millis(300)).unwrap_err();
    assert!(
        matches!(error, ImdsError::Unreachable(..)) && start.elapsed() < Duration::from_secs(1),
        "{error:?}"
    );
}
