//! A node gets the next version while its pods are asked for, comes back from one that does not serve, and leaves as it
//! came.

use std::process::Output;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::{fs, thread};

use serde_json::{Value, json};
use slipway_lab::image::POD;
use slipway_lab::market::{CNI_PLUGINS, CONTAINERD, RUNC};
use slipway_lab::{EARLIER, Machine};

use crate::crash::{Moments, rounds};
use crate::flex::{MIRROR, SECRET, begin, bundle, config, configured, end, eviction, flex, must};
use crate::scene::{Scene, eventually, journal, said, scene};
use crate::state::State;

/// A release whose kubelet ends at once, with a containerd whose archive is another one.
const BROKEN: &str = "1.34.4";
const OTHER_CONTAINERD: &str = "2.1.9";
/// What gzip makes of nothing: at the end of an archive it changes the file and not the content.
const EMPTY_GZIP: [u8; 20] = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0];

const ARCHITECTURE: &str = if cfg!(target_arch = "aarch64") { "arm64" } else { "amd64" };

/// What a node of the bundle's release has, and nothing of another one.
const PROGRAMS: &str = "kubectl\nkubectl-1.34.3\nkubelet\nkubelet-1.34.3\n";

/// Where the broken release is, beside the others.
fn mirrors() -> [String; 3] {
    [
        format!("https://dl.k8s.io/v{BROKEN}={MIRROR}/broken"),
        format!("https://github.com/containerd={MIRROR}/broken"),
        MIRROR.to_owned(),
    ]
}

/// Manifests of three releases, made on a machine of the lab, for all tests.
pub(crate) fn releases(scene: &Scene) {
    static MADE: OnceLock<()> = OnceLock::new();
    MADE.get_or_init(|| {
        bundle(scene);
        let artifacts = scene.lab.directory().join("artifacts");
        let put = |path: String, content: &[u8]| {
            let path = artifacts.join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, content).unwrap();
        };
        for program in ["kubelet", "kubectl"] {
            put(format!("broken/bin/linux/{ARCHITECTURE}/{program}"), b"#!/bin/sh\nexit 1\n");
        }
        let archive = |version: &str| {
            format!(
                "containerd/releases/download/v{version}/containerd-{version}-linux-{ARCHITECTURE}.tar.gz"
            )
        };
        let mut content =
            fs::read(artifacts.join("github.com/containerd").join(archive(CONTAINERD))).unwrap();
        content.extend(EMPTY_GZIP);
        let other = format!("broken/{}", archive(OTHER_CONTAINERD));
        put(other.clone(), &content);
        let sum = std::process::Command::new("sha256sum").arg(artifacts.join(&other)).output().unwrap();
        put(format!("{other}.sha256sum"), &sum.stdout);
        let machine = configured(scene, "releases", &config(scene));
        machine.put("/root/key", 0o600, SECRET.as_bytes()).unwrap();
        for (name, kubernetes, containerd) in
            [("earlier", "1.33", CONTAINERD), ("broken", BROKEN, OTHER_CONTAINERD)]
        {
            let mut create = flex(&machine);
            create.args(["bundle", "create", "--kubernetes", kubernetes, "--sign-key", "/root/key"]);
            create.args(["--containerd", containerd, "--runc", RUNC, "--cni-plugins", CNI_PLUGINS]);
            create.args(["--output", &format!("/root/{name}")]);
            for mirror in mirrors() {
                if name == "broken" || mirror == MIRROR {
                    create.args(["--mirror", &mirror]);
                }
            }
            let created = create.output().unwrap();
            assert!(created.status.success(), "{}", said(&created));
            for end in [".manifest.json", ".manifest.json.minisig"] {
                let content = fs::read(machine.path(&format!("/root/{name}{end}"))).unwrap();
                put(format!("{name}{end}"), &content);
            }
        }
    });
}

/// A command of flex that takes the programs from one of the manifests.
pub(crate) fn with(machine: &Machine, command: &str, release: &str, more: &[&str]) -> Output {
    let manifest = format!("{MIRROR}/{release}.manifest.json");
    let mut flex = flex(machine);
    flex.args([command, "--yes", "--progress", "plain", "--manifest", &manifest]).args(more);
    for mirror in mirrors() {
        if release == "broken" || mirror == MIRROR {
            flex.args(["--mirror", &mirror]);
        }
    }
    flex.output().unwrap()
}

/// A machine that can be the node of an earlier release.
fn earlier(scene: &Scene, name: &str) -> Machine {
    releases(scene);
    let mut config = config(scene);
    config["components"]["kubernetes"] = "1.33".into();
    configured(scene, name, &config)
}

pub(crate) fn version(scene: &Scene, machine: &Machine) -> String {
    let node = scene.node(&machine.name);
    node["status"]["nodeInfo"]["kubeletVersion"].as_str().unwrap().to_owned()
}

fn is_cordoned(scene: &Scene, machine: &Machine) -> bool {
    scene.node(&machine.name)["spec"]["unschedulable"] == true
}

/// A service of two pods, of which one may be away at a time.
fn service() -> Value {
    let labels = json!({"app": "load"});
    let pod = json!({
        "nodeSelector": {"example.com/load": "yes"},
        "terminationGracePeriodSeconds": 0,
        "containers": [{"name": "serve", "image": POD, "imagePullPolicy": "IfNotPresent", "args": ["serve"],
            "readinessProbe": {"httpGet": {"path": "/", "port": 8080}, "periodSeconds": 1}}],
    });
    let deployment = json!({
        "apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "load"},
        "spec": {"replicas": 2, "selector": {"matchLabels": labels},
            "template": {"metadata": {"labels": labels}, "spec": pod}},
    });
    let budget = json!({
        "apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": {"name": "load"},
        "spec": {"minAvailable": 1, "selector": {"matchLabels": labels}},
    });
    json!({"apiVersion": "v1", "kind": "List", "items": [deployment, budget]})
}

/// The pods of the service that take requests: node and address of each.
fn endpoints(scene: &Scene) -> Vec<(String, String)> {
    let listed = scene.kubectl(&["get", "pods", "--selector=app=load", "--output=json"]);
    let pods: Value = serde_json::from_slice(&listed.stdout).unwrap();
    let ready = |pod: &&Value| {
        let conditions = pod["status"]["conditions"].as_array().into_iter().flatten();
        let mut ready = conditions.filter(|it| it["type"] == "Ready" && it["status"] == "True");
        ready.next().is_some() && pod["metadata"]["deletionTimestamp"].is_null()
    };
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let pods = pods["items"].as_array().unwrap().iter().filter(ready);
    pods.map(|pod| (text(&pod["spec"]["nodeName"]), text(&pod["status"]["podIP"]))).collect()
}

/// Asks the service until told to stop: how many requests were answered by nobody, and how many there were.
fn ask(scene: &Scene, machines: [&Machine; 2], stop: &AtomicBool, asked: &AtomicU32) -> u32 {
    let mut lost = 0;
    while !stop.load(Ordering::Relaxed) {
        asked.fetch_add(1, Ordering::Relaxed);
        lost += u32::from(!is_answered(scene, machines));
    }
    lost
}

/// Asks as a client does that follows the service: of pods that have left since it looked, it knows when it looks again.
fn is_answered(scene: &Scene, machines: [&Machine; 2]) -> bool {
    let answers = |(node, address): &(String, String)| {
        let machine = machines.iter().find(|machine| machine.name == *node).unwrap();
        let url = format!("http://{address}:8080/");
        machine.run("curl", &["--silent", "--fail", "--max-time", "2", &url]).is_ok()
    };
    let mut known = endpoints(scene);
    loop {
        if known.iter().any(answers) {
            return true;
        }
        let now = endpoints(scene);
        if now == known {
            return false;
        }
        known = now;
    }
}

#[test]
fn a_node_is_upgraded_under_load_returns_from_a_broken_version_and_leaves_as_it_came() {
    let scene = scene();
    let machine = earlier(scene, "flex-up");
    let other = scene.machine("flex-up-other");
    let mut contract = scene.contract();
    contract["kubelet_config"]["kubelet_config_file_config"]["eviction_hard"] = eviction();
    scene.join(&other, &contract);
    let before = State::of_owned(&machine);
    must(&machine, &with(&machine, "join", "earlier", &[]));
    assert_eq!(version(scene, &machine), format!("v{EARLIER}"));
    let label = |name: &str| scene.kubectl(&["label", "node", name, "example.com/load=yes"]);
    label(&machine.name);
    scene.apply(service().to_string().as_bytes());
    let both = || Some(()).filter(|()| endpoints(scene).len() == 2);
    let pods = || said(&scene.kubectl(&["describe", "pods", "--selector=app=load"]));
    eventually("both pods of the service", pods, both);

    // One pod may leave and has nowhere to go, so the other one has to stay.
    let refused =
        with(&machine, "upgrade", "bundle", &["--kubernetes-version", "1.34", "--drain-timeout", "6"]);
    assert_eq!(refused.status.code(), Some(1), "{}", said(&refused));
    assert!(said(&refused).contains("[pods-stay,"), "{}", said(&refused));
    assert!(said(&refused).contains("disruption budget"), "{}", said(&refused));
    assert!(!is_cordoned(scene, &machine));
    assert_eq!(version(scene, &machine), format!("v{EARLIER}"));
    eventually("both pods of the service", pods, both);

    label(&other.name);
    let (stop, asked) = (AtomicBool::new(false), AtomicU32::new(0));
    let (upgraded, lost) = thread::scope(|scope| {
        let load = scope.spawn(|| ask(scene, [&machine, &other], &stop, &asked));
        let upgraded = with(&machine, "upgrade", "bundle", &["--kubernetes-version", "1.34"]);
        stop.store(true, Ordering::Relaxed);
        (upgraded, load.join().unwrap())
    });
    must(&machine, &upgraded);
    assert_eq!(lost, 0, "of {} requests; {}", asked.load(Ordering::Relaxed), said(&upgraded));
    assert!(asked.load(Ordering::Relaxed) > 10, "{asked:?}");
    assert_eq!(version(scene, &machine), "v1.34.3");
    assert!(!is_cordoned(scene, &machine));
    let again = with(&machine, "upgrade", "bundle", &[]);
    assert!(said(&again).contains("this node runs Kubernetes 1.34.3: nothing to change"), "{}", said(&again));
    let back = with(&machine, "upgrade", "earlier", &["--kubernetes-version", "1.33"]);
    assert!(said(&back).contains("[version-skew,"), "{}", said(&back));

    // The version that was chosen counts, whatever the file still says, and joining changes no version.
    let joined = with(&machine, "join", "bundle", &[]);
    assert!(said(&joined).contains("nothing to change"), "{}", said(&joined));
    let mut newer = config(scene);
    newer["components"]["kubernetes"] = BROKEN.into();
    machine.put("/root/newer.json", 0o600, newer.to_string().as_bytes()).unwrap();
    let refused = with(&machine, "join", "broken", &["--config", "/root/newer.json"]);
    assert!(said(&refused).contains("[other-version,"), "{}", said(&refused));
    machine.remove_file("/root/newer.json").unwrap();

    // What its owner has closed stays closed.
    scene.kubectl(&["cordon", &machine.name]);
    let containerd = || machine.run("sha256sum", &["/usr/local/bin/containerd"]).unwrap();
    let was = containerd();
    let broken =
        with(&machine, "upgrade", "broken", &["--kubernetes-version", BROKEN, "--ready-timeout", "15"]);
    assert_eq!(broken.status.code(), Some(1), "{}", said(&broken));
    assert!(said(&broken).contains("[upgrade-failed,"), "{}\n{}", said(&broken), journal(&machine));
    assert_eq!(version(scene, &machine), "v1.34.3");
    assert!(is_cordoned(scene, &machine));
    assert_eq!(containerd(), was);
    assert_eq!(machine.run("ls", &["/opt/bin"]).unwrap(), PROGRAMS);
    scene.kubectl(&["uncordon", &machine.name]);

    scene.kubectl(&["delete", "deployment,poddisruptionbudget", "load"]);
    let left = flex(&machine).args(["leave", "--yes"]).output().unwrap();
    must(&machine, &left);
    assert_eq!(before.differences(&State::of_owned(&machine)), Vec::<String>::new(), "{}", said(&left));
    scene.kubectl(&["delete", "node", &machine.name]);
}

/// Whether the record of an upgrade has this in it; with nothing to look for, always.
fn is_in(machine: &Machine, text: &str) -> Option<()> {
    let record = || fs::read_to_string(machine.path("/var/lib/slipway/upgrade.json")).unwrap_or_default();
    (text.is_empty() || record().contains(text)).then_some(())
}

#[test]
fn an_upgrade_killed_at_any_moment_goes_on_or_is_undone_with_the_rest() {
    let scene = scene();
    let machine = earlier(scene, "flex-up-kill");
    let before = State::of_owned(&machine);
    let manifest = format!("{MIRROR}/bundle.manifest.json");
    let upgrade =
        ["upgrade", "--yes", "--kubernetes-version", "1.34", "--manifest", &manifest, "--mirror", MIRROR];
    let mut moments = Moments::new();
    for round in 0..rounds() {
        must(&machine, &with(&machine, "join", "earlier", &[]));
        let phase = ["", "{", "switching"][round as usize % 3];
        let moment = moments.next();
        begin(&machine, &upgrade);
        eventually("the phase", || journal(&machine), || is_in(&machine, phase));
        thread::sleep(moment);
        end(&machine);
        let how = format!("killed {moment:?} after {phase:?}");
        eprintln!("{how}: {}", machine.run("ls", &["/var/lib/slipway"]).unwrap().replace('\n', " "));
        // In a full run each phase is followed by both.
        if (round + round / 3) % 3 != 1 {
            let upgraded = with(&machine, "upgrade", "bundle", &["--kubernetes-version", "1.34"]);
            assert!(upgraded.status.success(), "{how}: {}\n{}", said(&upgraded), journal(&machine));
            assert_eq!(version(scene, &machine), "v1.34.3", "{how}");
            assert!(!is_cordoned(scene, &machine), "{how}");
        }
        let left = flex(&machine).args(["leave", "--yes"]).output().unwrap();
        assert!(left.status.success(), "{how}: {}", said(&left));
        assert_eq!(
            before.differences(&State::of_owned(&machine)),
            Vec::<String>::new(),
            "{how}: {}",
            said(&left)
        );
        scene.kubectl(&["delete", "node", &machine.name]);
    }
}

#[test]
fn a_way_back_that_is_killed_ends_at_the_old_version_or_is_undone_with_the_rest() {
    let scene = scene();
    releases(scene);
    let machine = configured(scene, "flex-up-back", &config(scene));
    let before = State::of_owned(&machine);
    let containerd = || machine.run("sha256sum", &["/usr/local/bin/containerd"]).unwrap();
    let manifest = format!("{MIRROR}/broken.manifest.json");
    let mut upgrade = vec!["upgrade", "--yes", "--kubernetes-version", BROKEN, "--manifest", &manifest];
    // It has to fail soon; going back is for whoever comes after the kill.
    upgrade.extend(["--ready-timeout", "5"]);
    let mirrors = mirrors();
    upgrade.extend(mirrors.iter().flat_map(|mirror| ["--mirror", mirror]));
    let mut moments = Moments::new();
    for round in 0..rounds().div_ceil(3) {
        must(&machine, &with(&machine, "join", "bundle", &[]));
        let was = containerd();
        begin(&machine, &upgrade);
        eventually("the way back", || journal(&machine), || is_in(&machine, "returning"));
        // Going back takes longer than most attempts: the node has to stay Ready for a while.
        let moment = moments.next() * 4;
        thread::sleep(moment);
        end(&machine);
        let how = format!("killed {moment:?} on the way back");
        eprintln!("{how}: {}", machine.run("ls", &["/var/lib/slipway"]).unwrap().replace('\n', " "));
        if round % 3 != 1 {
            let joined = with(&machine, "join", "bundle", &[]);
            assert!(said(&joined).contains("[upgrade-unfinished,"), "{how}: {}", said(&joined));
            let back = flex(&machine).args(["upgrade", "--yes"]).output().unwrap();
            assert_eq!(back.status.code(), Some(1), "{how}: {}\n{}", said(&back), journal(&machine));
            assert!(
                said(&back).contains("[upgrade-failed,"),
                "{how}: {}\n{}",
                said(&back),
                journal(&machine)
            );
            assert_eq!(version(scene, &machine), "v1.34.3", "{how}");
            assert!(!is_cordoned(scene, &machine), "{how}");
            assert_eq!(machine.run("ls", &["/opt/bin"]).unwrap(), PROGRAMS, "{how}");
            assert_eq!(containerd(), was, "{how}");
            let again = with(&machine, "upgrade", "bundle", &[]);
            assert!(said(&again).contains("nothing to change"), "{how}: {}", said(&again));
        }
        let left = flex(&machine).args(["leave", "--yes"]).output().unwrap();
        assert!(left.status.success(), "{how}: {}", said(&left));
        let differences = before.differences(&State::of_owned(&machine));
        assert_eq!(differences, Vec::<String>::new(), "{how}: {}", said(&left));
        scene.kubectl(&["delete", "node", &machine.name]);
    }
}
