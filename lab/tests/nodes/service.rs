//! The node provisioning service on a node: its chart, its image, and an answer over the pods' network.

use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::{Value, json};
use slipway_lab::oci::{self, Layer};
use slipway_lab::{Machine, Programs, Progress, Store, product, release};

use crate::scene::{Scene, journal, said, scene};

const NAMESPACE: &str = "launch";
const REPOSITORY: &str = "registry.test/slipwayd";
const TOKEN: &str = "what-callers-show";

#[test]
fn the_chart_runs_the_service_which_answers_those_who_show_the_token() {
    let scene = scene();
    let machine = scene.machine("service");
    scene.join(&machine, &scene.contract());
    import_image(&machine);
    let exchange = recorded();
    let cluster = json!({
        "options": exchange["input"]["options"],
        "environment": exchange["input"]["environment"],
    });
    scene.apply(prerequisites(&json!({"clusters": [cluster]})).to_string().as_bytes());
    scene.apply(&rendered(&machine));
    let deployment = ["deployment/demo-slipwayd", "--namespace", NAMESPACE];
    let wait = [&["wait", "--for=condition=Available", "--timeout=90s"], &deployment[..]].concat();
    let waited = scene.lab.cluster.kubectl(&scene.lab.space, &wait).output().unwrap();
    assert!(waited.status.success(), "{}\n{}\n{}", said(&waited), pods(scene), journal(&machine));

    let path = exchange["request"]["path"].as_str().unwrap();
    let body = exchange["request"]["body"].to_string();
    for address in addresses(scene) {
        let url = format!("http://{address}:8080{path}");
        let (status, answer) = ask(&machine, &url, &body, Some(TOKEN));
        assert_eq!(status, "200", "{answer}");
        for member in ["cse", "customData"] {
            assert!(answer[member].as_str().is_some_and(|text| !text.is_empty()), "{member}: {answer}");
        }
        for token in [None, Some("something-else")] {
            let (status, answer) = ask(&machine, &url, &body, token);
            assert_eq!(status, "401", "{answer}");
            assert!(answer["customData"].is_null(), "{answer}");
        }
    }
}

/// A recorded request of the real client, with the facts of the cluster that it is about.
fn recorded() -> Value {
    let file =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates/launch/tests/vectors/nps/request-00.json");
    serde_json::from_slice(&std::fs::read(file).unwrap()).unwrap()
}

/// Gives the machine's containerd an image with this source's build of the service, or the one that `SLIPWAYD` names.
fn import_image(machine: &Machine) {
    let service = product::build("slipwayd", "SLIPWAYD", Progress::silent()).unwrap();
    let image = oci::Image {
        name: format!("{REPOSITORY}:lab").parse().unwrap(),
        entrypoint: vec!["/slipwayd".to_owned()],
        layers: vec![Layer::of_program(&service, "/slipwayd").unwrap()],
    };
    machine.put("/run/slipwayd.tar", 0o600, &oci::archive(&image).unwrap()).unwrap();
    machine.run("ctr", &["--namespace", "k8s.io", "images", "import", "/run/slipwayd.tar"]).unwrap();
    machine.remove_file("/run/slipwayd.tar").unwrap();
}

/// What the chart refers to and does not make.
fn prerequisites(clusters: &Value) -> Value {
    let secret = |name: &str, key: &str, value: String| {
        json!({
            "apiVersion": "v1",
            "kind": "Secret",
            "metadata": {"name": name, "namespace": NAMESPACE},
            "stringData": {key: value},
        })
    };
    let namespace = json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": NAMESPACE}});
    let clusters = secret("clusters", "clusters.json", clusters.to_string());
    let callers = secret("callers", "token", TOKEN.to_owned());
    json!({"apiVersion": "v1", "kind": "List", "items": [namespace, clusters, callers]})
}

/// The chart's objects, for pods on this machine: nodes of other tests are in the same cluster.
fn rendered(machine: &Machine) -> Vec<u8> {
    let values = json!({
        "image": {"repository": REPOSITORY, "tag": "lab", "pullPolicy": "Never"},
        "existingConfigSecret": "clusters",
        "authentication": {"bearerToken": {"existingSecret": "callers"}},
        "nodeSelector": {"kubernetes.io/hostname": machine.name},
    });
    let scratch = tempfile::tempdir().unwrap();
    let file = scratch.path().join("values.json");
    std::fs::write(&file, values.to_string()).unwrap();
    let helm = Programs::helm(&Store::open().unwrap(), Progress::silent()).unwrap();
    let output = Command::new(helm)
        .args([
            "template",
            "demo",
            "--namespace",
            NAMESPACE,
            "--kube-version",
            release("1.34").unwrap(),
            "--values",
        ])
        .arg(&file)
        .arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("../packaging/helm/slipwayd"))
        .stdin(Stdio::null())
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", said(&output));
    output.stdout
}

/// The addresses of the service's pods: nothing in the lab routes those of Services.
fn addresses(scene: &Scene) -> Vec<String> {
    let arguments = ["get", "pods", "--namespace", NAMESPACE, "--output=jsonpath={.items[*].status.podIP}"];
    let output = scene.kubectl(&arguments);
    let addresses = String::from_utf8(output.stdout).unwrap();
    let addresses: Vec<String> = addresses.split_whitespace().map(str::to_owned).collect();
    assert_eq!(addresses.len(), 2, "the chart's default is two replicas: {addresses:?}");
    addresses
}

/// Sends a GET with a body from the machine, and gives status and answer.
fn ask(machine: &Machine, url: &str, body: &str, token: Option<&str>) -> (String, Value) {
    let bearer = token.map(|token| format!("Authorization: Bearer {token}"));
    let mut arguments =
        vec!["--silent", "--request", "GET", "--data-raw", body, "--write-out", "\n%{http_code}"];
    arguments.extend(["--header", "Content-Type: application/json"]);
    if let Some(bearer) = &bearer {
        arguments.extend(["--header", bearer]);
    }
    arguments.push(url);
    let printed = machine.run("curl", &arguments).unwrap();
    let (answer, status) = printed.rsplit_once('\n').unwrap();
    (status.to_owned(), serde_json::from_str(answer).unwrap_or_else(|_| panic!("{printed}")))
}

/// What became of the pods, for the message of a failure.
fn pods(scene: &Scene) -> String {
    let described = scene.kubectl(&["describe", "pods", "--namespace", NAMESPACE]);
    let select = ["logs", "--namespace", NAMESPACE, "--selector=app.kubernetes.io/name=slipwayd"];
    let logs = scene.lab.cluster.kubectl(&scene.lab.space, &select).output().unwrap();
    said(&described) + &said(&logs)
}
