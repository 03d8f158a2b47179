//! From a kubeconfig and a node class to a VM body, as docs/launching.md tells it, against a server on this machine.

#[path = "../../../fetch/tests/fakes/mod.rs"]
mod fakes;

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use fakes::{Act, Authority, Proxy, Request, Server, answer, json};
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
    authority: Authority,
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
        std::fs::write(directory.join("ca.pem"), authority.pem()).unwrap();
        Self { directory, authority, server }
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
            "exec has the apiVersion \"\"",
        ),
        (
            format!(
                "{head}{cluster}users: [{{name: a, user: {{exec: {{apiVersion: client.authentication.k8s.io/v1, command: k}}}}}}]\n"
            ),
            "exec has no interactiveMode",
        ),
        (
            format!("{head}{cluster}users: [{{name: a, user: {{token: t, as: admin}}}}]\n"),
            "acts as somebody else",
        ),
        (
            format!(
                "{head}clusters: [{{name: a, cluster: {{server: 'https://a', certificate-authority-data: YQ==, proxy-url: 'socks5://p'}}}}]\nusers: [{{name: a, user: {{token: t}}}}]\n"
            ),
            "its scheme is neither http nor https",
        ),
        (
            format!("{head}{cluster}users: [{{name: a, user: {{}}}}]\n"),
            "neither a token, nor a client certificate",
        ),
    ] {
        std::fs::write(place.directory.join("kubeconfig"), &text).unwrap();
        let output = place.shell("slipway launch request --kubeconfig kubeconfig");
        let told = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.code() == Some(1) && told.contains(said), "{text}\n{told}");
    }
}

/// A kubeconfig whose user gets its credential from a program beside it: the shell, by another name, with this script. A
/// program that was just written could still be open in a child of another test, and would not start.
fn with_program(place: &Place, cluster: &str, exec: &str, script: &str) {
    std::fs::write(place.directory.join("script"), script).unwrap();
    // It is there from the second time on.
    let _ = std::os::unix::fs::symlink("/bin/sh", place.directory.join("kubelogin"));
    let kubeconfig = format!(
        "current-context: demo\ncontexts: [{{name: demo, context: {{cluster: demo, user: me}}}}]\n\
         clusters:\n- name: demo\n  cluster:\n    certificate-authority: ca.pem\n    {cluster}\n\
         users:\n- name: me\n  user:\n    exec:\n      {exec}\n",
    );
    std::fs::write(place.directory.join("kubeconfig"), kubeconfig).unwrap();
}

/// What a program prints.
fn credential(version: &str, status: &Value) -> String {
    let document = value!({
        "apiVersion": format!("client.authentication.k8s.io/{version}"), "kind": "ExecCredential", "status": status,
    });
    format!("cat <<'END'\n{document}\nEND")
}

#[test]
fn a_program_is_asked_for_the_credential_as_kubectl_asks_it() {
    let place = Place::new("exec", |request| cluster(request, "v1.34.1"));
    let (certificate, key) = place.authority.client("launcher");
    let answer = credential("v1", &value!({"clientCertificateData": certificate, "clientKeyData": key}));
    with_program(
        &place,
        &format!(
            "server: {}\n    extensions: [{{name: client.authentication.k8s.io/exec, extension: {{audience: x}}}}]",
            place.server.url("https", "")
        ),
        "apiVersion: client.authentication.k8s.io/v1\n      command: ./kubelogin\n      args: [script, get-token, '--login $(id)']\n      \
         env: [{name: LOGIN, value: device code}]\n      interactiveMode: IfAvailable\n      provideClusterInfo: true",
        &format!(
            "printf '%s\\n' \"$@\" \"$LOGIN\" \"$KUBERNETES_EXEC_INFO\" > asked; echo 'look at your phone' >&2\n{answer}"
        ),
    );
    let output = place.shell("slipway launch request --kubeconfig kubeconfig < /dev/null");
    let told = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{told}");
    assert!(told.contains("look at your phone"), "{told}");
    let request: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(request["nodeClass"]["kubernetesVersion"], "1.34.1");
    let asked = std::fs::read_to_string(place.directory.join("asked")).unwrap();
    let mut asked = asked.lines();
    assert_eq!(
        [asked.next(), asked.next(), asked.next()],
        [Some("get-token"), Some("--login $(id)"), Some("device code")]
    );
    let info: Value = serde_json::from_str(asked.next().unwrap()).unwrap();
    assert_eq!(info["apiVersion"], "client.authentication.k8s.io/v1");
    assert_eq!(info["spec"]["interactive"], false);
    assert_eq!(info["spec"]["cluster"]["server"], place.server.url("https", ""));
    assert_eq!(
        info["spec"]["cluster"]["certificate-authority-data"],
        BASE64_STANDARD.encode(place.authority.pem())
    );
    assert_eq!(info["spec"]["cluster"]["config"]["audience"], "x");
}

#[test]
fn a_program_that_gives_no_credential_is_named_and_what_it_printed_is_not_shown() {
    let place = Place::new("exec-bad", |_| Vec::new());
    let exec = |command: &str, mode: &str| {
        format!(
            "apiVersion: client.authentication.k8s.io/v1beta1\n      command: {command}\n      args: [script]\n      {mode}\n      \
             installHint: |\n        kubelogin is not installed;\n        see https://aka.ms/aks/kubelogin"
        )
    };
    let token = value!({"token": "hunter2"});
    for (command, mode, script, said) in [
        ("./kubelogin", "", "echo hunter2; exit 3".to_owned(), "it ended with code 3"),
        ("./kubelogin", "", "kill -TERM $$".to_owned(), "it was ended by signal 15"),
        ("./kubelogin", "", "echo hunter2".to_owned(), "it is not the JSON of an ExecCredential"),
        ("./kubelogin", "", credential("v1", &token), "it is of version client.authentication.k8s.io/v1"),
        (
            "./kubelogin",
            "",
            credential("v1beta1", &value!({"clientKeyData": "hunter2"})),
            "without a certificate",
        ),
        ("./kubelogin", "", "head -c 2000000 /dev/zero".to_owned(), "more than any credential has"),
        (
            "./kubelogin",
            "interactiveMode: Always",
            credential("v1beta1", &token),
            "standard input is not a terminal",
        ),
        ("./kubelogin", "interactiveMode: Perhaps", String::new(), "Never, IfAvailable and Always are known"),
        (
            "no-such-program-here",
            "",
            String::new(),
            "hint: kubelogin is not installed; see https://aka.ms/aks/kubelogin",
        ),
    ] {
        with_program(&place, "server: https://127.0.0.1:1", &exec(command, mode), &script);
        let output = place.shell("slipway launch request --kubeconfig kubeconfig < /dev/null");
        let told = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.code() == Some(1) && told.contains(said), "{said}\n{told}");
        assert!(!told.contains("hunter2") && output.stdout.is_empty(), "{told}");
    }
}

#[test]
fn a_server_behind_a_proxy_or_another_name_is_reached_as_the_kubeconfig_says() {
    let place = Place::new("way", |request| cluster(request, "v1.34.1"));
    let (certificate, key) = place.authority.client("launcher");
    let answer = credential("v1", &value!({"clientCertificateData": certificate, "clientKeyData": key}));
    let exec = "apiVersion: client.authentication.k8s.io/v1\n      command: ./kubelogin\n      args: [script]\n      interactiveMode: Never";
    let ask = |cluster: &str| {
        with_program(&place, cluster, exec, &answer);
        place.shell("slipway launch request --kubeconfig kubeconfig --within 3s")
    };
    let proxy = Proxy::start("200 OK", place.server.address);
    let output =
        ask(&format!("server: https://api.example.test:443\n    proxy-url: http://{}", proxy.address));
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(
        proxy.heads().iter().all(|head| head.starts_with("CONNECT api.example.test:443 ")),
        "{:?}",
        proxy.heads()
    );
    assert!(!proxy.heads().is_empty());

    let local = format!("server: https://localhost:{}", place.server.address.port());
    assert!(!ask(&local).status.success(), "the certificate is not for this name");
    let output = ask(&format!("{local}\n    tls-server-name: api.example.test"));
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let request: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert!(
        request["options"].get("clusterEndpoint").is_none(),
        "nodes cannot use this machine's way: {request}"
    );
}

#[test]
fn images_are_chosen_for_what_the_cluster_says_where_the_request_does_not() {
    let place = Place::new("images", |request| cluster(request, "v1.34.1"));
    assert!(place.shell(&commands()[0]).status.success());
    let path = place.directory.join("request.json");
    let mut request: Value = serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
    let complete = place.shell("slipway launch images request.json");
    request["nodeClass"].as_object_mut().unwrap().remove("kubernetesVersion");
    std::fs::write(&path, request.to_string()).unwrap();
    let filled = place.shell("slipway launch images request.json --kubeconfig kubeconfig");
    assert!(filled.status.success(), "{}", String::from_utf8_lossy(&filled.stderr));
    assert_eq!(String::from_utf8_lossy(&filled.stdout), String::from_utf8_lossy(&complete.stdout));

    std::fs::write(&path, r#"{"imageFamily": "Ubuntu2204", "kubernetesVersion": "1.33.0"}"#).unwrap();
    let refused = place.shell("slipway launch images request.json --kubeconfig kubeconfig");
    let told = String::from_utf8_lossy(&refused.stderr);
    assert!(refused.status.code() == Some(1) && told.contains("this file is none"), "{told}");
}
