//! The chart of the service: rendered by the real Helm, read by the published types of Kubernetes, its arguments
//! held against the service's own.

use std::io::Write as _;
use std::path::Path;
use std::process::{Output, Stdio};

use serde_json::Value;

use crate::programs::{HELM, OBJECTS};

/// Values with which the chart renders: a token, a certificate, authorities of clients, or a network that is trusted.
const OPEN: [&str; 2] = ["image.repository=example.test/slipwayd", "authentication.none=true"];
const CLOSED: [&str; 4] = [
    "image.repository=example.test/slipwayd",
    "authentication.bearerToken.existingSecret=token",
    "authentication.clientCA.existingSecret=authorities",
    "tls.existingSecret=certificate",
];

fn helm(values: &[&str]) -> Output {
    let chart = Path::new(env!("CARGO_MANIFEST_DIR")).join("../packaging/helm/slipwayd");
    let mut command = HELM.command();
    command.args(["template", "demo", "--namespace", "launch", "--kube-version", "1.34.0"]).arg(chart);
    for value in values {
        command.args(["--set", value]);
    }
    command.output().unwrap()
}

/// The chart's objects with these values, as the API server would read them.
fn objects(values: &[&str]) -> Vec<Value> {
    let rendered = helm(values);
    assert!(rendered.status.success(), "{}", String::from_utf8_lossy(&rendered.stderr));
    let mut reader = OBJECTS.command();
    let mut reader =
        reader.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    reader.stdin.take().unwrap().write_all(&rendered.stdout).unwrap();
    let read = reader.wait_with_output().unwrap();
    assert!(read.status.success(), "{}", String::from_utf8_lossy(&read.stderr));
    serde_json::from_slice(&read.stdout).unwrap()
}

fn of_kind<'a>(objects: &'a [Value], kind: &str) -> &'a Value {
    objects.iter().find(|object| object["kind"] == kind).unwrap_or_else(|| panic!("there is no {kind}"))
}

#[test]
fn the_chart_makes_objects_that_kubernetes_knows_and_a_pod_without_privileges() {
    for values in [&OPEN[..], &CLOSED[..]] {
        let objects = objects(values);
        for kind in ["ServiceAccount", "ConfigMap", "Service", "NetworkPolicy", "PodDisruptionBudget"] {
            assert_eq!(of_kind(&objects, kind)["metadata"]["namespace"], "launch", "{kind}");
        }
        let pod = &of_kind(&objects, "Deployment")["spec"]["template"]["spec"];
        let container = &pod["containers"][0];
        let context = &container["securityContext"];
        assert_eq!(pod["automountServiceAccountToken"], false);
        assert_eq!(pod["securityContext"]["runAsNonRoot"], true);
        assert_eq!(pod["securityContext"]["seccompProfile"]["type"], "RuntimeDefault");
        assert_eq!(context["readOnlyRootFilesystem"], true);
        assert_eq!(context["allowPrivilegeEscalation"], false);
        assert_eq!(context["capabilities"]["drop"], serde_json::json!(["ALL"]));
        for probe in ["startupProbe", "livenessProbe", "readinessProbe"] {
            let scheme = if values == OPEN { "HTTP" } else { "HTTPS" };
            assert_eq!(container[probe]["httpGet"]["scheme"], scheme, "{probe}");
        }
        assert_eq!(container["resources"]["limits"]["memory"], "64Mi");
        let policy = &of_kind(&objects, "NetworkPolicy")["spec"];
        assert_eq!(policy["policyTypes"], serde_json::json!(["Ingress", "Egress"]));
        assert!(policy["egress"].is_null(), "the service calls nobody");
    }
}

#[test]
fn what_is_mounted_is_what_the_arguments_name() {
    let objects = objects(&CLOSED);
    let pod = &of_kind(&objects, "Deployment")["spec"]["template"]["spec"];
    let mounts: Vec<&str> = list(&pod["containers"][0]["volumeMounts"], "mountPath");
    let arguments: Vec<&str> = pod["containers"][0]["args"]
        .as_array()
        .unwrap()
        .iter()
        .map(|argument| argument.as_str().unwrap())
        .collect();
    let files: Vec<&str> =
        arguments.iter().filter_map(|argument| argument.split_once("=/")).map(|(_, file)| file).collect();
    assert_eq!(files.len(), 5, "{arguments:?}");
    for file in files {
        assert!(
            mounts.iter().any(|mount| format!("/{file}").starts_with(&format!("{mount}/"))),
            "{file}: {mounts:?}"
        );
    }
    assert_eq!(list(&pod["volumes"], "name"), ["config", "token", "tls", "client-ca"]);
}

fn list<'a>(items: &'a Value, member: &str) -> Vec<&'a str> {
    items.as_array().unwrap().iter().map(|item| item[member].as_str().unwrap()).collect()
}

#[test]
fn values_that_make_no_service_are_refused_with_the_reason() {
    let image = OPEN[0];
    for (values, expected) in [
        (&[image][..], "callers have no way to show who they are"),
        (&[OPEN[1]], "image.repository"),
        (&[image, CLOSED[2]], "needs tls.existingSecret"),
        (&[image, OPEN[1], CLOSED[1]], "authentication.none excludes"),
        (&[image, OPEN[1], "replica=2"], "replica"),
        (&[image, OPEN[1], "limits.requests=0"], "limits"),
    ] {
        let refused = helm(values);
        let error = String::from_utf8_lossy(&refused.stderr).into_owned();
        assert!(!refused.status.success() && error.contains(expected), "{values:?}: {error}");
    }
}
