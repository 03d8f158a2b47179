//! What a launcher asks about its cluster, against servers on this machine.

#![allow(clippy::unwrap_used, clippy::disallowed_methods, reason = "tests")]

#[path = "../../fetch/tests/fakes/mod.rs"]
mod fakes;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use fakes::{Act, Authority, Request, Server, answer, json, never, soon};
use slipway_kubernetes::{ApiError, ApiServer, Credential, LiveCluster, Patience};
use slipway_model::Secret;

fn serve(manner: impl Fn(&Request) -> Vec<Act> + Send + Sync + 'static) -> (Server, ApiServer) {
    let authority = Authority::new();
    let server = Server::secure(&authority, manner);
    let credential = Credential::Token(Secret::from("me"));
    let api = ApiServer::new(&server.url("https", ""), authority.pem().as_bytes(), credential, None).unwrap();
    (server, api)
}

fn path(request: &Request) -> &str {
    request.line().split(' ').nth(1).unwrap()
}

fn healthy(request: &Request) -> Vec<Act> {
    match path(request) {
        "/version" => json(r#"{"gitVersion": "v1.34.1+build"}"#),
        "/api/v1/namespaces/kube-system/services/kube-dns" => json(r#"{"spec": {"clusterIP": "10.0.0.10"}}"#),
        _ => json(r#"{"items": null}"#),
    }
}

#[test]
fn answers_are_kept_and_asked_for_again_when_they_are_old() {
    let (server, api) = serve(healthy);
    let cluster = LiveCluster::new(api);
    let ask = || cluster.facts(Patience::new(soon(10), &never)).unwrap();
    let first = ask();
    assert_eq!(first.facts.version, "1.34.1+build");
    assert_eq!(first.facts.dns_service_ip.as_deref(), Some("10.0.0.10"));
    assert!(first.facts.bootstrap_token.is_none() && first.stale.is_none());
    ask();
    assert_eq!(server.requests().len(), 3);
    assert_eq!(server.requests()[0].field("authorization"), Some("Bearer me"));
    cluster.refresh();
    ask();
    assert_eq!(server.requests().len(), 6);
}

#[test]
fn what_was_said_last_stands_while_the_server_is_away() {
    let is_away = Arc::new(AtomicBool::new(false));
    let seen = Arc::clone(&is_away);
    let (_server, api) = serve(move |request| {
        if seen.load(Ordering::SeqCst) { answer("401 Unauthorized", "", b"{}") } else { healthy(request) }
    });
    let cluster = LiveCluster::new(api);
    cluster.facts(Patience::new(soon(10), &never)).unwrap();
    is_away.store(true, Ordering::SeqCst);
    cluster.refresh();
    let later = cluster.facts(Patience::new(soon(10), &never)).unwrap();
    assert_eq!(later.facts.version, "1.34.1+build");
    assert!(matches!(later.stale, Some(ApiError::Unauthorized { .. })));
}

#[test]
fn a_service_without_an_address_and_one_that_is_not_there_are_nothing() {
    for dns in [json(r#"{"spec": {"clusterIP": "None"}}"#), answer("404 Not Found", "", b"{}")] {
        let dns = std::sync::Mutex::new(Some(dns));
        let (_server, api) = serve(move |request| match path(request) {
            "/api/v1/namespaces/kube-system/services/kube-dns" => dns.lock().unwrap().take().unwrap(),
            _ => healthy(request),
        });
        let facts = api.cluster_facts(Patience::new(soon(10), &never)).unwrap();
        assert_eq!(facts.dns_service_ip, None);
    }
}
