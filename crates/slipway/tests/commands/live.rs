//! From a kubeconfig and a node class to a VM body, as docs/launching.md tells it, against a server on this machine.

#[path = "../../../fetch/tests/fakes/mod.rs"]
mod fakes;

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use fakes::{Act, Authority, Request, Server, answer, json};
use serde_json::{Value, json as value};

const TOKEN: &str = "abcdef.0123456789abcdef";

/// An API server that knows what a launcher asks.
fn cluster(request: &Request, version: &str) -> Vec<Act> {
    let encoded = |text: &str| BASE64_STANDARD.encode(text);
    let path = request.line().split(' ').nth(1).unwrap();
    match path {
        "/version" => json(&value!({"gitVersion": version}).to_string()),
        "/api/v1/namespaces/kube-system/services/kube-dns" => {
            json(&value!({"spec": {"clusterIP": "10.0.0.10"}}).to_string())
        }
        _ if path.starts_with("/api/v1/namespaces/kube-system/secrets?") => {
            let token = |id: &str, secret: &str, usage: &str, end: Option<&str>| {
                value!({"data": {
                    "token-id": encoded(id), "token-secret": encoded(secret),
                    "usage-bootstrap-authentication": encoded(usage), "expiration": end.map(encoded),
                }})
            };
            let items = [
                token("bbbbbb", "0123456789abcdef", "false", None),
                token("abcdef", "0123456789abcdef", "true", Some("2099-01-01T00:00:00Z")),
                token("cccccc", "0123456789abcdef", "true", Some("2030-01-01T00:00:00Z")),
            ];
            let items: Vec<Value> = items
                .into_iter()
                .map(|mut item| {
                    if item["data"]["expiration"].is_null() {
                        item["data"].as_object_mut().unwrap().remove("expiration");
                    }
                    item
                })
                .collect();
            json(&value!({"items": items}).to_string())
        }
        _ => answer("404 Not Found", "", b"{}"),
    }
}

struct Place {
    directory: PathBuf,
    server: Server,
}

impl Place {
    fn new(name: &str, manner: impl Fn(&Request) -> Vec<Act> + Send + Sync + 'static) -> Self {
        let directory = std::env::temp_dir().join(format!("slipway-live-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&directory).unwrap();
        let authority = Authority::new();
        let server = Server::mutual(&authority, manner);
        let (certificate, key) = authority.client("launcher");
        std::fs::write(directory.join("key.pem"), key).unwrap();
        let kubeconfig = format!(
            "apiVersion: v1\nkind: Config\ncurrent-context: demo\ncontexts:\n- name: demo\n  context: {{cluster: demo, user: me}}\n\
             clusters:\n- name: demo\n  cluster:\n    server: {}\n    certificate-authority-data: {}\n\
             users:\n- name: me\n  user:\n    client-certificate-data: {}\n    client-key: key.pem\n",
            server.url("https", ""),
            BASE64_STANDARD.encode(authority.pem()),
            BASE64_STANDARD.encode(certificate),
        );
        std::fs::write(directory.join("kubeconfig"), kubeconfig).unwrap();
        for file in ["node-class.yaml", "cluster.json", "karpenter.env", "sizes.json"] {
            let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/launch").join(file);
            std::fs::copy(from, directory.join(file)).unwrap();
        }
        Self { directory, server }
    }

    /// Runs a line of a page in the directory.
    fn shell(&self, line: &str) -> Output {
        let line = line.replacen("slipway ", &format!("{} ", env!("CARGO_BIN_EXE_slipway")), 1);
        Command::new("bash").args(["-euc", &line]).current_dir(&self.directory).output().unwrap()
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.directory);
    }
}

/// The commands of the page's first block.
fn commands() -> Vec<String> {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/launching.md");
    let page = std::fs::read_to_string(page).unwrap();
    let block = page.split("```sh\n").nth(1).unwrap().split("```").next().unwrap().replace("\\\n", " ");
    block.lines().filter(|line| line.starts_with("slipway ")).map(str::to_owned).collect()
}

#[test]
fn three_commands_lead_from_a_kubeconfig_and_a_node_class_to_a_vm() {
    let place = Place::new("page", |request| cluster(request, "v1.34.1"));
    let commands = commands();
    assert_eq!(commands.len(), 3, "{commands:?}");
    for command in &commands {
        let output = place.shell(command);
        assert!(output.status.success(), "{command}\n{}", String::from_utf8_lossy(&output.stderr));
    }
    let read = |file: &str| std::fs::read_to_string(place.directory.join(file)).unwrap();
    assert!(!read("request.json").contains(TOKEN));
    let template: Value = serde_json::from_str(&read("node.json")).unwrap();
    let custom_data = template["vm"]["properties"]["osProfile"]["customData"].as_str().unwrap();
    let document = String::from_utf8(BASE64_STANDARD.decode(custom_data).unwrap()).unwrap();
    assert!(document.contains(TOKEN), "the longest-lived token that may be used is in the contract");
    assert!(document.contains("1.34.1"));
    assert!(place.server.requests().iter().all(|request| request.line().starts_with("GET ")));
}

#[test]
fn a_cluster_that_has_moved_on_is_told() {
    let place = Place::new("moved", |request| cluster(request, "v1.35.0"));
    let output = place.shell(
        "slipway launch request --kubeconfig kubeconfig --cluster-json cluster.json --node-class node-class.yaml",
    );
    let told = String::from_utf8(output.stderr).unwrap();
    assert!(
        told.contains("nodeClass.kubernetesVersion: 1.34.1 by the node class, 1.35.0 by the API server"),
        "{told}"
    );
}

#[test]
fn what_we_may_not_see_is_left_out() {
    let place = Place::new("narrow", |request| match request.line().split(' ').nth(1).unwrap() {
        "/version" => json(r#"{"gitVersion": "v1.34.1"}"#),
        _ => answer("403 Forbidden", "", br#"{"message": "no"}"#),
    });
    let output = place.shell("slipway launch request --kubeconfig kubeconfig --show-secrets");
    let request: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(request["nodeClass"]["kubernetesVersion"], "1.34.1");
    assert!(request["options"].get("dnsServiceIP").is_none());
    assert!(request["options"].get("kubeletBootstrapToken").is_none());
}

#[test]
fn a_cluster_that_does_not_answer_is_given_up_in_time() {
    let place = Place::new("silent", |_| answer("503 Service Unavailable", "", b"{}"));
    let began = std::time::Instant::now();
    let output = place.shell("slipway launch request --kubeconfig kubeconfig --within 1s");
    assert_eq!(output.status.code(), Some(1));
    assert!(began.elapsed().as_secs() < 10);
    let told = String::from_utf8(output.stderr).unwrap();
    assert!(told.contains("cannot ask the cluster") && told.contains("cluster-silent"), "{told}");
}

#[test]
fn kubeconfigs_that_cannot_be_used_say_why() {
    let place = Place::new("bad", |_| Vec::new());
    let head = "current-context: a\ncontexts: [{name: a, context: {cluster: a, user: a}}]\n";
    let cluster =
        "clusters: [{name: a, cluster: {server: 'https://127.0.0.1:1', certificate-authority-data: YQ==}}]\n";
    for (text, said) in [
        ("a: [".to_owned(), "bad-kubeconfig"),
        ("{}".to_owned(), "there is no current-context"),
        (head.to_owned(), "clusters has no \"a\""),
        (
            format!(
                "{head}clusters: [{{name: a, cluster: {{server: x, insecure-skip-tls-verify: true}}}}]\nusers: [{{name: a, user: {{token: t}}}}]\n"
            ),
            "insecure-skip-tls-verify is not supported",
        ),
        (
            format!("{head}{cluster}users: [{{name: a, user: {{exec: {{command: kubelogin}}}}}}]\n"),
            "from a program (exec)",
        ),
        (
            format!("{head}{cluster}users: [{{name: a, user: {{}}}}]\n"),
            "neither a token nor a client certificate",
        ),
    ] {
        std::fs::write(place.directory.join("kubeconfig"), &text).unwrap();
        let output = place.shell("slipway launch request --kubeconfig kubeconfig");
        let told = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.code() == Some(1) && told.contains(said), "{text}\n{told}");
    }
}
