//! A machine becomes a node, and stays what it is.

use crate::scene::scene;

#[test]
fn a_machine_joins_by_token_and_its_pod_answers() {
    let scene = scene();
    let machine = scene.machine("token");
    scene.join(&machine, &scene.contract());
    assert_eq!(scene.pod_answers("on-token", &machine), "on-token\n");
}

#[test]
fn the_contracts_labels_are_on_the_node() {
    let scene = scene();
    let machine = scene.machine("labels");
    scene.join(&machine, &scene.contract());
    let node = scene.node("labels");
    assert_eq!(node["metadata"]["labels"]["kubernetes.azure.com/agentpool"], "lab", "{node}");
}
