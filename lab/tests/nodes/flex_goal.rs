//! What Azure wants of a machine in an agent pool is desired state: the daemon makes it so, through a power cut, a deleted Node
//! and a credential that the API server does not know; and lets the machine leave when Azure says so.

use std::fs;

use serde_json::{Value, json};
use slipway_lab::azure::{Principal, TENANT};
use slipway_lab::{EARLIER, Ending, Machine, arc};

use crate::flex::{MIRROR, config, configured, must};
use crate::flex_arc::OWNER;
use crate::flex_daemon::{
    CERTIFICATE, DAEMON, UNIT, daemon, daemons_log, foreign, look_often, status, until,
};
use crate::flex_upgrade::{releases, version, with};
use crate::scene::{Scene, eventually, said, scene};
use crate::state::State;

const SECRET: &str = "hunter2~of=goal";
const NAME: &str = "flex-goal";
const TAINT: &str = "kubernetes.azure.com/flex-node-deleting=true:NoSchedule";
const RECORD: &str = "/var/lib/slipway/upgrade.json";

/// A machine that joins by token, is known in an agent pool by a service principal, and has a daemon.
fn known(scene: &Scene) -> Machine {
    let principal = Principal::application(NAME).with_secret(SECRET);
    scene.azure.admit_principal(principal.clone());
    scene.azure.grant(&principal.object_id, OWNER, &scene.lab.cluster.id().unwrap());
    let mut config = config(scene);
    config["azure"]["tenantId"] = TENANT.into();
    config["azure"]["servicePrincipal"] =
        json!({"tenantId": TENANT, "clientId": principal.client_id, "clientSecret": SECRET});
    config["azure"]["targetAgentPoolName"] = "aksflexnodes".into();
    config["agent"] = json!({"machineReconcileInterval": "1s", "requireMachineRegistration": true});
    config["components"]["kubernetes"] = "1.33".into();
    config["components"]["manifest"] = format!("{MIRROR}/bundle.manifest.json").into();
    config["components"]["mirrors"] = json!([MIRROR]);
    let machine = configured(scene, NAME, &config);
    arc::trust(&machine, &scene.lab.cluster.authority().unwrap()).unwrap();
    machine.put(DAEMON, 0o755, &fs::read(daemon()).unwrap()).unwrap();
    machine
}

fn until_applied(machine: &Machine) -> Value {
    until(machine, "the goal to be applied", |status| {
        status["healthy"] == true && status["daemon"]["status"]["goal"]["state"] == "applied"
    })
}

/// How often a goal was tried.
fn tries(machine: &Machine) -> usize {
    let repairs = status(machine)["daemon"]["status"]["repairs"].clone();
    repairs.as_array().unwrap().iter().filter(|repair| repair["repair"] == "apply-goal").count()
}

#[test]
fn a_machine_is_what_azure_wants_it_to_be_until_azure_wants_it_to_leave() {
    let scene = scene();
    releases(scene);
    let mut machine = known(scene);
    let id = format!("{}/agentPools/aksflexnodes/machines/{NAME}", scene.lab.cluster.id().unwrap());
    let before = State::of_owned(&machine);
    must(&machine, &with(&machine, "join", "earlier", &[]));
    assert_eq!(version(scene, &machine), format!("v{EARLIER}"));
    look_often(&machine);
    let well = until_applied(&machine);
    assert_eq!(well["daemon"]["status"]["goal"]["kubernetes"], EARLIER, "{well}");

    // What no node can be made of is said and not tried again, until it changes.
    scene.azure.set_goal(&id, &json!({"nodeTaints": ["nonsense"]}));
    until(&machine, "the goal to be given up", |status| {
        let status = &status["daemon"]["status"];
        status["goal"]["state"] == "failed"
            && status["why"].as_str().is_some_and(|why| why.contains("not tried again"))
    });
    assert_eq!(tries(&machine), 1);
    scene.azure.set_goal(&id, &json!({"nodeTaints": ["example.com/own=yes:PreferNoSchedule"]}));
    until_applied(&machine);
    assert_eq!(tries(&machine), 2);

    // Labels go to the Node that is there; what kubelet is told takes a restart of it.
    let labels = json!({"example.com/where": "in-the-goal", "kubernetes.azure.com/managed": "false"});
    scene.azure.set_goal(&id, &json!({"nodeLabels": labels, "maxPods": 44}));
    eventually(
        "the labels and the number of pods",
        || daemons_log(&machine),
        || {
            let node = scene.node(NAME);
            let label = &node["metadata"]["labels"]["example.com/where"];
            (label == "in-the-goal" && node["status"]["capacity"]["pods"] == "44").then_some(())
        },
    );
    until_applied(&machine);

    lives_through_a_power_cut_in_an_upgrade(scene, &mut machine, &id);
    comes_back(scene, &machine);

    scene.kubectl(&["taint", "node", NAME, TAINT]);
    until(&machine, "the mark to be noticed", |status| {
        let why = status["daemon"]["status"]["why"].as_str().unwrap_or_default();
        why.contains("Azure still has the machine")
    });
    scene.azure.remove_pool_machine(&id);
    eventually(
        "the machine to leave",
        || daemons_log(&machine),
        || (!machine.path("/var/lib/slipway").exists()).then_some(()),
    );
    machine.run("rm", &["--recursive", "/run/systemd/system/slipway-flex.service.d"]).unwrap();
    let active = machine.command("systemctl").args(["is-active", "kubelet", UNIT]).output().unwrap();
    assert_eq!(said(&active), "inactive\ninactive\n");
    // It has booted since: what the system makes anew at each boot is another.
    let differences = before.differences(&State::of_owned(&machine));
    let left =
        differences.iter().filter(|it| it[2..].starts_with("files: ") && !it.contains("systemd-private-"));
    assert_eq!(left.collect::<Vec<_>>(), Vec::<&String>::new());
    scene.kubectl(&["delete", "node", NAME]);
}

/// Another version is brought by an upgrade, which goes on where the power went.
fn lives_through_a_power_cut_in_an_upgrade(scene: &Scene, machine: &mut Machine, id: &str) {
    scene.azure.set_goal(id, &json!({"orchestratorVersion": "1.34.3"}));
    let record = machine.path(RECORD);
    eventually(
        "the upgrade to be under way",
        || daemons_log(machine),
        || fs::read_to_string(&record).ok().filter(|record| record.contains("switching")),
    );
    machine.reboot(Ending::PowerLoss).unwrap();
    look_often(machine);
    eventually(
        "the new version",
        || daemons_log(machine),
        || (version(scene, machine) == "v1.34.3").then_some(()),
    );
    let well = until_applied(machine);
    assert_eq!(well["kubernetes"], "1.34.3", "{well}");
    let label = &scene.node(NAME)["metadata"]["labels"]["example.com/where"];
    assert_eq!(label, "in-the-goal", "what Azure wants is not forgotten");
}

/// A Node that somebody deleted registers again, and a credential that nobody knows is traded for another one.
fn comes_back(scene: &Scene, machine: &Machine) {
    let uid = scene.node(NAME)["metadata"]["uid"].clone();
    scene.kubectl(&["delete", "node", NAME]);
    eventually(
        "another Node",
        || daemons_log(machine),
        || {
            let found = said(&scene.kubectl(&["get", "node", NAME, "--ignore-not-found", "--output=json"]));
            serde_json::from_str::<Value>(&found).ok().filter(|node| node["metadata"]["uid"] != uid)
        },
    );
    until_applied(machine);
    let old = machine.run("readlink", &[CERTIFICATE]).unwrap();
    machine.put(old.trim(), 0o600, foreign(machine, 2090).as_bytes()).unwrap();
    // Whoever has a connection does not show a credential again.
    machine.run("systemctl", &["restart", UNIT, "kubelet"]).unwrap();
    until(machine, "the credential to be renewed", |status| {
        // A daemon that has just begun has no status yet.
        let repairs = status["daemon"]["status"]["repairs"].as_array();
        let renewed = |repair: &Value| repair["reason"] == "credential-unknown" && repair["error"].is_null();
        repairs.is_some_and(|repairs| repairs.iter().any(renewed)) && status["healthy"] == true
    });
    assert_eq!(status(machine)["daemon"]["status"]["node"]["ready"], true);
}
