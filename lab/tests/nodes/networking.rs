//! Pods have a network, whoever configures it.

use serde_json::{Value, json};
use slipway_lab::Machine;

use crate::scene::{Scene, asked, scene};

#[test]
fn two_machines_join_at_once_and_kubenet_connects_their_pods() {
    let scene = scene();
    let (one, two) = (scene.machine("kubenet-1"), scene.machine("kubenet-2"));
    let contract = scene.contract();
    std::thread::scope(|scope| {
        for machine in [&one, &two] {
            scope.spawn(|| scene.join(machine, &contract));
        }
    });
    scene.lab.cluster.route_pods(&scene.lab.space).unwrap();
    let (on_one, on_two) = (scene.pod("net-1", &one), scene.pod("net-2", &two));
    for (machine, address) in [(&one, &on_one), (&two, &on_two)] {
        let node = scene.node(&machine.name);
        let network = node["spec"]["podCIDR"].as_str().unwrap().trim_end_matches("0/24");
        assert!(address.starts_with(network), "{address} is not of {network}");
    }
    for (pod, other, address) in [("net-1", "net-2", &on_two), ("net-2", "net-1", &on_one)] {
        assert_eq!(scene.asked_from(pod, address), format!("{other}\n"));
    }
}

#[test]
fn a_network_that_was_there_before_is_left_to_its_owner() {
    let scene = scene();
    let machine = scene.machine("own-network");
    machine.put("/etc/cni/net.d/05-own.conflist", 0o644, network("10.244.250").as_bytes()).unwrap();
    let address = joined(scene, &machine, "NETWORK_PLUGIN_NONE");
    assert!(address.starts_with("10.244.250."), "{address}");
    let configurations = machine.run("ls", &["/etc/cni/net.d"]).unwrap();
    assert_eq!(configurations, "05-own.conflist\n");
}

#[test]
fn the_images_azure_cni_is_put_in_its_place() {
    let scene = scene();
    let machine = scene.machine("azure-cni");
    // An image holds the configuration beside the programs.
    machine.put("/opt/cni/bin/10-azure.conflist", 0o644, network("10.244.251").as_bytes()).unwrap();
    let address = joined(scene, &machine, "NETWORK_PLUGIN_AZURE");
    assert!(address.starts_with("10.244.251."), "{address}");
}

/// Makes a machine a node whose pods have this plugin, and gives the address of a pod that answers.
fn joined(scene: &Scene, machine: &Machine, plugin: &str) -> String {
    let mut contract = scene.contract();
    contract["network_config"] = json!({"network_plugin": plugin});
    scene.join(machine, &contract);
    let pod = format!("on-{}", machine.name);
    let address = scene.pod(&pod, machine);
    assert_eq!(asked(machine, &address), format!("{pod}\n"));
    address
}

/// A configuration of the reference plugins, for pods whose addresses begin like this.
fn network(addresses: &str) -> String {
    let ranges: Value = json!([[{"subnet": format!("{addresses}.0/24")}]]);
    let ipam = json!({"type": "host-local", "ranges": ranges, "routes": [{"dst": "0.0.0.0/0"}]});
    let bridge = json!({"type": "bridge", "bridge": "own0", "isGateway": true, "ipam": ipam});
    json!({"cniVersion": "0.4.0", "name": "own", "plugins": [bridge]}).to_string()
}
