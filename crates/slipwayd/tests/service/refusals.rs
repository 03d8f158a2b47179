//! What a caller is told when it gets no payload.

use serde_json::Value;

use crate::caller::{get, message, say};
use crate::running::{Area, Running, command, request};

/// A recorded request with one member of its profile replaced.
fn with_member(member: &str, value: Value) -> (String, String) {
    let (path, body) = request("request-00");
    let mut body: Value = serde_json::from_str(&body).unwrap();
    body["provisionProfile"][member] = value;
    (path, body.to_string())
}

#[test]
fn a_body_that_is_no_request_is_refused_with_what_is_wrong() {
    let service = Running::start(&[]);
    let (path, body) = request("request-00");
    let without = body.replace("\"vmSize\"", "\"size\"");
    let cut = &body[..body.len() / 2];
    for (body, expected) in [
        ("", "no body"),
        ("   \n", "no body"),
        ("{", "EOF"),
        (cut, "EOF"),
        ("[]", "cannot be understood"),
        ("{}", "provisionProfile"),
        (&without, "vmSize"),
        ("\u{0}\u{1}", "cannot be understood"),
    ] {
        let reply = get(service.address, &path, &[], body);
        assert_eq!((reply.status, reply.code().as_str()), (400, "BadRequest"), "{body}: {reply:?}");
        assert!(reply.body.contains(expected), "{body}: {reply:?}");
        assert!(!reply.body.contains('\n') && reply.body.len() < 600, "{reply:?}");
    }
}

#[test]
fn a_node_that_cannot_be_made_is_refused_by_its_member() {
    let service = Running::start(&[]);
    for (member, value, status, expected) in [
        ("osType", 1.into(), 422, "provisionProfile.osType"),
        ("vnetSubnetID", "subnet".into(), 422, "provisionProfile.vnetSubnetID"),
        ("orchestratorVersion", "latest".into(), 422, "provisionProfile.orchestratorVersion"),
        ("osSku", 3.into(), 400, "osSku is 3"),
        ("architecture", "mips".into(), 400, "mips"),
        ("maxPods", "many".into(), 400, "maxPods"),
    ] {
        let (path, body) = with_member(member, value);
        let reply = get(service.address, &path, &[], &body);
        assert_eq!(reply.status, status, "{member}: {reply:?}");
        if status == 422 {
            assert!(reply.body.contains(expected), "{member}: {reply:?}");
        }
    }
}

#[test]
fn an_unknown_cluster_path_or_method_is_named_as_such() {
    let service = Running::start(&[]);
    let (path, body) = request("request-00");
    let elsewhere = path.replace("mast-keel", "other");
    let reply = get(service.address, &elsewhere, &[], &body);
    assert_eq!((reply.status, reply.code().as_str()), (404, "ClusterNotFound"));
    assert!(reply.body.contains("rg-keel/other"), "{reply:?}");
    let reply = get(service.address, "/subscriptions/x", &[], &body);
    assert_eq!((reply.status, reply.code().as_str()), (404, "NotFound"));
    let reply = say(service.address, message("POST", &path, &[], &body).as_bytes());
    assert_eq!((reply.status, reply.fields["allow"].as_str()), (405, "GET"));
    // Azure's names have no case.
    assert_eq!(get(service.address, &path.to_uppercase(), &[], &body).status, 200);
}

#[test]
fn only_those_who_show_the_token_get_payloads_and_a_new_token_counts_within_seconds() {
    let area = Area::new();
    let token = area.write("token", "0123456789abcdef-old\n");
    let service =
        Running::start(&["--bearer-token-file", token.to_str().unwrap(), "--bearer-token-grace", "0"]);
    let (path, body) = request("request-00");
    let ask = |value: Option<&str>| {
        let field = value.map(|value| ("Authorization", value));
        get(service.address, &path, field.as_slice(), &body)
    };
    for value in
        [None, Some("Bearer wrong"), Some("Basic 0123456789abcdef-old"), Some("Bearer 0123456789abcdef-ol")]
    {
        let reply = ask(value);
        assert_eq!((reply.status, reply.code().as_str()), (401, "Unauthenticated"), "{value:?}");
        assert_eq!(reply.fields["www-authenticate"], "Bearer");
    }
    assert_eq!(ask(Some("Bearer 0123456789abcdef-old")).status, 200);
    assert_eq!(get(service.address, "/healthz", &[], "").status, 200, "probes have no token");

    area.write("token", "0123456789abcdef-new\n");
    service.await_line("read again");
    assert_eq!(ask(Some("Bearer 0123456789abcdef-old")).status, 401);
    assert_eq!(ask(Some("Bearer 0123456789abcdef-new")).status, 200);

    // A file that makes no sense leaves the last good one in force.
    area.write("token", "short");
    service.await_line("a changed file cannot be used; the last good one stays");
    assert_eq!(ask(Some("Bearer 0123456789abcdef-new")).status, 200);
    assert!(!service.log().contains("0123456789abcdef"), "the log shows the token");
}

#[test]
fn the_token_before_is_good_for_a_while_after_a_change() {
    let area = Area::new();
    let token = area.write("token", "0123456789abcdef-old\n");
    let service = Running::start(&["--bearer-token-file", token.to_str().unwrap()]);
    let (path, body) = request("request-00");
    let ask = |token: &str| {
        let shown = format!("Bearer 0123456789abcdef-{token}");
        get(service.address, &path, &[("Authorization", &shown)], &body).status
    };
    assert_eq!((ask("old"), ask("new")), (200, 401));
    area.write("token", "0123456789abcdef-new\n");
    service.await_line("read again");
    assert_eq!((ask("old"), ask("new"), ask("other")), (200, 200, 401));
}

#[test]
fn what_cannot_be_run_is_refused_at_the_start_with_the_reason() {
    let area = Area::new();
    let short = area.write("short", "x");
    let odd = area.write("odd.json", r#"{"clusters": [{"option": {}}]}"#);
    let missing = area.write("missing.json", r#"{"clusters": [{"options": {"clusterName": "c"}}]}"#);
    let cases: [(&[&str], i32, &str); 7] = [
        (&["--listen", "0.0.0.0:0"], 1, "--no-authentication"),
        (&["--config", "/nonexistent/clusters.json"], 1, "/nonexistent/clusters.json"),
        (
            &["--config", odd.to_str().unwrap()],
            1,
            "clusters[0].option: no such member (did you mean options?)",
        ),
        (&["--config", missing.to_str().unwrap()], 1, "clusters[0].options.clusterEndpoint: is missing"),
        (&["--bearer-token-file", short.to_str().unwrap()], 1, "at least 16"),
        (&["--tls-certificate", "/c"], 2, "--tls-key"),
        (&["--max-requests", "0"], 2, "a number from 1"),
    ];
    for (arguments, code, expected) in cases {
        let output = command(arguments).output().unwrap();
        let error = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(code), "{arguments:?}: {error}");
        assert!(error.contains(expected), "{arguments:?}: {error}");
    }
}
