//! A machine that no image has prepared joins, and leaves as it came.

use std::process::{Command, Output};
use std::sync::OnceLock;
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};
use slipway_lab::azure::{Principal, TENANT};
use slipway_lab::image::{Kind, PAUSE, POD};
use slipway_lab::market::{CNI_PLUGINS, CONTAINERD, RUNC};
use slipway_lab::{Machine, Order, Progress, Storage, arc};

use crate::crash::{Moments, rounds};
use crate::scene::{Scene, journal, kill, said, scene, slipway};
use crate::secrecy::{self, Watch};
use crate::state::State;

pub(crate) const PROGRAM: &str = "/usr/local/bin/slipway";
pub(crate) const CONFIG: &str = "/etc/aks-flex-node/config.json";
const KEY: &str = "/etc/aks-flex-node/release.pub";
pub(crate) const BUNDLE: &str = "/root/bundle";
/// The lab's artifact server, which has what the makers publish and the images of pods.
pub(crate) const MIRROR: &str = "http://10.224.0.1:5000";
const PUBLIC: &str = include_str!("../../../crates/flex/tests/supply/key.pub");
pub(crate) const SECRET: &str = include_str!("../../../crates/flex/tests/supply/key");

/// A machine as its owner has it: a network for pods, a mirror of registries, what the lab needs of a containerd, a
/// configuration, and Slipway.
pub(crate) fn owned(scene: &Scene, name: &str) -> Machine {
    configured(scene, name, &config(scene))
}

pub(crate) fn configured(scene: &Scene, name: &str, config: &Value) -> Machine {
    // Containers' layers are overlays, which another overlay does not bear.
    let order = Order { kind: Kind::Plain, storage: Storage::Copy, ..Order::default() };
    let machine = scene.lab.boot(name, &order, Progress::silent()).unwrap();
    let put = |path: &str, mode: u32, text: &str| machine.put(path, mode, text.as_bytes()).unwrap();
    let ipam = json!({"type": "host-local", "ranges": [[{"subnet": "10.244.240.0/24"}]], "routes": [{"dst": "0.0.0.0/0"}]});
    let bridge = json!({"type": "bridge", "bridge": "cni0", "isGateway": true, "ipam": ipam});
    let network = json!({"cniVersion": "0.4.0", "name": "own", "plugins": [bridge]});
    put("/etc/cni/net.d/05-own.conflist", 0o644, &network.to_string());
    let mirror = format!("server = '{MIRROR}'\n[host.'{MIRROR}']\ncapabilities = ['pull', 'resolve']\n");
    put("/etc/containerd/certs.d/_default/hosts.toml", 0o644, &mirror);
    let drop_in =
        include_str!("../../src/image/files/containerd-lab.conf").replace("/usr/bin/", "/usr/local/bin/");
    put("/etc/systemd/system/containerd.service.d/99-slipway-lab.conf", 0o644, &drop_in);
    put("/etc/slipway-lab/containerd.toml", 0o644, include_str!("../../src/image/files/containerd-lab.toml"));
    put(KEY, 0o644, PUBLIC);
    put(CONFIG, 0o600, &config.to_string());
    machine.put(PROGRAM, 0o755, &std::fs::read(slipway()).unwrap()).unwrap();
    machine.run("systemctl", &["daemon-reload"]).unwrap();
    machine
}

pub(crate) fn config(scene: &Scene) -> Value {
    let contract = scene.contract();
    json!({
        "azure": {
            "bootstrapToken": {"token": contract["bootstrapping_config"]["tls_bootstrapping_token"]},
            "targetCluster": {"resourceId": scene.lab.cluster.id().unwrap()},
        },
        "components": {"kubernetes": "1.34", "sandboxImage": PAUSE},
        "networking": {"dnsServiceIP": "10.0.0.10"},
        "node": {
            "labels": {"example.com/where": "elsewhere"},
            "taints": ["example.com/own=yes:PreferNoSchedule"],
            "maxPods": 42,
            "kubelet": {
                "evictionHard": eviction(),
                "clusterFQDN": contract["api_server_config"]["api_server_name"],
                "caCertData": contract["kubernetes_ca_cert"],
            },
        },
    })
}

/// When pods have to go. How full the disk of whoever runs the lab is does not count.
pub(crate) fn eviction() -> Value {
    json!({"memory.available": "100Mi", "nodefs.available": "1%", "imagefs.available": "1%"})
}

/// The images of pods, what they run, and the archives of whoever makes a bundle.
const IMAGES: [(&str, &[&str], &str); 2] =
    [(PAUSE, &["/pod", "pause"], "/root/pause.tar"), (POD, &["/pod"], "/root/pod.tar")];

/// A bundle of everything, made on a machine of the lab, for all tests.
pub(crate) fn bundle(scene: &Scene) -> &'static [u8] {
    static BYTES: OnceLock<Vec<u8>> = OnceLock::new();
    BYTES.get_or_init(|| {
        scene.lab.open_market(Progress::silent()).unwrap();
        let machine = owned(scene, "maker");
        for (image, command, archive) in IMAGES {
            scene.lab.publish(image, command).unwrap();
            machine.put(archive, 0o600, &scene.lab.packed(image, command).unwrap()).unwrap();
        }
        let images = IMAGES.map(|(image, _, archive)| format!("--image={image}={archive}"));
        machine.put("/root/key", 0o600, SECRET.as_bytes()).unwrap();
        let create = flex(&machine)
            .args(["bundle", "create", "--kubernetes", "1.34", "--mirror", MIRROR, "--sign-key", "/root/key"])
            .args([
                "--containerd",
                CONTAINERD,
                "--runc",
                RUNC,
                "--cni-plugins",
                CNI_PLUGINS,
                "--output",
                BUNDLE,
            ])
            .args(images)
            .output()
            .unwrap();
        assert!(create.status.success(), "{}", said(&create));
        let listed = machine.run("ls", &["/root"]).unwrap();
        assert_eq!(
            listed,
            "bundle\nbundle.manifest.json\nbundle.manifest.json.minisig\nkey\npause.tar\npod.tar\n"
        );
        let verified = machine.run(PROGRAM, &["flex", "bundle", "verify", BUNDLE]).unwrap();
        assert_eq!(verified, "7 files, each as the manifest says\n");
        let shown = machine.run(PROGRAM, &["flex", "bundle", "show", BUNDLE]).unwrap();
        assert!(shown.contains(&format!("image        {PAUSE}  ")), "{shown}");
        for end in [".manifest.json", ".manifest.json.minisig"] {
            let from = machine.path(&format!("{BUNDLE}{end}"));
            let to = scene.lab.directory().join(format!("artifacts/bundle{end}"));
            std::fs::copy(from, to).unwrap();
        }
        std::fs::read(machine.path(BUNDLE)).unwrap()
    })
}

pub(crate) fn flex(machine: &Machine) -> Command {
    let mut command = machine.command(PROGRAM);
    command.arg("flex");
    command
}

pub(crate) fn join(machine: &Machine, programs: &[&str]) -> Output {
    flex(machine).args(["join", "--yes", "--progress", "plain"]).args(programs).output().unwrap()
}

pub(crate) fn must(machine: &Machine, output: &Output) {
    assert!(output.status.success(), "{}\n{}", said(output), journal(machine));
}

/// The machine is a node that runs a pod.
pub(crate) fn serves(scene: &Scene, machine: &Machine) {
    let pod = format!("on-{}", machine.name);
    assert_eq!(scene.pod_answers(&pod, machine), format!("{pod}\n"));
    let node = scene.node(&machine.name);
    assert_eq!(node["metadata"]["labels"]["kubernetes.azure.com/managed"], "false");
    assert_eq!(node["metadata"]["labels"]["example.com/where"], "elsewhere");
    assert_eq!(node["spec"]["taints"][0]["key"], "example.com/own");
    assert_eq!(node["status"]["capacity"]["pods"], "42");
    assert_eq!(node["status"]["nodeInfo"]["kubeletVersion"], "v1.34.3");
}

pub(crate) fn leaves_as_it_came(scene: &Scene, machine: &Machine, before: &State, credential: &[&str]) {
    let refused = flex(machine).args(["leave", "--yes"]).output().unwrap();
    assert_eq!(refused.status.code(), Some(1), "{}", said(&refused));
    assert!(said(&refused).contains("nobody makes it again"), "{}", said(&refused));
    let left = flex(machine).args(["leave", "--yes", "--lose-pods"]).args(credential).output().unwrap();
    must(machine, &left);
    assert_eq!(before.differences(&State::of_owned(machine)), Vec::<String>::new(), "{}", said(&left));
    let again = machine.run(PROGRAM, &["flex", "leave", "--yes"]).unwrap();
    assert_eq!(again, "this machine is no node of ours: nothing to undo\n");
    let pods = scene.kubectl(&["get", "pods", "--output=name"]);
    assert!(!said(&pods).contains(&machine.name), "{}", said(&pods));
}

#[test]
fn a_plain_machine_joins_by_token_from_a_mirror_and_leaves_as_it_came() {
    let scene = scene();
    bundle(scene);
    let machine = owned(scene, "flex-mirror");
    let before = State::of_owned(&machine);
    let manifest = format!("{MIRROR}/bundle.manifest.json");
    let programs = ["--manifest", manifest.as_str(), "--mirror", MIRROR];
    let token = config(scene)["azure"]["bootstrapToken"]["token"].as_str().unwrap().to_owned();
    let secret = token.split('.').next_back().unwrap();
    let watch = Watch::begin(&machine, secret);
    must(&machine, &join(&machine, &programs));
    serves(scene, &machine);
    secrecy::is_kept(scene, &machine, secret);
    let again = join(&machine, &programs);
    must(&machine, &again);
    assert!(said(&again).contains("nothing to change"), "{}", said(&again));
    leaves_as_it_came(scene, &machine, &before, &[]);
    watch.end();
    // A node may not delete itself, and says who can.
    scene.kubectl(&["delete", "node", &machine.name]);
}

/// What lets an identity of Azure's ask a pool how to join it.
const FLEX_NODE_AGENT: &str = "8f139b0f-7eaf-460b-a9da-5b1246d9ed0d";
/// What lets an identity of Azure's do everything in a cluster.
pub(crate) const CLUSTER_ADMIN: &str = "b1ff04bb-8a4e-4dc4-8eb5-8693973ce19b";

/// From the mirror, as an identity of Azure's whose authority the machine trusts.
fn join_as_identity(scene: &Scene, machine: &Machine) -> Output {
    scene.lab.cluster.wait_trusting(&scene.lab.space, &scene.azure).unwrap();
    let manifest = format!("{MIRROR}/bundle.manifest.json");
    join(machine, &["--manifest", &manifest, "--mirror", MIRROR])
}

#[test]
fn a_service_principal_is_told_by_azure_where_and_how_to_join() {
    let scene = scene();
    bundle(scene);
    let principal = Principal::application("flex-principal").with_secret("hunter2~of=principal");
    scene.azure.admit_principal(principal.clone());
    scene.azure.grant(&principal.object_id, FLEX_NODE_AGENT, &scene.lab.cluster.id().unwrap());
    let mut config = config(scene);
    config["azure"]["bootstrapToken"].take();
    config["node"]["kubelet"] = json!({"evictionHard": eviction()});
    config["azure"]["servicePrincipal"] = json!({
        "tenantId": TENANT, "clientId": principal.client_id, "clientSecret": "hunter2~of=principal",
    });
    let machine = configured(scene, "flex-sp", &config);
    arc::trust(&machine, &scene.lab.cluster.authority().unwrap()).unwrap();
    let before = State::of_owned(&machine);
    let watch = Watch::begin(&machine, "hunter2~of=principal");
    let joined = join_as_identity(scene, &machine);
    must(&machine, &joined);
    assert!(!said(&joined).contains("hunter2"), "{}", said(&joined));
    serves(scene, &machine);
    secrecy::is_kept(scene, &machine, "hunter2~of=principal");
    leaves_as_it_came(scene, &machine, &before, &[]);
    watch.end();
}

#[test]
fn a_machine_of_azure_arc_joins_as_its_identity_once_that_may() {
    let scene = scene();
    bundle(scene);
    let mut config = config(scene);
    config["azure"]["bootstrapToken"].take();
    config["azure"]["tenantId"] = TENANT.into();
    config["azure"]["arc"] =
        json!({"enabled": true, "machineName": "flex-arc", "resourceGroup": "lab", "location": "lab"});
    let machine = configured(scene, "flex-arc", &config);
    arc::trust(&machine, &scene.lab.cluster.authority().unwrap()).unwrap();
    let id = scene.azure.connect_arc("lab", &machine.name);
    let _himds = arc::serve_identity(&scene.azure, &machine, &id).unwrap();
    let principal = scene.azure.arc_principal(&id).unwrap();
    scene.azure.grant(&principal, CLUSTER_ADMIN, &scene.lab.cluster.id().unwrap());
    let before = State::of_owned(&machine);
    must(&machine, &join_as_identity(scene, &machine));
    serves(scene, &machine);
    let kubeconfig = machine.run("cat", &["/var/lib/kubelet/kubeconfig"]).unwrap();
    assert!(kubeconfig.contains("exec:") && !kubeconfig.contains("token:"), "{kubeconfig}");
    leaves_as_it_came(scene, &machine, &before, &[]);
    let nodes = scene.kubectl(&["get", "nodes", "--output=name"]);
    assert!(!said(&nodes).contains(&machine.name), "an administrator may delete the Node: {}", said(&nodes));
}

/// Begins a command of flex, and kills it after a while.
fn killed(machine: &Machine, arguments: &[&str], moment: Duration) {
    begin(machine, arguments);
    thread::sleep(moment);
    end(machine);
}

/// Begins a command of flex.
pub(crate) fn begin(machine: &Machine, arguments: &[&str]) {
    let unit = ["--quiet", "--collect", "--unit=flex", PROGRAM, "flex"];
    machine.run("systemd-run", &[&unit[..], arguments].concat()).unwrap();
}

/// Kills the command that was begun.
pub(crate) fn end(machine: &Machine) {
    kill(machine, "flex");
}

#[test]
fn joining_and_leaving_killed_at_any_moment_come_to_the_same_end() {
    let scene = scene();
    let bundle = bundle(scene);
    let machine = owned(scene, "flex-killed");
    machine.put(BUNDLE, 0o600, bundle).unwrap();
    let before = State::of_owned(&machine);
    let mut moments = Moments::new();
    for _ in 0..rounds() {
        let moment = moments.next();
        killed(&machine, &["join", "--yes", "--bundle", BUNDLE], moment);
        let joined = join(&machine, &["--bundle", BUNDLE]);
        assert!(
            joined.status.success(),
            "join killed after {moment:?}: {}\n{}",
            said(&joined),
            journal(&machine)
        );
        let moment = moments.next();
        killed(&machine, &["leave", "--yes"], moment);
        let left = flex(&machine).args(["leave", "--yes"]).output().unwrap();
        assert!(left.status.success(), "leave killed after {moment:?}: {}", said(&left));
        let differences = before.differences(&State::of_owned(&machine));
        assert_eq!(differences, Vec::<String>::new(), "leave killed after {moment:?}: {}", said(&left));
        scene.kubectl(&["delete", "node", &machine.name]);
    }
}
