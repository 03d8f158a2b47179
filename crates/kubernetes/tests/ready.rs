//! Waiting for a Node, and for kubelet, against servers on this machine.

#![allow(clippy::unwrap_used, clippy::disallowed_methods, reason = "tests")]

#[path = "../../fetch/tests/fakes/mod.rs"]
mod fakes;

use std::net::TcpListener;
use std::time::{Duration, Instant};

use fakes::{Act, Authority, Request, Server, answer, json, never, soon};
use serde_json::{Value, json as value};
use slipway_kubernetes::{
    ApiError, ApiServer, Credential, HealthError, Patience, WaitError, wait_kubelet_healthy,
};
use slipway_model::Secret;

fn node(status: &str) -> Value {
    value!({
        "metadata": {"name": "n1", "uid": "u-1", "creationTimestamp": "2026-11-16T00:00:00Z", "resourceVersion": "7"},
        "status": {
            "conditions": [
                {"type": "MemoryPressure", "status": "False"},
                {"type": "Ready", "status": status, "reason": "KubeletNotReady", "message": "cni plugin not initialized",
                 "lastTransitionTime": "2026-11-16T00:00:05Z", "lastHeartbeatTime": "2026-11-16T00:00:06Z"},
            ],
            "addresses": [{"type": "InternalIP", "address": "10.0.0.4"}],
            "nodeInfo": {"kubeletVersion": "v1.33.1"},
        },
    })
}

fn list(items: &[Value]) -> Vec<Act> {
    json(&value!({"metadata": {"resourceVersion": "20"}, "items": items}).to_string())
}

fn watch(events: &[(&str, Value)]) -> Vec<Act> {
    let line = |(kind, object): &(&str, Value)| value!({"type": kind, "object": object}).to_string();
    let lines: Vec<String> = events.iter().map(line).collect();
    json(&(lines.join("\n") + "\n"))
}

/// A server that knows us by our certificate.
fn serve(manner: impl Fn(&Request) -> Vec<Act> + Send + Sync + 'static) -> (Server, ApiServer) {
    let authority = Authority::new();
    let server = Server::mutual(&authority, manner);
    let (chain_pem, key_pem) = authority.client("system:node:n1");
    let credential = Credential::Certificate { chain_pem, key_pem: Secret::new(key_pem) };
    let api = ApiServer::new(&server.url("https", ""), authority.pem().as_bytes(), credential, None).unwrap();
    (server, api)
}

#[test]
fn a_node_is_followed_from_absent_to_ready() {
    let (server, api) = serve(|request| match request.number {
        0 => list(&[]),
        1 => watch(&[("ADDED", node("False"))]),
        2 => list(&[node("False")]),
        _ => watch(&[("MODIFIED", node("Unknown")), ("MODIFIED", node("True"))]),
    });
    let state = api.wait_ready("n1", Patience::new(soon(10), &never)).unwrap();
    assert!(state.is_ready());
    assert_eq!((state.uid.as_str(), state.kubelet_version.as_str()), ("u-1", "v1.33.1"));
    assert_eq!(state.addresses, [("InternalIP".to_owned(), "10.0.0.4".to_owned())]);
    assert_eq!(state.ready.unwrap().since, "2026-11-16T00:00:05Z");
    let first = server.requests().remove(0);
    assert_eq!(first.line(), "GET /api/v1/nodes?fieldSelector=metadata.name%3Dn1 HTTP/1.1");
    assert_eq!(first.field("authorization"), None);
}

#[test]
fn nothing_is_said_with_null_as_go_programs_do() {
    let mut bare = node("True");
    bare["metadata"]["creationTimestamp"] = Value::Null;
    bare["status"]["conditions"][1]["lastTransitionTime"] = Value::Null;
    bare["status"]["conditions"][1]["lastHeartbeatTime"] = Value::Null;
    let (_server, api) = serve(move |request| match request.number {
        0 => json(r#"{"metadata":{"resourceVersion":"20"},"items":null}"#),
        _ => watch(&[("ADDED", bare.clone())]),
    });
    let state = api.wait_ready("n1", Patience::new(soon(10), &never)).unwrap();
    assert_eq!((state.created.as_str(), state.ready.unwrap().since.as_str()), ("", ""));
}

#[test]
fn what_kept_a_node_from_being_ready_is_told_at_the_deadline() {
    let silent = || vec![Act::Send(b"HTTP/1.1 200 OK\r\n\r\n".to_vec()), Act::Pause(Duration::from_secs(20))];
    let (_server, api) =
        serve(move |request| if request.number == 0 { list(&[node("False")]) } else { silent() });
    let error = api.wait_ready("n1", Patience::new(soon(1), &never)).unwrap_err();
    assert!(matches!(error, WaitError::NotReady(_)), "{error:?}");
    assert!(error.to_string().contains("KubeletNotReady: cni plugin not initialized"), "{error}");
    let (_server, api) = serve(move |request| if request.number == 0 { list(&[]) } else { silent() });
    let error = api.wait_ready("n1", Patience::new(soon(1), &never)).unwrap_err();
    assert!(matches!(error, WaitError::Unregistered(_)), "{error:?}");
}

#[test]
fn a_node_that_may_not_read_itself_is_told_at_once() {
    let (server, api) = serve(|_| answer("403 Forbidden", "", br#"{"message":"no"}"#));
    let error = api.wait_ready("n1", Patience::new(soon(10), &never)).unwrap_err();
    assert!(matches!(error, WaitError::Api(ApiError::Forbidden { .. })), "{error:?}");
    assert_eq!(server.requests().len(), 1);
}

#[test]
fn a_node_is_read_once() {
    let (_server, api) = serve(|request| match request.number {
        0 => answer("404 Not Found", "", b"{}"),
        1 => json(&node("True").to_string()),
        _ => answer("302 Found", "Location: /elsewhere\r\n", b""),
    });
    let patience = Patience::new(soon(10), &never);
    assert_eq!(api.node("n1", patience).unwrap(), None);
    assert!(api.node("n1", patience).unwrap().unwrap().is_ready());
    assert!(matches!(api.node("n1", patience), Err(ApiError::Status { status: 302, .. })));
}

#[test]
fn neither_a_name_nor_a_token_can_change_the_request() {
    let (server, api) = serve(|_| answer("404 Not Found", "", b"{}"));
    api.node("n1/status?x=1 HTTP/1.1\r\nX: y", Patience::new(soon(10), &never)).unwrap();
    let line = server.requests().remove(0).head.lines().next().unwrap().to_owned();
    assert_eq!(line, "GET /api/v1/nodes/n1%2Fstatus%3Fx%3D1%20HTTP%2F1.1%0D%0AX%3A%20y HTTP/1.1");
    for token in ["", " \n", "abc\r\nX: y", "abc def"] {
        let token = Credential::Token(Secret::from(token));
        let pem = Authority::new().pem();
        let made = ApiServer::new("https://127.0.0.1:1", pem.as_bytes(), token, None);
        assert!(matches!(made.err(), Some(ApiError::BadToken)));
    }
}

#[test]
fn kubelet_is_waited_for_until_it_is_well() {
    let server = Server::plain(|request| match request.number {
        0 => answer("500 Internal Server Error", "", b"[-]syncloop failed"),
        _ => answer("200 OK", "", b"ok"),
    });
    wait_kubelet_healthy(server.address, Patience::new(soon(5), &never)).unwrap();
    assert_eq!(server.requests()[0].line(), "GET /healthz HTTP/1.1");
    let server = Server::plain(|_| answer("500 Internal Server Error", "", b"[-]syncloop failed"));
    let error = wait_kubelet_healthy(server.address, Patience::new(soon(1), &never)).unwrap_err();
    assert!(
        matches!(&error, HealthError::Unhealthy { status: 500, message } if message.contains("syncloop")),
        "{error}"
    );
    let nobody = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let start = Instant::now();
    let error = wait_kubelet_healthy(nobody, Patience::new(soon(1), &never)).unwrap_err();
    assert!(matches!(error, HealthError::Silent(_)) && start.elapsed() < Duration::from_secs(2), "{error}");
}
