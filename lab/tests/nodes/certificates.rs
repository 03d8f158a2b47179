//! Kubelet's certificates are the cluster's.

use serde_json::Value;
use slipway_lab::Machine;

use crate::scene::{Scene, eventually, journal, scene};

#[test]
fn with_rotation_kubelet_serves_with_a_certificate_that_the_cluster_signed() {
    let scene = scene();
    let machine = scene.machine("serving");
    let mut contract = scene.contract();
    contract["kubelet_config"]["kubelet_config_file_config"]["server_tls_bootstrap"] = true.into();
    scene.join(&machine, &contract);
    let node = scene.node("serving");
    assert_eq!(node["metadata"]["labels"]["kubernetes.azure.com/kubelet-serving-ca"], "cluster", "{node}");

    // Nobody approves requests for serving certificates by himself.
    let request = eventually(
        "a request for a serving certificate",
        || journal(&machine),
        || waiting_request(scene, "serving"),
    );
    assert!(!served_by_cluster(&machine), "it was signed before anybody approved");
    scene.kubectl(&["certificate", "approve", &request]);
    eventually(
        "the signed certificate to be served",
        || journal(&machine),
        || served_by_cluster(&machine).then_some(()),
    );
}

#[test]
fn without_rotation_kubelet_serves_with_the_certificate_that_slipway_made() {
    let scene = scene();
    let machine = scene.machine("self-signed");
    scene.join(&machine, &scene.contract());
    let made = fingerprint(&machine, "openssl x509 -in /etc/kubernetes/certs/kubeletserver.crt");
    let served = fingerprint(&machine, &format!("{} </dev/null 2>&1", client(&machine)));
    assert_eq!(made, served);
    assert!(made.contains("Fingerprint="), "{made}");
}

fn fingerprint(machine: &Machine, certificate: &str) -> String {
    let command = format!("{certificate} | openssl x509 -noout -fingerprint -sha256");
    machine.run("bash", &["-c", &command]).unwrap()
}

/// The node's open request for a serving certificate.
fn waiting_request(scene: &Scene, node: &str) -> Option<String> {
    let output = scene.kubectl(&["get", "certificatesigningrequests", "--output=json"]);
    let list: Value = serde_json::from_slice(&output.stdout).unwrap();
    let user = format!("system:node:{node}");
    let wanted = |request: &&Value| {
        request["spec"]["signerName"] == "kubernetes.io/kubelet-serving"
            && request["spec"]["username"] == user.as_str()
            && request["status"]["conditions"].is_null()
    };
    let request = list["items"].as_array().unwrap().iter().find(wanted)?;
    request["metadata"]["name"].as_str().map(str::to_owned)
}

/// Whether a client that trusts the cluster's authority alone, and wants the node's address, is content.
fn served_by_cluster(machine: &Machine) -> bool {
    let verified = "-CAfile /etc/kubernetes/certs/ca.crt -verify_return_error -verify_ip";
    let command = format!("{} {verified} {} </dev/null", client(machine), machine.address);
    machine.run("bash", &["-c", &command]).is_ok()
}

fn client(machine: &Machine) -> String {
    format!("openssl s_client -connect {}:10250", machine.address)
}
