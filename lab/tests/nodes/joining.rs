//! A machine becomes a node, and stays what it is.

use serde_json::{Value, json};
use slipway_lab::native::{self, CONTRACT};
use slipway_lab::{EARLIER, Machine, Progress};

use crate::scene::{json_of, said, scene};

#[test]
fn a_machine_joins_by_token_and_its_pod_answers() {
    let scene = scene();
    let machine = scene.machine("token");
    scene.join(&machine, &scene.contract());
    assert_eq!(scene.pod_answers("on-token", &machine), "on-token\n");
}

#[test]
fn the_node_is_what_the_contract_and_the_metadata_say() {
    let scene = scene();
    let machine = scene.machine("visible");
    let provider =
        "azure:///subscriptions/s/resourceGroups/g/providers/Microsoft.Compute/virtualMachines/visible";
    let mut contract = scene.contract();
    contract["kubelet_config"]["kubelet_flags"] = json!({
        "--register-with-taints": "example.com/dedicated=batch:NoSchedule,example.com/new=:NoExecute",
        "--provider-id": provider,
        "--node-status-update-frequency": "7s",
    });
    contract["kubelet_config"]["kubelet_config_file_config"]["max_pods"] = 33.into();
    contract["kubelet_config"]["kubelet_config_file_config"]["eviction_hard"] =
        json!({"memory.available": "100Mi"});
    scene.join(&machine, &contract);

    let node = scene.node("visible");
    assert_eq!(node["metadata"]["labels"]["kubernetes.azure.com/agentpool"], "lab", "{node}");
    assert_eq!(node["spec"]["providerID"], provider, "{node}");
    let taint = |key: &str| {
        let taints = node["spec"]["taints"].as_array().unwrap();
        taints.iter().find(|taint| taint["key"] == key).map(|taint| taint["effect"].clone())
    };
    assert_eq!(taint("example.com/dedicated"), Some("NoSchedule".into()), "{node}");
    assert_eq!(taint("example.com/new"), Some("NoExecute".into()), "{node}");
    let address = |kind: &str| {
        let addresses = node["status"]["addresses"].as_array().unwrap();
        addresses.iter().find(|address| address["type"] == kind).map(|address| address["address"].clone())
    };
    assert_eq!(address("InternalIP"), Some(machine.address.as_str().into()), "{node}");
    assert_eq!(address("Hostname"), Some("visible".into()), "{node}");
    assert_eq!(node["status"]["capacity"]["pods"], "33", "{node}");

    let running = scene.kubectl(&["get", "--raw=/api/v1/nodes/visible/proxy/configz"]);
    let running: Value = serde_json::from_slice(&running.stdout).unwrap();
    let running = &running["kubeletconfig"];
    assert_eq!(running["maxPods"], 33, "{running}");
    assert_eq!(running["nodeStatusUpdateFrequency"], "7s", "{running}");
    assert_eq!(running["evictionHard"]["memory.available"], "100Mi", "{running}");
    assert_eq!(running["authentication"]["anonymous"]["enabled"], false, "{running}");
    assert_eq!(running["clusterDNS"], json!(["10.0.0.10"]), "{running}");
}

#[test]
fn provisioning_again_changes_nothing() {
    let scene = scene();
    let machine = scene.machine("again");
    scene.join(&machine, &scene.contract());
    let before = state(&machine);

    let printed = native::run(&machine).unwrap();
    assert!(printed.contains("nothing to change"), "{printed}");
    let diff = machine.command("slipway").args(["diff", "--provision-config", CONTRACT]).output().unwrap();
    assert_eq!(diff.status.code(), Some(0), "{}", said(&diff));
    let status = json_of(machine.command("slipway").args(["status", "--output=json"]));
    assert_eq!(status["attempts"], 2, "{status}");
    let after = state(&machine);
    let changed: Vec<_> = after.iter().filter(|line| !before.contains(line)).collect();
    assert!(changed.is_empty(), "{changed:#?}");
    assert_eq!(before.len(), after.len());

    machine.run("systemctl", &["daemon-reload"]).unwrap();
    assert_ne!(state(&machine), after, "a reload of the manager would have been seen");
}

/// The processes of the node, when the manager last read its units, and when each file of the configuration changed.
fn state(machine: &Machine) -> Vec<String> {
    let show = ["show", "--property=Id,MainPID,NRestarts", "containerd", "kubelet"];
    let units = machine.run("systemctl", &show).unwrap();
    let manager = machine.run("systemctl", &["show", "--property=UnitsLoadTimestampMonotonic"]).unwrap();
    assert!(manager.len() > "UnitsLoadTimestampMonotonic=\n".len(), "the manager does not say: {manager}");
    let files = ["/etc", "/opt", "/usr/local", "/var/lib/kubelet/bootstrap-kubeconfig"];
    // The result is the attempt's own.
    let but = ["-not", "-path", "/opt/azure/containers*", "-printf", "%p %T@ %C@ %m\n"];
    let files = machine.run("find", &[&files[..], &but].concat()).unwrap();
    [units, manager, files].iter().flat_map(|text| text.lines().map(str::to_owned)).collect()
}

#[test]
fn a_node_of_the_minor_before_the_control_planes_joins() {
    let scene = scene();
    let machine = scene.machine("earlier");
    scene.lab.equip(&machine, EARLIER, Progress::silent()).unwrap();
    let mut contract = scene.contract();
    contract["kubernetes_version"] = EARLIER.into();
    scene.join(&machine, &contract);
    let node = scene.node("earlier");
    assert_eq!(node["status"]["nodeInfo"]["kubeletVersion"], format!("v{EARLIER}"));
}
