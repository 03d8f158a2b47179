//! Callers that send too much, too slowly, or all at once.

use std::io::{Read as _, Write as _};
use std::time::{Duration, Instant};

use crate::caller::{Reply, connect, get, message, say};
use crate::running::{Running, request};

#[test]
fn an_oversized_body_is_refused_before_it_is_read_and_when_its_length_is_hidden() {
    let service = Running::start(&["--max-body", "10000"]);
    let (path, _) = request("request-00");
    let announced = format!("GET {path} HTTP/1.1\r\nHost: s\r\nContent-Length: 50000000\r\n\r\n");
    let reply = say(service.address, announced.as_bytes());
    assert_eq!((reply.status, reply.code().as_str()), (413, "RequestTooLarge"));
    assert_eq!(reply.fields["connection"], "close");

    // Whoever sends on regardless still gets the answer, not a reset.
    let sent = message("GET", &path, &[], &"x".repeat(1_000_000));
    assert_eq!(say(service.address, sent.as_bytes()).status, 413);

    let chunk = format!("{:x}\r\n{}\r\n", 5000, "x".repeat(5000));
    let chunked =
        format!("GET {path} HTTP/1.1\r\nHost: s\r\nTransfer-Encoding: chunked\r\n\r\n{}", chunk.repeat(10));
    assert_eq!(say(service.address, chunked.as_bytes()).status, 413);
    assert_eq!(get(service.address, "/healthz", &[], "").status, 200);
}

#[test]
fn headers_that_are_no_http_or_too_long_are_refused() {
    let service = Running::start(&[]);
    for (bytes, status) in [
        ("nonsense\r\n\r\n".to_owned(), "400"),
        (format!("GET /healthz HTTP/1.1\r\nHost: s\r\nX: {}\r\n\r\n", "x".repeat(40_000)), "431"),
    ] {
        let mut stream = connect(service.address);
        let _ = stream.write_all(bytes.as_bytes());
        let mut answer = String::new();
        let _ = stream.read_to_string(&mut answer);
        assert!(answer.starts_with(&format!("HTTP/1.1 {status}")), "{answer}");
    }
}

#[test]
fn whoever_is_slow_is_told_so_and_does_not_hold_up_others() {
    let service = Running::start(&["--request-timeout", "1"]);
    let (path, body) = request("request-00");
    let whole = message("GET", &path, &[], &body);
    let in_header = &whole[..40];
    let in_body = &whole[..whole.len() - 100];
    for (part, code) in [(in_header, "header"), (in_body, "body")] {
        let start = Instant::now();
        let mut slow = connect(service.address);
        slow.write_all(part.as_bytes()).unwrap();
        assert_eq!(get(service.address, &path, &[], &body).status, 200);
        let reply = Reply::read(&mut slow);
        assert_eq!((reply.status, reply.code().as_str()), (408, "RequestTimeout"), "{code}");
        assert!(reply.body.contains(code), "{reply:?}");
        assert!((800..5000).contains(&start.elapsed().as_millis()), "{code}: {:?}", start.elapsed());
    }
}

#[test]
fn a_header_that_comes_byte_by_byte_has_no_more_time_than_any_other() {
    let service = Running::start(&["--request-timeout", "1"]);
    let start = Instant::now();
    let mut slow = connect(service.address);
    slow.set_read_timeout(Some(Duration::from_millis(100))).unwrap();
    let mut answer = Vec::new();
    let mut buffer = [0; 1024];
    while answer.is_empty() && start.elapsed() < Duration::from_secs(10) {
        let _ = slow.write_all(b"G");
        if let Ok(length) = slow.read(&mut buffer) {
            answer.extend_from_slice(&buffer[..length]);
        }
    }
    assert!(String::from_utf8_lossy(&answer).starts_with("HTTP/1.1 408"), "{answer:?}");
}

#[test]
fn requests_beyond_the_limit_are_refused_at_once_and_counted_and_the_limit_frees_itself() {
    let service = Running::start(&["--max-requests", "4"]);
    let (path, body) = request("request-00");
    let whole = message("GET", &path, &[], &body);
    let half: Vec<_> = (0..4)
        .map(|_| {
            let mut stream = connect(service.address);
            stream.write_all(&whole.as_bytes()[..whole.len() - 10]).unwrap();
            stream
        })
        .collect();
    // These four, and the question itself.
    while !get(service.address, "/metrics", &[], "").body.contains("slipwayd_requests_in_flight 5\n") {}
    let refused = get(service.address, &path, &[], &body);
    assert_eq!(refused.status, 503, "{refused:?}");
    assert_eq!((refused.code().as_str(), refused.fields["retry-after"].as_str()), ("Overloaded", "1"));
    let start = Instant::now();
    for _ in 0..32 {
        assert_eq!(get(service.address, &path, &[], &body).status, 503);
        assert_eq!(get(service.address, "/readyz", &[], "").status, 200, "probes are not refused");
    }
    assert!(start.elapsed() < Duration::from_secs(2));
    for mut stream in half {
        stream.write_all(&whole.as_bytes()[whole.len() - 10..]).unwrap();
        assert_eq!(Reply::read(&mut stream).status, 200);
    }
    assert_eq!(get(service.address, &path, &[], &body).status, 200);
}

#[test]
fn connections_beyond_the_limit_get_an_answer_even_if_they_send_a_request() {
    let service = Running::start(&["--max-connections", "2"]);
    let (path, body) = request("request-00");
    let held = [connect(service.address), connect(service.address)];
    for stream in &held {
        let mut stream = stream;
        stream.write_all(message("GET", "/healthz", &[], "").as_bytes()).unwrap();
    }
    let held = held.map(|mut stream| {
        assert_eq!(Reply::read(&mut stream).status, 200);
        stream
    });
    for _ in 0..16 {
        let reply = get(service.address, &path, &[], &body);
        assert_eq!((reply.status, reply.fields["retry-after"].as_str()), (503, "1"));
    }
    drop(held);
    let start = Instant::now();
    while get(service.address, "/healthz", &[], "").status != 200 {
        assert!(start.elapsed() < Duration::from_secs(5), "room is not given back");
    }
}

#[test]
fn memory_does_not_grow_with_callers_that_are_refused() {
    let service = Running::start(&["--max-connections", "8"]);
    let (path, body) = request("request-00");
    let held: Vec<_> = (0..8)
        .map(|_| {
            let mut stream = connect(service.address);
            stream.write_all(message("GET", "/healthz", &[], "").as_bytes()).unwrap();
            assert_eq!(Reply::read(&mut stream).status, 200);
            stream
        })
        .collect();
    let before = service.peak_memory();
    for _ in 0..4 {
        let mut many: Vec<_> = (0..64).map(|_| connect(service.address)).collect();
        for stream in &mut many {
            let _ = stream.write_all(message("GET", &path, &[], &body).as_bytes());
        }
        for stream in &mut many {
            assert_eq!(Reply::read(stream).status, 503);
        }
    }
    let after = service.peak_memory();
    assert!(after < before + 8192, "from {before} to {after} kB");
    drop(held);
}
