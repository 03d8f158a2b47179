//! TLS bootstrap against an API server on this machine.

#![allow(clippy::unwrap_used, clippy::disallowed_methods, reason = "tests")]

#[path = "../../fetch/tests/fakes/mod.rs"]
mod fakes;

use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use fakes::{Act, Authority, Request, Server, answer, json, never, soon};
use serde_json::{Value, json as value};
use slipway_fetch::HttpError;
use slipway_kubernetes::{
    ApiError, ApiServer, BootstrapError, ClientCertificate, ClientKey, Credential, Patience,
};
use slipway_model::{Blame, Secret};

const TOKEN: &str = "abcdef.0123456789abcdef";

/// A cluster that keeps one signing request.
struct Cluster {
    authority: Authority,
    posted: Mutex<Option<Value>>,
}

impl Cluster {
    fn new() -> Arc<Self> {
        Arc::new(Self { authority: Authority::new(), posted: Mutex::new(None) })
    }

    fn serve(
        self: &Arc<Self>,
        manner: impl Fn(&Self, &Request) -> Vec<Act> + Send + Sync + 'static,
    ) -> Server {
        let cluster = Arc::clone(self);
        Server::secure(&self.authority, move |request| manner(&cluster, request))
    }

    fn client(&self, server: &Server) -> ApiServer {
        let token = Credential::Token(Secret::from(TOKEN));
        ApiServer::new(&server.url("https", ""), self.authority.pem().as_bytes(), token, None).unwrap()
    }

    /// Takes the request that was posted, and shows it without an answer.
    fn accept(&self, request: &Request) -> Vec<Act> {
        let mut object: Value = serde_json::from_slice(&request.body).unwrap();
        object["metadata"]["resourceVersion"] = "10".into();
        *self.posted.lock().unwrap() = Some(object.clone());
        answer("201 Created", "", object.to_string().as_bytes())
    }

    fn pending(&self) -> Value {
        self.posted.lock().unwrap().clone().unwrap()
    }

    fn with_condition(&self, kind: &str) -> Value {
        let mut object = self.pending();
        object["status"] = value!({"conditions": [
            {"type": kind, "status": "True", "reason": "Because", "message": "somebody said so"}]});
        object
    }

    fn issued(&self) -> Value {
        let mut object = self.with_condition("Approved");
        let request = STANDARD.decode(object["spec"]["request"].as_str().unwrap()).unwrap();
        let (chain, subject) = self.authority.sign(str::from_utf8(&request).unwrap());
        assert!(subject.contains("system:nodes") && subject.contains("system:node:n1"), "{subject}");
        object["status"]["certificate"] = STANDARD.encode(chain).into();
        object
    }
}

fn list(items: &[Value]) -> Vec<Act> {
    json(&value!({"metadata": {"resourceVersion": "20"}, "items": items}).to_string())
}

fn event(kind: &str, object: &Value) -> Act {
    let line = format!("{}\n", value!({"type": kind, "object": object}));
    // In two chunks, because a line may arrive in pieces.
    let (head, tail) = line.split_at(line.len() / 2);
    let chunk = |text: &str| format!("{:x}\r\n{text}\r\n", text.len());
    Act::Send([chunk(head), chunk(tail)].concat().into_bytes())
}

fn watch(events: Vec<Act>) -> Vec<Act> {
    let mut acts = vec![Act::Send(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n".to_vec())];
    acts.extend(events);
    acts
}

fn end() -> Act {
    Act::Send(b"0\r\n\r\n".to_vec())
}

fn is_watch(request: &Request) -> bool {
    request.line().contains("watch=true")
}

fn is_post(request: &Request) -> bool {
    request.line().starts_with("POST ")
}

fn bootstrap(cluster: &Cluster, server: &Server, seconds: u64) -> Result<String, BootstrapError> {
    let key = ClientKey::generate().unwrap();
    cluster.client(server).bootstrap("n1", &key, Patience::new(soon(seconds), &never))
}

#[test]
fn a_certificate_is_issued_after_two_events() {
    let cluster = Cluster::new();
    let server = cluster.serve(|cluster, request| match request {
        post if is_post(post) => cluster.accept(post),
        _ => watch(vec![
            event("MODIFIED", &cluster.with_condition("Approved")),
            Act::Pause(Duration::from_millis(50)),
            event("MODIFIED", &cluster.issued()),
        ]),
    });
    let key = ClientKey::generate().unwrap();
    let patience = Patience::new(soon(10), &never);
    let chain = cluster.client(&server).bootstrap("n1", &key, patience).unwrap();
    let certificate = ClientCertificate::parse(&chain).unwrap();
    assert!(certificate.is_for(&key) && !certificate.is_for(&ClientKey::generate().unwrap()));
    assert!(certificate.subject.contains("system:node:n1"), "{}", certificate.subject);

    let requests = server.requests();
    assert_eq!(requests.len(), 2);
    assert_eq!(requests[0].field("authorization"), Some(format!("Bearer {TOKEN}").as_str()));
    let spec = &cluster.pending()["spec"];
    assert_eq!(spec["signerName"], "kubernetes.io/kube-apiserver-client-kubelet");
    assert_eq!(spec["usages"], value!(["digital signature", "client auth"]));
    let name = cluster.pending()["metadata"]["name"].as_str().unwrap().to_owned();
    assert!(
        requests[1]
            .line()
            .contains(&format!("fieldSelector=metadata.name%3D{name}&watch=true&resourceVersion=10"))
    );
}

#[test]
fn a_denial_and_a_failure_are_told_with_their_reason() {
    for kind in ["Denied", "Failed"] {
        let cluster = Cluster::new();
        let server = cluster.serve(move |cluster, request| match request {
            post if is_post(post) => cluster.accept(post),
            _ => watch(vec![event("MODIFIED", &cluster.with_condition(kind))]),
        });
        let error = bootstrap(&cluster, &server, 10).unwrap_err();
        assert_eq!(matches!(error, BootstrapError::Denied { .. }), kind == "Denied", "{error:?}");
        assert_eq!(error.blame(), Blame::Service);
        assert!(error.to_string().ends_with("Because: somebody said so"), "{error}");
    }
}

#[test]
fn an_unknown_token_gets_a_short_grace_and_is_never_shown() {
    let cluster = Cluster::new();
    let message = r#"{"kind":"Status","message":"Unauthorized"}"#;
    let server = cluster.serve(move |_, _| answer("401 Unauthorized", "", message.as_bytes()));
    let start = Instant::now();
    let error = bootstrap(&cluster, &server, 30).unwrap_err();
    assert!(matches!(error, BootstrapError::Api(ApiError::Unauthorized { .. })), "{error:?}");
    assert_eq!(error.blame(), Blame::Input);
    assert!(!format!("{error} {error:?}").contains(TOKEN));
    assert!(start.elapsed() < Duration::from_secs(8), "{:?}", start.elapsed());
    let server = cluster.serve(|cluster, request| match request.number {
        0 => answer("401 Unauthorized", "", b""),
        1 => cluster.accept(request),
        _ => watch(vec![event("MODIFIED", &cluster.issued())]),
    });
    bootstrap(&cluster, &server, 10).unwrap();
}

#[test]
fn what_is_forbidden_is_not_asked_for_again() {
    let cluster = Cluster::new();
    let message = r#"{"message":"cannot create resource"}"#;
    let server = cluster.serve(move |_, _| answer("403 Forbidden", "", message.as_bytes()));
    let error = bootstrap(&cluster, &server, 10).unwrap_err();
    assert!(matches!(error, BootstrapError::Api(ApiError::Forbidden { .. })), "{error:?}");
    assert!(error.to_string().contains("cannot create resource"), "{error}");
    assert_eq!(server.requests().len(), 1);
}

#[test]
fn a_second_try_with_the_same_key_finds_the_first_request() {
    let cluster = Cluster::new();
    let server = cluster.serve(|cluster, request| match request {
        first if is_post(first) && first.number == 0 => cluster.accept(first),
        again if is_post(again) => answer("409 Conflict", "", br#"{"reason":"AlreadyExists"}"#),
        read if !is_watch(read) && read.number > 2 => json(&cluster.issued().to_string()),
        _ => watch(vec![Act::Pause(Duration::from_secs(20))]),
    });
    let key = ClientKey::generate().unwrap();
    let client = cluster.client(&server);
    let brief = Patience::new(Instant::now() + Duration::from_millis(500), &never);
    let error = client.bootstrap("n1", &key, brief).unwrap_err();
    assert!(matches!(error, BootstrapError::Undecided { approved: false, .. }), "{error:?}");
    let again = ClientKey::from_pem(key.pem()).unwrap();
    let chain = client.bootstrap("n1", &again, Patience::new(soon(10), &never)).unwrap();
    assert!(ClientCertificate::parse(&chain).unwrap().is_for(&key));
    let name = cluster.pending()["metadata"]["name"].as_str().unwrap().to_owned();
    let last = server.requests().pop().unwrap();
    assert_eq!(
        last.line(),
        format!("GET /apis/certificates.k8s.io/v1/certificatesigningrequests/{name} HTTP/1.1")
    );
}

#[test]
fn trouble_that_passes_is_waited_out() {
    let cluster = Cluster::new();
    let server = cluster.serve(|cluster, request| match request.number {
        0 | 1 => answer("500 Internal Server Error", "", b"etcd leader changed"),
        2 => cluster.accept(request),
        // A watch that is cut off in the middle of a line, one that is too old, and one that ends.
        3 => watch(vec![Act::Send(b"40\r\n{\"type\":\"MODI".to_vec()), Act::Cut]),
        4 | 6 => list(&[cluster.pending()]),
        5 => watch(vec![event("ERROR", &value!({"code": 410, "message": "too old"})), end()]),
        7 => watch(vec![event("BOOKMARK", &value!({})), end()]),
        _ => list(&[cluster.issued()]),
    });
    bootstrap(&cluster, &server, 20).unwrap();
    assert_eq!(server.requests().len(), 9);
}

#[test]
fn a_request_that_was_deleted_is_posted_again() {
    let cluster = Cluster::new();
    let server = cluster.serve(|cluster, request| match request {
        post if is_post(post) => cluster.accept(post),
        first if first.number == 1 => watch(vec![event("DELETED", &cluster.pending())]),
        _ => watch(vec![event("MODIFIED", &cluster.issued())]),
    });
    bootstrap(&cluster, &server, 10).unwrap();
    assert_eq!(server.requests().iter().filter(|request| is_post(request)).count(), 2);
}

#[test]
fn a_certificate_for_another_key_is_not_taken() {
    let cluster = Cluster::new();
    let server = cluster.serve(|cluster, request| {
        cluster.accept(request);
        let mut object = cluster.pending();
        object["status"] = value!({"certificate": STANDARD.encode(cluster.authority.client("n1").0)});
        answer("201 Created", "", object.to_string().as_bytes())
    });
    let error = bootstrap(&cluster, &server, 10).unwrap_err();
    assert!(matches!(error, BootstrapError::WrongCertificate { .. }), "{error:?}");
}

#[test]
fn a_server_of_another_cluster_never_sees_the_token() {
    let cluster = Cluster::new();
    let other = Cluster::new();
    let server = other.serve(|_, _| json("{}"));
    let error = bootstrap(&cluster, &server, 10).unwrap_err();
    assert!(
        matches!(error, BootstrapError::Api(ApiError::Connection(HttpError::Untrusted { .. }))),
        "{error:?}"
    );
    assert!(server.requests().is_empty());
}

#[test]
fn the_deadline_holds_against_a_server_that_refuses_or_stalls() {
    let cluster = Cluster::new();
    let stalls = cluster.serve(|_, _| vec![Act::Pause(Duration::from_secs(20))]);
    let start = Instant::now();
    let error = bootstrap(&cluster, &stalls, 1).unwrap_err();
    assert!(matches!(error, BootstrapError::Api(ApiError::Connection(HttpError::Late { .. }))), "{error:?}");
    let fails = cluster.serve(|_, _| answer("503 Unavailable", "Retry-After: 60\r\n", b"starting"));
    let error = bootstrap(&cluster, &fails, 1).unwrap_err();
    assert!(matches!(error, BootstrapError::Api(ApiError::Status { status: 503, .. })), "{error:?}");
    assert!(start.elapsed() < Duration::from_secs(3), "{:?}", start.elapsed());
}

#[test]
fn a_stop_is_heeded_within_a_fifth_of_a_second() {
    let cluster = Cluster::new();
    let server = cluster.serve(|cluster, request| match request {
        post if is_post(post) => cluster.accept(post),
        _ => watch(vec![Act::Pause(Duration::from_secs(20))]),
    });
    thread::scope(|scope| {
        let start = Instant::now();
        let asked = Duration::from_millis(500);
        let (cluster, server) = (&cluster, &server);
        let call = scope.spawn(move || {
            let stop = || start.elapsed() > asked;
            let key = ClientKey::generate().unwrap();
            cluster.client(server).bootstrap("n1", &key, Patience::new(soon(20), &stop)).unwrap_err()
        });
        let error = call.join().unwrap();
        assert!(matches!(&error, BootstrapError::Api(error) if error.is_stop()), "{error:?}");
        assert!(start.elapsed() < asked + Duration::from_millis(200), "{:?}", start.elapsed());
    });
}

#[test]
fn a_name_that_no_node_can_have_is_refused_before_anything_is_asked() {
    let cluster = Cluster::new();
    let server = cluster.serve(|_, _| json("{}"));
    let key = ClientKey::generate().unwrap();
    for name in ["", "N1", "n1,O=system:masters", "n1 "] {
        let error =
            cluster.client(&server).bootstrap(name, &key, Patience::new(soon(5), &never)).unwrap_err();
        assert!(matches!(error, BootstrapError::BadNodeName(_)), "{error:?}");
    }
    assert!(server.requests().is_empty());
}
