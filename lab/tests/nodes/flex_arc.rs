//! A machine becomes known to Azure Arc by joining, and is forgotten by leaving.

use std::fs;
use std::process::{Command, Output};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use slipway_lab::azure::{
    Azure, Fault, Himds, Mishap, Principal, Route, SUBSCRIPTION, TENANT, TOKENS, Times,
};
use slipway_lab::{Machine, arc};

use crate::crash::is_full;
use crate::flex::{BUNDLE, CLUSTER_ADMIN, CONFIG, MIRROR, bundle, config, configured, flex, must, serves};
use crate::flex_daemon::{DAEMON, daemon, daemons_log, look_often};
use crate::scene::{Scene, eventually, json_of, said, scene};
use crate::secrecy::is_kept;
use crate::state::State;

/// May do everything where it is given.
pub(crate) const OWNER: &str = "8e3af657-a8ff-443c-a75c-2fe8c4bcb635";
const SECRET: &str = "hunter2~of=operator";
const AGENT: &str = include_str!("azcmagent");
const GROUP: &str = "lab";
/// How long it takes until word of a role has spread: in the full run, as long as in Azure.
fn spreading() -> Duration {
    Duration::from_secs(if is_full() { 90 } else { 12 })
}

/// How long an identity service is away that restarts.
const AWAY: Duration = Duration::from_secs(20);

/// These tests count what the one Azure is asked, and let it fail.
fn alone() -> MutexGuard<'static, ()> {
    static ONE: Mutex<()> = Mutex::new(());
    ONE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The person at the machine, who may do everything in its resource group.
fn operator(azure: &Azure) -> Principal {
    let operator = Principal::application("flex-operator").with_secret(SECRET);
    azure.admit_principal(operator.clone());
    azure.grant(&operator.object_id, OWNER, &format!("/subscriptions/{SUBSCRIPTION}/resourceGroups/{GROUP}"));
    operator
}

fn id(name: &str) -> String {
    format!(
        "/subscriptions/{SUBSCRIPTION}/resourceGroups/{GROUP}/providers/Microsoft.HybridCompute/machines/{name}"
    )
}

/// A machine with the agent's stand-in and its identity service, whose owner wants roles to be assigned.
fn with_agent(scene: &Scene, name: &str, adjust: impl FnOnce(&mut Value)) -> (Machine, Himds) {
    let mut config = config(scene);
    config["azure"]["bootstrapToken"].take();
    config["azure"]["tenantId"] = TENANT.into();
    config["azure"]["arc"] = json!({
        "enabled": true, "machineName": name, "resourceGroup": GROUP, "location": "lab", "autoRoleAssignment": true,
        "tags": {"site": "lab"},
    });
    adjust(&mut config);
    let machine = configured(scene, name, &config);
    arc::trust(&machine, &scene.lab.cluster.authority().unwrap()).unwrap();
    machine.put("/usr/local/bin/azcmagent", 0o755, AGENT.as_bytes()).unwrap();
    let himds = arc::serve_identity(&scene.azure, &machine, &id(name)).unwrap();
    scene.lab.cluster.wait_trusting(&scene.lab.space, &scene.azure).unwrap();
    (machine, himds)
}

fn signed_in(mut command: Command, operator: &Principal) -> Command {
    command.env("AZURE_TENANT_ID", TENANT).env("AZURE_CLIENT_ID", &operator.client_id);
    command.env("AZURE_CLIENT_SECRET", SECRET);
    command
}

fn join(machine: &Machine) -> Command {
    let mut command = flex(machine);
    let manifest = format!("{MIRROR}/bundle.manifest.json");
    command.args(["join", "--yes", "--progress", "plain", "--manifest", &manifest, "--mirror", MIRROR]);
    command
}

fn leave(machine: &Machine, operator: &Principal) -> Output {
    let mut command = signed_in(flex(machine), operator);
    command.args(["leave", "--yes", "--lose-pods"]).output().unwrap()
}

/// Requests about a machine or the roles that were made, by method and kind.
fn asked(azure: &Azure, method: &str, part: &str) -> usize {
    let requests = azure.requests();
    let is_it = |target: &str| target.to_ascii_lowercase().contains(&part.to_ascii_lowercase());
    requests.iter().filter(|it| it.request.method == method && is_it(&it.request.target)).count()
}

/// The checks that stand against a join.
fn blocking(report: &Value) -> Vec<&str> {
    let findings = report["findings"].as_array().unwrap().iter();
    let blocks = findings.filter(|finding| finding["severity"] == "blocks");
    blocks.map(|finding| finding["check"].as_str().unwrap()).collect()
}

#[test]
fn a_machine_is_known_to_azure_arc_from_its_join_to_its_leave() {
    let _alone = alone();
    let scene = scene();
    bundle(scene);
    let azure = &scene.azure;
    let operator = operator(azure);
    let name = "flex-new";
    let (machine, _himds) = with_agent(scene, name, |_| {});
    machine.put(DAEMON, 0o755, &fs::read(daemon()).unwrap()).unwrap();
    let before = State::of_owned(&machine);

    // Nobody is signed in, so nothing may be done, and nothing is.
    let report = json_of(flex(&machine).args(["preflight", "--output=json"]));
    assert_eq!((&report["ready"], blocking(&report)), (&json!(false), vec!["azure-permissions"]), "{report}");
    let refused = join(&machine).output().unwrap();
    assert_eq!(refused.status.code(), Some(1), "{}", said(&refused));
    assert!(said(&refused).contains("[preflight, machine]"), "{}", said(&refused));
    assert_eq!(before.differences(&State::of_owned(&machine)), Vec::<String>::new());
    assert_eq!(asked(azure, "PUT", name), 0);

    // What will be done is said before it is done.
    let shown = signed_in(join(&machine), &operator).arg("--dry-run").output().unwrap();
    assert!(shown.status.success(), "{}", said(&shown));
    let expected = format!("azure: connect this machine to Azure Arc as {}", id(name));
    assert!(said(&shown).contains(&expected), "{}", said(&shown));
    assert!(said(&shown).contains("RBAC Cluster Admin at /subscriptions/"), "{}", said(&shown));
    assert_eq!(before.differences(&State::of_owned(&machine)), Vec::<String>::new());

    azure.set_propagation(spreading());
    let start = Instant::now();
    azure.fault(Route::ROLE_ASSIGNMENTS.by("PUT"), Fault::Throttle(Duration::from_secs(1)), Times::First(1));
    let joined = signed_in(join(&machine), &operator).output().unwrap();
    must(&machine, &joined);
    // Who is signed in says so by the environment, so processes are not looked at: their environments are root's alone.
    is_kept(scene, &machine, SECRET);
    azure.set_propagation(Duration::ZERO);
    assert!(start.elapsed() > spreading(), "{}", said(&joined));
    assert!(said(&joined).contains("the identity may not register a node yet"), "{}", said(&joined));
    assert!(!said(&joined).contains(SECRET), "{}", said(&joined));
    assert!(azure.arc_principal(&id(name)).is_some());
    serves(scene, &machine);

    another_machine_does_not_get_its_name(scene, name);
    let said_first = joins_again_with_nobody_signed_in(scene, &machine);

    let removed = asked(azure, "DELETE", "roleAssignments");
    let left = leave(&machine, &operator);
    must(&machine, &left);
    is_kept(scene, &machine, SECRET);
    // The owner changed it, and not by Slipway.
    machine.put(CONFIG, 0o600, said_first.as_bytes()).unwrap();
    assert_eq!(before.differences(&State::of_owned(&machine)), Vec::<String>::new(), "{}", said(&left));
    assert_eq!(azure.arc_principal(&id(name)), None, "{}", said(&left));
    assert_eq!(asked(azure, "DELETE", "roleAssignments"), removed + 1, "{}", said(&left));
    let again = leave(&machine, &operator);
    assert_eq!(said(&again), "this machine is no node of ours: nothing to undo\n");
}

/// The daemon follows the configuration: what had to be done in Azure was done. Gives the configuration from before.
fn joins_again_with_nobody_signed_in(scene: &Scene, machine: &Machine) -> String {
    let before = machine.run("cat", &[CONFIG]).unwrap();
    look_often(machine);
    let mut changed: Value = serde_json::from_str(&before).unwrap();
    changed["node"]["maxPods"] = 44.into();
    machine.put(CONFIG, 0o600, changed.to_string().as_bytes()).unwrap();
    eventually(
        "the node to take another number of pods",
        || daemons_log(machine),
        || (scene.node(&machine.name)["status"]["capacity"]["pods"] == "44").then_some(()),
    );
    machine.run("rm", &["--recursive", "/run/systemd/system/slipway-flex.service.d"]).unwrap();
    before
}

fn another_machine_does_not_get_its_name(scene: &Scene, name: &str) {
    let mut config = config(scene);
    config["agent"]["nodeName"] = name.into();
    let twin = configured(scene, "flex-twin", &config);
    let before = State::of_owned(&twin);
    let refused = join(&twin).output().unwrap();
    assert_eq!(refused.status.code(), Some(1), "{}", said(&refused));
    let expected = format!("active-node: {name} is a Ready node on another machine");
    assert!(said(&refused).contains(&expected), "{}", said(&refused));
    assert_eq!(before.differences(&State::of_owned(&twin)), Vec::<String>::new());
}

#[test]
fn an_arc_machine_that_was_there_before_stays_and_loses_only_our_roles() {
    let _alone = alone();
    let scene = scene();
    bundle(scene);
    let azure = &scene.azure;
    let operator = operator(azure);
    let name = "flex-known";
    // The pool tells where the API server is, to those who may ask it.
    let unknown = |config: &mut Value| {
        config["node"]["kubelet"].take();
        config["azure"]["targetAgentPoolName"] = "aksflexnodes".into();
    };
    let (machine, _himds) = with_agent(scene, name, unknown);
    assert_eq!(azure.connect_arc(GROUP, name), id(name));
    let state = json!({"subscription-id": SUBSCRIPTION, "resource-group": GROUP, "resource-name": name});
    machine.put("/var/opt/azcmagent/stand-in.json", 0o644, state.to_string().as_bytes()).unwrap();
    let before = State::of_owned(&machine);

    azure.fault(Route::ROLE_ASSIGNMENTS.by("PUT"), Fault::Status(403), Times::First(1));
    let refused = signed_in(join(&machine), &operator).output().unwrap();
    assert_eq!(refused.status.code(), Some(1), "{}", said(&refused));
    let expected = "needs a role with the action Microsoft.Authorization/roleAssignments/write";
    assert!(said(&refused).contains(expected), "{}", said(&refused));

    azure.set_strict(true);
    azure.set_propagation(spreading());
    let start = Instant::now();
    let joined = signed_in(join(&machine), &operator).output().unwrap();
    azure.set_propagation(Duration::ZERO);
    azure.set_strict(false);
    must(&machine, &joined);
    assert!(start.elapsed() > spreading(), "{}", said(&joined));
    assert!(said(&joined).contains("role of the machine's identity does not count yet"), "{}", said(&joined));
    let kubeconfig = machine.run("cat", &["/var/lib/kubelet/kubeconfig"]).unwrap();
    assert!(!kubeconfig.contains("exec:"), "the node is one like others: {kubeconfig}");
    assert_eq!(asked(azure, "PUT", &format!("/agentPools/aksflexnodes/machines/{name}")), 1);
    let removed = asked(azure, "DELETE", "roleAssignments");
    let left = leave(&machine, &operator);
    must(&machine, &left);
    assert_eq!(before.differences(&State::of_owned(&machine)), Vec::<String>::new(), "{}", said(&left));
    assert_eq!(asked(azure, "POST", "/agentPools/aksflexnodes/deleteMachines"), 1, "{}", said(&left));
    assert!(azure.arc_principal(&id(name)).is_some(), "{}", said(&left));
    assert_eq!(asked(azure, "DELETE", "roleAssignments"), removed + 1, "{}", said(&left));
    assert_eq!(asked(azure, "DELETE", name), 0, "{}", said(&left));
    // A node may not delete itself.
    scene.kubectl(&["delete", "node", name]);
}

#[test]
fn an_identity_service_that_restarts_costs_time_and_nothing_else() {
    let scene = scene();
    let mut config = config(scene);
    config["azure"]["bootstrapToken"].take();
    config["azure"]["tenantId"] = TENANT.into();
    let name = "flex-restart";
    config["azure"]["arc"] =
        json!({"enabled": true, "machineName": name, "resourceGroup": GROUP, "location": "lab"});
    let machine = configured(scene, name, &config);
    machine.put(BUNDLE, 0o600, bundle(scene)).unwrap();
    arc::trust(&machine, &scene.lab.cluster.authority().unwrap()).unwrap();
    assert_eq!(scene.azure.connect_arc(GROUP, name), id(name));
    let principal = scene.azure.arc_principal(&id(name)).unwrap();
    scene.azure.grant(&principal, CLUSTER_ADMIN, &scene.lab.cluster.id().unwrap());
    scene.lab.cluster.wait_trusting(&scene.lab.space, &scene.azure).unwrap();
    let serve = || arc::serve_identity(&scene.azure, &machine, &id(name)).unwrap();
    drop(serve());
    let before = State::of_owned(&machine);

    // It is away when the join begins, comes back busy, and is another process twice more.
    let (joined, himds) = thread::scope(|scope| {
        let joining = scope.spawn(|| crate::flex::join(&machine, &["--bundle", BUNDLE]));
        thread::sleep(AWAY);
        let himds = serve();
        himds.suffer([Mishap::Unavailable, Mishap::Forgets, Mishap::Sweeps, Mishap::Unavailable]);
        (joining.join().unwrap(), himds)
    });
    must(&machine, &joined);
    assert!(himds.has_recovered(), "{}", said(&joined));
    serves(scene, &machine);
    let left = flex(&machine).args(["leave", "--yes", "--lose-pods"]).output().unwrap();
    must(&machine, &left);
    // What the former processes left is the agent's.
    machine.run("find", &[TOKENS, "-name", "*.key", "-delete"]).unwrap();
    assert_eq!(before.differences(&State::of_owned(&machine)), Vec::<String>::new(), "{}", said(&left));

    // One that does not come back is named, with what to do.
    drop(himds);
    let report = json_of(flex(&machine).args(["preflight", "--output=json"]));
    let network = || {
        let commands = "ip address; ip route; ip neighbour; nft list ruleset; ss --tcp --all --numeric";
        machine.run("bash", &["-c", commands]).unwrap_or_else(|error| error.to_string())
    };
    let found = (&report["ready"], blocking(&report));
    assert_eq!(found, (&json!(false), vec!["credential"]), "{report}\n{}", network());
    for part in ["the Azure Arc agent gave no token", "systemctl status himdsd"] {
        assert!(report.to_string().contains(part), "no {part:?} in {report}");
    }
}
