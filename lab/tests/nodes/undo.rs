//! A reset leads back to the machine that was there before Slipway.

use slipway_lab::native;

use crate::scene::{scene, slipway};
use crate::state::State;

#[test]
fn a_reset_node_is_the_machine_that_it_was_and_can_become_a_node_again() {
    let scene = scene();
    let machine = scene.machine("undo");
    native::install(&machine, slipway(), &scene.contract()).unwrap();
    let before = State::of(&machine);
    scene.join(&machine, &scene.contract());
    assert_eq!(scene.pod_answers("on-undo", &machine), "on-undo\n");
    let announced = machine.run("slipway", &["reset", "--dry-run"]).unwrap();
    assert!(announced.contains("would put back pod default/on-undo"), "{announced}");
    let said = machine.run("slipway", &["reset"]).unwrap();
    assert_eq!(before.differences(&State::of(&machine)), Vec::<String>::new(), "{said}");
    assert_eq!(machine.run("slipway", &["reset"]).unwrap(), "nothing to undo\n");

    // The Node is the cluster's. A new one shows that the second is not the first.
    scene.kubectl(&["delete", "pod", "on-undo", "--force", "--grace-period=0"]);
    scene.kubectl(&["delete", "node", "undo"]);
    scene.join(&machine, &scene.contract());
    assert_eq!(scene.pod_answers("on-undo-again", &machine), "on-undo-again\n");
}
