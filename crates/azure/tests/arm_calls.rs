//! Calls to a Resource Manager on this machine: what is repeated, followed, refused and read.

#![allow(clippy::unwrap_used, clippy::disallowed_methods, reason = "tests")]

mod arm_world;
#[path = "../../fetch/tests/fakes/mod.rs"]
mod fakes;

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use arm_world::arm;
use fakes::{Server, answer, json, never, soon};
use slipway_azure::arm::{Arm, ArmError, Assigned, Code, MachineGoal, ResourceId, Role, RoleAssignment};
use slipway_azure::credential::{AccessToken, Proof, Scope, ServicePrincipal, TokenError, TokenSource};
use slipway_fetch::{Client, Patience, Trust};
use slipway_model::{Blame, Secret};

fn patience(seconds: u64) -> Patience<'static> {
    Patience::new(soon(seconds), &never)
}

fn machine() -> ResourceId {
    ResourceId::arc_machine("s", "rg", "edge-07").unwrap()
}

fn cluster() -> ResourceId {
    let id = "/subscriptions/s/resourceGroups/rg/providers/Microsoft.ContainerService/managedClusters/aks";
    ResourceId::parse(id).unwrap()
}

fn pool_machine() -> ResourceId {
    cluster().child("agentPools", "p").child("machines", "n")
}

fn goal() -> MachineGoal {
    MachineGoal {
        kubernetes_version: "1.34.1".into(),
        max_pods: 110,
        node_labels: std::collections::BTreeMap::new(),
        node_taints: Vec::new(),
    }
}

fn assignment() -> RoleAssignment {
    RoleAssignment { scope: cluster(), principal: "5b5b".into(), role: Role::READER }
}

#[test]
fn what_may_pass_is_asked_again_when_the_service_wants_it() {
    let server = Server::plain(|request| match request.number {
        0 => answer("429 Slowly", "Retry-After: 1\r\n", b"{}"),
        1 => answer("503 Busy", "", b"<html>"),
        _ => json(r#"{"location":"westeurope","identity":null,"properties":{"status":"Connected"}}"#),
    });
    let start = Instant::now();
    let found = arm(&server).arc_machine(&machine(), patience(20)).unwrap().unwrap();
    assert_eq!((found.status.as_str(), found.principal), ("Connected", None));
    assert!(start.elapsed() >= Duration::from_secs(1) && server.requests().len() == 3);
}

#[test]
fn a_machines_identity_is_waited_for() {
    let server = Server::plain(|request| match request.number {
        0 => answer("404 Not yet", "", b"{}"),
        1 => json(r#"{"identity":{"type":"SystemAssigned"}}"#),
        _ => json(r#"{"identity":{"principalId":"5b5b"}}"#),
    });
    assert_eq!(arm(&server).arc_principal(&machine(), patience(10)).unwrap(), "5b5b");
    let never_there = Server::plain(|_| json("{}"));
    let error = arm(&never_there).arc_principal(&machine(), patience(1)).unwrap_err();
    assert!(matches!(error, ArmError::Unfinished { .. }), "{error}");
}

#[test]
fn a_refusal_says_what_is_missing_and_under_which_number_it_is_found() {
    let body = br#"{"error":{"code":"authorizationfailed","message":"The client may not.\nReally."}}"#;
    let server = Server::plain(move |_| answer("403 No", "x-ms-correlation-request-id: 4711\r\n", body));
    let error = arm(&server).arc_machine(&machine(), patience(20)).unwrap_err();
    assert_eq!(server.requests().len(), 1);
    assert_eq!((error.code(), error.blame()), (Some(&Code::AuthorizationFailed), Blame::Input));
    assert_eq!(
        error.to_string(),
        "Azure refuses Microsoft.HybridCompute/machines/read on \
         /subscriptions/s/resourceGroups/rg/providers/Microsoft.HybridCompute/machines/edge-07 \
         (status 403, AuthorizationFailed): The client may not. (correlation id 4711)"
    );
    assert!(error.hint().contains("needs a role with the action Microsoft.HybridCompute/machines/read"));
}

#[test]
fn only_a_404_means_that_something_is_not_there() {
    let gone = Server::plain(|_| answer("404 Gone", "", br#"{"error":{"code":"ResourceNotFound"}}"#));
    assert_eq!(arm(&gone).arc_machine(&machine(), patience(5)).unwrap(), None);
    assert_eq!(arm(&gone).pool_machine(&pool_machine(), patience(5)).unwrap(), None);
    arm(&gone).remove_arc_machine(&machine(), patience(5)).unwrap();
    arm(&gone).unassign(&cluster(), "n", patience(5)).unwrap();
    for status in ["400 Bad", "401 Who", "403 No", "409 Conflict"] {
        let server = Server::plain(move |_| answer(status, "", b"not json"));
        assert!(arm(&server).arc_machine(&machine(), patience(1)).is_err(), "{status}");
        assert!(arm(&server).pool_machine(&pool_machine(), patience(1)).is_err(), "{status}");
        assert!(arm(&server).remove_arc_machine(&machine(), patience(1)).is_err(), "{status}");
    }
    let nonsense = Server::plain(|_| json("<html>"));
    let error = arm(&nonsense).arc_machine(&machine(), patience(1)).unwrap_err();
    assert!(matches!(error, ArmError::Unreadable { .. }), "{error}");
}

#[test]
fn a_token_never_goes_where_an_answer_points() {
    let elsewhere = Server::plain(|_| json("{}"));
    let there = elsewhere.url("http", "/x?sig=secret");
    for status in ["301 Moved", "307 Temporarily", "308 Forever"] {
        let fields = format!("Location: {there}\r\n");
        let server = Server::plain(move |_| answer(status, &fields, b""));
        let error = arm(&server).arc_machine(&machine(), patience(5)).unwrap_err();
        assert!(matches!(error, ArmError::LedAway { .. }) && !error.to_string().contains("sig"), "{error}");
    }
    for field in ["Azure-AsyncOperation", "Location"] {
        let fields = format!("{field}: {there}\r\nRetry-After: 0\r\n");
        let server = Server::plain(move |_| answer("202 Later", &fields, b""));
        let error = arm(&server).remove_arc_machine(&machine(), patience(5)).unwrap_err();
        assert!(matches!(error, ArmError::LedAway { .. }), "{error}");
    }
    let page = format!(r#"{{"value":[],"nextLink":"{there}"}}"#);
    let server = Server::plain(move |_| json(&page));
    let error = arm(&server).assigned(&cluster(), &[assignment()], patience(5)).unwrap_err();
    assert!(matches!(error, ArmError::LedAway { .. }), "{error}");
    assert!(elsewhere.requests().is_empty());
}

/// A server whose answers name its own address, put in for `HOME`.
fn at_home(answers: Vec<(&'static str, &'static str, &'static str)>) -> Server {
    Server::plain(move |request| {
        let home = format!("http://{}", request.field("host").unwrap());
        let (status, fields, body) = answers[request.number.min(answers.len() - 1)];
        answer(status, &fields.replace("HOME", &home), body.replace("HOME", &home).as_bytes())
    })
}

const MADE: &str = r#"{"id":"/subscriptions/s/resourcegroups/RG/providers/Microsoft.ContainerService/managedClusters/aks/agentPools/p/machines/n",
    "name":"N","properties":{"eTag":null,"provisioningState":"Succeeded","kubernetes":{"currentOrchestratorVersion":"1.34.1"}}}"#;

#[test]
fn a_long_operation_is_waited_for_in_each_of_its_forms() {
    let wait = "Retry-After: 0\r\n";
    let at_operation = "Azure-AsyncOperation: HOME/ops/1?api-version=x\r\nRetry-After: 0\r\n";
    let at_location = "Location: HOME/ops/1?api-version=x\r\nRetry-After: 0\r\n";
    let going = r#"{"properties":{"provisioningState":"Creating"}}"#;
    for (answers, asked) in [
        (
            vec![
                ("201 Made", at_operation, going),
                ("200 OK", wait, r#"{"status":"Running"}"#),
                ("200 OK", wait, r#"{"status":"Succeeded"}"#),
                ("200 OK", "", MADE),
            ],
            4,
        ),
        (
            vec![
                ("202 Later", at_location, ""),
                ("202 Later", wait, ""),
                ("200 OK", wait, "{}"),
                ("200 OK", "", MADE),
            ],
            4,
        ),
        (vec![("201 Made", wait, going), ("200 OK", wait, going), ("200 OK", "", MADE)], 3),
        (vec![("200 OK", "", MADE)], 1),
    ] {
        let server = at_home(answers);
        let machine = arm(&server).put_pool_machine(&pool_machine(), &goal(), patience(10)).unwrap();
        assert_eq!((machine.settings_version.as_str(), server.requests().len()), ("1.34.1", asked));
    }
    for answers in [
        vec![("202 Later", at_operation, ""), ("200 OK", "", r#"{"status":"Succeeded"}"#)],
        vec![("202 Later", at_location, ""), ("204 Done", "", "")],
        vec![("200 OK", "", "")],
    ] {
        let server = at_home(answers);
        arm(&server).remove_arc_machine(&machine(), patience(10)).unwrap();
    }
}

#[test]
fn a_long_operation_that_fails_or_does_not_end_is_an_error() {
    let at_operation = "Azure-AsyncOperation: HOME/ops/1\r\nRetry-After: 0\r\n";
    let failed = r#"{"status":"Failed","error":{"code":"QuotaExceeded","message":"no more"}}"#;
    let server = at_home(vec![("202 Later", at_operation, ""), ("200 OK", "", failed)]);
    let error = arm(&server).put_pool_machine(&pool_machine(), &goal(), patience(10)).unwrap_err();
    assert!(error.to_string().contains("QuotaExceeded): no more"), "{error}");
    let server = at_home(vec![("202 Later", at_operation, ""), ("200 OK", "", "{}")]);
    let error = arm(&server).put_pool_machine(&pool_machine(), &goal(), patience(10)).unwrap_err();
    assert!(matches!(error, ArmError::Unreadable { .. }), "{error}");
    let server = at_home(vec![("201 Made", "", r#"{"properties":{"provisioningState":"Failed"}}"#)]);
    let error = arm(&server).put_pool_machine(&pool_machine(), &goal(), patience(10)).unwrap_err();
    assert!(error.to_string().contains("its state is Failed"), "{error}");
    let server = at_home(vec![("202 Later", at_operation, ""), ("200 OK", "", r#"{"status":"Running"}"#)]);
    let error = arm(&server).put_pool_machine(&pool_machine(), &goal(), patience(2)).unwrap_err();
    assert!(matches!(error, ArmError::Unfinished { .. }), "{error}");
}

#[test]
fn an_operation_is_left_alone_for_as_long_as_azure_asks_or_given_up_at_once() {
    let (at_operation, start) = ("Azure-AsyncOperation: HOME/ops/1\r\nRetry-After: 120\r\n", Instant::now());
    let server = at_home(vec![("202 Later", at_operation, ""), ("200 OK", "", r#"{"status":"Succeeded"}"#)]);
    let error = arm(&server).put_pool_machine(&pool_machine(), &goal(), patience(100)).unwrap_err();
    assert!(matches!(error, ArmError::Unfinished { .. }), "{error}");
    assert!(start.elapsed() < Duration::from_secs(30) && server.requests().len() == 1);
}

#[test]
fn an_answer_about_another_machine_is_not_believed() {
    let server = Server::plain(|_| json(&MADE.replace("/machines/n", "/machines/m")));
    let error = arm(&server).pool_machine(&pool_machine(), patience(5)).unwrap_err();
    assert!(error.to_string().contains("another machine"), "{error}");
}

#[test]
fn an_assignment_that_somebody_else_made_is_known_as_such() {
    let listed = r#"{"value":[{"name":"11111111-0000-4000-8000-000000000000","properties":{"principalId":"5B5B",
        "roleDefinitionId":"/providers/Microsoft.Authorization/roleDefinitions/ACDD72A7-3385-48ef-bd42-f606fba81ae7"}}]}"#;
    let server = Server::plain(|request| match request.line() {
        line if line.starts_with("PUT") => {
            answer("409 Conflict", "", br#"{"error":{"code":"RoleAssignmentExists","message":"x"}}"#)
        }
        _ => json(listed),
    });
    assert_eq!(arm(&server).assign(&assignment(), patience(5)).unwrap(), Assigned::ByOthers);
    let found = arm(&server).assigned(&cluster(), &[assignment()], patience(5)).unwrap();
    assert_eq!(found, [Some(Assigned::ByOthers)]);
}

/// A source whose first token is no good.
struct Stale(AtomicU64);

impl TokenSource for Stale {
    fn token(&self, _: &Scope, _: Patience<'_>) -> Result<AccessToken, TokenError> {
        let number = self.0.load(Ordering::Relaxed);
        Ok(AccessToken::new(Secret::new(format!("t{number}")), 4_102_444_800).unwrap())
    }

    fn forget(&self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

#[test]
fn a_token_that_is_refused_is_renewed_once() {
    let server = Server::plain(|request| match request.field("authorization") {
        Some("Bearer t1") => json("{}"),
        _ => answer("401 Who", "", br#"{"error":{"code":"ExpiredAuthenticationToken","message":"old"}}"#),
    });
    let with = |first| {
        let client = Client::new(&Trust::Nobody, None, None).unwrap();
        let source = Box::new(Stale(AtomicU64::new(first)));
        Arm::new(&server.url("http", ""), client, source, Scope::of("a")).unwrap()
    };
    assert!(with(0).arc_machine(&machine(), patience(5)).unwrap().is_some());
    let error = with(7).arc_machine(&machine(), patience(5)).unwrap_err();
    assert!(error.hint().contains("clock") && server.requests().len() == 4, "{error}");
}

#[test]
fn neither_token_nor_secret_is_sent_in_the_clear() {
    let client = || Client::new(&Trust::Nobody, None, None).unwrap();
    let source = Box::new(Stale(AtomicU64::new(0)));
    let error = Arm::new("http://management.azure.com", client(), source, Scope::of("a")).err().unwrap();
    assert!(matches!(error, ArmError::InTheClear(_)), "{error}");
    let proof = Proof::Secret(Secret::from("word"));
    let error = ServicePrincipal::new("http://login.example.test", "t", "c", proof, client()).err().unwrap();
    assert!(error.hint().contains("https://"), "{error}");
}

#[test]
fn a_cluster_is_read_as_far_as_a_node_needs_it() {
    let server = Server::plain(|_| {
        json(
            r#"{"location":"westeurope","properties":{"kubernetesVersion":"1.34","currentKubernetesVersion":"1.34.1",
            "fqdn":"aks.hcp.westeurope.azmk8s.io","privateFQDN":null,
            "aadProfile":{"managed":true,"enableAzureRBAC":true,"tenantID":"t"}}}"#,
        )
    });
    let found = arm(&server).cluster(&cluster(), patience(5)).unwrap();
    assert_eq!((found.kubernetes_version.as_str(), found.azure_rbac), ("1.34.1", true));
    assert_eq!(found.fqdn.as_deref(), Some("aks.hcp.westeurope.azmk8s.io"));
    assert_eq!(server.requests()[0].line(), format!("GET {}?api-version=2024-02-01 HTTP/1.1", cluster()));
    let bare = Server::plain(|_| json(r#"{"properties":{"kubernetesVersion":"1.33.0","aadProfile":null}}"#));
    let found = arm(&bare).cluster(&cluster(), patience(5)).unwrap();
    assert_eq!((found.kubernetes_version.as_str(), found.azure_rbac, found.tenant), ("1.33.0", false, None));
}

#[test]
fn bootstrap_data_is_read_and_its_token_is_not_shown() {
    let server = Server::plain(|_| {
        json(
            r#"{"azure":{"resourceManagerEndpoint":"https://management.azure.com/","targetAgentPoolName":"p",
            "bootstrapToken":{"token":"abcdef.0123456789abcdef"}},
            "components":{"kubernetes":"1.34.1","containerd":"2.0.4","runc":null},
            "networking":{"dnsServiceIP":"10.0.0.10","cniVersion":"1.4.1"},
            "node":{"maxPods":110,"labels":{"a":"b"},"taints":null,
            "kubelet":{"clusterFQDN":"aks.example.test","caCertData":"UEVN"}}}"#,
        )
    });
    let pool = cluster().child("agentPools", "p");
    let data = arm(&server).bootstrap_data(&pool, patience(5)).unwrap();
    assert_eq!(data.token.as_ref().unwrap().expose(), "abcdef.0123456789abcdef");
    assert!(!format!("{data:?}").contains("0123456789abcdef"));
    assert_eq!((data.fqdn.as_deref(), data.ca_pem.as_deref()), (Some("aks.example.test"), Some("PEM")));
    assert_eq!((data.dns_service_ip.as_deref(), data.cni.as_deref()), (Some("10.0.0.10"), Some("1.4.1")));
    assert_eq!((data.runc, data.max_pods, data.taints.len(), data.labels.len()), (None, Some(110), 0, 1));
    let request = &server.requests()[0];
    let line = format!("POST {pool}/listBootstrapData?api-version=2026-05-02-preview HTTP/1.1");
    assert_eq!((request.line(), &request.body[..]), (line.as_str(), &b"{}"[..]));
    let empty = Server::plain(|_| json(r#"{"azure":null,"node":{"kubelet":null}}"#));
    assert_eq!(arm(&empty).bootstrap_data(&pool, patience(5)).unwrap().token, None);
}
