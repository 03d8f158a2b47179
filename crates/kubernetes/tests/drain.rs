//! Pods leaving a node, against a server on this machine that keeps pods and a budget.

#![allow(clippy::unwrap_used, clippy::disallowed_methods, reason = "tests")]

#[path = "../../fetch/tests/fakes/mod.rs"]
mod fakes;

use std::sync::{Arc, Mutex};

use fakes::{Act, Authority, Request, Server, answer, json, never, soon};
use serde_json::{Value, json as value};
use slipway_kubernetes::{Access, ApiServer, Credential, Drain, DrainError, Leaving, Patience};
use slipway_model::Secret;

/// A cluster with pods on one node.
#[derive(Clone)]
struct Cluster {
    pods: Arc<Mutex<Vec<Value>>>,
    /// How often an eviction is refused before it is allowed.
    budget: Arc<Mutex<u32>>,
}

impl Cluster {
    fn new(pods: &[Value], refused: u32) -> Self {
        Self { pods: Arc::new(Mutex::new(pods.to_vec())), budget: Arc::new(Mutex::new(refused)) }
    }

    fn answer(&self, request: &Request) -> Vec<Act> {
        let line = request.line();
        let mut pods = self.pods.lock().unwrap();
        if line.starts_with("GET /api/v1/pods?fieldSelector=spec.nodeName%3Dn1 ") {
            return json(&value!({ "items": *pods }).to_string());
        }
        let Some(name) = line.split('/').nth(6).filter(|_| line.contains("/eviction ")) else {
            return answer("405 Method Not Allowed", "", b"{}");
        };
        let mut refusals = self.budget.lock().unwrap();
        if *refusals > 0 {
            *refusals -= 1;
            let said = br#"{"message":"Cannot evict pod as it would violate the pod's disruption budget."}"#;
            return answer("429 Too Many Requests", "", said);
        }
        pods.retain(|pod| pod["metadata"]["name"] != name);
        answer("201 Created", "", br#"{"kind":"Status","status":"Success"}"#)
    }

    fn serve(&self) -> (Server, ApiServer) {
        let authority = Authority::new();
        let cluster = self.clone();
        let server = Server::secure(&authority, move |request| cluster.answer(request));
        let credential = Credential::Token(Secret::from("token"));
        let api = ApiServer::new(&server.url("https", ""), authority.pem().as_bytes(), credential, None);
        (server, api.unwrap())
    }
}

fn pod(name: &str, owner: Option<&str>) -> Value {
    let owners: Vec<Value> =
        owner.map(|kind| value!({ "kind": kind, "name": "o", "controller": true })).into_iter().collect();
    value!({
        "metadata": { "name": name, "namespace": "default", "uid": format!("u-{name}"), "ownerReferences": owners },
        "spec": { "volumes": [] },
        "status": { "phase": "Running" },
    })
}

fn told(cluster: &Cluster, drain: Drain, seconds: u64) -> (Result<(), DrainError>, Vec<Leaving>) {
    let (_server, api) = cluster.serve();
    let mut told = Vec::new();
    let end = api.drain("n1", drain, Patience::new(soon(seconds), &never), |event| told.push(event));
    (end, told)
}

#[test]
fn pods_leave_when_their_budget_allows_it_and_those_of_the_node_stay() {
    let mut mirror = pod("static", None);
    mirror["metadata"]["annotations"] = value!({ "kubernetes.io/config.mirror": "x" });
    let mut ended = pod("ended", None);
    ended["status"]["phase"] = "Succeeded".into();
    let pods = [pod("web", Some("ReplicaSet")), pod("proxy", Some("DaemonSet")), mirror, ended];
    let cluster = Cluster::new(&pods, 2);
    let (end, told) = told(&cluster, Drain::default(), 30);
    end.unwrap();
    let words: Vec<String> = told
        .iter()
        .map(|event| match event {
            Leaving::Asked(pod) => format!("asked {pod}"),
            Leaving::Held(pod, why) => format!("held {pod}: {why}"),
            Leaving::Gone(pod) => format!("gone {pod}"),
        })
        .collect();
    assert_eq!(
        words,
        [
            "held default/web: Cannot evict pod as it would violate the pod's disruption budget.",
            "asked default/web",
            "gone default/web"
        ]
    );
    assert_eq!(cluster.pods.lock().unwrap().len(), 3);
}

#[test]
fn nobody_is_asked_while_something_would_be_lost() {
    let mut data = pod("data", Some("StatefulSet"));
    data["spec"]["volumes"] = value!([{ "name": "d", "emptyDir": {} }]);
    let cluster = Cluster::new(&[pod("web", Some("ReplicaSet")), pod("alone", None), data], 0);
    let (end, asked) = told(&cluster, Drain::default(), 10);
    assert_eq!(
        end.unwrap_err().to_string(),
        "pods would be lost: default/alone (nobody makes it again), default/data (its data are on this node only)"
    );
    assert_eq!((asked.len(), cluster.pods.lock().unwrap().len()), (0, 3));
    let all = Drain { unmanaged: true, local_data: true };
    told(&cluster, all, 10).0.unwrap();
    assert_eq!(cluster.pods.lock().unwrap().len(), 0);
}

#[test]
fn a_budget_that_never_allows_it_is_named_at_the_deadline() {
    let cluster = Cluster::new(&[pod("web", Some("ReplicaSet"))], u32::MAX);
    let error = told(&cluster, Drain::default(), 2).0.unwrap_err().to_string();
    assert!(error.starts_with("pods have not left in time: default/web (Cannot evict pod"), "{error}");
    assert_eq!(cluster.pods.lock().unwrap().len(), 1);
}

#[test]
fn a_node_is_cordoned_and_deleted_only_if_it_is_the_same() {
    let authority = Authority::new();
    let server = Server::secure(&authority, |request| {
        let body = String::from_utf8_lossy(&request.body);
        match request.number {
            0 if body.contains(r#"{"spec":{"unschedulable":true}}"#) => json("{}"),
            1 if body.contains(r#""uid":"u-1""#) => json("{}"),
            2 => answer("409 Conflict", "", br#"{"message":"the uid is another one"}"#),
            3 => json(r#"{"status":{"allowed":true}}"#),
            _ => answer("400 Bad Request", "", b"{}"),
        }
    });
    let credential = Credential::Token(Secret::from("token"));
    let api = ApiServer::new(&server.url("https", ""), authority.pem().as_bytes(), credential, None).unwrap();
    let patience = Patience::new(soon(10), &never);
    api.set_schedulable("n1", false, patience).unwrap();
    assert!(api.delete_node("n1", "u-1", patience).unwrap());
    assert!(!api.delete_node("n1", "u-1", patience).unwrap());
    let create = Access { verb: "create", group: "", resource: "nodes", name: "" };
    assert!(api.may(create, patience).unwrap());
    let lines: Vec<String> = server.requests().iter().map(|it| it.line().to_owned()).collect();
    assert_eq!(lines[0], "PATCH /api/v1/nodes/n1 HTTP/1.1");
    assert_eq!(server.requests()[0].field("content-type"), Some("application/merge-patch+json"));
    assert_eq!(lines[1], "DELETE /api/v1/nodes/n1 HTTP/1.1");
}
