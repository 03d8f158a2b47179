//! A machine whose clock is an hour off is told so, and is not touched.

use std::process::{Command, Output};

use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject as _;
use serde_json::{Value, json};
use slipway_lab::azure::{Principal, TENANT};
use slipway_lab::{Machine, arc};

use crate::flex::{BUNDLE, CONFIG, PROGRAM, bundle, config, configured, eviction, must};
use crate::scene::{Scene, said, scene};
use crate::state::State;

const HOUR: i64 = 3600;
const SHIM: &str = "/root/clock.so";
const CERTIFICATE: &str = "/root/principal.pem";
const SECRET: &str = "hunter2~of=late";
/// An application's certificate with its key.
const PEM: &str = include_str!("../../../crates/azure/tests/data/client.pem");

/// Builds what lets a program see another time.
fn bring_shim(machine: &Machine) {
    let source = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/nodes/clock.c");
    let mut cc = Command::new("cc");
    let built = cc.args(["-shared", "-fPIC", "-O1", source, "-o"]).arg(machine.path(SHIM)).output().unwrap();
    assert!(built.status.success(), "{}", said(&built));
}

/// Joins by a clock that is so many seconds off.
fn join(machine: &Machine, off: i64, more: &[&str]) -> Output {
    let mut command = machine.command("env");
    command.args([format!("LD_PRELOAD={SHIM}"), format!("SLIPWAY_LAB_CLOCK={off}")]);
    command.args([PROGRAM, "flex", "join", "--yes", "--progress", "plain", "--bundle", BUNDLE]);
    command.args(more).output().unwrap()
}

fn refused(machine: &Machine, before: &State, output: &Output, parts: &[&str]) {
    assert_eq!(output.status.code(), Some(1), "{}", said(output));
    for part in parts {
        assert!(said(output).contains(part), "no {part:?} in {}", said(output));
    }
    assert_eq!(before.differences(&State::of_owned(machine)), Vec::<String>::new(), "{}", said(output));
}

/// By how much the clock is said to be off, and which way.
fn told(output: &Output) -> Option<(i64, String)> {
    let said = said(output);
    let (_, rest) = said.split_once("clock: it is ")?;
    let (seconds, rest) = rest.split_once(" s ")?;
    Some((seconds.parse().ok()?, rest.split(" the API").next()?.to_owned()))
}

/// The configuration of a service principal that asks Azure where the cluster is.
fn of_principal(scene: &Scene, principal: &Principal, proof: &Value) -> String {
    let mut config = config(scene);
    config["azure"]["bootstrapToken"].take();
    config["node"]["kubelet"] = json!({"evictionHard": eviction()});
    let mut identity = json!({"tenantId": TENANT, "clientId": principal.client_id});
    identity.as_object_mut().unwrap().extend(proof.as_object().unwrap().clone());
    config["azure"]["servicePrincipal"] = identity;
    config.to_string()
}

#[test]
fn a_clock_that_is_an_hour_off_is_named_with_the_difference_before_anything_is_done() {
    let scene = scene();
    let machine = configured(scene, "flex-clock", &config(scene));
    machine.put(BUNDLE, 0o600, bundle(scene)).unwrap();
    machine.put(CERTIFICATE, 0o600, PEM.as_bytes()).unwrap();
    arc::trust(&machine, &scene.lab.cluster.authority().unwrap()).unwrap();
    bring_shim(&machine);
    let before = State::of_owned(&machine);
    for (off, way) in [(HOUR, "ahead of"), (-HOUR, "behind")] {
        let output = join(&machine, off, &[]);
        let hint = "certificates and tokens would not count: let chrony or systemd-timesyncd set it";
        refused(&machine, &before, &output, &["[preflight, machine]", hint]);
        let (seconds, told) = told(&output).unwrap_or_else(|| panic!("{}", said(&output)));
        assert_eq!(told, way, "{}", said(&output));
        assert!((seconds - HOUR).abs() <= 5, "{}", said(&output));
    }

    let certificate = CertificateDer::from_pem_slice(PEM.as_bytes()).unwrap();
    let principal =
        Principal::application("flex-late").with_secret(SECRET).with_certificate(certificate.to_vec());
    scene.azure.admit_principal(principal.clone());
    let before = |config: &str| {
        machine.put(CONFIG, 0o600, config.as_bytes()).unwrap();
        State::of_owned(&machine)
    };
    // To a clock that is slow, what Azure shows is of the future.
    let slow = before(&of_principal(scene, &principal, &json!({"clientSecret": SECRET})));
    let output = join(&machine, -HOUR, &[]);
    let parts =
        ["azure-permissions: ", "not valid yet", "compare this machine's clock (`date -u`) with the time"];
    refused(&machine, &slow, &output, &parts);
    // What is signed by a clock that is fast is of the future to Azure.
    let fast = before(&of_principal(scene, &principal, &json!({"clientCertificateFile": CERTIFICATE})));
    let output = join(&machine, HOUR, &[]);
    refused(
        &machine,
        &fast,
        &output,
        &["azure-permissions: ", "AADSTS700024", "correct this machine's clock"],
    );

    // Nothing that we do hangs on the clock: whoever knows better joins.
    let token = before(&config(scene).to_string());
    must(&machine, &join(&machine, HOUR, &["--ignore", "clock"]));
    must(&machine, &machine.command(PROGRAM).args(["flex", "leave", "--yes"]).output().unwrap());
    assert_eq!(token.differences(&State::of_owned(&machine)), Vec::<String>::new());
    scene.kubectl(&["delete", "node", &machine.name]);
}
