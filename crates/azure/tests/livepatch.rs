//! The live-patching call, against a service on this machine.

#![allow(clippy::unwrap_used, reason = "tests")]

mod fakes;

use std::io::Read as _;
use std::net::TcpListener;
use std::time::{Duration, Instant};

use fakes::{Answer, Authority, LivePatching};
use h2::Reason;
use rcgen::ExtendedKeyUsagePurpose;
use slipway_azure::livepatch::{Code, LivePatchError, PROTOCOLS, SERVICE_NAME, Service};
use slipway_model::Secret;

const API_SERVER: &str = "cluster-0123.hcp.westeurope.azmk8s.io";

fn ask(service: &LivePatching, authority: &Authority) -> Result<String, LivePatchError> {
    let client = Service::behind(&format!("{API_SERVER}:6443"), authority.pem().as_bytes());
    client.at(service.address).component_config("aksNodeController", &Secret::from("MIIsigned=="))
}

fn answer(answer: Answer) -> Result<String, LivePatchError> {
    let authority = Authority::root();
    ask(&LivePatching::start(authority.server(SERVICE_NAME), &PROTOCOLS, false, answer), &authority)
}

fn code(result: Result<String, LivePatchError>) -> Code {
    match result.unwrap_err() {
        LivePatchError::Status(status) => status.code,
        other => panic!("{other}"),
    }
}

#[test]
fn the_call_is_what_the_service_expects() {
    let authority = Authority::root();
    let config = r#"{"hotfixes":{"202601.15":"202601.15.1"}}"#.to_owned() + &" ".repeat(200_000);
    let identity = authority.server(SERVICE_NAME);
    let service = LivePatching::start(identity, &PROTOCOLS, false, Answer::Config(config.clone()));
    assert_eq!(ask(&service, &authority).unwrap(), config);
    let seen = service.seen().unwrap();
    assert_eq!(seen.server_name.as_deref(), Some(API_SERVER));
    assert_eq!(seen.offered, PROTOCOLS);
    assert_eq!(seen.path, "/akslivepatching.v1.LivePatchingService/GetComponentConfig");
    assert_eq!(seen.authority, API_SERVER);
    let header = |name: &str| seen.headers[name].to_str().unwrap();
    assert_eq!(header("authorization"), "MIIsigned==");
    assert_eq!((header("content-type"), header("te")), ("application/grpc", "trailers"));
    assert_eq!(header("grpc-timeout"), "3000m");
    assert_eq!(seen.body, b"\0\0\0\0\x13\x0a\x11aksNodeController");
}

#[test]
fn either_protocol_is_http_2_and_tls_1_2_is_enough() {
    for protocols in [&["aks-live-patching"][..], &["h2"]] {
        for tls12_only in [false, true] {
            let authority = Authority::root();
            let identity = authority.server(SERVICE_NAME);
            let service = LivePatching::start(identity, protocols, tls12_only, Answer::Config(String::new()));
            assert_eq!(ask(&service, &authority).unwrap(), "", "{protocols:?}");
        }
    }
}

#[test]
fn presented_intermediates_complete_the_chain() {
    let root = Authority::root();
    let identity = root.intermediate().server(SERVICE_NAME);
    let service = LivePatching::start(identity, &PROTOCOLS, false, Answer::Config("{}".to_owned()));
    assert_eq!(ask(&service, &root).unwrap(), "{}");
}

#[test]
fn certificates_that_prove_nothing_are_refused() {
    let (cluster, other) = (Authority::root(), Authority::root());
    let client_use = ExtendedKeyUsagePurpose::ClientAuth;
    for (why, identity, expected) in [
        ("another CA", other.server(SERVICE_NAME), "certificate"),
        ("the API server's own name", cluster.server(API_SERVER), "not valid for name"),
        ("a certificate for clients", cluster.certify(SERVICE_NAME, client_use), "certificate"),
    ] {
        let service = LivePatching::start(identity, &PROTOCOLS, false, Answer::Config("{}".to_owned()));
        match ask(&service, &cluster) {
            Err(LivePatchError::Transport { problem, .. }) => {
                assert!(problem.contains(expected), "{why}: {problem}");
            }
            other => panic!("{why}: {other:?}"),
        }
        assert!(service.seen().unwrap().path.is_empty(), "{why}: the call was made all the same");
    }
}

#[test]
fn a_server_that_selects_no_protocol_is_refused() {
    let authority = Authority::root();
    let service = LivePatching::start(authority.server(SERVICE_NAME), &[], false, Answer::Silence);
    let error = ask(&service, &authority).unwrap_err();
    assert!(matches!(error, LivePatchError::Transport { .. }), "{error}");
    let service = LivePatching::start(authority.server(SERVICE_NAME), &["http/1.1"], false, Answer::Silence);
    assert!(matches!(ask(&service, &authority).unwrap_err(), LivePatchError::Transport { .. }));
}

#[test]
fn nothing_older_than_tls_1_2_is_offered() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let hello = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let mut head = [0; 5];
        stream.read_exact(&mut head).unwrap();
        let mut hello = vec![0; usize::from(u16::from_be_bytes([head[3], head[4]]))];
        stream.read_exact(&mut hello).unwrap();
        hello
    });
    let client = Service::behind(API_SERVER, Authority::root().pem().as_bytes()).at(address);
    assert!(client.component_config("c", &Secret::from("t")).is_err());
    // Extension 43, supported_versions: a list of 4 bytes with 1.3 and 1.2.
    let hello = hello.join().unwrap();
    let extension = [0, 43, 0, 5, 4, 3, 4, 3, 3];
    assert!(hello.windows(extension.len()).any(|bytes| bytes == extension), "{hello:x?}");
}

#[test]
fn a_status_is_found_wherever_the_server_puts_it() {
    for number in [1, 2, 3, 5, 7, 8, 12, 14, 16] {
        assert_eq!(code(answer(Answer::Trailers(number, "x"))), Code(number));
        assert_eq!(code(answer(Answer::TrailersOnly(number, "x"))), Code(number));
    }
    let error = answer(Answer::TrailersOnly(5, "no%20such%0Acomponent")).unwrap_err();
    assert_eq!(error.to_string(), "rpc error: code = NotFound desc = no such\ncomponent");
}

#[test]
fn answers_that_are_not_grpc_become_a_status() {
    for (http, expected) in [
        (200, Code::UNKNOWN),
        (400, Code::INTERNAL),
        (401, Code::UNAUTHENTICATED),
        (403, Code::PERMISSION_DENIED),
        (404, Code::UNIMPLEMENTED),
        (429, Code::UNAVAILABLE),
        (500, Code::UNKNOWN),
        (503, Code::UNAVAILABLE),
    ] {
        assert_eq!(code(answer(Answer::Http(http))), expected, "{http}");
    }
    for (reason, expected) in [
        (Reason::INTERNAL_ERROR, Code::INTERNAL),
        (Reason::REFUSED_STREAM, Code::UNAVAILABLE),
        (Reason::ENHANCE_YOUR_CALM, Code::RESOURCE_EXHAUSTED),
        (Reason::INADEQUATE_SECURITY, Code::PERMISSION_DENIED),
    ] {
        assert_eq!(code(answer(Answer::Reset(reason))), expected, "{reason}");
    }
}

#[test]
fn broken_answers_become_a_status() {
    assert_eq!(code(answer(Answer::NoStatus)), Code::UNKNOWN);
    assert_eq!(code(answer(Answer::TrailersOnly(0, ""))), Code::INTERNAL);
    assert_eq!(code(answer(Answer::Trailers(0, ""))), Code::INTERNAL);
    for body in
        [&b"\0\0"[..], b"\0\0\0\0\x09{}", b"\x01\0\0\0\0", b"\0\0\0\0\x02\x12\x09", b"\0\0\0\0\0\0\0\0\0\0"]
    {
        assert_eq!(code(answer(Answer::Body(body.to_vec()))), Code::INTERNAL, "{body:?}");
    }
    assert_eq!(answer(Answer::Body(b"\0\0\0\0\0".to_vec())).unwrap(), "");
    let mut huge = vec![0; 5 * 1024 * 1024];
    huge[1..5].copy_from_slice(&(5_u32 * 1024 * 1024 - 5).to_be_bytes());
    assert_eq!(code(answer(Answer::Body(huge))), Code::RESOURCE_EXHAUSTED);
}

#[test]
fn connection_and_call_share_three_seconds() {
    let start = Instant::now();
    let error = answer(Answer::Silence).unwrap_err();
    assert!(matches!(error, LivePatchError::Late(..)), "{error}");
    // A server that accepts and never speaks TLS.
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let client = Service::behind(API_SERVER, Authority::root().pem().as_bytes());
    let client = client.at(listener.local_addr().unwrap()).within(Duration::from_millis(200));
    let error = client.component_config("c", &Secret::from("t")).unwrap_err();
    assert!(matches!(error, LivePatchError::Late(..)), "{error}");
    let elapsed = start.elapsed();
    assert!((Duration::from_millis(3200)..Duration::from_secs(5)).contains(&elapsed), "{elapsed:?}");
}

#[test]
fn a_closed_port_and_a_name_that_is_none_are_told_apart() {
    let address = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let pem = Authority::root().pem();
    let token = Secret::from("t");
    let error =
        Service::behind(API_SERVER, pem.as_bytes()).at(address).component_config("c", &token).unwrap_err();
    assert!(error.to_string().contains("Connection refused"), "{error}");
    let error =
        Service::behind("not a host", pem.as_bytes()).at(address).component_config("c", &token).unwrap_err();
    assert!(matches!(error, LivePatchError::BadHost(_)), "{error}");
    let token = Secret::from("line\nbreak");
    let authority = Authority::root();
    let service = LivePatching::start(authority.server(SERVICE_NAME), &PROTOCOLS, false, Answer::Silence);
    let client = Service::behind(API_SERVER, authority.pem().as_bytes()).at(service.address);
    let error = client.component_config("c", &token).unwrap_err().to_string();
    assert!(error.contains("header") && !error.contains("break"), "{error}");
}
